"""Which orders a GPU does not keep among the atomics of programs, and among the threads of one program (facts of facts.py).

Our machine's rules for both (src/tile/vm/deferred.h, lanes.h) were made after what these show.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def last_one_reads(x_ptr, sum_ptr, count_ptr, y_ptr, P, FAR, N: tl.constexpr, ADD: tl.constexpr, COUNT: tl.constexpr,
                   BARRIER: tl.constexpr, ONE: tl.constexpr):
    g = tl.program_id(0)
    p = tl.program_id(1)
    i = tl.arange(0, N)
    # What the first threads load is at hand; the others wait for memory, each for another place.
    at = tl.where(i < N // 4, i, FAR + ((g * P + p).to(tl.int64) * N + i) * 64)
    v = tl.load(x_ptr + at)
    if ONE:
        tl.atomic_add(sum_ptr + g * N, tl.sum(v, axis=0), sem=ADD)
    else:
        tl.atomic_add(sum_ptr + g * N + i, v, sem=ADD)
    if BARRIER:
        tl.debug_barrier()
    arrived = tl.atomic_add(count_ptr + g, 1, sem=COUNT)
    if arrived == P - 1:
        if ONE:
            tl.store(y_ptr + g * N + i, v * 0 + tl.atomic_add(sum_ptr + g * N, 0.0, sem="relaxed"))
        else:
            tl.store(y_ptr + g * N + i, tl.atomic_add(sum_ptr + g * N + i, 0.0, sem="relaxed"))


def atomic_order(device):
    """Launches, of 300, in which the last program to count itself did not see all of the sum (deferred.h)."""
    out = {}
    x = torch.ones(1 << 28, device=device)
    for one in (True, False):
        for barrier in (False, True):
            for add, count in (("relaxed", "relaxed"), ("relaxed", "acquire"), ("acq_rel", "relaxed"), ("acq_rel", "acquire"),
                               ("relaxed", "release"), ("relaxed", "acq_rel"), ("acq_rel", "acq_rel")):
                wrong = 0
                for groups, parts, n, warps in ((64, 16, 128, 4), (512, 4, 512, 4), (16, 64, 256, 8)) * 100:
                    sums, y = torch.zeros(groups, n, device=device), torch.empty(groups, n, device=device)
                    counts = torch.zeros(groups, dtype=torch.int32, device=device)
                    last_one_reads[(groups, parts)](x, sums, counts, y, parts, 4096, n, add, count, barrier, one, num_warps=warps)
                    wrong += bool((y != (n * parts if one else parts)).any())
                name = f"{'one' if one else 'tile'}, {add}, {'barrier' if barrier else 'nothing'}, {count}"
                out[name] = wrong
    return out


# ---- threads of one program, with nothing or a barrier between what they do in memory

ROWS, WIDTH, LAUNCHES = 512, 2048, 20


@triton.jit
def late(chain_ptr, cols, STEPS: tl.constexpr):
    i = cols  # loads that wait for each other: warps come back at different times, with cols
    for _ in range(STEPS):
        i = tl.load(chain_ptr + i)
    return i


@triton.jit
def number_by_memory(chain_ptr, scratch_ptr, out_ptr, B: tl.constexpr, BARRIER: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, B)
    tl.store(scratch_ptr + row, row + 1 + tl.load(chain_ptr + B + row))
    if BARRIER:
        tl.debug_barrier()
    tl.store(out_ptr + row * B + cols, cols + tl.load(scratch_ptr + row))


@triton.jit
def number_overwritten(chain_ptr, scratch_ptr, out_ptr, B: tl.constexpr, BARRIER: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, B)
    tl.store(out_ptr + row * B + cols, late(chain_ptr, cols, 4))
    t = tl.load(scratch_ptr + row)
    if BARRIER:
        tl.debug_barrier()
    tl.store(scratch_ptr + row, t + 7)
    tl.store(out_ptr + row * B + cols, cols + t)


@triton.jit
def sums_by_atomics(chain_ptr, scratch_ptr, out_ptr, B: tl.constexpr, BARRIER: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, B)
    w = late(chain_ptr, cols, 2)
    tl.atomic_add(scratch_ptr + row * 16 + w % 16, 1 + 0 * w)
    if BARRIER:
        tl.debug_barrier()
    t = tl.sum(tl.load(scratch_ptr + row * 16 + tl.arange(0, 16)), axis=0)
    tl.store(out_ptr + row * B + cols, cols * 0 + t)


@triton.jit
def two_widths(half_ptr, scratch_ptr, out_ptr, B: tl.constexpr, BARRIER: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(scratch_ptr + at, tl.load(half_ptr + at).to(tl.float32) + 1)
    if BARRIER:
        tl.debug_barrier()
    tl.store(out_ptr + at, tl.load(scratch_ptr + at).to(tl.float16))


@triton.jit
def one_width(float_ptr, scratch_ptr, out_ptr, B: tl.constexpr, BARRIER: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(scratch_ptr + at, tl.load(float_ptr + at) + 1)
    if BARRIER:
        tl.debug_barrier()
    tl.store(out_ptr + at, tl.load(scratch_ptr + at))


def thread_order(device):
    """Launches, of 20, with a wrong element. one_width is the control: the same lanes, the same threads."""
    rows = torch.arange(ROWS, dtype=torch.float64, device=device)[:, None]
    cols = torch.arange(WIDTH, dtype=torch.float64, device=device)[None]
    chain = torch.cat([torch.arange(WIDTH, dtype=torch.int32), torch.zeros(ROWS, dtype=torch.int32)]).to(device)
    number, sums = torch.empty(ROWS, dtype=torch.int32, device=device), torch.empty(ROWS * 16, dtype=torch.int32, device=device)
    whole = torch.empty(ROWS, WIDTH, device=device)
    single = torch.randint(0, 100, (ROWS, WIDTH), device=device).float()
    half = single.half()
    asked = [  # kernel, input, scratch, what it holds before, type of the answer, the answer
        (number_by_memory, chain, number, -99, torch.int32, rows + 1 + cols),
        (number_overwritten, chain, number, 5, torch.int32, cols + 5 + 0 * rows),
        (sums_by_atomics, chain, sums, 0, torch.int32, 0 * rows + 0 * cols + WIDTH),
        (two_widths, half, whole, -99, torch.float16, half.double() + 1),
        (one_width, single, whole, -99, torch.float32, single.double() + 1),
    ]
    out = {}
    for kernel, x, scratch, before, dtype, want in asked:
        for barrier in (False, True):
            for warps in (1, 4, 8):
                wrong = 0
                for _ in range(LAUNCHES):
                    scratch.fill_(before)
                    y = torch.empty(ROWS, WIDTH, dtype=dtype, device=device)
                    kernel[(ROWS,)](x, scratch, y, B=WIDTH, BARRIER=barrier, num_warps=warps)
                    wrong += bool((y.double() != want).any())
                out[f"{kernel.fn.__name__}, {'barrier' if barrier else 'nothing'}, {warps} warps"] = wrong
    return out
