"""A stand-in for Triton's compiler, for tests with the driver of test/gpu/libcuda.c: what it "compiles" is the kernel's text
and signature, in an ELF file of the form that is expected of a cubin."""
import json
import struct
from collections import namedtuple

__version__ = "3.6.0"


def jit(f=None, **options):
    return f if f else lambda g: g


def cdiv(x, y):
    return (x + y - 1) // y


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()


def elf(name, text):
    names = b"\0.text." + name.encode() + b"\0.shstrtab\0"
    body = text.encode() + b"\0"
    at = 64
    names_at = at + len(body)
    sections_at = (names_at + len(names) + 7) // 8 * 8
    section = lambda name, kind, at, size: struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, at, size, 0, 0, 1, 0)
    out = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0x33, 2, 190, 1, 0, 0, sections_at, 0, 64, 0, 0, 64, 3, 2)
    out += body + names
    out += b"\0" * (sections_at - len(out))
    out += section(0, 0, 0, 0) + section(1, 1, at, len(body)) + section(1 + 7 + len(name), 3, names_at, len(names))
    return out


def plain(value):
    return {"dtype": value.name} if type(value).__name__ == "dtype" else {"value": value}


Done = namedtuple("Done", "metadata asm")


def compile(source, target, options):
    params = []
    for i, (name, kind) in enumerate(source.signature.items()):
        params.append({"name": name, "type": kind})
        if kind == "constexpr":
            params[-1].update(plain(source.constants[(i,)]))
    with open(source.fn.__code__.co_filename) as f:
        text = f.read()
    kernel = source.fn.__name__
    about = {"kernel": kernel, "warps": options["num_warps"], "stages": options["num_stages"], "params": params, "source": text}
    metadata = {"name": kernel, "shared": 0, "num_warps": options["num_warps"], "num_ctas": options["num_ctas"],
                "global_scratch_size": 0, "profile_scratch_size": 0}
    return Done(namedtuple("Metadata", metadata)(**metadata), {"cubin": elf(kernel, json.dumps(about, separators=(",", ":")))})
