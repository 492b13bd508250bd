KERNELS = {"relu2": lambda x: launch(x), "wrong": lambda x: launch(x, 3)}
run = KERNELS["relu2"]
# --- compile_fail: power of 2
KERNELS = {"relu2": lambda x: launch(x), "wrong": lambda x: launch(x, 3)}
run = KERNELS["wrong"]
# --- compile_fail: power of 2
def wrong(x):
    return launch(x, 3)


KERNELS = {"relu2": launch, "wrong": wrong}
run = KERNELS["wrong"]
# --- parse_reject: there is no function `run`
KERNELS = {"relu2": lambda x: launch(x)}
run = KERNELS["relu3"]
# --- parse_reject: assignment to a subscript
def wrong(x):
    return launch(x, 3)


KERNELS = {"relu2": launch}
KERNELS["relu2"] = wrong
run = KERNELS["relu2"]
