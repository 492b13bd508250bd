# What PyTorch makes of a definition: eager, torch.compile, and its max-autotune mode, each timed here by CUDA graphs as timing.c
# does it, and what the compiler generated written down, so that another process can launch it without Python.
#
# Started with a folder of its own. Reads one JSON object a line from standard input and answers each with one line:
#   {"source": TEXT, "file": PATH, "inputs": [{"dtype": "float16", "shape": [M, N], "at": BYTES}], "bytes": N,
#    "in_place": [-1], "rounds": 7, "target_us": 500, "l2_times": 5, "draws": 3}
# in_place: for each answer the input whose place it takes, or -1. "bytes" are those of a call's inputs and own answers.
# See baseline.c for who asks, and timed_run.h for the form of "run".
import ctypes
import json
import mmap
import os
import random
import statistics
import sys
import time
import traceback

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever a library prints is no answer
machine_code = os.environ.get("TRITON_CACHE_DIR")

import torch
import torch._dynamo
import torch._inductor.config
import torch._inductor.utils
import triton

torch._inductor.config.compile_threads = 1  # processes of the compiler's own could not reach the GPU from behind the fence

CALL_ROUNDS, CALLS_A_ROUND = 5, 9
SETS_MOST, LEAD_MOST, LEAD_TIMES, FLUSH_TIMES, LONGER, WINDOWS_MOST = 640, 128, 2, 3, 4, 64  # as in timing.c and timing_sets.c
KERNEL, MEMSET, EMPTY = 0, 2, 5

# ---- which code stands behind a function that was launched

loaded = {}  # function handle: (name, cubin, bytes of shared memory)


def remember_loads():
    """Every kernel of Triton goes through load_binary; inductor's own launcher would go another way."""
    for name in ("use_static_cuda_launcher", "use_static_triton_launcher"):
        if hasattr(torch._inductor.config, name):
            setattr(torch._inductor.config, name, False)
    utils = triton.runtime.driver.active.utils
    load = utils.load_binary

    def load_and_remember(name, binary, shared, device):
        out = load(name, binary, shared, device)
        loaded[out[1]] = (name, bytes(binary), shared)
        return out

    utils.load_binary = load_and_remember


# ---- reading a graph that was captured, through the driver

cuda = ctypes.CDLL("libcuda.so.1")
Handle, Size = ctypes.c_void_p, ctypes.c_size_t


class KernelNode(ctypes.Structure):
    _fields_ = [
        ("func", Handle),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("params", ctypes.POINTER(Handle)),
        ("extra", Handle),
        ("kern", Handle),
        ("ctx", Handle),
    ]


class MemsetNode(ctypes.Structure):
    _fields_ = [
        ("to", ctypes.c_uint64),
        ("pitch", Size),
        ("value", ctypes.c_uint),
        ("element", ctypes.c_uint),
        ("width", Size),
        ("height", Size),
    ]


class NotReplayable(Exception):
    pass


def check(name, *args):
    error = getattr(cuda, name)(*args)
    if error:
        raise NotReplayable(f"{name}: error {error}")


def params_of(function, node):
    """The bytes of each argument."""
    out = []
    for index in range(256):
        offset, size = Size(), Size()
        if cuda.cuFuncGetParamInfo(Handle(function), Size(index), ctypes.byref(offset), ctypes.byref(size)):
            break
        if not node.params:
            raise NotReplayable("arguments in one block")
        out.append(ctypes.string_at(node.params[index], size.value))
    return out


class Places:
    """Addresses of one capture as buffers: inputs, and what was allocated meanwhile."""

    def __init__(self, inputs, allocated):
        self.buffers = [{"input": i, "bytes": x.numel() * x.element_size()} for i, x in enumerate(inputs)]
        self.ranges = [(x.data_ptr(), b["bytes"]) for x, b in zip(inputs, self.buffers)]
        merged = []
        for at, size in sorted(allocated):
            if merged and at < merged[-1][0] + merged[-1][1]:
                last, had = merged[-1]
                merged[-1] = (last, max(had, at + size - last))
            else:
                merged.append((at, size))
        for at, size in merged:
            self.ranges.append((at, size))
            self.buffers.append({"bytes": size})

    def find(self, address):
        for i, (at, size) in enumerate(self.ranges):
            if at <= address < at + size:
                return [i, address - at]
        return None


