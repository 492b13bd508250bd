#!/usr/bin/env python3
"""Accept and reject: our checker against Triton's front-end, by status and by message.

Programs: the cases of test/tile/golden and test/tile/coverage, the self-test's programs, the smith's kernels as they are, with a right
statement planted, and with a mistake planted (mistakes.py). Both sides compile the same launch: one shape, float32 and
contiguous. Writes accept.jsonl beside the kit and prints the counts; disagreements that doc/conformance.md does not settle
make it fail.

usage: accept.py --kit DIR --ouroboros FILE --check FILE [--wrong N] [--right N] [--show]
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import select
import subprocess
import sys

import mistakes

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
M, N = 64, 128
PATIENCE = 100


class Peer:
    """A process that answers JSON lines with JSON lines; one that dies is replaced, and that is an answer too."""

    def __init__(self, command):
        self.command, self.process = command, None

    def ask(self, task):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=HERE)
        line, why = "", "the process died"
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
            if select.select([self.process.stdout], [], [], PATIENCE)[0]:
                line = self.process.stdout.readline()
            else:
                why = f"no answer within {PATIENCE} s"
        except BrokenPipeError:
            pass
        if line:
            return json.loads(line)
        self.process.kill()
        self.process.wait()  # one that still gives memory back looks alive
        self.process = None
        return {"id": task["id"], "kind": "refused", "type": "lost", "messages": [why]}

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def golden_cases():
    for path in sorted((ROOT / "test/tile").glob("*/*.py")):
        for part in path.read_text().split("# case: ")[1:]:
            name, _, body = part.partition("\n")
            launch = re.search(r"^# launch:(.*)$", body, re.M)
            line = re.sub(r"(\*\w+):\S+", r"\1", launch.group(1).strip()) if launch else ""  # without the inputs' values
            yield {"id": f"{path.stem}.{name}", "group": path.parent.name, "source": body, "launch": line}


def programs(o):
    """The programs with hosts: {"id", "group", "op", "source"}."""
    index = [json.loads(line) for line in open(pathlib.Path(o.kit) / "index.jsonl")]
    for p in index:
        p["source"] = (pathlib.Path(o.kit) / p["file"]).read_text()
    # What is refused in host code is our rule, not Triton's; what never ends is no question of types.
    whole = [p for p in index if p["kind"] in ("gold", "honest", "wrong") and p["expect"] not in ("parse_reject", "host_error", "timeout")]
    smith = [p for p in index if p["kind"] == "smith"]
    for p in whole:
        yield {"id": p["name"], "group": "compile" if "compile" in p["expect"] else p["kind"], "op": p["op"], "source": p["source"]}
    for p in smith[: o.smith]:
        yield {"id": p["name"], "group": "smith", "op": p["op"], "source": p["source"]}
    planted = list(mistakes.wrong(smith, o.wrong, 1)) + list(mistakes.right(smith, o.right, 2))
    for k, (kind, template, base, source) in enumerate(planted):
        yield {"id": f"planted_{k}", "group": kind, "op": base["op"], "source": source, "template": template}


# How the last sentence of our feedback begins: what next.
NEXT = "Correct that line|Only allocations|Triton would|Correct the host code"


def our_verdicts(o, tasks):
    """The referee's stream: what it says before anything runs."""
    lines = "".join(
        json.dumps({"id": t["id"], "op": t["op"], "source": t["source"], "level": "quick", "shape": f"{M}x{N}", "dtype": "float32"}) + "\n" for t in tasks
    )
    done = subprocess.run([o.ouroboros, "referee", "--stream"], input=lines, capture_output=True, text=True, check=False)
    out = {}
    for line in done.stdout.splitlines():
        v = json.loads(line)
        status = v.get("status", "none")
        refused = status in ("parse_reject", "compile_fail", "host_error")
        found = re.match(rf"(?:line (\d+):\d+: )?(.*?)(?:, on input .*|(?:\.|(?<=\?)) (?:{NEXT}).*)?\.?$", v.get("feedback") or "", re.S)
        out[v["id"]] = {
            "kind": "refused" if refused else "unsupported" if status == "unsupported" else "ok",
            "status": status,
            "message": found.group(2) if refused else v.get("feedback", ""),
            "line": int(found.group(1) or 0),
        }
    return out


def launched_shapes(o, ops):
    """Inputs of an op at one shape, as both sides see them: our draw's."""
    out = {}
    prefix = pathlib.Path(o.kit).parent / "shape"
    for op in ops:
        subprocess.run([o.conform, "draw", op, "quick", "1", str(prefix), f"{M}x{N}", "float32"], check=True)
        cases = json.load(open(f"{prefix}.json"))["cases"]
        out[op] = [[i["dtype"], i["shape"], i["stride"]] for i in cases[0]["inputs"]]
    return out


def question_of(t, shapes):
    return {"id": t["id"], "source": t["source"]} | ({"inputs": shapes[t["op"]]} if "op" in t else {"launch": t["launch"]})


