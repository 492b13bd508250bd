class Ptxas:
    version, path = "12.8", "/usr/bin/true"


def get_ptxas(arch):
    return Ptxas
