"""Why does a replay of what PyTorch's compiler generated take 2 to 6 % less than the same graph inside PyTorch, at small shapes?

    replay_gap.py [--op softmax] [--shape 1024x4096] [--rounds 9] BINARY
    replay_gap.py --once [--op softmax] [--shape 1024x4096] BINARY

In one process of PyTorch: the graph as PyTorch captures it, and the same kernels with the same arguments, launched by the driver
from here, with one difference after the other: who instantiates the graph, where buffers lie, in which order sets take
turns, how long a window is. One JSON line for each. BINARY prints the definition.

None of that is the cause. `--once` tells where it is: the same launches by the same driver calls, in a process without PyTorch, in a
process of PyTorch that has captured no graph yet, and PyTorch's own graph. The first two agree; the third is slower by a part of a
microsecond for each kernel, as is everything that is replayed in that process from then on.
"""

import argparse
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GAP, TARGET_US, AUTO_FREE, THREAD_LOCAL = 512, 500, 1, 1


def baseline_module():
    """src/measure/baseline.py without its loop: the clock and the reader of graphs are the product's own."""
    with open(os.path.join(HERE, "../src/measure/baseline.py"), encoding="utf-8") as f:
        text = f.read()
    space = {"__name__": "baseline"}
    exec(compile(text, "baseline.py", "exec"), space)
    return space


B = baseline_module()
torch, cuda, Handle, Size = B["torch"], B["cuda"], B["Handle"], B["Size"]


def check(name, *args):
    error = getattr(cuda, name)(*args)
    if error:
        raise RuntimeError(f"{name}: error {error}")


def kinds(raw):
    """How many nodes of each kind a graph has."""
    count = Size()
    check("cuGraphGetNodes", raw, None, ctypes.byref(count))
    nodes = (Handle * count.value)()
    check("cuGraphGetNodes", raw, nodes, ctypes.byref(count))
    out = {}
    for node in nodes:
        kind = ctypes.c_int()
        check("cuGraphNodeGetType", Handle(node), ctypes.byref(kind))
        out[kind.value] = out.get(kind.value, 0) + 1
    return out


class Replay:
    """A graph that the driver is given from here."""

    def __init__(self, graph, flags=0):
        self.executable = Handle()
        check("cuGraphInstantiateWithFlags", ctypes.byref(self.executable), graph, ctypes.c_ulonglong(flags))

    def replay(self, stream):
        check("cuGraphLaunch", self.executable, Handle(stream.cuda_stream))


