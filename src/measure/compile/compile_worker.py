# A compile worker: reads requests from standard input, answers on standard output. It runs in a sandbox
# (compile_sandbox.c) and compiles each kernel in a process of its own, forked from this one, which has
# Triton loaded: nothing that a kernel does to its process is there for the next one.
#
# Request: length (4 bytes, little endian), JSON: {"id", "kernel": {"name", "params", "options"}, "source",
# "capability", "seconds"}. Answer: two lengths, JSON, the cubin.
# JSON: {"id", "ok": true, "name", "shared", ...} or {"id", "ok": false, "why"}.
import importlib.util
import json
import os
import signal
import struct
import sys

ANSWER_MAX = 20 << 20


def read_exactly(fd, n):
    parts = []
    while n:
        part = os.read(fd, min(n, 1 << 20))
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def answer(fd, about, blob=b""):
    text = json.dumps(about).encode()
    write_all(fd, struct.pack("<II", len(text), len(blob)) + text + blob)


def load(source, path):
    with open(path, "w") as f:
        f.write(source)
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernels"] = module
    spec.loader.exec_module(module)
    return module


def constant(module, v):
    import triton.language as tl
    if not isinstance(v, dict):
        return v
    if "float" in v:
        return float(v["float"])
    if "dtype" in v:
        return tl.dtype(v["dtype"])
    if "tuple" in v:
        return tuple(constant(module, x) for x in v["tuple"])
    return getattr(module, v["function"])


def specialised(module, params, path, constants, attributes):
    types = []
    for i, p in enumerate(params):
        here = path + (i,)
        if p["type"] == "tuple":
            types.append(tuple(specialised(module, p["items"], here, constants, attributes)))
            continue
        types.append(p["type"])
        if p["type"] == "constexpr":
            constants[here] = constant(module, p["value"])
        elif p.get("aligned"):
            attributes[here] = [["tt.divisibility", 16]]
    return types


def compile_kernel(request, folder):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    kernel = request["kernel"]
    os.environ["TRITON_CACHE_DIR"] = folder
    module = load(request["source"], os.path.join(folder, "kernels.py"))
    constants, attributes = {}, {}
    types = specialised(module, kernel["params"], (), constants, attributes)
    names = [p["name"] for p in kernel["params"]]
    source = ASTSource(getattr(module, kernel["name"]), dict(zip(names, types)), constants, attributes)
    o = kernel["options"]
    options = {"num_warps": o["num_warps"], "num_stages": o["num_stages"], "num_ctas": o["num_ctas"],
               "enable_fp_fusion": o["fp_fusion"], "launch_cooperative_grid": o["cooperative"],
               "launch_pdl": o["pdl"]}
    if o["maxnreg"]:
        options["maxnreg"] = o["maxnreg"]
    done = triton.compile(source, target=GPUTarget("cuda", request["capability"], 32), options=options)
    m = done.metadata._asdict()
    number = lambda key, usual: int(m.get(key) or usual)
    about = {"id": request["id"], "ok": True, "name": m["name"], "shared": number("shared", 0),
             "num_warps": number("num_warps", 1), "num_ctas": number("num_ctas", 1),
             "global_scratch": number("global_scratch_size", 0),
             "global_scratch_align": number("global_scratch_align", 1),
             "profile_scratch": number("profile_scratch_size", 0),
             "profile_scratch_align": number("profile_scratch_align", 1),
             "cooperative": bool(m.get("launch_cooperative_grid")), "pdl": bool(m.get("launch_pdl"))}
    return about, done.asm["cubin"]


def child(request, out, folder):
    signal.alarm(int(request["seconds"]))
    try:
        about, cubin = compile_kernel(request, folder)
    except BaseException as e:  # a compiler's error, whatever it is: its text is the answer
        about, cubin = {"id": request["id"], "ok": False, "why": "%s: %s" % (type(e).__name__, e)}, b""
    if len(about.get("why", "")) > 4000:
        about["why"] = about["why"][:4000]
    answer(out, about, cubin)


def remove(folder):
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            remove(path)
        else:
            os.unlink(path)
    os.rmdir(folder)


def serve(own, requests, answers):
    while True:
        head = read_exactly(requests, 4)
        if head is None:
            return
        body = read_exactly(requests, struct.unpack("<I", head)[0])
        if body is None:
            return
        request = json.loads(body)
        folder = os.path.join(own, "kernel")
        os.mkdir(folder)
        back, out = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(requests)
            os.close(answers)
            os.close(back)
            child(request, out, folder)
            os._exit(0)
        os.close(out)
        parts, size = [], 0
        while size <= ANSWER_MAX:
            part = os.read(back, 1 << 20)
            if not part:
                break
            parts.append(part)
            size += len(part)
        os.close(back)
        _, status = os.waitpid(pid, 0)
        remove(folder)
        whole = b"".join(parts)
        if status or size > ANSWER_MAX or size < 8 or sum(struct.unpack("<II", whole[:8])) != size - 8:
            answer(answers, {"id": request["id"], "ok": False, "crashed": True,
                             "why": "the compiler did not come to an end (status %d)" % status})
        else:
            write_all(answers, whole)


def probe():
    import sysconfig
    import triton
    from triton.backends.nvidia.compiler import get_ptxas
    ptxas = get_ptxas(90)
    places = [p for p in sys.path if p] + [sysconfig.get_path("stdlib"), sysconfig.get_config_var("LIBDIR"),
                                           os.path.join(sys.prefix, "pyvenv.cfg"), os.path.dirname(triton.__file__)]
    print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "triton": triton.__version__,
                      "ptxas": ptxas.version, "program": sys.executable,
                      "run": [os.path.realpath(sys.executable), os.path.realpath(ptxas.path)],
                      "path": [p for p in sys.path if p],
                      "read": sorted({os.path.abspath(p) for p in places if p and os.path.exists(p)})}))


WARM = """import triton
import triton.language as tl


@triton.jit
def warm(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i).to(tl.float32) + 1)
"""


def main():
    own, capability = sys.argv[1], int(sys.argv[2])
    requests, answers = os.dup(0), os.dup(1)
    os.set_inheritable(requests, False)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    folder = os.path.join(own, "warm")
    os.mkdir(folder)
    about, _ = compile_kernel({
        "id": 0, "source": WARM, "capability": capability,
        "kernel": {"name": "warm", "params": [{"name": "x", "type": "*fp16", "aligned": True},
                                              {"name": "BLOCK", "type": "constexpr", "value": 128}],
                   "options": {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": 0,
                               "fp_fusion": True, "cooperative": False, "pdl": False}}}, folder)
    remove(folder)
    sys.modules.pop("kernels", None)
    answer(answers, about)
    serve(own, requests, answers)


if sys.argv[1:] == ["probe"]:
    probe()
else:
    main()
