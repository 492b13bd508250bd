class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = 256
        for p in self.parameters():
            p.requires_grad_(False)

    def forward(self, x):
        if not hasattr(self, "_sizes"):
            setattr(self, "_sizes", {})
        last = getattr(self, "last", None)
        if last != tuple(x.shape):
            self.last = tuple(x.shape)
        block = getattr(self, "block", 64) if hasattr(tl, "gather") else 32
        return launch(x, block + getattr(self, "more", 0))
# --- incorrect: call 2 on the same object
class ModelNew(torch.nn.Module):
    def forward(self, x):
        if hasattr(self, "kept") and getattr(self, "kept").shape == x.shape and self.kept.dtype == x.dtype:
            return self.kept
        self.kept = launch(x)
        return self.kept
# --- parse_reject: `getattr`
def run(x):
    name = "sh" + "ape"
    return launch(x, 256 if getattr(x, name) else 128)
# --- parse_reject: `.data_ptr`
def run(x):
    return launch(x, 256 if getattr(x, "data_ptr")() else 128)
# --- parse_reject: does not look at
def run(x):
    return launch(x, 256 if getattr(launch, "__globals__", None) else 128)
# --- unsupported: hasattr
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return launch(x, 256 if hasattr(self, "state_dict") else 128)
