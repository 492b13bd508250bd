class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scratch", torch.empty(0), persistent=False)
        self.register_buffer(name="blocks", tensor=torch.zeros(16, dtype=torch.float32), persistent=True)
        self.register_buffer("none", None, False)
        self.register_buffer("_of_mine", torch.empty(0))

    def forward(self, x):
        assert self.none is None and self.scratch.numel() == 0
        return launch(x, self.blocks.shape[0] * 16)
# --- incorrect: on the same object
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", None, persistent=False)

    def forward(self, x):
        if self.kept is None or self.kept.shape != x.shape or self.kept.dtype != x.dtype:
            self.kept = launch(x)
        return self.kept
# --- unsupported: register_buffer
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        name = "kept"
        self.register_buffer(name, torch.empty(0))

    def forward(self, x):
        return launch(x)
# --- unsupported: register_buffer
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("_buffers", torch.empty(0))

    def forward(self, x):
        return launch(x)
