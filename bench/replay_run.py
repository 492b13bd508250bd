"""Device time of a recorded call in a process without PyTorch: one JSON object on standard input,
{"run": RUN, "sets": N, "calls": N, "rounds": N, "indices": [INPUT]}, answered by {"us": MICROSECONDS}. See replay_gap.py, which asks.
--pytorch: in a process of PyTorch instead, in its context, on a stream of its, after kernels of its own have run."""

import ctypes
import json
import statistics
import sys

cuda = ctypes.CDLL("libcuda.so.1")
Handle, Size, Address = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64
ONE_AND_ONE = 0x3C00  # two bytes: 1.0 in float16


def check(name, *args):
    error = getattr(cuda, name)(*args)
    if error:
        raise RuntimeError(f"{name}: error {error}")


def made(name, *args):
    handle = Handle()
    check(name, ctypes.byref(handle), *args)
    return handle


def places_of(run, indices):
    """Ones in float16; inputs that are indices hold 0: another number would point beyond a row, and the kernel would stop."""
    out = []
    for buffer in run["buffers"]:
        at, size = Address(), (buffer["bytes"] + 1025) // 2 * 2
        check("cuMemAlloc_v2", ctypes.byref(at), Size(size))
        fill = 0 if buffer.get("input") in indices else ONE_AND_ONE
        check("cuMemsetD16_v2", at, ctypes.c_ushort(fill), Size(size // 2))
        out.append(at.value)
    return out


def functions_of(run):
    out = []
    for kernel in run["kernels"]:
        module = made("cuModuleLoadData", bytes.fromhex(kernel["image"]))
        out.append(made("cuModuleGetFunction", module, kernel["entry"].encode()))
        if kernel["shared"] > 48 << 10:
            check("cuFuncSetAttribute", out[-1], 8, kernel["shared"])
    return out


def launch(run, functions, place, stream):
    for step in run["steps"]:
        values = []
        for arg in step["args"]:
            if isinstance(arg, list):
                values.append(Address(place[arg[0]] + arg[1]))
            else:
                values.append((ctypes.c_char * (len(arg) // 2)).from_buffer_copy(bytes.fromhex(arg)))
        params = (Handle * len(values))(*[ctypes.addressof(v) for v in values])
        shared = run["kernels"][step["launch"]]["shared"]
        sizes = [ctypes.c_uint(n) for n in step["grid"] + step["block"] + [shared]]
        check("cuLaunchKernel", functions[step["launch"]], *sizes, stream, params, None)


def main():
    asked = json.load(sys.stdin)
    run, calls = asked["run"], asked["calls"]
    if "--pytorch" in sys.argv:
        import torch

        torch.compile(lambda x: torch.softmax(x, -1))(torch.randn(64, 64, device="cuda"))
        torch.cuda.synchronize()
        torch_stream = torch.cuda.Stream()
        stream = Handle(torch_stream.cuda_stream)
    else:
        check("cuInit", 0)
        made("cuCtxCreate_v2", ctypes.c_uint(0), 0)
        stream = made("cuStreamCreate", ctypes.c_uint(1))
    start, end = made("cuEventCreate", ctypes.c_uint(0)), made("cuEventCreate", ctypes.c_uint(0))
    places, functions = [places_of(run, asked.get("indices", [])) for _ in range(asked["sets"])], functions_of(run)
    check("cuStreamBeginCapture_v2", stream, ctypes.c_int(2))
    for i in range(calls):
        launch(run, functions, places[i % len(places)], stream)
    graph = Handle()
    check("cuStreamEndCapture", stream, ctypes.byref(graph))
    ready = made("cuGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
    times = []
    for _ in range(asked["rounds"]):
        check("cuGraphLaunch", ready, stream)
        check("cuEventRecord", start, stream)
        check("cuGraphLaunch", ready, stream)
        check("cuEventRecord", end, stream)
        check("cuStreamSynchronize", stream)
        ms = ctypes.c_float()
        check("cuEventElapsedTime", ctypes.byref(ms), start, end)
        times.append(1000 * ms.value / calls)
    print(json.dumps({"us": statistics.median(times)}))


main()
