class dtype:
    def __init__(self, name):
        self.name = name


class constexpr:
    def __init__(self, value):
        self.value = value


def __getattr__(name):
    return dtype(name)