class Run:
    """A recorded call of the product's form, launched on buffers of one's own."""

    def __init__(self, run):
        self.run, self.functions = run, []
        for kernel in run["kernels"]:
            module, function = Handle(), Handle()
            check("cuModuleLoadData", ctypes.byref(module), bytes.fromhex(kernel["image"]))
            check("cuModuleGetFunction", ctypes.byref(function), module, kernel["entry"].encode())
            if kernel["shared"] > 48 << 10:
                check("cuFuncSetAttribute", function, 8, kernel["shared"])
            self.functions.append(function)

    def launch(self, address, stream):
        for step in self.run["steps"]:
            if "launch" not in step:
                raise RuntimeError("a fill: not launched here")
            kernel = self.run["kernels"][step["launch"]]
            values = []
            for arg in step["args"]:
                if isinstance(arg, list):
                    values.append(ctypes.c_uint64(address[arg[0]] + arg[1]))
                else:
                    values.append((ctypes.c_char * (len(arg) // 2)).from_buffer_copy(bytes.fromhex(arg)))
            params = (Handle * len(values))(*[ctypes.addressof(v) for v in values])
            sizes = [ctypes.c_uint(n) for n in step["grid"] + step["block"] + [kernel["shared"]]]
            check("cuLaunchKernel", self.functions[step["launch"]], *sizes, Handle(stream.cuda_stream), params, None)

    def capture(self, places, calls, stream, flags=0):
        graph = Handle()
        check("cuStreamBeginCapture_v2", Handle(stream.cuda_stream), ctypes.c_int(THREAD_LOCAL))
        for i in range(calls):
            self.launch(places[i % len(places)], stream)
        check("cuStreamEndCapture", Handle(stream.cuda_stream), ctypes.byref(graph))
        return Replay(graph, flags)


def say(record):
    """baseline.py has put standard output aside."""
    B["answers"].write(json.dumps(record) + "\n")
    B["answers"].flush()


def window(graph, stream):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(stream):
        graph.replay(stream)
        start.record(stream)
        graph.replay(stream)
        end.record(stream)
    stream.synchronize()
    return 1000 * start.elapsed_time(end)


class Torch:
    def __init__(self, graph):
        self.graph = graph

    def replay(self, stream):
        self.graph.replay()


def capture_torch(function, sets, calls, stream):
    graph, kept = torch.cuda.CUDAGraph(keep_graph=True), []
    with torch.cuda.stream(stream):
        graph.capture_begin()
        for i in range(calls):
            kept = (kept + [function(*sets[i % len(sets)])])[-len(sets):]
        graph.capture_end()
    if hasattr(graph, "instantiate"):
        graph.instantiate()
    return graph, kept


def places_of(run, sets, keep):
    """Inputs where PyTorch has them, all else allocated by it."""
    out = []
    for inputs in sets:
        place = []
        for buffer in run["buffers"]:
            if "input" in buffer:
                place.append(inputs[buffer["input"]].data_ptr())
            else:
                keep.append(torch.empty(buffer["bytes"], dtype=torch.uint8, device="cuda"))
                place.append(keep[-1].data_ptr())
        out.append(place)
    return out


def places_with_gaps(run, sets, keep, gap):
    """As the measurer has them: one allocation for a set's inputs, one for all else, a gap before and behind each."""
    out = []
    for inputs in sets:
        place = [0] * len(run["buffers"])
        for is_input in (True, False):
            mine = [i for i, b in enumerate(run["buffers"]) if ("input" in b) == is_input]
            at, offset = [], gap
            for i in mine:
                at.append(offset)
                offset += -(-run["buffers"][i]["bytes"] // 512) * 512 + gap
            keep.append(torch.empty(offset + 512, dtype=torch.uint8, device="cuda"))
            base = keep[-1].data_ptr()
            for i, a in zip(mine, at):
                place[i] = base + a
                if is_input:
                    x = inputs[run["buffers"][i]["input"]].contiguous().view(-1).view(torch.uint8)
                    keep[-1][a : a + x.numel()].copy_(x)
        out.append(place)
    return out


def prepared(o):
    """The definition's module, inputs, a stream."""
    rows, columns = map(int, o.shape.split("x"))
    B["remember_loads"]()
    text = subprocess.run([o.binary, "ops", o.op], check=True, stdout=subprocess.PIPE, text=True).stdout
    space, size = {"torch": torch}, {"M": rows, "N": columns}
    exec(compile(text, "definition.py", "exec"), space)
    inputs = []
    for spec in space["inputs"].values():
        shape, dtype = [size.get(d, d) for d in spec["shape"]], spec.get("dtype")
        if dtype and "int" in dtype:
            inputs.append(torch.randint(0, columns, shape, device="cuda").to(getattr(torch, dtype)))
        else:
            inputs.append(torch.randn(shape, device="cuda").to(torch.float16))
    return space, inputs, torch.cuda.Stream()


def median_window(graph, calls, stream, rounds):
    return statistics.median(window(graph, stream) / calls for _ in range(rounds))


def replayed(asked, *options):
    """By replay_run.py, in a process of its own."""
    command = [sys.executable, os.path.join(HERE, "replay_run.py"), *options]
    out = subprocess.run(command, input=json.dumps(asked), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(out.stdout)["us"]


def once(o):
    space, inputs, stream = prepared(o)
    each = sum(x.numel() * x.element_size() for x in inputs) * 2
    sets = B["sets_of"]({"bytes": each, "l2_times": 5, "in_place": [-1]}, inputs)
    compiled = torch.compile(space["reference"], dynamic=False, fullgraph=True)
    with torch.cuda.stream(stream):
        for _ in range(3):
            compiled(*inputs)
    torch.cuda.synchronize()
    run = B["run_of"](compiled, inputs, [-1], stream)
    calls = len(sets) * max(1, int(TARGET_US * 2e6 / (each * len(sets))) + 1)  # at 2 TB/s
    graph, kept = capture_torch(compiled, sets, calls, stream)
    own = statistics.median(window(Torch(graph), stream) / calls for _ in range(o.rounds))
    indices = [i for i, x in enumerate(inputs) if not x.is_floating_point()]
    asked = {"run": run, "sets": len(sets), "calls": calls, "rounds": o.rounds, "indices": indices}
    without, before = replayed(asked), replayed(asked, "--pytorch")
    say({"op": o.op, "shape": o.shape, "kernels": len(run["steps"]), "calls": calls, "pytorch_graph_us": round(own, 3),
         "without_pytorch_us": round(without, 3), "pytorch_before_captures_us": round(before, 3),
         "share": round(without / own, 4), "share_before": round(without / before, 4)})
    del kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--op", default="softmax")
    parser.add_argument("--shape", default="1024x4096")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--once", action="store_true")
    o = parser.parse_args()
    if o.once:
        return once(o)
    space, inputs, stream = prepared(o)
    rows, columns = map(int, o.shape.split("x"))
    each = sum(x.numel() * x.element_size() for x in inputs) + rows * columns * 2
    sets = B["sets_of"]({"bytes": each, "l2_times": 5, "in_place": [-1]}, inputs)
    torch._dynamo.reset()
    compiled = torch.compile(space["reference"], dynamic=False, fullgraph=True)
    with torch.cuda.stream(stream):
        for _ in range(3):
            compiled(*inputs)
    torch.cuda.synchronize()
    run, keep = B["run_of"](compiled, inputs, [-1], stream), []
    own = Run(run)
    near, gaps, bare = places_of(run, sets, keep), places_with_gaps(run, sets, keep, GAP), places_with_gaps(run, sets, keep, 0)
    torch.cuda.synchronize()
    first, kept = capture_torch(compiled, sets, len(sets), stream)
    window(Torch(first), stream)
    us = window(Torch(first), stream)
    calls = len(sets) * max(1, int(TARGET_US / us) + 1)
    drawn = random.Random(7).sample(range(len(sets)), len(sets))
    order = lambda places: [places[i] for i in drawn]
    whole, kept_whole = capture_torch(compiled, sets, calls, stream)
    long, kept_long = capture_torch(compiled, sets, 4 * calls, stream)
    raw = Handle(whole.raw_cuda_graph())
    variants = {
        "PyTorch's graph": (Torch(whole), calls),
        "PyTorch's graph, window four times as long": (Torch(long), 4 * calls),
        "PyTorch's graph, instantiated here": (Replay(raw), calls),
        "launched here, PyTorch's memory": (own.capture(near, calls, stream), calls),
        "the same, freed on launch": (own.capture(near, calls, stream, AUTO_FREE), calls),
        "the same, sets in a drawn order": (own.capture(order(near), calls, stream), calls),
        "launched here, memory with gaps": (own.capture(gaps, calls, stream), calls),
        "the same, sets in a drawn order ": (own.capture(order(gaps), calls, stream), calls),
        "launched here, memory without gaps": (own.capture(bare, calls, stream), calls),
        "launched here, PyTorch's memory, window four times as long": (own.capture(near, 4 * calls, stream), 4 * calls),
    }
    times = {name: [] for name in variants}
    for _ in range(o.rounds):
        for name in random.sample(list(variants), len(variants)):
            graph, n = variants[name]
            times[name].append(window(graph, stream) / n)
    reference = statistics.median(times["PyTorch's graph"])
    say({"op": o.op, "shape": o.shape, "sets": len(sets), "calls": calls, "steps": len(run["steps"]),
         "buffers": len(run["buffers"]), "node_kinds": kinds(raw),
         "addresses": {"inputs": [hex(p[0]) for p in near[:3]], "answers": [hex(k.data_ptr()) for k in kept_whole[:3]]}})
    for name, t in times.items():
        quarter = len(t) // 4
        middle = sorted(t)
        say({"op": o.op, "shape": o.shape, "variant": name.strip(), "us": round(statistics.median(t), 4),
             "share": round(statistics.median(t) / reference, 4),
             "spread": round((middle[-1 - quarter] - middle[quarter]) / statistics.median(t), 4)})


main()
