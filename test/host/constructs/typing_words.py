from typing import Annotated, Final, Generic, NewType, Protocol, TypeAlias, TypedDict, TypeVar, cast, overload, runtime_checkable

T = TypeVar("T", bound=int)
Block = NewType("Block", int)
BLOCK: Final = 256
Grid = tuple[int, ...]
Rows: TypeAlias = int


@runtime_checkable
class Launcher(Protocol):
    """What launches."""

    name: str

    def __call__(self, x: torch.Tensor, BLOCK: int) -> torch.Tensor: ...


class Plan(TypedDict, total=False):
    block: int
    warps: int


class Keys(TypedDict):
    block: int


class Box(Generic[T]):
    def __init__(self, value: T):
        self.value = value

    @overload
    def get(self) -> T: ...
    @overload
    def get(self, other: T) -> T: ...

    def get(self, other=None) -> T:
        return self.value if other is None else other


@overload
def pick(x: int) -> int: ...
@overload
def pick(x: str) -> str: ...


def pick(x):
    return x


def plan_of(x: torch.Tensor) -> Keys:
    return {"block": BLOCK}


def run(x: Annotated[torch.Tensor, "rows"]) -> torch.Tensor:
    grid: Grid = (1, 2)
    plan = Plan(block=256, warps=4)
    assert plan == {"block": 256, "warps": 4} and grid[1] == 2 and plan_of(x)["block"] == 256
    f: Launcher = launch
    return f(x, pick(cast("Block", Block(Box(plan["block"]).get()))))


# --- unsupported: TypeVar
from typing import TypeVar

T = TypeVar("T")


def run(x):
    return launch(x, 256 if T == "T" else 128)
# --- unsupported: class
from typing import Protocol


class Launcher(Protocol):
    block: int


def run(x):
    return launch(x, 256 if isinstance(x, Launcher) else 128)
# --- unsupported: class
from typing import Protocol


class Launcher(Protocol):
    def block(self):
        return 256


class Own(Launcher):
    pass


def run(x):
    return launch(x, Own().block())
# --- compile_fail: power of 2
from typing import TypedDict, cast


class Plan(TypedDict):
    block: int


def run(x):
    return launch(x, cast(int, Plan(block=3)["block"]))
# --- unsupported: overload
from typing import overload


@overload
def block() -> int: ...


def run(x):
    return launch(x, block())
# --- ok: Accepted
from abc import ABC, abstractmethod


class Strategy(ABC):
    @abstractmethod
    def block(self, n: int) -> int:
        """How many columns."""

    def warps(self) -> int:
        return 4


class Rows(Strategy):
    def block(self, n):
        return min(512, triton.next_power_of_2(n))


def run(x):
    return launch(x, Rows().block(x.shape[1]) if Rows().warps() == 4 else 64)
# --- unsupported: class
from abc import ABC, abstractmethod


class Strategy(ABC):
    @abstractmethod
    def block(self, n): ...


def run(x):
    return launch(x, 256 if Strategy() else 128)
# --- unsupported: class
from abc import ABC, abstractmethod


class Strategy(ABC):
    @abstractmethod
    def block(self, n): ...

    def size(self):
        return 256


class Rows(Strategy):
    pass


def run(x):
    return launch(x, Rows().size())
# --- compile_fail: power of 2
from abc import ABC, abstractmethod


class Strategy(ABC):
    @abstractmethod
    def block(self): ...


class Rows(Strategy):
    def block(self):
        return 3


def run(x):
    return launch(x, Rows().block())
