import enum
from enum import Enum, IntEnum, auto


class Kind(Enum):
    SUM = "sum"
    MAX = "max"
    SAME = "sum"

    def block(self):
        return 256 if self is Kind.SUM else 3


class Mode(IntEnum):
    FIRST = auto()
    WIDE = 256
    NEXT = auto()


class Step(enum.Enum):
    ONE = enum.auto()
    TWO = enum.auto()


SIZES = {Kind.SUM: 256, Kind.MAX: 3}


def run(x):
    kind = Kind.SUM
    assert kind == Kind.SAME and kind is Kind.SAME and kind != Kind.MAX and kind.value == "sum" and kind.name == "SUM"
    assert kind != "sum" and isinstance(kind, Kind) and Mode.NEXT == 257 and Mode.FIRST.value == 1
    assert Mode.WIDE.name == "WIDE" and Step.TWO.value == 2 and Step.ONE != 1 and SIZES[kind] == kind.block()
    return launch(x, Mode.WIDE)
# --- unsupported: .MAX
from enum import Enum


class Kind(Enum):
    SUM = 1


def run(x):
    return launch(x, Kind.MAX)
# --- parse_reject: may not be changed
from enum import Enum


class Kind(Enum):
    SUM = 1

    def keep(self):
        self.seen = 3
        return 256


def run(x):
    return launch(x, Kind.SUM.keep())
# --- unsupported: by its value
from enum import IntEnum


class Mode(IntEnum):
    WIDE = 256


def run(x):
    return launch(x, Mode(256))
# --- unsupported: in a row
from enum import Enum


class Kind(Enum):
    SUM = 1


def run(x):
    return launch(x, len([k for k in Kind]))
# --- host_error: unsupported operand
from enum import Enum


class Kind(Enum):
    WIDE = 256


def run(x):
    return launch(x, Kind.WIDE)
# --- unsupported: class
from enum import Enum


class Kind(str, Enum):
    WIDE = "wide"


def run(x):
    return launch(x, len(f"{Kind.WIDE}"))
