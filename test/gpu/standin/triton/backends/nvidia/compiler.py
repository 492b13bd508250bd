from collections import namedtuple


def get_ptxas(arch):
    return namedtuple("Tool", "path version")("/bin/true", "0")
