#!/usr/bin/env python3
"""A training loop in miniature: the policy writes kernels, the referee rewards them, the policy learns. No torch needed.

    pip install ./clients/python           (or PYTHONPATH=clients/python)
    OUROBOROS=build/ouroboros python3 examples/train.py

The "model" makes three choices while it writes softmax, and only one combination of twelve is right. It learns by REINFORCE,
as a language model would learn from the same rewards.
"""

import math
import random

from ouroboros_referee import KernelReward, Referee

TEMPLATE = """```python
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < N, other={other}).to(tl.float32)
    e = tl.exp({shifted})
    tl.store(y_ptr + row * N + cols, e / tl.sum(e, axis=0){mask})

def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    kernel[(M,)](x, y, x.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return y
```"""
CHOICES = {
    "other": ["0.0", "-float('inf')", "float('inf')"],
    "shifted": ["x", "x - tl.max(x, axis=0)"],
    "mask": ["", ", mask=cols < N"],
}


def softmax(logits):
    e = [math.exp(x - max(logits)) for x in logits]
    return [x / sum(e) for x in e]


def main(steps=12, batch=16, rate=1.0):
    chance = random.Random(1)
    policy = {name: [0.0] * len(texts) for name, texts in CHOICES.items()}
    with Referee() as referee:
        reward = KernelReward(referee)
        for step in range(steps):
            picks = [
                {name: chance.choices(range(len(p)), softmax(p))[0] for name, p in policy.items()}
                for _ in range(batch)
            ]
            replies = [TEMPLATE.format(**{n: CHOICES[n][i] for n, i in pick.items()}) for pick in picks]
            rewards = reward(prompts=[""] * batch, completions=replies, op=["softmax"] * batch)
            known = [r for r in rewards if r is not None]  # None: undecided, no reason to learn anything
            mean = sum(known) / max(len(known), 1)
            print(f"step {step + 1:2}: mean reward {mean:.2f}, accepted {rewards.count(1.0)} of {batch}", flush=True)
            for pick, r in zip(picks, rewards):
                for name, i in pick.items() if r is not None else ():
                    for k, p in enumerate(softmax(policy[name])):
                        policy[name][k] += rate / math.sqrt(batch) * (r - mean) * ((k == i) - p)
    best = {name: CHOICES[name][p.index(max(p))] for name, p in policy.items()}
    print("learned:", best)


if __name__ == "__main__":
    main()
