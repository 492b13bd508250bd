"""The client against the real program. $OUROBOROS names it."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from ouroboros_referee import KernelReward, Referee, RefereeError, RewardTable, Verdict, extract_kernel  # noqa: E402

BINARY = os.environ.get("OUROBOROS", "ouroboros")


def proposals(op, n, flaw=None):
    command = [BINARY, "propose", op, "-n", str(n), "--seed", "3", "--json"]
    if flaw:
        command += ["--flaw", flaw]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line)["source"] for line in text.splitlines()]


GOOD = proposals("softmax", 4)
WRONG = proposals("softmax", 1, "contiguous")[0]


# Right, and reads its input twice.
TWICE = """import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < n, other=-float("inf")).to(tl.float32)
    again = tl.load(x_ptr + row * stride + at, mask=at < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(again - tl.max(x, axis=0))
    tl.store(y_ptr + row * n + at, e / tl.sum(e, axis=0), mask=at < n)


def run(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    softmax[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
"""
MODULE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return 2.0 * x


def get_inputs():
    return [torch.rand(64, 4096)]


def get_init_inputs():
    return []
"""
MODEL_NEW = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def twice(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, 2.0 * tl.load(x_ptr + at, mask=at < n, other=0.0), mask=at < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        twice[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
"""


def in_fence(source):
    return "Here it is:\n\n```python\n" + source + "```\n"


class WithState(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def referee(self, **more):
        options = {"binary": BINARY, "jobs": 2, "state": os.path.join(self.dir.name, "state")}
        options.update(more)
        referee = Referee(**options)
        self.addCleanup(referee.close)
        return referee

    def script(self, text, version="ouroboros 0.1"):
        """A program that gives itself out as the referee, and does something else."""
        text = f'[ "$1" != --version ] || {{ echo "{version}"; exit; }}\n' + text
        path = os.path.join(self.dir.name, f"program{len(os.listdir(self.dir.name))}")
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path


# Host code that nobody can follow, a kernel, and how it is launched.
HOSTLESS = """import os
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


launch = os.environ["LAUNCH"]
"""
MANIFEST = {
    "kernel": "softmax_kernel",
    "values": {"M": "x.shape[0]", "N": "x.shape[1]"},
    "outputs": {"out": {"shape": ["M", "N"], "dtype": "x.dtype"}},
    "args": ["x", "out", "x.stride(0)", "out.stride(0)", "N"],
    "constexprs": {"BLOCK": "triton.next_power_of_2(N)"},
    "grid": ["M"],
    "num_warps": "8 if N > 2048 else 4",
}
HELPED = HOSTLESS.split("import os\n")[1].split("launch =")[0].replace(
    "import triton.language as tl\n", "import triton.language as tl\nimport torch\nfrom helpers import exp_below\n"
).replace("tl.exp(x - tl.max(x, axis=0))", "exp_below(x, tl.max(x, axis=0))") + """
def run(x):
    out = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, out, x.stride(0), out.stride(0), x.shape[1],
                                  BLOCK=triton.next_power_of_2(x.shape[1]), num_warps=8)
    return out
"""


class Judging(WithState):
    def test_accepts_and_rejects(self):
        with self.referee() as r:
            good, wrong = r.judge("softmax", GOOD[0]), r.judge("softmax", WRONG)
            self.assertTrue(good.accepted and good.decided)
            self.assertEqual(good["op"], "softmax")
            self.assertFalse(wrong.accepted)
            self.assertTrue(wrong.decided)
            self.assertIn(wrong.status, Verdict.REJECTED)
            self.assertTrue(wrong.feedback)

    def test_accepted_means_level_full(self):
        self.assertEqual(self.referee().judge("softmax", GOOD[0])["level"], "full")
        self.assertEqual(self.referee(level="quick", fresh=True).judge("softmax", GOOD[0])["level"], "quick")

    def test_many_come_back_in_order(self):
        sources = [GOOD[0], "def (", WRONG, GOOD[1], "import os\n"]
        verdicts = self.referee().judge_many([("softmax", s) for s in sources])
        self.assertEqual([v.accepted for v in verdicts], [True, False, False, True, False])
        self.assertEqual(verdicts[1].status, "parse_reject")
        self.assertEqual(self.referee().judge_many([]), [])

    def test_what_cannot_be_judged_is_undecided(self):
        r = self.referee()
        unknown = r.judge("no such op at all", GOOD[0])
        self.assertEqual((unknown.status, unknown.accepted, unknown.decided), ("referee_error", False, False))
        self.assertTrue(r.judge("softmax", GOOD[0], dtype="fp16").accepted)
        self.assertEqual(r.judge("softmax", GOOD[0], shape="64x64").status, "ok")

    def test_what_no_request_can_hold_is_an_error(self):
        r = self.referee()
        for fields, word in (
            ({"shape": "many"}, "many"), ({"shape": "0x5"}, "0x5"), ({"shape": (64, 64)}, "64"),
            ({"shape": "1048577x1"}, "1048577"), ({"dtype": "half"}, "half"), ({"level": "best"}, "best"),
        ):
            with self.assertRaisesRegex(ValueError, word):
                r.judge("softmax", GOOD[0], **fields)
        for op, source in ((None, "x"), ("", "x"), ("softmax", None), ("softmax", b"x"), (7, "x")):
            with self.assertRaises(TypeError):
                r.judge(op, source)
        for pairs in (["ab"], [("softmax",)], [("softmax", "x", MANIFEST, 1)]):
            with self.assertRaises(TypeError):
                r.judge_many(pairs)
        with self.assertRaisesRegex(ValueError, "the op comes first"):
            r.judge(GOOD[0], "softmax")
        with self.assertRaises(TypeError):
            Referee(binary=BINARY, options="--fresh")
        # The same, well said.
        self.assertTrue(r.judge("softmax", GOOD[0], shape=None, dtype=None, level="quick").accepted)

    def test_a_request_has_no_other_fields(self):
        for wrong in ({"levle": "full"}, {"id": 7}, {"seed": 1}, {"op": "rmsnorm"}):
            with self.assertRaises(TypeError):
                self.referee().judge_many([("softmax", "x")], **wrong)

    def test_any_text_of_a_model_is_answered(self):
        for source in ("", "\ud800", "\0", "x" * (2 << 20), "\u2028\r\n\x85", "\U0001f40d"):
            verdict = self.referee().judge("softmax", source)
            self.assertFalse(verdict.accepted)

    def test_duplicates_are_cached_unless_fresh(self):
        first = self.referee().judge("softmax", GOOD[0])
        again = self.referee().judge("softmax", "# again\n" + GOOD[0])
        fresh = self.referee(fresh=True).judge("softmax", GOOD[0])
        self.assertEqual([v.cached for v in (first, again, fresh)], [False, True, False])
        self.assertEqual(first["seed"], again["seed"])
        self.assertNotEqual(first["seed"], fresh["seed"])

    def test_a_manifest_stands_for_host_code(self):
        r = self.referee()
        self.assertEqual(r.judge("softmax", HOSTLESS).status, "parse_reject")
        self.assertTrue(r.judge("softmax", HOSTLESS, manifest=MANIFEST).accepted)
        text = json.dumps(MANIFEST)
        path = os.path.join(self.dir.name, "launch.json")
        with open(path, "w") as f:
            f.write(text)
        again = r.judge_many([("softmax", HOSTLESS)] * 2, manifest=text) + [r.judge("softmax", HOSTLESS, manifest=path)]
        self.assertEqual([(v.accepted, v.cached) for v in again], [(True, True)] * 3)

    def test_a_reference_in_module_form(self):
        r = self.referee()
        verdicts = r.judge_many([(MODULE, MODEL_NEW), (MODULE, MODEL_NEW.replace("2.0 *", "3.0 *")), ("softmax", GOOD[0])])
        self.assertEqual([v.status for v in verdicts], ["ok", "incorrect", "ok"])
        self.assertEqual((verdicts[0]["module"]["name"], verdicts[0]["module"]["inputs"][0]["shape"]), ("module", [64, 4096]))
        self.assertNotIn("module", verdicts[2])
        reward = KernelReward(r, op_key="python_code")
        self.assertEqual(reward(["?"] * 2, [in_fence(MODEL_NEW), "no code"], python_code=[MODULE] * 2), [1.0, 0.0])
        self.assertIn("class Model", r.judge("import torch\n", MODEL_NEW).feedback)
        with self.assertRaises(TypeError):
            r.judge(MODULE, MODEL_NEW, tf32="yes")
        with self.assertRaises(ValueError):
            r.judge(MODULE, MODEL_NEW, library="some")
        for wrong, error in (({"ragged": 1}, TypeError), ({"shapes": "all"}, ValueError)):
            with self.assertRaises(error):
                r.judge(MODULE, MODEL_NEW, **wrong)
        # Right at the small sizes, which 64 divides; not at odd ones, where that is asked for.
        unmasked = MODEL_NEW.replace(", mask=at < n, other=0.0", "").replace(", mask=at < n", "")
        pairs = ((unmasked, None), (unmasked, True), (MODEL_NEW, True))
        asked = [r.judge(MODULE, source, ragged=ragged, level="quick") for source, ragged in pairs]
        self.assertEqual([(v.accepted, v["module"]["ragged"]) for v in asked], [(True, None), (False, asked[1].status), (True, "ok")])
        self.assertEqual(r.judge(MODULE, MODEL_NEW, library="all")["module"]["library"], {"allowed": "all", "calls": 0})

    def test_the_best_of_a_group_is_judged_at_full(self):
        with self.referee() as r:
            pairs = [("softmax", s) for s in (WRONG, TWICE, GOOD[0], GOOD[1], GOOD[2])]
            got = r.judge_many(pairs, groups=["a", "a", "a", ("b", 1), None])
            self.assertEqual([v.accepted for v in got], [False, True, True, True, True])
            self.assertEqual([v["level"] for v in got], ["quick", "quick", "full", "full", "full"])
            self.assertEqual([v["group"]["best"] for v in got[:4]], [False, False, True, True])
            self.assertNotIn("group", got[4])
            # Groups of another call are others, whatever they are called.
            again = r.judge_many([("softmax", GOOD[3]), ("rmsnorm", GOOD[3])], groups=["a", "b"])
            self.assertEqual([v.accepted for v in again], [True, False])
            self.assertNotEqual(again[0]["group"]["name"], got[0]["group"]["name"])

    def test_what_is_no_group(self):
        with self.referee() as r:
            pair = ("softmax", GOOD[0])
            for pairs, groups, more in (([pair], [], {}), ([pair], ["a", "a"], {}), ([pair], ["a"], {"level": "quick"}),
                                        ([pair, ("rmsnorm", GOOD[0])], ["a", "a"], {}), ([pair] * 1025, ["a"] * 1025, {})):
                with self.assertRaises(ValueError):
                    r.judge_many(pairs, groups=groups, **more)
            with self.assertRaises(TypeError):
                r.judge("softmax", GOOD[0], group="a", of=1)
        with self.assertRaisesRegex(ValueError, "ladder"):
            self.referee(level="full").judge_many([pair], groups=["a"])

    def test_each_may_have_a_manifest_of_its_own(self):
        wrong = {**MANIFEST, "outputs": {"out": {"shape": ["M", "N"], "dtype": "torch.float64"}}}
        short = {**MANIFEST, "grid": ["M - 1"]}
        verdicts = self.referee().judge_many(
            [("softmax", HOSTLESS, MANIFEST), ("softmax", HOSTLESS, wrong), ("softmax", GOOD[0]),
             ("softmax", HOSTLESS, short), ("softmax", HOSTLESS, None)]
        )
        self.assertEqual(
            [v.status for v in verdicts], ["ok", "wrong_dtype", "ok", "uncovered_output", "parse_reject"]
        )

    def test_what_is_no_manifest(self):
        r = self.referee()
        self.assertFalse(r.judge("softmax", HOSTLESS, manifest={}).decided)
        self.assertFalse(r.judge("softmax", HOSTLESS, manifest={**MANIFEST, "warps": 4}).decided)
        for bad, error in ((7, TypeError), ("[1]", OSError), ('{"kernel": }', ValueError), ('{"kernel": 1, "kernel": 2}', ValueError),
                           (os.path.join(self.dir.name, "none.json"), OSError)):
            with self.assertRaises(error):
                r.judge("softmax", HOSTLESS, manifest=bad)

    def test_helpers_come_from_a_directory(self):
        folder = os.path.join(self.dir.name, "lib")
        os.mkdir(folder)
        with open(os.path.join(folder, "helpers.py"), "w") as f:
            f.write("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef exp_below(x, m):\n"
                    "    return tl.exp(x - m)\n")
        self.assertFalse(self.referee().judge("softmax", HELPED).accepted)
        self.assertTrue(self.referee(include=folder).judge("softmax", HELPED).accepted)
        with self.assertRaises(RefereeError):
            self.referee(include=folder + "/none").judge("softmax", HELPED)

    def test_threads_share_one_process(self):
        r = self.referee()
        results = {}

        def ask(i):
            results[i] = r.judge_many([("softmax", GOOD[i % 4]), ("softmax", f"def ({i}")])

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(results), 8)
        for good, bad in results.values():
            self.assertTrue(good.accepted)
            self.assertEqual(bad.status, "parse_reject")
        self.assertEqual(r.restarts, 0)


class Trouble(WithState):
    def test_a_dead_process_is_replaced(self):
        r = self.referee(fresh=True)
        self.assertTrue(r.judge("softmax", GOOD[0]).accepted)
        r._process.popen.send_signal(signal.SIGKILL)  # idle: nothing is lost
        self.assertTrue(r.judge("softmax", GOOD[0]).accepted)

        def kill():
            while not r._jobs:
                time.sleep(0.001)
            r._process.popen.send_signal(signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        verdicts = r.judge_many([("softmax", s) for s in GOOD * 4])
        killer.join()
        self.assertEqual([v.accepted for v in verdicts], [True] * 16)
        self.assertGreaterEqual(r.restarts, 1)

    def test_a_request_that_kills_every_process_is_given_up(self):
        r = self.referee(binary=self.script("read line; exit 9\n"), retries=2)
        verdict = r.judge("softmax", GOOD[0])
        self.assertEqual((verdict.status, verdict["rule"]), ("referee_error", "died"))
        self.assertEqual(r.restarts, 3)
        self.assertFalse(verdict.decided)

    def test_a_time_out_is_undecided(self):
        r = self.referee(binary=self.script("exec sleep 60\n"), timeout=0.3)
        start = time.monotonic()
        verdict = r.judge("softmax", GOOD[0])
        self.assertEqual((verdict.status, verdict["rule"], verdict.decided), ("referee_error", "timeout", False))
        self.assertLess(time.monotonic() - start, 20)
        self.assertFalse(r._jobs)

    def test_nonsense_is_not_a_verdict(self):
        for noise in ("nonsense", "{}", "[1]", '{\\"id\\":[1],\\"accepted\\":true,\\"status\\":\\"ok\\"}',
                      '{\\"id\\":1,\\"accepted\\":1,\\"status\\":\\"ok\\"}', '{\\"id\\":1,\\"accepted\\":true}'):
            binary = self.script(f'echo "{noise}"; exec sleep 60\n')
            r = self.referee(binary=binary)
            start = time.monotonic()
            with self.assertRaises(RefereeError) as raised:
                r.judge("softmax", GOOD[0])
            self.assertLess(time.monotonic() - start, 20)
            self.assertIn(binary, str(raised.exception))  # the path, and what it answered
            self.assertIn(noise.replace("\\", ""), str(raised.exception))
            with self.assertRaises(RefereeError):
                r.judge("softmax", GOOD[0])
        echo = self.referee(binary=self.script("exec cat\n"))  # its answers are our requests
        with self.assertRaisesRegex(RefereeError, "no verdict"):
            echo.judge("softmax", GOOD[0])

    def test_another_program_is_refused(self):
        for name in ("echo", "cat", "true", "false", "python3"):
            path = shutil.which(name)
            with self.assertRaises(RefereeError) as raised:
                Referee(binary=path)
            self.assertIn(path, str(raised.exception))
        path = self.script("", version="ouroboros of another kind")
        with self.assertRaisesRegex(RefereeError, "'ouroboros of another kind'"):
            Referee(binary=path)
        Referee(binary=self.script("")).close()
        Referee(binary=BINARY).close()

    def test_half_an_answer_is_no_answer(self):
        r = self.referee(
            binary=self.script('printf \'{"id":1,"accepted":true,"status":"ok"}\'; exit 1\n'), retries=0
        )
        self.assertEqual(r.judge("softmax", GOOD[0])["rule"], "died")

    def test_what_cannot_run_at_all_is_raised(self):
        with self.assertRaises(RefereeError):
            Referee(binary=os.path.join(self.dir.name, "missing"))
        r = self.referee(options=("--no-such-option",))
        with self.assertRaisesRegex(RefereeError, "no-such-option"):
            r.judge("softmax", GOOD[0])
        with self.assertRaises(RefereeError):
            r.judge("softmax", GOOD[0])
        with self.assertRaises(ValueError):
            Referee(binary=BINARY, level="best")

    def test_closing_frees_those_who_wait(self):
        r = self.referee(binary=self.script("exec sleep 60\n"))
        threading.Timer(0.3, r.close).start()
        self.assertEqual(r.judge("softmax", GOOD[0])["rule"], "closed")
        with self.assertRaises(RefereeError):
            r.judge("softmax", GOOD[0])
        r.close()

    def test_what_says_accepted_and_is_not_ok_is_not_accepted(self):
        self.assertFalse(Verdict(accepted=True, status="incorrect").accepted)
        self.assertFalse(Verdict(accepted="yes", status="ok").accepted)
        self.assertFalse(Verdict(status="ok").accepted)
        self.assertFalse(Verdict(status="something new").decided)
        self.assertFalse(Verdict().decided)
        self.assertTrue(Verdict(accepted=True, status="ok").accepted)


class Extraction(unittest.TestCase):
    def test_the_last_block_counts(self):
        self.assertEqual(extract_kernel("a\n```py\none\n```\nb\n```\ntwo\n\n```\nend"), ("two\n\n", None))
        self.assertEqual(extract_kernel("~~~~ python\nx\n```\ny\n~~~~\n"), ("x\n```\ny\n", None))
        self.assertEqual(extract_kernel("  ```python\r\n  x\r\n  ```  \r\n"), ("  x\r\n", None))
        self.assertEqual(extract_kernel("```\nx\n`````\n"), ("x\n", None))

    def test_no_kernel_and_truncated(self):
        for text in ("", "I cannot.", "```\n\n```\n", "use ```x``` here", "def run(x): is what you need"):
            self.assertEqual(extract_kernel(text), (None, "no_kernel"), text)
        for text in ("```python\nimport", "```\na\n```\n```python\nb", "```\na\n``", "~~~\n```\n```\n"):
            self.assertEqual(extract_kernel(text), (None, "truncated"), text)

    def test_a_bare_kernel_counts(self):
        module = "import torch\n\nclass ModelNew(nn.Module):\n    pass"
        self.assertEqual(extract_kernel(module), (module + "\n", None))
        self.assertEqual(extract_kernel("\n" + GOOD[0])[0].strip(), GOOD[0].strip())

    def test_a_long_reply_takes_no_time(self):
        start = time.monotonic()
        extract_kernel("```\n" * 200001)
        extract_kernel("".join("`" * (n % 500 + 3) + "\n" for n in range(20000)))
        self.assertLess(time.monotonic() - start, 20)


class Rewards(WithState):
    def test_rewards_of_completions(self):
        reward = KernelReward(self.referee())
        completions = [
            in_fence(GOOD[0]),
            [{"role": "assistant", "content": "hm"}, {"role": "assistant", "content": in_fence(WRONG)}],
            "nothing",
            "```python\ncut",
            in_fence(GOOD[1]),
            [{"role": "assistant", "content": [{"type": "text", "text": in_fence(GOOD[2])}]}],
        ]
        ops = ["softmax"] * 4 + ["an op that is not", "softmax"]
        with self.assertWarnsRegex(RuntimeWarning, "an op that is not"):
            got = reward(prompts=["p"] * 6, completions=completions, op=ops, completion_ids=None, trainer_state=None)
        self.assertEqual([got[i] for i in (0, 2, 3, 4, 5)], [1.0, 0.0, 0.0, None, 1.0])
        self.assertTrue(0 <= got[1] < 1)
        self.assertEqual(
            [reward.verdicts[i].status for i in (0, 2, 3, 4)], ["ok", "no_kernel", "truncated", "referee_error"]
        )
        self.assertEqual(reward.__name__, "kernel_reward")

    def test_groups_are_completions_of_one_prompt(self):
        completions = [in_fence(s) for s in (TWICE, GOOD[0], WRONG, GOOD[1])] + ["nothing"]
        chat = [{"role": "user", "content": "p"}]
        prompts = [chat, [dict(chat[0])], chat, "p", chat]
        with self.referee() as r:
            ask = {"prompts": prompts, "completions": completions}
            got = KernelReward(r, op="softmax", groups=True, table=RewardTable(quick=0.25))(**ask)
            self.assertEqual([got[i] for i in (0, 1, 3, 4)], [0.25, 1.0, 1.0, 0.0])
            self.assertLess(got[2], 0.25)
            # Without them all that quick accepts is judged at full.
            self.assertEqual(KernelReward(r, op="softmax")(**ask)[:2], [1.0, 1.0])
            with self.assertRaisesRegex(ValueError, "prompts"):
                KernelReward(r, op="softmax", groups=True)(prompts=None, completions=completions)
        with self.assertRaisesRegex(ValueError, "ladder"):
            KernelReward(self.referee(level="full"), op="softmax", groups=True)

    def test_the_op_may_be_fixed(self):
        reward = KernelReward(self.referee(), op="softmax")
        self.assertEqual(reward(["p"], [in_fence(GOOD[0])]), [1.0])
        with self.assertRaises(ValueError):
            KernelReward(self.referee())(["p"], ["x"])
        with self.assertRaises(ValueError):
            KernelReward(self.referee())(["p"], ["x"], op=["softmax", "softmax"])

    def test_a_column_that_is_not_there(self):
        reward = KernelReward(self.referee(), op_key="kernel_op")
        ask = {"prompts": ["p"], "completions": [in_fence(GOOD[0])]}
        with self.assertRaisesRegex(ValueError, "no column 'kernel_op'; did you mean 'kernel_ops'\\?"):
            reward(**ask, kernel_ops=["softmax"], seed=[1])
        with self.assertRaisesRegex(ValueError, "'completion_ids', 'zebra'"):
            reward(**ask, zebra=["softmax"], completion_ids=[1])
        with self.assertRaisesRegex(ValueError, "it has: none"):
            reward(**ask)
        with self.assertRaisesRegex(ValueError, "op_key"):
            KernelReward(self.referee(), op="softmax", op_key="kernel_op")  # which of them?
        self.assertEqual(reward(**ask, kernel_op=["softmax"]), [1.0])

    def test_a_column_that_names_no_ops(self):
        reward = KernelReward(self.referee())
        two = {"prompts": ["p"] * 2, "completions": [in_fence(GOOD[0])] * 2}
        for ops in ([None, "softmax"], ["softmax", ""], [1, 2], [["softmax"], "softmax"]):
            with self.assertRaisesRegex(ValueError, "column 'op' holds"):
                reward(**two, op=ops)
        with self.assertRaisesRegex(ValueError, "column 'op' names no op: 'sofmax'.*nearest are softmax"):
            reward(**two, op=["sofmax", "sofmax"])
        with self.assertWarnsRegex(RuntimeWarning, "sofmax"):
            self.assertEqual(reward(**two, op=["sofmax", "softmax"]), [None, 1.0])
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # each name is warned about once
            self.assertEqual(reward(**two, op=["sofmax", "softmax"]), [None, 1.0])

    def test_nothing_decided_is_told(self):
        one = {"prompts": ["p"], "completions": [in_fence(GOOD[0])]}
        dead = self.referee(binary=self.script("read line; exit 9\n"), retries=0)
        with self.assertWarnsRegex(RuntimeWarning, "none of 1 kernels was decided"):
            self.assertEqual(KernelReward(dead, op="softmax")(**one), [None])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(KernelReward(self.referee(), op="softmax")(**one), [1.0])
            # A reply of a model's, whatever it is, is no reason to stop.
            self.assertEqual(KernelReward(self.referee(), op="softmax")(["p"], ["nothing"]), [0.0])

    def test_what_is_no_completion(self):
        reward = KernelReward(self.referee(), op="softmax")
        for bad in (None, 7, [{"role": "assistant", "text": "x"}], [7], [{"content": 7}], [{"content": [7]}],
                    [{"content": [{"type": "text", "content": "x"}]}], {"text": "x"}):
            with self.assertRaises(TypeError):
                reward(["p"], [bad])
        for empty in ("", [], [{"role": "assistant", "content": None}], [{"content": []}], {"content": ""},
                      [{"content": [{"type": "image", "url": "u"}]}]):
            self.assertEqual(reward(["p"], [empty]), [0.0])
            self.assertEqual(reward.verdicts[0].status, "no_kernel")

    def test_a_table_has_known_statuses_and_numbers(self):
        for row, says in (({"incorect": 0.5}, "did you mean 'incorrect'"), ({"unsupported": 0.5}, "None"),
                          ({"referee_error": 0.0}, "None"), ({"incorrect": None}, "a number"),
                          ({"incorrect": "0.5"}, "a number"), ({"ok": float("nan")}, "a number"), ({7: 1.0}, "no status")):
            with self.assertRaisesRegex(ValueError, says):
                KernelReward(self.referee(), op="softmax", table=row)
            with self.assertRaises(ValueError):
                RewardTable().update(row)
            table = RewardTable()
            with self.assertRaises(ValueError):
                table |= row
            for status, value in row.items():
                with self.assertRaises(ValueError):
                    table[status] = value
            self.assertEqual(table, RewardTable.DEFAULT)
        with self.assertRaises(ValueError):
            RewardTable(other="much")
        with self.assertRaises(ValueError):
            RewardTable().setdefault("below_flor", 1.0)
        self.assertEqual(RewardTable({"below_floor": 0.01}).reward(Verdict(status="below_floor")), 0.01)
        self.assertEqual(KernelReward(self.referee(), op="softmax", table={"race": 0}).table["race"], 0)

    def test_the_table(self):
        table = RewardTable({"incorrect": 0.7}, ok=0.6)
        self.assertEqual(table.reward(Verdict(accepted=True, status="ok")), 0.6)
        # What only level quick has accepted gets a part.
        full, quick = (Verdict(accepted=True, status="ok", level=level) for level in ("full", "quick"))
        self.assertEqual((table.reward(full), table.reward(quick)), (0.6, 0.3))
        self.assertEqual(RewardTable(quick=0.25).reward(quick), 0.25)
        for share in (-0.1, 1.1, "half", None):
            with self.assertRaises(ValueError):
                RewardTable(quick=share)
        # Never more for what was rejected.
        self.assertEqual(table.reward(Verdict(accepted=False, status="incorrect")), 0.6)
        self.assertEqual(table.reward(Verdict(accepted=False, status="below_floor")), 0.0)
        for status in ("unsupported", "unreached", "referee_error", "something new"):
            self.assertIsNone(table.reward(Verdict(accepted=False, status=status)))
        # Every status that is a rejection has a row.
        self.assertEqual(set(RewardTable.DEFAULT) - {"ok"}, Verdict.REJECTED - {"timing_unstable", "below_floor"})

    def test_the_statuses_are_the_program_s(self):
        table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../src/judge/verdict/verdict.def")
        with open(table) as f:
            rows = re.findall(r"^VERDICT\((\w+), +(\w+)", f.read(), re.MULTILINE)
        self.assertGreater(len(rows), 15)
        for status, kind in rows:
            self.assertEqual(status in Verdict.REJECTED, kind == "REJECTED", status)
            self.assertEqual(status in Verdict.UNDECIDED, kind == "UNDECIDED", status)
            self.assertEqual(Verdict(accepted=True, status=status).accepted, kind == "ACCEPTED", status)


BUILD = os.path.dirname(os.path.abspath(BINARY))
LIBCUDA = os.path.join(BUILD if os.path.isdir(os.path.join(BUILD, "test")) else os.path.join(BUILD, "release"), "test/gpu/libcuda.so")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
GOLD = os.path.join(ROOT, "src/op/suite/gold/relu2.py")


@unittest.skipUnless(os.path.exists(LIBCUDA) and os.path.exists(GOLD), "needs the GPU of the program's tests")
class Times(WithState):
    """With the GPU of the tests (test/gpu/libcuda.c) and stand-ins for Triton and PyTorch."""

    def setUp(self):
        super().setUp()
        with open(GOLD, encoding="utf-8") as f:
            self.source = f.read()
        python = os.path.join(ROOT, "test/gpu/standin/python")
        self.steer(OUROBOROS_LIBCUDA=LIBCUDA, OUROBOROS_PYTHON=python, VM_GPU="memory=400000000 l2=40000 scale=60")

    def steer(self, **more):
        for name, value in more.items():
            old = os.environ.get(name)
            self.addCleanup(os.environ.__setitem__, name, old) if old else self.addCleanup(os.environ.pop, name, None)
            os.environ[name] = value

    def test_a_verdict_has_times(self):
        verdict = self.referee().judge("relu2", self.source, time=["512x64", "256x64"])
        self.assertTrue(verdict.accepted)
        self.assertEqual([c["shape"] for c in verdict["times"]["cells"]], [[512, 64], [256, 64]])
        self.assertEqual(len(verdict.ratios), 2)
        self.assertGreater(verdict.speed, 0)

    def test_a_gpu_that_disagrees_takes_it_back(self):
        self.steer(VM_GPU="memory=400000000 l2=40000 scale=60 wrong=relu2_kernel")
        verdict = self.referee().judge("relu2", self.source, time=["512x64"])
        self.assertFalse(verdict.accepted)
        self.assertEqual((verdict.status, verdict["rule"]), ("incorrect", "gpu"))
        self.assertEqual(RewardTable(speed=0.5).reward(verdict), RewardTable.DEFAULT["incorrect"])

    def test_rewards_pay_for_speed(self):
        reward = KernelReward(self.referee(), op="relu2", table=RewardTable(speed=0.5, fast=1e9), time=["512x64"])
        value, = reward([""], [in_fence(self.source)])
        self.assertAlmostEqual(value, 0.5, 3)
        reward.table = RewardTable(speed=0.5, fast=1e-9)
        self.assertEqual(reward([""], [in_fence(self.source)]), [1.0])

    def test_without_a_gpu_nothing_is_said_of_speed(self):
        self.steer(OUROBOROS_LIBCUDA="/nowhere/libcuda.so")
        verdict = self.referee().judge("relu2", self.source, time=True)
        self.assertTrue(verdict.accepted)
        self.assertIsNone(verdict.speed)
        self.assertIn("no NVIDIA driver", verdict["times"]["why"])
        self.assertIsNone(RewardTable(speed=0.5).reward(verdict))
        self.assertEqual(RewardTable().reward(verdict), 1.0)

    def test_what_cannot_be_asked(self):
        referee = self.referee()
        for time_ in ("512x64", [], ["big"], ["1x1"] * 9, 3):
            with self.assertRaises(ValueError):
                referee.judge("relu2", self.source, time=time_)
        with self.assertRaises(ValueError):
            referee.judge("relu2", self.source, time=True, level="quick")
        for bad in ({"speed": 2}, {"speed": -1}, {"fast": 0}):
            with self.assertRaises(ValueError):
                RewardTable(**bad)


if __name__ == "__main__":
    unittest.main()
