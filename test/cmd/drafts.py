"""drafts.py MODE KERNEL - a program for `--smith cmd:...` that is good, slow, or breaks the protocol in one way."""
import json
import os
import sys
import time

mode, right = sys.argv[1], open(sys.argv[2]).read()
wrong = right.replace("* scale", "* 2.0 * scale").replace("p / tl.sum", "2.0 * p / tl.sum")


def fenced(code):
    return "Here it is:\n```python\n" + code + "```\n"


def say(o):
    sys.stdout.write(json.dumps(o) + "\n")
    sys.stdout.flush()


asked = 0
for line in sys.stdin:
    q = json.loads(line)
    asked += 1
    if os.environ.get("DRAFTS_LOG"):
        with open(os.environ["DRAFTS_LOG"], "a") as f:
            f.write(line)
    if mode == "exit":
        sys.exit(7)
    if mode == "silent":
        time.sleep(60)
    if mode == "garbage":
        print("Loading model... 100%", flush=True)
    if mode == "stranger":
        say({"id": "99", "text": fenced(right)})
    if mode == "complains":
        say({"id": q["id"], "error": "no memory\nfor \x1b[31mthis"})
        continue
    if mode == "huge":
        while True:
            sys.stdout.write("x" * 65536)
    if mode == "killed":
        os.kill(os.getpid(), 9)
    if mode == "blank":
        sys.stdout.write("\n \r\n")
    if mode == "unended":
        for i in range(q["n"]):
            sys.stdout.write(("\n" if i else "") + json.dumps({"id": q["id"], "text": fenced(right)}))
        sys.exit(0)
    if mode == "unended-error":
        sys.stdout.write(json.dumps({"id": q["id"], "error": "no memory"}))
        sys.exit(0)
    if mode == "torn":
        sys.stdout.write(json.dumps({"id": q["id"], "text": fenced(right)})[:-1])
        sys.exit(0)
    feedback = "harness feedback" in q["prompt"]["user"]
    for i in range(q["n"]):
        if mode == "few" and i == q["n"] - 1:
            time.sleep(60)
        if mode in ("slow", "slower"):
            time.sleep(0.4 if mode == "slow" else 1)
        text, end = fenced(right), "stop"
        if mode == "mixed":
            text = [fenced(wrong), fenced(right), "I cannot do that.", "```python\n" + right[: len(right) // 2]][i % 4]
            end = "length" if i % 4 == 3 else "stop"
        if mode == "wrong":
            text = fenced(wrong)
        if mode.endswith("learns"):
            text = fenced(right if feedback else wrong)
        o = {"id": q["id"], "text": text, "end": end, "tokens": 50}
        if mode == "backwards":
            o["index"] = q["n"] - 1 - i
        if mode == "twice":
            o["index"] = 0
        if mode == "half" and i == q["n"] // 2:
            sys.exit(0)
        say(o)
    if mode.startswith("once"):
        sys.exit(0)