def step_of_kernel(raw, kernels, index, places):
    node = KernelNode()
    check("cuGraphKernelNodeGetParams_v2", Handle(raw), ctypes.byref(node))
    function = node.func
    if not function and node.kern:
        found = Handle()
        check("cuKernelGetFunction", ctypes.byref(found), Handle(node.kern))
        function = found.value
    name = ctypes.c_char_p()
    check("cuFuncGetName", ctypes.byref(name), Handle(function))
    entry = name.value.decode()
    code = loaded.get(function)
    if code is None:
        same = {c[1]: c for c in loaded.values() if c[0] == entry}
        if len(same) != 1:
            raise NotReplayable(f"kernel {entry} is none of the compiler's")
        code = next(iter(same.values()))
    key = (entry, code[1], node.shared)
    if key not in index:
        index[key] = len(kernels)
        kernels.append({"entry": entry, "image": code[1].hex(), "shared": node.shared, "cluster": 1})
    args = []
    for value in params_of(function, node):
        place = places.find(int.from_bytes(value, "little")) if len(value) == 8 else None
        if len(value) > 8:
            raise NotReplayable(f"an argument of {len(value)} bytes")
        if len(value) == 8 and place is None and int.from_bytes(value, "little") >> 40:
            raise NotReplayable(f"an argument of {entry} points to memory that is no input and no buffer")
        args.append(place or value.hex())
    return {"launch": index[key], "grid": list(node.grid), "block": list(node.block), "args": args}


def step_of_memset(raw, places):
    node = MemsetNode()
    check("cuGraphMemsetNodeGetParams", Handle(raw), ctypes.byref(node))
    place = places.find(node.to)
    if place is None or node.height > 1:
        raise NotReplayable("a fill of something else than a row of a buffer")
    return {
        "fill": place[0],
        "offset": place[1],
        "width": node.element,
        "count": node.width,
        "pattern": node.value.to_bytes(8, "little").hex(),
    }


def allocations():
    out = []
    for trace in torch.cuda.memory._snapshot()["device_traces"]:
        out += [(e["addr"], e["size"]) for e in trace if e["action"] == "alloc"]
    return out


def in_place(reference, places):
    """As a user would write it: the reference, then its answers copied into the inputs whose places they take."""
    if max(places) < 0:
        return reference

    def call(*inputs):
        answers = reference(*inputs)
        if not isinstance(answers, (tuple, list)):
            answers = (answers,)
        own = []
        for answer, place in zip(answers, places):
            if place < 0:
                own.append(answer)
            else:
                inputs[place].copy_(answer)
        return own

    return call


def run_of(function, inputs, places_of_answers, stream):
    """One call as a run that needs no Python."""
    torch.cuda.memory._record_memory_history(enabled="all", context=None, stacks="python", max_entries=100000)
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    before = len(allocations())
    with torch.cuda.stream(stream):
        graph.capture_begin()
        answer = function(*inputs)
        graph.capture_end()
    places = Places(inputs, allocations()[before:])
    torch.cuda.memory._record_memory_history(enabled=None)
    handle = Handle(graph.raw_cuda_graph())
    count = Size()
    check("cuGraphGetNodes", handle, None, ctypes.byref(count))
    nodes = (Handle * count.value)()
    check("cuGraphGetNodes", handle, nodes, ctypes.byref(count))
    kernels, steps, index = [], [], {}
    for raw in nodes:
        kind = ctypes.c_int()
        check("cuGraphNodeGetType", Handle(raw), ctypes.byref(kind))
        if kind.value == KERNEL:
            steps.append(step_of_kernel(raw, kernels, index, places))
        elif kind.value == MEMSET:
            steps.append(step_of_memset(raw, places))
        elif kind.value != EMPTY:
            raise NotReplayable(f"a node of kind {kind.value}")
    outputs = []
    own = iter(answer if isinstance(answer, (tuple, list)) else [answer])
    for place in places_of_answers:
        if place >= 0:
            outputs.append([place, 0])  # buffers are numbered as inputs are
            continue
        tensor = next(own)
        outputs.append(places.find(tensor.data_ptr()))
        if outputs[-1] is None or not tensor.is_contiguous():
            raise NotReplayable("the answer lies in no buffer, or has gaps")
    return {"buffers": places.buffers, "kernels": kernels, "steps": steps, "setups": 0, "outputs": outputs}


# ---- time

class Timed:
    def __init__(self, name, function):
        self.name, self.function = name, function
        self.device, self.call = [], []
        self.graph, self.calls, self.kept = None, 0, []
        self.before, self.windows = None, 1  # before: what is done before each window

    def capture_before(self, request, stream):
        """All sets as they were given, and none of them in the L2; then calls on the first ones, which leave the L2 as calls do."""
        self.before = torch.cuda.CUDAGraph()
        with torch.cuda.stream(stream):
            self.before.capture_begin()
            for inputs in request["sets"]:
                for place, given in request["given"]:
                    inputs[place].copy_(given)
            torch.sum(request["flush"])
            for inputs in request["sets"][: request["lead"]]:
                self.function(*inputs)
            self.before.capture_end()

    def capture(self, sets, stream):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(stream):
            self.graph.capture_begin()
            self.kept = [self.function(*inputs) for inputs in sets]  # each answer has a place of its own
            self.graph.capture_end()
        self.calls = len(sets)

    def window(self, stream):
        us = 0
        for _ in range(self.windows):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            with torch.cuda.stream(stream):
                self.before.replay()
                start.record(stream)
                self.graph.replay()
                end.record(stream)
            stream.synchronize()
            us += 1000 * start.elapsed_time(end)
        return us

    def ready(self, request, stream):
        sets, target = request["sets"][request["lead"] :], request["target_us"]
        with torch.cuda.stream(stream):
            for inputs in sets[:2]:
                self.function(*inputs)
        stream.synchronize()
        self.capture_before(request, stream)
        self.capture(sets, stream)
        self.window(stream)
        us = self.window(stream)
        self.windows = min(WINDOWS_MOST, max(1, int(target / max(us, 1)) + 1))

    def call_time(self, inputs, stream):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.cuda.stream(stream):
            self.before.replay()
            stream.synchronize()
            start.record(stream)
            self.function(*inputs)
            end.record(stream)
        stream.synchronize()
        return 1000 * start.elapsed_time(end)


