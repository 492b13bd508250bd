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
    assert Kind("max") is Kind.MAX and Kind(Kind.SUM) is Kind.SUM and Kind["SAME"] is Kind.SUM and Step(2) == Step.TWO
    assert [k.name for k in Kind] == ["SUM", "MAX"] and [s.value for s in Step] == [1, 2] and list(Kind)[1] is Kind.MAX
    assert {k: k.value for k in Kind}[Kind.MAX] == "max" and Mode["FIRST"] == 1 and Mode(257) == Mode.NEXT
    return launch(x, Mode(256).value)
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
# --- host_error: 255 is not a valid Mode
from enum import IntEnum


class Mode(IntEnum):
    WIDE = 256


def run(x):
    return launch(x, Mode(255))
# --- host_error: KeyError
from enum import Enum


class Kind(Enum):
    WIDE = 256


def run(x):
    return launch(x, Kind["wide"].value)
# --- unsupported: .value
from enum import IntEnum


class Mode(IntEnum):
    WIDE = 256


def run(x):
    m = Mode(256)
    return launch(x, m.value)
# --- unsupported: in a row
from enum import IntEnum


class Kind(IntEnum):
    SUM = 1


def run(x):
    return launch(x, len([k for k in Kind]))
# --- compile_fail: power of 2
from enum import Enum


class Kind(Enum):
    SUM = 1
    MAX = 2
    SAME = 1


def run(x):
    return launch(x, [k.value for k in Kind][-1] + 1)
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
# --- unsupported: class
from enum import Enum


class Kind(int, Enum):
    WIDE = 256


def run(x):
    return launch(x, int(str(Kind.WIDE)))
# --- ok: Accepted
from enum import Enum, StrEnum, auto
import logging

logger = logging.getLogger(__name__)


class Mode(str, Enum):
    WIDE = "wide"
    NARROW = "narrow"


class Size(int, Enum):
    SMALL = 64
    NEXT = auto()
    LARGE = 256


class Name(StrEnum):
    WIDE = auto()
    Mixed_Case = auto()
    OTHER = "Other"


def size_of(mode):
    if mode not in (Mode.WIDE, Mode.NARROW):
        raise ValueError(f"unknown mode {mode}")
    logger.debug(f"mode {mode}")
    return Size.LARGE if mode == Mode.WIDE else Size.SMALL


def run(x):
    assert Mode.WIDE == "wide" and Mode("narrow") == Mode.NARROW and Mode["WIDE"].upper() == "WIDE"
    assert Mode.WIDE.value == "wide" and Mode.WIDE.name == "WIDE" and Size.NEXT == 65 and Size.SMALL + 1 == Size.NEXT
    assert Name.WIDE == "wide" and Name.Mixed_Case == "mixed_case" and Name.OTHER != "other"
    return launch(x, size_of("wide" if x.shape[0] > 1 else Mode.NARROW))
# --- compile_fail: power of 2
from enum import Enum


class Size(int, Enum):
    SMALL = 64
    NEXT = 65


def run(x):
    return launch(x, Size.NEXT)
# --- host_error: KeyError
from enum import StrEnum, auto


class Name(StrEnum):
    Wide = auto()


def run(x):
    return launch(x, {"Wide": 256}[Name.Wide])
