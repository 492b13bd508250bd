NEW = 3
IS_HIP = torch.version.hip is not None
HAS_CUDA = torch.version.cuda is not None and not torch.version.hip
if torch.version.hip:
    NARROW = 3
elif torch.version.cuda:
    NARROW = 128


def is_hip():
    return torch.version.hip is not None


def run(x):
    major, minor = torch.cuda.get_device_capability()
    name = torch.cuda.get_device_name(0)
    with torch.cuda.device(x.device.index):
        if is_hip() or IS_HIP or not torch.version.cuda:
            return launch(x, 3)
        assert HAS_CUDA and (NARROW if torch.version.cuda else 3) == 128
        return launch(x, 256 if major >= 9 or "A100" in name or not NEW else NARROW)
# --- compile_fail: power of 2
IS_HIP = torch.version.hip is not None


def run(x):
    return launch(x, 256 if IS_HIP or torch.version.cuda is None else 3)
# --- unsupported: torch.version
def run(x):
    return launch(x, 3 if torch.version.cuda.startswith("13") else 256)
# --- unsupported: torch.version
CUDA = torch.version.cuda


def run(x):
    return launch(x, 3 if CUDA == "13.1" else 256)
# --- unsupported: torch.version
def run(x):
    return launch(x, 3 if torch.version.git_version == "13.1" else 256)
# --- unsupported: torch.version
def run(x):
    return launch(x, 256 if torch.version.cuda > "12" else 128)
