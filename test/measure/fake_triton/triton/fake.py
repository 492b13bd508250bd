import errno
import os
import signal
import socket
import struct
import subprocess
import sys
import time

KEPT = []  # what one kernel leaves in the process for the next


def jit(f=None, **options):
    return f if f else jit


class Source:
    def __init__(self, fn, signature, constants, attributes):
        self.fn, self.signature, self.constants, self.attributes = fn, signature, constants, attributes


class Metadata:
    def __init__(self, **values):
        self.values = values

    def _asdict(self):
        return self.values


class Compiled:
    def __init__(self, metadata, cubin):
        self.metadata, self.asm = metadata, {"cubin": cubin}


def cubin(name, payload=b""):
    """An ELF file of the kind that ptxas makes: a header, code, names, section headers."""
    names = b"\0.shstrtab\0.text." + name.encode() + b"\0"
    code = b"\0" * 16 + payload
    text_at, names_at = 64, 64 + len(code)
    headers = names_at + len(names)
    elf = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, headers, 90, 64, 0, 0, 64, 3, 1)
    section = lambda at, kind, offset, size: struct.pack("<IIQQQQIIQQ", at, kind, 0, 0, offset, size, 0, 0, 1, 0)
    return elf + code + names + section(0, 0, 0, 0) + section(1, 3, names_at, len(names)) + section(11, 1, text_at, len(code))


def outcome(what):
    try:
        what()
        return "done"
    except OSError as e:
        return errno.errorcode[e.errno]
    except subprocess.SubprocessError as e:
        return type(e).__name__


def reach():
    """What a kernel's code could do if it ran in the compiler: each thing, and how it went."""
    secret, victim, parent = os.environ.get("SECRET", "none"), "/tmp/ouroboros-compile-test-victim", os.getppid()
    tries = {
        "read_passwd": lambda: open("/etc/passwd").read(),
        "read_proc": lambda: open("/proc/self/maps").read(),
        "list_root": lambda: os.listdir("/"),
        "list_tmp": lambda: os.listdir("/tmp"),
        "write_tmp": lambda: open(victim, "w"),
        "cut_victim": lambda: os.open(victim + "-cut", os.O_RDONLY | os.O_TRUNC),
        "make_link": lambda: os.symlink("/etc/passwd", "link"),
        "run_shell": lambda: subprocess.run(["/bin/sh", "-c", "true"], check=True),
        "run_own": lambda: (open("own", "w").write("#!/bin/sh\n"), os.chmod("own", 0o700)),
        "inet": lambda: socket.socket(socket.AF_INET),
        "unix": lambda: socket.socket(socket.AF_UNIX),
        "kill_parent": lambda: os.kill(parent, 0),
        "new_session": os.setsid,
        "new_group": lambda: os.setpgid(0, 0),
        "trace": lambda: trace(parent),
        "mount": lambda: os.unshare(0x10000000) if hasattr(os, "unshare") else denied("unshare"),
        "own_file": lambda: open("mine", "w").write("x"),
        "libraries": lambda: os.listdir("/usr/lib"),
    }
    return " ".join("%s=%s" % (name, outcome(f)) for name, f in tries.items()) + " secret=" + secret


def trace(pid):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, pid, None, None) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def denied(name):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(0x10000000) < 0:
        raise OSError(ctypes.get_errno(), name)


def misbehave(name):
    if name == "hangs":
        while True:
            time.sleep(1)
    if name == "hangs_with_children":
        for _ in range(3):
            if os.fork() == 0:
                signal.alarm(0)
                while True:
                    time.sleep(1)
        while True:
            time.sleep(1)
    if name == "crashes":
        os._exit(3)
    if name == "dies":
        signal.alarm(1)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        time.sleep(5)
    if name == "babbles":
        for fd in range(3, 64):
            try:
                os.write(fd, b"\1\0\0\0\1\0\0\0{}" * 8)
            except OSError:
                pass
        os._exit(0)
    if name == "floods":
        while True:
            for fd in range(3, 64):
                try:
                    os.write(fd, b"\1" * 65536)
                except OSError:
                    pass
    if name == "reaches":
        raise RuntimeError(reach())
    if name == "fails":
        raise RuntimeError("PassManager::run failed\nand more \x1b[31m")
    if name == "leaves":
        KEPT.append(name)
        sys.modules["__main__"].compile_kernel = None
    if name == "finds" and KEPT:
        raise RuntimeError("something was left: %r" % KEPT)


def compile(source, target=None, options=None):
    name = source.fn.__name__
    misbehave(name)
    about = dict(name=name, shared=64, num_warps=options["num_warps"], num_ctas=options["num_ctas"],
                 global_scratch_size=128, global_scratch_align=16, profile_scratch_size=0,
                 profile_scratch_align=1, launch_cooperative_grid=options["launch_cooperative_grid"],
                 launch_pdl=options["launch_pdl"])
    said = repr((sorted(source.signature.items()), sorted(source.constants.items(), key=str),
                 sorted(source.attributes.items()), target.arch, sorted(options.items()))).encode()
    image = cubin(name, said)
    if name == "another":
        about["name"], image = "warm", cubin("warm")
    if name == "other_code":
        image = cubin("warm")
    if name == "other_warps":
        about["num_warps"] = 1
    if name == "much_shared":
        about["shared"] = 1 << 30
    if name == "no_cubin":
        image = b"\x7fELF" + b"\xff" * 200
    if name == "short_cubin":
        image = image[:100]
    if name == "differs":
        image = cubin(name, os.urandom(8))
    return Compiled(Metadata(**about), image)
