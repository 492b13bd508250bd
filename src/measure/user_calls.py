# Calls as a PyTorch user makes them: the definition's reference in eager mode, compiled, tuned, tuned with CUDA graphs,
# and a kernel's recorded run as a Python function of our own making, launched by Triton. No device time of bench comes
# from here: this process, and no other of ours, has the kernel's code beside PyTorch.
#
# Started with a folder of its own, where baseline.py and recorded_call.py lie, too. Answers each line of standard input with one line:
#   {"source": TEXT, "file": PATH, "inputs": [...], "bytes": N, "rounds": 7, "l2_times": 5,
#    "run": RECORDED_RUN, "choices": [CHOICE OF EACH GROUP]}
# See recorded_run.h for the run, user_calls.h for the answer.
import importlib.util
import json
import os
import random
import statistics
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))


def load(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


baseline = load("baseline")
recorded_call = load("recorded_call")
torch = baseline.torch

torch._inductor.config.compile_threads = 1  # processes of the compiler's own could not reach the GPU from behind the fence
CALLS_A_ROUND, QUEUED_CALLS, SLEEP_CYCLES, WARM_CALLS = 9, 64, 40_000_000, 3


# ---- time

class Contender:
    def __init__(self, name, function, step=None):
        self.name, self.function, self.step = name, function, step or (lambda: None)
        self.call, self.queued = [], []

    def one(self, inputs):
        self.step()
        return self.function(*inputs)

    def call_time(self, inputs):
        """From an idle queue."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start.record()
        self.one(inputs)
        end.record()
        torch.cuda.synchronize()
        return 1000 * start.elapsed_time(end)

    def queued_time(self, sets):
        """Behind a kernel that waits, so that the host is in no number; one call after the other, each on other inputs."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        torch.cuda._sleep(SLEEP_CYCLES)
        start.record()
        for i in range(QUEUED_CALLS):
            self.one(sets[i % len(sets)])
        late = start.query()  # the host was slower than the wait
        end.record()
        torch.cuda.synchronize()
        return None if late else 1000 * start.elapsed_time(end) / QUEUED_CALLS


def compiled(reference, mode, inputs):
    torch._dynamo.reset()
    function = torch.compile(reference, mode=mode, dynamic=False, fullgraph=True)
    for _ in range(WARM_CALLS):
        torch.compiler.cudagraph_mark_step_begin()
        function(*inputs)
    torch.cuda.synchronize()
    return function


def like(seen, expected):
    """A printed run that does other work than the program is no call of it. Bounds are the referee's business."""
    seen = seen if isinstance(seen, (tuple, list)) else [seen]
    expected = expected if isinstance(expected, (tuple, list)) else [expected]
    if len(seen) != len(expected):
        return False
    for a, b in zip(seen, expected):
        a, b = a.reshape(-1).double(), b.reshape(-1).double()
        finite = torch.isfinite(b)
        scale = b[finite].abs().max().item() if finite.any() else 0
        if a.shape != b.shape or not torch.equal(torch.isfinite(a), finite):
            return False
        if finite.any() and (a[finite] - b[finite]).abs().max().item() > 0.05 * scale:
            return False
    return True


def contenders(request, reference, inputs):
    out, errors = [Contender("eager", reference)], {}
    fresh = getattr(torch._inductor.utils, "fresh_cache", None) or torch._inductor.utils.fresh_inductor_cache
    modes = [("default", "default", None), ("max_autotune", "max-autotune-no-cudagraphs", None),
             ("max_autotune_graphs", "max-autotune", torch.compiler.cudagraph_mark_step_begin)]
    for name, mode, step in modes:
        try:
            with fresh():
                out.append(Contender(name, compiled(reference, mode, inputs), step))
        except Exception as why:
            errors[name] = f"{type(why).__name__}: {why}"[:500]
            traceback.print_exc()
    try:
        call = recorded_call.Printer(torch, request["run"], request["choices"], HERE).function()
        for _ in range(WARM_CALLS):
            answer = call(*inputs)
        torch.cuda.synchronize()
        if not like(answer, reference(*inputs)):
            raise recorded_call.Unsupported("the printed run gives another answer")
        out.append(Contender("kernel", call))
    except Exception as why:
        errors["kernel"] = f"{type(why).__name__}: {why}"[:500]
        traceback.print_exc()
    return out, errors


def measure(request):
    module = {"torch": torch}
    exec(compile(request["source"], "definition.py", "exec"), module)
    inputs = baseline.inputs_read(request)
    sets = baseline.sets_of(request, inputs)
    timed, errors = contenders(request, module["reference"], inputs)
    for _ in range(request["rounds"]):
        for t in random.sample(timed, len(timed)):
            t.call.append(statistics.median(t.call_time(sets[i % len(sets)]) for i in range(CALLS_A_ROUND)))
        for t in random.sample(timed, len(timed)):
            us = t.queued_time(sets)
            if us is not None:
                t.queued.append(us)
    modes = {t.name: {"call": t.call, "queued": t.queued} for t in timed}
    return {"torch": torch.__version__, "triton": baseline.triton.__version__, "errors": errors, "modes": modes}


def main():
    for line in sys.stdin:
        started = time.monotonic()
        try:
            answer = measure(json.loads(line))
        except Exception as why:
            traceback.print_exc()
            answer = {"error": f"{type(why).__name__}: {why}"[:500]}
        torch.cuda.empty_cache()
        answer["seconds"] = time.monotonic() - started
        baseline.answers.write(json.dumps(answer) + "\n")
        baseline.answers.flush()


if __name__ == "__main__":
    main()
