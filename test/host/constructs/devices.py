def run(x):
    torch.cuda.set_device(x.device)
    with torch.autocast(device_type="cuda", enabled=False), torch.enable_grad():
        y = launch(x)
    if torch.compiler.is_compiling():
        raise RuntimeError("not compiled")
    torch.cuda.synchronize()
    return y
# --- unsupported: another device
def run(x):
    torch.cuda.set_device(1)
    return launch(x)
# --- host_error: with a specified index
def run(x):
    torch.cuda.set_device("cuda")
    return launch(x)
# --- parse_reject: belong to whoever measures
def run(x):
    with torch.cuda.stream(torch.cuda.Stream()):
        return launch(x)
# --- host_error: name 'nothing' is not defined
def run(x):
    with torch.autocast("cuda", enabled=nothing):
        return launch(x)