def inputs_read(request):
    with open(request["file"], "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    out = []
    for x in request["inputs"]:
        dtype, shape = getattr(torch, x["dtype"]), x["shape"]
        count = 1
        for n in shape:
            count *= n
        flat = torch.frombuffer(bytearray(mapped[x["at"] : x["at"] + count * dtype.itemsize]), dtype=dtype)
        out.append(flat.reshape(shape).cuda())
    return out


def contenders(request, reference, inputs, stream):
    out, errors, runs = [Timed("eager", reference)], {}, {}
    modes = [("default", "default", 1), ("max_autotune", "max-autotune-no-cudagraphs", request.get("draws", 1))]
    fresh = getattr(torch._inductor.utils, "fresh_cache", None) or torch._inductor.utils.fresh_inductor_cache
    for name, mode, draws in modes:
        for draw in range(draws):
            label = name if draw == 0 else f"{name}_{draw + 1}"
            started = time.monotonic()
            try:
                with fresh():  # nothing that an earlier draw chose; machine code stands under its source, and may be used again
                    if machine_code:
                        os.environ["TRITON_CACHE_DIR"] = machine_code
                    torch._dynamo.reset()
                    compiled = torch.compile(reference, mode=mode, dynamic=False, fullgraph=True)
                    with torch.cuda.stream(stream):
                        for _ in range(3):
                            compiled(*inputs)
                    stream.synchronize()
                    timed = Timed(label, compiled)
                    timed.compile_s = time.monotonic() - started
                    try:
                        runs[label] = run_of(compiled, inputs, request["in_place"], stream)
                    except NotReplayable as why:
                        errors[label] = f"not replayable: {why}"
                    timed.ready(request, stream)
                    out.append(timed)
            except Exception as why:
                errors[label] = f"{type(why).__name__}: {why}"[:500]
                traceback.print_exc()
    return out, errors, runs


def sets_of(request, inputs):
    """The first request["lead"] of them are called before a window; request["given"] is what all are restored from."""
    each = request["bytes"]
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    lead = min(LEAD_MOST, LEAD_TIMES * l2 // each + 1)
    count = lead + max(2, min(SETS_MOST - lead, LONGER * request["l2_times"] * l2 // each + 1))
    request["lead"] = lead
    request["flush"] = torch.zeros(FLUSH_TIMES * l2 // 4, dtype=torch.float32, device="cuda")
    request["given"] = [(place, inputs[place].clone()) for place in request["in_place"] if place >= 0]
    return [inputs] + [[x.clone() for x in inputs] for _ in range(count - 1)]


def measure(request):
    module = {"torch": torch}
    exec(compile(request["source"], "definition.py", "exec"), module)
    reference = in_place(module["reference"], request["in_place"])
    stream = torch.cuda.Stream()
    inputs = inputs_read(request)
    torch.cuda.synchronize()
    request["sets"] = sets_of(request, inputs)
    sets = request["sets"][request["lead"] :]
    torch.cuda.synchronize()
    timed, errors, runs = contenders(request, reference, inputs, stream)
    timed[0].ready(request, stream)
    for _ in range(request["rounds"]):
        for t in random.sample(timed, len(timed)):
            t.device.append(t.window(stream) / (t.calls * t.windows))
    for r in range(CALL_ROUNDS):
        for t in random.sample(timed, len(timed)):
            t.call.append(statistics.median(t.call_time(sets[i % len(sets)], stream) for i in range(CALLS_A_ROUND)))
    answer = {"torch": torch.__version__, "triton": triton.__version__, "sets": len(sets), "errors": errors, "modes": {}}
    for t in timed:
        answer["modes"][t.name] = {"device": t.device, "call": t.call, "calls": t.calls}
        if t.name in runs:
            answer["modes"][t.name]["run"] = runs[t.name]
    for t in timed:
        t.graph, t.before, t.kept = None, None, []
    request.clear()
    return answer


def main():
    remember_loads()
    for line in sys.stdin:
        try:
            answer = measure(json.loads(line))
        except Exception as why:
            traceback.print_exc()
            answer = {"error": f"{type(why).__name__}: {why}"[:500]}
        torch.cuda.empty_cache()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
