from typing import Literal, Optional

Kind = Literal["a", "b"]


def run(x, kind: Kind = "a", block: Optional[int] = None):
    return launch(x, 256 if kind == "a" else 3)
# --- parse_reject: `open`
def run(x, kind: open("/etc/passwd") = "a"):
    return launch(x)
