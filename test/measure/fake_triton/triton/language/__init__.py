constexpr = int


class dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "tl." + self.name
