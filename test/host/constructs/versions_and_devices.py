NEW = 3


def run(x):
    major, minor = torch.cuda.get_device_capability()
    name = torch.cuda.get_device_name(0)
    with torch.cuda.device(x.device.index):
        return launch(x, 256 if major >= 9 or "A100" in name or not NEW else 128)
# --- unsupported: torch.version
def run(x):
    return launch(x, 256 if torch.version.cuda > "12" else 128)
