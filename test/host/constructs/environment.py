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
