#!/usr/bin/env python3
"""Hugging Face `tokenizers`, for bench_text.

    text_peer.py make DIR            trains vocabularies and writes DIR/FAMILY.json and the texts DIR/code, DIR/prose
    text_peer.py time DIR FAMILY TEXT    encodes once on one thread; prints seconds of processor time, tokens and a checksum of the ids"""
import os
import pathlib
import sys
import sysconfig
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test" / "conformance"))
import text as conformance  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

PIECE = 16 << 10  # bytes or so of one text: a long prompt
VOCABULARY = 12000


def python_files():
    """The standard library: code that every Python brings along."""
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    for f in sorted(root.glob("*.py")) + sorted(root.glob("[a-t]*/*.py")):
        if "site-packages" not in str(f):
            try:
                yield f.read_text(encoding="utf-8")
            except (UnicodeDecodeError, OSError):
                pass


def texts(path):
    """Pieces that end at line ends; \\0 stands between them in the file."""
    return path.read_text(encoding="utf-8").split("\0")


def write_texts(path, whole):
    whole = whole.replace("\0", "")
    pieces, at = [], 0
    while at < len(whole):
        end = whole.find("\n", at + PIECE)
        end = len(whole) if end < 0 else end + 1
        pieces.append(whole[at:end])
        at = end
    path.write_text("\0".join(pieces), encoding="utf-8")


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "prose").exists():
        return
    code = "".join(python_files())[:6 << 20]
    conformance.corpus = lambda: [code[i:i + (1 << 16)] for i in range(0, 3 << 20, 1 << 16)]
    for name, family in conformance.FAMILIES.items():
        conformance.train(family, VOCABULARY).save(str(folder / f"{name}.json"))
    write_texts(folder / "code", code.encode("ascii", "ignore").decode()[3 << 20:])  # what it was not trained on
    line = "Größe und Breite: naïve Käufer, ο λόγος, быстрая лиса, 日本語の文章と中文文本, 한국어 문장, x = 12345 · “quoted” — done…\n"
    write_texts(folder / "prose", "".join(f"{i} {line}" for i in range(8000)))


def encode(folder, family, which):
    t = Tokenizer.from_file(str(folder / f"{family}.json"))
    pieces = texts(folder / which)
    t.encode_batch_fast(pieces[:20], add_special_tokens=False)
    start = time.process_time()
    out = t.encode_batch_fast(pieces, add_special_tokens=False)
    took = time.process_time() - start
    check = 0
    for e in out:
        for i in e.ids:
            check = (check * 31 + i) & 0xffffffff
    print(f"{took:.6f} {sum(len(e.ids) for e in out)} {check}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"] and len(sys.argv) == 3:
        make(pathlib.Path(sys.argv[2]))
    elif sys.argv[1:2] == ["time"] and len(sys.argv) == 5:
        encode(pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        sys.exit(__doc__)
