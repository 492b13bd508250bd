"""Rewards for a training loop: completions in, numbers out, None where nothing was decided."""

import difflib
import json
import math
import os
import re
import warnings

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
    """The text of a completion: a string, or a conversation, whose last message counts. Anything else is an error:
    as an empty text it would be a reply without a kernel, and every reward 0."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, dict):
        completion = [completion]
    if not isinstance(completion, (list, tuple)):
        raise TypeError(f"a completion is a text or a list of messages, not {type(completion).__name__}")
    if not completion:
        return ""
    last = completion[-1]
    if isinstance(last, str):
        return last
    if not isinstance(last, dict) or "content" not in last:
        raise TypeError(f"a message is a dict with 'content', not {last!r:.80}")
    content = last["content"]
    if isinstance(content, (list, tuple)):
        return "".join(_part_text(part) for part in content)
    if content is not None and not isinstance(content, str):  # None: a message of tool calls only
        raise TypeError(f"'content' of a message is a text or a list of parts, not {type(content).__name__}")
    return content or ""


def _part_text(part):
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise TypeError(f"a part of a message is a dict or a text, not {type(part).__name__}")
    if part.get("type", "text") != "text":
        return ""  # an image: only text counts
    if not isinstance(part.get("text"), str):
        raise TypeError(f"a text part of a message has 'text', not {part!r:.80}")
    return part["text"]


def nearest(name, known):
    """", did you mean 'x'?" for the known name that is most like this one, or nothing."""
    found = difflib.get_close_matches(str(name), [k for k in known if isinstance(k, str)], 1, 0.5)
    return f"; did you mean {found[0]!r}?" if found else ""


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
    """Status to reward. Statuses that are not listed get `other`; undecided ones are always None.

    `quick`: the share of the reward that a kernel gets which was accepted at level quick only. A policy learns to
    fool quick: the full reward is for level full, which the client asks for by default ("ladder").

    `speed`: the share of an accepted kernel's reward that is for its speed on the referee's GPU. It grows with the
    geometric mean of its ratios to the better of torch.compile and max-autotune, up to `fast` times as fast; a kernel
    that could not be timed beside them gets None, which says nothing of it.
    """

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
        "overlap": 0.1,
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

    # What may have a row. The undecided statuses have none: their reward is None, whatever a table says.
    STATUSES = frozenset(DEFAULT) | Verdict.REJECTED

    def __init__(self, *args, other=0.0, quick=0.5, speed=0.0, fast=1.0, **more):
        super().__init__(self.DEFAULT)
        self.update(*args, **more)
        self.other = self._number("other", other)
        self.quick = self._number("quick", quick)
        if not 0 <= self.quick <= 1:
            raise ValueError(f"quick is a share from 0 to 1, not {quick!r}")
        self.speed = self._number("speed", speed)
        if not 0 <= self.speed <= 1:
            raise ValueError(f"speed is a share from 0 to 1, not {speed!r}")
        self.fast = self._number("fast", fast)
        if not self.fast > 0:
            raise ValueError(f"fast is a ratio above 0, not {fast!r}")

    @staticmethod
    def _number(status, value):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"the reward of {status!r} is a number, not {value!r}")
        return value

    def __setitem__(self, status, value):
        if status in Verdict.UNDECIDED:
            raise ValueError(f"{status!r} decides nothing: its reward is None, and no row of a table")
        if status not in self.STATUSES:
            raise ValueError(f"no status is called {status!r}{nearest(status, self.STATUSES)}")
        super().__setitem__(status, self._number(status, value))

    def update(self, *args, **more):  # as dict's, which does not ask __setitem__
        for status, value in dict(*args, **more).items():
            self[status] = value

    def setdefault(self, status, default=None):
        if status not in self:
            self[status] = default
        return self[status]

    def __ior__(self, other):
        self.update(other)
        return self

    def reward(self, verdict):
        if not verdict.decided or verdict.get("domain", {}).get("values") == "published":
            return None  # values as somebody's harness draws them are no domain to reward
        value = self.get(verdict.status, self.other)
        if verdict.accepted and self.speed:
            if verdict.speed is None:
                return None
            value *= 1 - self.speed + self.speed * min(verdict.speed / self.fast, 1.0)
        if verdict.accepted and verdict.get("level") == "quick":
            return value * self.quick
        # Whatever the table says, nothing that was rejected is worth as much as what was accepted.
        return value if verdict.accepted else min(value, self["ok"])


def _prompt_keys(prompts, n):
    """For each completion a text that is equal for equal prompts: of a conversation its JSON."""
    if not isinstance(prompts, (list, tuple)) or len(prompts) != n:
        raise ValueError(f"groups=True: {n} completions need as many prompts, one each")
    return [p if isinstance(p, str) else json.dumps(p, sort_keys=True, default=repr) for p in prompts]


class KernelReward:
    """A reward function with the signature that TRL's GRPO trainer calls.

        reward = KernelReward(Referee(), op="softmax")
        GRPOTrainer(..., reward_funcs=[reward])

    The op is `op`, or comes with the data: a column of the data set named `op_key` ("op"), one value for each
    completion. The text of a reference in module form is one, too, as in data sets of pairs; then completions hold a
    ModelNew. A column that is not there, or holds no names of ops, is a ValueError. Undecided verdicts are None, which the trainer leaves out; they are never zero, because that
    would teach something about a kernel that nobody judged. `time`: True or a list of shapes to be timed at on the
    referee's GPU; a table with `speed` asks for it.

    `groups`: completions of equal prompts in one call are a group. Of its kernels that level quick accepts only the one
    that moves the fewest bytes goes on to level full; the others get the table's `quick` share. It saves most of
    the time of level full, and changes what is paid: kernels as right as the best get less, and one that fools quick may
    get its share. So it is off unless asked for.
    """

    def __init__(
        self, referee=None, op=None, table=None, op_key=None, extract=extract_kernel, time=None, groups=False
    ):
        if op is not None and op_key is not None:
            raise ValueError(f"either op={op!r} for all, or op_key={op_key!r}, the column that names each one's")
        self.table = table if isinstance(table, RewardTable) else RewardTable(table or {})
        self.referee = referee or Referee()
        self.op, self.op_key, self.extract = op, op_key or "op", extract
        self.groups = groups
        if groups and self.referee.level != "ladder":
            raise ValueError(f"groups=True needs Referee(level='ladder'), not {self.referee.level!r}")
        # A table that pays for speed needs times.
        self.fields = {"time": time or True} if time or self.table.speed else {}
        self._unknown = set()  # ops that were warned about
        self.__name__ = "kernel_reward"  # what trainers log it as
        self.verdicts = []  # of the last call, in order: feedback for a second turn

    def __call__(self, prompts, completions, **kwargs):
        ops = self._ops(kwargs, len(completions))
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
        groups = None
        if self.groups:
            asked = _prompt_keys(prompts, len(completions))
            groups = [(ops[i], asked[i]) for i in places]
        for i, verdict in zip(places, self.referee.judge_many(pairs, groups=groups, **self.fields)):
            verdicts[i] = verdict
        self.verdicts = verdicts
        self._complain([(ops[i], verdicts[i]) for i in places])
        return [self.table.reward(v) for v in verdicts]

    def _ops(self, columns, n):
        """The op of each completion: from the column where there is one, else the fixed one."""
        ops = columns.get(self.op_key, self.op)
        if ops is None:
            raise ValueError(
                f"the data has no column {self.op_key!r}{nearest(self.op_key, columns)} (it has: "
                f"{', '.join(map(repr, sorted(columns))) or 'none'}). KernelReward(op_key=...) names the column, "
                "KernelReward(op=...) is one op for all"
            )
        if isinstance(ops, (str, os.PathLike)):
            ops = [os.fspath(ops)] * n
        if len(ops) != n:
            raise ValueError(f"{len(ops)} ops for {n} completions")
        for i, op in enumerate(ops):
            if not isinstance(op, str) or not op.strip():
                raise ValueError(f"column {self.op_key!r} holds {op!r:.80} for completion {i}: not the name of an op")
        return ops

    def _complain(self, judged):
        """Undecided verdicts are None, which a trainer passes over: what makes all of them so is told."""
        unknown = {op: v.feedback for op, v in judged if v.get("rule") == "request" and _NO_OP in v.feedback}
        if unknown and len(unknown) == len({op for op, _ in judged}):
            op, words = next(iter(unknown.items()))
            raise ValueError(f"column {self.op_key!r} names no op: {op!r:.80}: {words[words.find(_NO_OP):]}")
        for op in unknown.keys() - self._unknown:
            self._unknown.add(op)
            warnings.warn(f"rewards are None: {unknown[op][unknown[op].find(_NO_OP):]}", RuntimeWarning, stacklevel=3)
        errors = [v for _, v in judged if v.status == "referee_error"]
        if judged and len(errors) == len(judged) and not unknown:
            warnings.warn(
                f"none of {len(judged)} kernels was decided, all rewards are None: {errors[0].feedback}",
                RuntimeWarning, stacklevel=3,
            )


_NO_OP = "no op is known as"  # so the referee says it
_REPLY = {
    "no_kernel": "The reply holds no fenced code block with a kernel.",
    "truncated": "The reply ends inside its last code block.",
}
