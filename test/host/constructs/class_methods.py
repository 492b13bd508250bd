class Plan:
    DEFAULT = 128

    def __init__(self, block):
        self._block = block

    @classmethod
    def twice(cls, n=2):
        return cls(cls.DEFAULT * n)

    @staticmethod
    def half(n):
        return n // 2

    @property
    def block(self):
        return self._block


def run(x):
    return launch(x, Plan.half(Plan.twice().block * 2))
# --- parse_reject: assign
class Plan:
    calls = 0

    @classmethod
    def count(cls):
        cls.calls += 1
        return cls.calls


def run(x):
    return launch(x, 256 if Plan.count() else 128)
