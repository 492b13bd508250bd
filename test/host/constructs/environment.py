import os

PRINT = os.environ.get("TRITON_PRINT_AUTOTUNING", "0") == "1"
DEBUG = os.getenv("TORCH_COMPILE_DEBUG")


def run(x):
    if PRINT or DEBUG:
        print("tuning")
    return launch(x)
# --- parse_reject: os
import os


def run(x):
    os.environ["TRITON_PRINT_AUTOTUNING"] = "1"
    return launch(x)
# --- parse_reject: the environment's `MY_KERNEL_BLOCK`: a file asks by os.environ.get
import os

BLOCK = int(os.environ.get("MY_KERNEL_BLOCK", "256"))


def run(x):
    return launch(x, BLOCK)
# --- parse_reject: write the value that you mean down as a constant: FAST = \"0\"
import os


def run(x):
    return launch(x) if os.environ["FAST"] == "1" else torch.empty_like(x)
# --- parse_reject: such as TRITON_DEBUG
from os import environ


def asked(name):
    return name in environ


def run(x):
    return launch(x, 128 if asked("FAST") else 256)
