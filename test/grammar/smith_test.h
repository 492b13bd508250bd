// smith_test.h - what the smith's tests share: definitions from text, and the ops that every test runs over.
#pragma once
#include "grammar/kernel_plan.h"
#include "grammar/python_text.h"
#include "propose/distinct.h"
#include "propose/smith.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline Op define(Arena *a, const char *name, const char *source) {
    Op op;
    DiagList d = DIAGS(a);
    if (!op_define(a, str_of(name), str_of(source), true, &op, &d))
        fail_msg("%s: %s", name, diag_first(&d)->msg);
    return op;
}

// x [M, N] and w [N] floats, and a body that ends in `return`.
static inline Op define_body(Arena *a, const char *body) {
    const char *source = arena_printf(a,
                                      "\"\"\"A test.\"\"\"\n"
                                      "inputs = {\n"
                                      "    \"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)},\n"
                                      "    \"w\": {\"shape\": (\"N\",), \"scale\": (0.5, 2)},\n"
                                      "}\n\n\n"
                                      "def reference(x, w):\n%s",
                                      body);
    return define(a, "tested", source);
}

// Definitions of a user's, for what the suite does not use.
static const struct {
    const char *name, *source;
} user_ops[] = {
    {"variance_and_root",
     "\"\"\"Standard score by the unbiased variance, scaled by the root of the row length.\"\"\"\n"
     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
     "dims = {\"N\": {\"min\": 2}}\n"
     "def reference(x):\n"
     "    h = x.float()\n"
     "    v = h.var(-1, keepdim=True)\n"
     "    c = h - h.mean(-1, keepdim=True)\n"
     "    return (c / torch.sqrt(v + 1e-3) * x.shape[-1] ** -0.5).to(x.dtype)\n"},
    {"packed_gate", "\"\"\"First half of each row times the sigmoid of the second.\"\"\"\n"
                    "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8)}}\n"
                    "dims = {\"N\": {\"multiple_of\": 2, \"min\": 2}}\n"
                    "def reference(x):\n"
                    "    half = x.shape[-1] // 2\n"
                    "    return (x[:, :half].float() * torch.sigmoid(x[:, half:].float())).to(x.dtype)\n"},
    {"doubled",
     "\"\"\"Each row, then its softplus of a third, side by side.\"\"\"\n"
     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 30)}}\n"
     "def reference(x):\n"
     "    h = x.float()\n"
     "    return torch.cat((h, torch.nn.functional.softplus(h / 3), h[:, :1]), dim=-1).to(x.dtype)\n"},
    {"masked_tail",
     "\"\"\"Columns below a row's length, others a constant; the range of the row subtracted.\"\"\"\n"
     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8)},\n"
     "          \"length\": {\"shape\": (\"M\",), \"dtype\": \"int64\", \"range\": (0, \"N\")}}\n"
     "def reference(x, length):\n"
     "    h = x.float()\n"
     "    keep = torch.arange(x.shape[-1]) <= length.unsqueeze(-1)\n"
     "    spread = h.amax(-1, keepdim=True) - h.amin(-1, keepdim=True)\n"
     "    return (torch.where(keep, h, -1.5) - spread).to(x.dtype)\n"},
    {"row_entropy", "\"\"\"Entropy of the softmax of each row.\"\"\"\n"
                    "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
                    "def reference(x):\n"
                    "    logp = torch.log_softmax(x.float(), dim=-1)\n"
                    "    return (-(torch.exp(logp) * logp).sum(-1)).to(x.dtype)\n"},
    {"scan_and_scale", "\"\"\"Prefix sums divided by the largest prefix sum's magnitude plus one, times a "
                       "scale per call.\"\"\"\n"
                       "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 2)},\n"
                       "          \"s\": {\"shape\": (1,), \"range\": (0.5, 2)}}\n"
                       "def reference(x, s):\n"
                       "    c = torch.cumsum(x.float() * s.float(), dim=-1)\n"
                       "    return (c / (c.abs().amax(-1, keepdim=True) + 1.0)).to(x.dtype)\n"},
    {"prefix_total",
     "\"\"\"Sum of the prefix sums of each row's softmax, one number a row.\"\"\"\n"
     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
     "def reference(x):\n"
     "    return torch.cumsum(torch.softmax(x.float(), dim=-1), dim=-1).sum(-1).to(x.dtype)\n"},
    {"pairs_in_turns", "\"\"\"Differences and sums of neighbours, side by side, normalised.\"\"\"\n"
                       "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
                       "dims = {\"N\": {\"multiple_of\": 2, \"min\": 2}}\n"
                       "def reference(x):\n"
                       "    a = x[:, ::2].float()\n"
                       "    b = x[:, 1::2].float()\n"
                       "    h = torch.stack((a - b, a + b), dim=-1).flatten(-2)\n"
                       "    return (h / (h.abs().amax(-1, keepdim=True) + 1.0)).to(x.dtype)\n"},
    {"names", "\"\"\"Inputs named like everything else in a kernel file.\"\"\"\n"
              "inputs = {\"out\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)},\n"
              "          \"BLOCK\": {\"shape\": (\"N\",), \"scale\": (0.5, 2)},\n"
              "          \"range\": {\"shape\": (\"M\", 1), \"scale\": (0.5, 2)}}\n"
              "def reference(out, BLOCK, range):\n"
              "    return (out.float() * BLOCK.float() + range.float().abs().sqrt()).to(out.dtype)\n"},
    {"elus", "\"\"\"A few piecewise curves, one after another.\"\"\"\n"
             "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8)}}\n"
             "def reference(x):\n"
             "    h = torch.nn.functional.elu(x.float())\n"
             "    h = torch.nn.functional.hardswish(h) + torch.nn.functional.gelu(h) - h.clamp(-0.5, 0.5) ** "
             "3 + (h.abs() + 0.5) ** 1.5\n"
             "    h = torch.nn.functional.mish(h) + torch.erf(h) * torch.cos(h) + torch.log1p(h.abs()) + "
             "torch.sin(-h)\n"
             "    return torch.where((h > 0.5) | ~(h < 3), h, torch.exp2(h) - torch.log2(h.abs() + "
             "2)).to(x.dtype)\n"},
    {"products",
     "\"\"\"Product of a row's sigmoids, and the row's first element.\"\"\"\n"
     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 1)}}\n"
     "dims = {\"N\": {\"max\": 128}}\n"
     "def reference(x):\n"
     "    h = x.float()\n"
     "    return (torch.sigmoid(h + 4).prod(-1, keepdim=True) + h[:, 0].unsqueeze(-1)).to(x.dtype)\n"},
    {"strided_pairs", "\"\"\"Pairs of neighbours multiplied; half-precision arithmetic, no float().\"\"\"\n"
                      "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
                      "dims = {\"N\": {\"multiple_of\": 2, \"min\": 2}}\n"
                      "def reference(x):\n"
                      "    return x[:, ::2] * x[:, 1::2]\n"},
    {"float_result", "\"\"\"Sum of squares, always float32.\"\"\"\n"
                     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
                     "def reference(x):\n"
                     "    return x.float().pow(2).sum(-1, keepdim=True)\n"},
    {"soft_targets", "\"\"\"Cross entropy against soft targets, at another temperature.\"\"\"\n"
                     "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8)},\n"
                     "          \"t\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8)}}\n"
                     "def reference(x, t):\n"
                     "    p = torch.softmax(t.float() / 1.5, dim=-1)\n"
                     "    return -(p * torch.log_softmax(x.float(), dim=-1)).sum(-1).to(x.dtype)\n"},
    {"weighed", "\"\"\"Values averaged by the softmax of scores, some of which may be missing.\"\"\"\n"
                "inputs = {\"s\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8), \"neg_inf\": True},\n"
                "          \"v\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 8)}}\n"
                "def reference(s, v):\n"
                "    return (torch.softmax(s.float(), -1) * (v.float() * 2 + 1)).sum(-1).to(v.dtype)\n"},
    {"correlation", "\"\"\"Correlation of two rows.\"\"\"\n"
                    "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.5, 8)},\n"
                    "          \"y\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.5, 8)}}\n"
                    "def reference(x, y):\n"
                    "    a = x.float() - x.float().mean(-1, keepdim=True)\n"
                    "    b = y.float() - y.float().mean(-1, keepdim=True)\n"
                    "    r = torch.rsqrt(a.pow(2).sum(-1) + 1e-3) * torch.rsqrt(b.pow(2).sum(-1) + 1e-3)\n"
                    "    return ((a * b).sum(-1) * r).to(x.dtype)\n"},
    {"halves", "\"\"\"Each half of a row over its own standard deviation.\"\"\"\n"
               "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.5, 8)}}\n"
               "dims = {\"N\": {\"multiple_of\": 2, \"min\": 2}}\n"
               "def reference(x):\n"
               "    a, b = x.float().chunk(2, dim=-1)\n"
               "    a = a * torch.rsqrt(a.var(-1, keepdim=True, correction=0) + 1e-2)\n"
               "    b = b * torch.rsqrt(b.var(-1, keepdim=True, correction=0) + 1e-2)\n"
               "    return torch.cat((a, b), dim=-1).to(x.dtype)\n"},
    {"one_row", "\"\"\"A vector scaled to length one.\"\"\"\n"
                "inputs = {\"x\": {\"shape\": (\"N\",), \"scale\": (0.5, 4)}}\n"
                "def reference(x):\n"
                "    h = x.float()\n"
                "    return (h * torch.rsqrt(h.pow(2).sum() + 1e-6)).to(x.dtype)\n"},
};
enum { USER_OPS = sizeof user_ops / sizeof *user_ops };

// All ops of the suite, a few chains in full, and the definitions above.
static inline int all_ops(Arena *a, Op **out) {
    int n, kept = 0;
    const Str *names = op_names(a, &n);
    Op *ops = NEWN(a, Op, (size_t)n + USER_OPS);
    for (int i = 0; i < n; i++)
        if (!op_find(a, names[i], &ops[kept++])) fail_msg("%.*s is not found", STR_ARG(names[i]));
    for (int i = 0; i < USER_OPS; i++) ops[kept++] = define(a, user_ops[i].name, user_ops[i].source);
    *out = ops;
    return kept;
}
