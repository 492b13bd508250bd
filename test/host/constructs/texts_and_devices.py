def run(x):
    many = str([0] * 400)
    assert len(many) == 1200 and f"{x.dtype} {x.device}" == "torch.float32 cuda:0"
    assert str((1, "a", None, 2.5)) == "(1, 'a', None, 2.5)" and str({"a": [1]}) == "{'a': [1]}"
    assert x.device != torch.device("cuda") and x.device == torch.device("cuda", 0)
    assert str(torch.device("cuda")) == "cuda" and torch.device("cuda").index is None
    return launch(x, 256 if len(many) > 1000 else 3)
# --- unsupported: the text of a value of type
def run(x):
    return launch(x, 256 if len(str(launch)) > 20 else 3)
# --- unsupported: the text of a value of type
def run(x):
    return launch(x, 256 if len(f"{[x.device]}") > 20 else 3)
# --- parse_reject: the text of a tensor
def run(x):
    return launch(x, 256 if len(f"{x}") > 20 else 3)
# --- compile_fail: power of 2
def run(x):
    return launch(x, 256 if x.device == torch.device("cuda") else 3)
