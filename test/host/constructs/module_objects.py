from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    block: int = 256
    warps: int = 4

    def wider(self):
        return Tile(self.block * 2, self.warps)


class Names:
    def __init__(self, first, sizes):
        self.first = first
        self.sizes = sizes


TILE = Tile(block=128)
TABLE = {"small": Tile(64), "large": [Tile(), TILE]}
NAMES = Names("a", [256, 512])


def run(x):
    assert TABLE["small"].block == 64 and TABLE["large"][1].block == 128 and NAMES.first == "a"
    return launch(x, TILE.wider().block if NAMES.sizes[0] == 256 else 3)
# --- parse_reject: may not be changed
from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    block: int = 256


TILE = Tile(block=128)


def run(x):
    TILE.block = 256
    return launch(x, TILE.block)
# --- parse_reject: holds this value
class Kept:
    def __init__(self, n):
        self.n = n

    def bump(self):
        self.n = self.n + 1
        return 256 if self.n == 1 else 3


KEPT = Kept(0)


def run(x):
    return launch(x, KEPT.bump())
# --- parse_reject: holds this value
class Kept:
    def __init__(self, n):
        self.n = n


class Other:
    def __init__(self):
        self.m = 1

    def set(self):
        self.n = 3


KEPT = Kept(256)


def run(x):
    Other.set(KEPT)
    return launch(x, KEPT.n)
# --- parse_reject: holds this value
class Kept:
    def __init__(self):
        self.seen = []


KEPT = {"a": Kept()}


def run(x):
    KEPT["a"].seen.append(1)
    return launch(x, 256 if len(KEPT["a"].seen) == 1 else 3)
# --- parse_reject: holds this value
class Kept:
    def __init__(self):
        self.n = 0

    def bump(self):
        self.n = self.n + 1
        return 256 if self.n == 1 else 3


bump = Kept().bump


def run(x):
    return launch(x, bump())
