from typing import ClassVar, Dict


class Runner:
    __slots__ = ("limit",)
    _blocks: ClassVar[Dict[int, int]] = {}
    TABLE = {64: 1, 512: 2}
    hits = []
    limit: int
    least: int = 64

    def __init__(self, limit=256):
        self.limit = limit
        assert len(self.TABLE) == 2 and self.least == 64

    def __call__(self, x):
        n = x.shape[1]
        if n not in self._blocks:
            Runner._blocks[n] = min(self.limit, triton.next_power_of_2(n))
        self.hits.append(n)
        if len(self.hits) > 3:
            del self.hits[0]
        return launch(x, self._blocks[n])


def run(x):
    return Runner()(x)
# --- parse_reject: copy it, then change the copy
class Runner:
    TABLE = {1: [2]}

    def __call__(self, x):
        self.TABLE[1].append(x.shape[0])
        return launch(x)


def run(x):
    return Runner()(x)
# --- parse_reject: what the module keeps between calls are numbers
class Runner:
    kept = {}

    def __call__(self, x):
        if x.shape not in self.kept:
            self.kept[x.shape] = launch(x)
        return self.kept[x.shape]


def run(x):
    return Runner()(x)
# --- parse_reject: is used in calls alone
class ModelNew(torch.nn.Module):
    calls = [0]

    def __init__(self):
        super().__init__()
        self.calls[0] += 1
        self.n = self.calls[0]

    def forward(self, x):
        return launch(x, 64 * self.n)
# --- uncovered_output: unwritten in call 2
class Runner:
    calls = [0]

    def __call__(self, x):
        self.calls[0] += 1
        return launch(x) if self.calls[0] == 1 else torch.empty_like(x)


def run(x):
    return Runner()(x)
