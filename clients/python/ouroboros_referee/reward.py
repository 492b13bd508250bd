"""Rewards for a training loop: completions in, numbers out, None where nothing was decided."""

import re

from .client import Referee, Verdict

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)$")


def fenced_blocks(text):
    """(the closed blocks' texts, whether the last one was never closed). A fence opens a line, with any words
    behind it; one of the same character, as long or longer and alone on its line, closes it."""
    blocks, lines, fence = [], [], None
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line.rstrip("\r\n"))
        if fence is None:
            if match and "`" not in match.group(2):
                fence, lines = match.group(1), []
        elif match and match.group(1).startswith(fence) and not match.group(2).strip():
            blocks.append("".join(lines))
            fence = None
        else:
            lines.append(line)
    return blocks, fence is not None


def completion_text(completion):
    """The text of a completion: a string, or a conversation, whose last message counts."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, dict):
        completion = [completion]
    last = completion[-1] if completion else {}
    content = last.get("content", "") if isinstance(last, dict) else last
    if isinstance(content, (list, tuple)):  # parts: only text counts
        content = "".join(p.get("text", "") if isinstance(p, dict) else str(p) for p in content)
    return content if isinstance(content, str) else ""


def extract_kernel(text):
    """(source, None), or (None, "no_kernel" or "truncated").

    The last fenced code block is the answer: models think aloud in earlier ones. A fence that is opened last and
    never closed was cut off. Text without any fence counts as a kernel only if it is one from its first line on.
    """
    blocks, cut_off = fenced_blocks(text)
    if cut_off:
        return None, "truncated"
    if blocks:
        return (blocks[-1], None) if blocks[-1].strip() else (None, "no_kernel")
    bare = text.strip()
    if re.match(r"(import |from |@triton\.)", bare) and ("def run(" in bare or "class ModelNew(" in bare):
        return bare + "\n", None
    return None, "no_kernel"


class RewardTable(dict):
    """Status to reward. Statuses that are not listed get `other`; undecided ones are always None."""

    DEFAULT = {
        "ok": 1.0,
        # It runs, and its values are nearly right.
        "inaccurate": 0.3,
        "nan_class": 0.2,
        "incorrect": 0.2,
        # It compiles.
        "wrong_shape": 0.1,
        "wrong_dtype": 0.1,
        "uncovered_output": 0.1,
        "uninit_read": 0.1,
        "oob": 0.1,
        "race": 0.1,
        "nondeterministic": 0.1,
        "bad_value": 0.1,
        "input_write": 0.1,
        "timeout": 0.1,
        # It does not.
        "host_error": 0.05,
        "compile_fail": 0.05,
        "parse_reject": 0.0,
        "crash": 0.0,
        "no_kernel": 0.0,
        "truncated": 0.0,
    }

    def __init__(self, *args, other=0.0, **more):
        super().__init__(self.DEFAULT)
        self.update(*args, **more)
        self.other = other

    def reward(self, verdict):
        if not verdict.decided:
            return None
        value = self.get(verdict.status, self.other)
        # Whatever the table says, nothing that was rejected is worth as much as what was accepted.
        return value if verdict.accepted else min(value, self["ok"])


class KernelReward:
    """A reward function with the signature that TRL's GRPO trainer calls.

        reward = KernelReward(Referee(), op="softmax")
        GRPOTrainer(..., reward_funcs=[reward])

    The op is `op`, or comes with the data: a column of the data set named `op_key` ("op"), one value for each
    completion. Undecided verdicts are None, which the trainer leaves out; they are never zero, because that
    would teach something about a kernel that nobody judged.
    """

    def __init__(self, referee=None, op=None, table=None, op_key="op", extract=extract_kernel):
        self.referee = referee or Referee()
        self.op, self.op_key, self.extract = op, op_key, extract
        self.table = table if isinstance(table, RewardTable) else RewardTable(table or {})
        self.__name__ = "kernel_reward"  # what trainers log it as
        self.verdicts = []  # of the last call, in order: feedback for a second turn

    def __call__(self, prompts, completions, **kwargs):
        ops = kwargs.get(self.op_key, self.op)
        if ops is None:
            raise ValueError(f"which op? Give KernelReward(op=...), or a column {self.op_key!r} in the data")
        if isinstance(ops, str):
            ops = [ops] * len(completions)
        if len(ops) != len(completions):
            raise ValueError(f"{len(ops)} ops for {len(completions)} completions")
        verdicts = [None] * len(completions)
        pairs, places = [], []
        for i, completion in enumerate(completions):
            source, status = self.extract(completion_text(completion))
            if source is None:
                verdicts[i] = Verdict(
                    op=ops[i], accepted=False, status=status, rule="reply", feedback=_REPLY[status]
                )
            else:
                pairs.append((ops[i], source))
                places.append(i)
        for i, verdict in zip(places, self.referee.judge_many(pairs)):
            verdicts[i] = verdict
        self.verdicts = verdicts
        return [self.table.reward(v) for v in verdicts]


_REPLY = {
    "no_kernel": "The reply holds no fenced code block with a kernel.",
    "truncated": "The reply ends inside its last code block.",
}
