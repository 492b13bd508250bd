#!/usr/bin/env python3
"""corpus.py DIR... - exports of `ouroboros corpus export` in the hands of those they are written for, by hand:
   python -m venv v && v/bin/pip install datasets trl && v/bin/python test/conformance/corpus.py DIR...
Hugging Face `datasets` loads each folder as it is, with the splits of its card; TRL takes rows of messages and of prompt
and completion for what they are. The control is a file with a torn line, which `datasets` must refuse."""
import json, os, sys, tempfile

import datasets

datasets.disable_progress_bars()
checks = failed = 0


def check(name, good, said=""):
    global checks, failed
    checks += 1
    failed += not good
    print("ok" if good else "not ok", name, said)


def lines(folder, split):
    with open(os.path.join(folder, split + ".jsonl")) as f:
        return [json.loads(line) for line in f]


try:
    from trl.data_utils import is_conversational
except ImportError:
    is_conversational = None
    print("TRL is not there: only datasets is checked")
for folder in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as cache:
        loaded = datasets.load_dataset(folder, cache_dir=cache)
        for split in ("train", "validation", "test"):
            rows = lines(folder, split)
            if not rows:
                check(f"{folder} {split} empty", split not in loaded)
                continue
            got = loaded[split]
            check(f"{folder} {split}", len(got) == len(rows) and got[0] == rows[0] and got[len(rows) - 1] == rows[-1],
                  f"{len(got)} rows, columns {' '.join(got.column_names)}")
        if is_conversational:
            row = loaded["train"][0]
            if "messages" in row or "prompt" in row:
                check(f"{folder} as TRL sees it", is_conversational(row) == ("messages" in row))
with tempfile.TemporaryDirectory() as torn:
    with open(os.path.join(torn, "train.jsonl"), "w") as f:
        f.write('{"prompt": "a", "completion": "b"}\n{"prompt": "a", "comp')
    try:
        datasets.load_dataset("json", data_files=os.path.join(torn, "train.jsonl"), cache_dir=torn)
        check("a torn file is refused", False)
    except Exception as e:
        check("a torn file is refused", True, type(e).__name__)
print(f"{checks - failed} passed, {failed} failed")
sys.exit(failed > 0)
