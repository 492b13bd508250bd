// silu_judged.h - one program for silu, right but for the host lines that a test puts before its launch (M,
// N, x, the number of rows `rows`, a factor `s`), and the verdict on it at level full. For tests that include
// cmocka.h.
#pragma once
#include "judge/referee.h"

#define KERNEL(special)                                                                   \
    "import torch\nimport triton\nimport triton.language as tl\n"                         \
    "@triton.jit\n"                                                                       \
    "def k(x, o, sx, so, N, s, B: tl.constexpr):\n"                                       \
    "    r = tl.program_id(0).to(tl.int64)\n"                                             \
    "    c = tl.arange(0, B)\n"                                                           \
    "    v = tl.load(x + r * sx + c, mask=c < N, other=0.0).to(tl.float32)\n"             \
    "    tl.store(o + r * so + c, v * tl.sigmoid(v) * s, mask=c < N)\n"                   \
    "def run(x):\n"                                                                       \
    "    M, N = x.shape\n"                                                                \
    "    o = torch.empty_like(x)\n"                                                       \
    "    s, rows = 1.0, M\n" special                                                      \
    "    k[(rows,)](x, o, x.stride(0), o.stride(0), N, s, B=triton.next_power_of_2(N))\n" \
    "    return o\n"

static inline Verdict judged(Arena *a, const char *source) {
    Referee *referee;
    Err e = {0};
    Verdict v;
    Op *op = NEW(a, Op);
    assert_true(op_find(a, STR("silu"), op));
    uint64_t seed = 4;
    Str text = str_of(source);
    if (!referee_open(&(RefereeConfig){.jobs = 1, .no_journal = true}, &referee, &e)) fail_msg("%s", e.msg);
    JudgeRequest q = {.op = op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, a, &q, &text, 1, &v, &e)) fail_msg("%s", e.msg);
    referee_close(referee);
    return v;
}
