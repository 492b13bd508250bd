KINDS = {"float32": 256, "float16": 512, "bfloat16": 512}
SIZES = " 64, 128 ,256".strip().split(",")


def run(x):
    name = str(x.dtype).split(".")[-1]
    assert name == str(x.dtype).replace("torch.", "") and not name.isdigit() and "12".isdigit()
    assert [s.strip() for s in SIZES] == ["64", "128", "256"] and "/".join("a b".split()) == "a/b"
    return launch(x, KINDS[name])
# --- unsupported: a number's digits
def run(x):
    return launch(x, 256 if len(str(x.shape[1]).split("7")) == 1 else 128)
# --- unsupported: a number's digits
def run(x):
    return launch(x, 256 if f"{x.shape[1]}".strip("7") else 128)
# --- unsupported: of a value of type 'str': it is not part of the host vocabulary
def run(x):
    return launch(x, 256 if "abc".index("b") == 1 else 128)
# --- unsupported: it is not part of the host vocabulary
def run(x):
    return launch(x, [256, 128].count(256) * 256)
# --- host_error: 'str' object has no attribute 'append'
def run(x):
    "abc".append("d")
    return launch(x)
# --- host_error: 'int' object has no attribute 'split'
def run(x):
    x.shape[1].split("7")
    return launch(x)