def their_verdicts(o, questions):
    """Triton's, by a few processes."""
    peers = [Peer([sys.executable, str(HERE / "triton_check.py")]) for _ in range(o.jobs)]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        parts = [pool.submit(lambda k: [peers[k].ask(q) for q in questions[k :: o.jobs]], k) for k in range(o.jobs)]
        done = [part.result() for part in parts]
    for peer in peers:
        peer.close()
    return [done[i % o.jobs][i // o.jobs] for i in range(len(questions))]


def bare(text):
    """ValueError("...") and AssertionError('...') without the wrapper, as plain words."""
    text = re.sub(r"^\w*(?:Error|Impl|Exception|Iteration)\((['\"])(.*)\1,?\)$", r"\2", text.strip(), flags=re.S)
    text = re.sub(r" at 0x[0-9a-f]+>", ">", text)  # an address says nothing
    return re.sub(r"\s+", " ", text.replace("\\'", "'").replace('\\"', '"').replace("\\n", " ")).strip()


def same_words(ours, messages):
    ours = bare(ours)
    theirs = [bare(m) for m in messages]
    return any(m and (m in ours or ours in m) for m in theirs)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--kit", required=True)
    p.add_argument("--ouroboros", required=True)
    p.add_argument("--check", required=True)
    p.add_argument("--conform", required=True)
    p.add_argument("--smith", type=int, default=700)
    p.add_argument("--wrong", type=int, default=1700)
    p.add_argument("--right", type=int, default=500)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--show", action="store_true", help="print every disagreement")
    o = p.parse_args()
    settled = settled_names()
    checker = Peer([o.check])
    tasks = list(golden_cases()) + list(programs(o))
    shapes = launched_shapes(o, sorted({t["op"] for t in tasks if "op" in t}))
    ours = our_verdicts(o, [t for t in tasks if "op" in t])
    answers = their_verdicts(o, [question_of(t, shapes) for t in tasks])
    count, words = collections.Counter(), collections.Counter()
    unsettled = 0
    with open(pathlib.Path(o.kit).parent / "accept.jsonl", "w") as out:
        for t, theirs in zip(tasks, answers):
            us = ours.get(t["id"]) if "op" in t else checker.ask(question_of(t, shapes))
            if us is None:
                raise SystemExit(f"no verdict of ours for {t['id']}")
            we = us["kind"] if us["kind"] in ("ok", "refused") else "unsupported" if us["kind"].lower() == "unsupported" else "refused"
            if "OutOfResources" in (us.get("message") or ""):
                we = "unsupported"  # not a matter of the front-end: resources.py compares it with the whole compiler
            agree = "unsupported" if we == "unsupported" else "agree" if we == theirs["kind"] else "we accept" if we == "ok" else "we refuse"
            text = agree == "agree" and we == "refused" and same_words(us["message"], theirs["messages"])
            group = t["group"]
            count[group, agree] += 1
            if agree == "agree" and we == "refused":
                words[group, text] += 1
            known = t["id"] in settled or t.get("template") in settled
            if agree in ("we accept", "we refuse") and not known:
                unsettled += 1
            record = {"id": t["id"], "group": group, "template": t.get("template"), "agree": agree, "words": text, "ours": us, "triton": theirs}
            out.write(json.dumps(record) + "\n")
            if o.show and (agree in ("we accept", "we refuse") or (agree == "agree" and we == "refused" and not text)):
                print(agree if agree != "agree" else "WORDS", t["id"], t.get("template"), "| ours:", us.get("message"), "| Triton:", theirs.get("messages"))
    groups = sorted({g for g, _ in count})
    total = collections.Counter()
    print(f"{'programs':28} {'agree':>6} {'we accept':>10} {'we refuse':>10} {'unsupported':>12} {'same words':>16}")
    for g in groups + ["all"]:
        row = {k: count[g, k] for k in ("agree", "we accept", "we refuse", "unsupported")} if g != "all" else total
        same, other = (words[g, True], words[g, False]) if g != "all" else (sum(v for (_, k), v in words.items() if k), sum(v for (_, k), v in words.items() if not k))
        print(f"{g:28} {row['agree']:6} {row['we accept']:10} {row['we refuse']:10} {row['unsupported']:12} {same:8} of {same + other:4}")
        if g != "all":
            total.update(row)
    decided = total["agree"] + total["we accept"] + total["we refuse"]
    print(f"agreement by status: {total['agree']} of {decided}, {100 * total['agree'] / decided:.2f} %; disagreements not settled: {unsettled}")
    return 1 if unsettled else 0


def settled_names():
    """doc/conformance.md: the names and statements in its table of settled disagreements."""
    path = ROOT / "doc/conformance.md"
    text = path.read_text() if path.exists() else ""
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.M))


if __name__ == "__main__":
    sys.exit(main())
