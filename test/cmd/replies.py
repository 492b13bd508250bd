"""replies.py FIRST LATER - a program for `--smith cmd:...`: answers with the file FIRST, and with LATER where it is told what was wrong."""
import json
import os
import sys

first, later = (open(path).read() for path in sys.argv[1:])
for line in sys.stdin:
    q = json.loads(line)
    if os.environ.get("REPLIES_LOG"):
        with open(os.environ["REPLIES_LOG"], "a") as f:
            f.write(line)
    told = q["prompt"]["user"].rsplit("```", 1)[-1]
    code = later if "referee" in told else first
    for i in range(q["n"]):
        print(json.dumps({"id": q["id"], "index": i, "text": "Here:\n```python\n" + code + "```\n"}), flush=True)
