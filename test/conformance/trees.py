"""Sources: whether Python reads what we read. Kernel files of ours with a few characters and lines changed at random.
Where both read a source, our print of its tree must be the same tree to Python; and a changed source may share its
canonical text with the original only if nothing but layout, docstrings and names of variables inside functions changed.
Usage: trees.py CONFORM COUNT [SEED]
"""
import ast
import collections
import glob
import json
import os
import random
import subprocess
import sys
import warnings

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PIECES = (
    "\\\n|\n| |\t|\f|\r|\r\n|    |#|# \\\n|\"|'|\"\"\"|'''|\\|;|:|(|)|[|]|{|}|,|.|=|@|*|**|//|-|~|->|:=|!=|<>|f\"{x}\"|rb'\\x'|f|r|b|u|_|"
    "0x|e|...|1.|.5|1_0|0o7|00|0_0|1e5|1E-5|1j|1e400|0x1|True|1.0|-0.0|if 1:|else:|elif 1:|pass|not|in|is|lambda: 0|lambda x: x|async |"
    "await |yield |\xa0|\ufeff|\u2028|\x85|\x0b|\x1c|\x1a|\xe9|\u212b|\uff41|# coding: latin-1\n|# -*- coding: utf-8 -*-\n|\\N{BULLET}|"
    "\\u0041|\\777|\\x41|{{|}}|{x!r}|{x:>{w}}|{x=}|1if 2else 3|not a|-a**-b|a<b<c|(a<b)<c|a-(b-c)|(a,)|a@b|(x := 1)|x[1:2,::3,*a]|"
    "(yield)|a if b else c|print(*a,**b)|f(a=1,*b)|global x\n|del x\n|import x\n|from . import x\n|from __future__ import annotations\n|"
    "with x as y:pass\n|for x in y:pass\n|while 0:pass\nelse:pass\n|try:pass\nfinally:pass\n|class C(x,k=1):pass\n|"
    "def f(a,/,b=1,*c,d,e=2,**g)->h:pass\n|x:y=1\n|*a,b=c\n|assert a,b\n|raise a from b\n|return\n|'doc'\n").split("|")


class Plain(ast.NodeTransformer):
    """Without what no reader tells apart: the `u` of a text, pieces of f-strings that are text, `(x): t`."""

    def visit_Constant(self, n):
        n.kind = None
        return n

    def visit_AnnAssign(self, n):
        self.generic_visit(n)
        n.simple = int(isinstance(n.target, ast.Name))
        return n

    def visit_JoinedStr(self, n):
        self.generic_visit(n)
        pieces = []
        for v in n.values:
            bare = isinstance(v, ast.FormattedValue) and v.conversion == -1 and v.format_spec is None
            if bare and isinstance(v.value, ast.Constant) and isinstance(v.value.value, str):
                v = v.value
            if isinstance(v, ast.Constant) and pieces and isinstance(pieces[-1], ast.Constant):
                pieces[-1] = ast.Constant(pieces[-1].value + v.value)
            elif not isinstance(v, ast.Constant) or v.value:
                pieces.append(v)
        n.values = pieces
        return n


class Nameless(Plain):
    """Besides, without names of variables and without statements that do nothing."""

    def generic_visit(self, n):
        super().generic_visit(n)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(n, field, None)
            if isinstance(block, list) and block:
                setattr(n, field, [s for s in block if not idle(s)] or [ast.Pass()])
        return n

    def visit_Name(self, n):
        return ast.Name("_", ast.Load())

    def visit_ExceptHandler(self, n):
        self.generic_visit(n)
        n.name = n.name and "_"
        return n


def idle(s):
    text = isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str)
    return text or isinstance(s, ast.Pass)


def tree(source, kind=Plain):
    return ast.dump(kind().visit(ast.parse(source)))


def change(r, source):
    for _ in range(r.choice((1, 1, 2, 2, 3, 4))):
        at = r.randrange(len(source) + 1)
        if r.random() < 0.3:
            at = r.choice([i for i in range(len(source)) if source[i] == "\n"] or [0]) + r.choice((0, 1))
        k = r.random()
        if k < 0.75:
            source = source[:at] + r.choice(PIECES) + source[at:]
        elif k < 0.85:
            source = source[:at] + source[at + r.choice((1, 1, 1, 2, 4, 8)):]
        else:
            source = source[:at] + r.choice(PIECES) + source[at + 1:]
    return source


def main():
    conform, count, r = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    warnings.simplefilter("ignore")
    paths = sorted(glob.glob(ROOT + "/src/op/suite/**/*.py", recursive=True) + glob.glob(ROOT + "/test/exploit/*.py"))
    texts = [t for t in (open(p, encoding="utf-8", newline="").read() for p in paths) if len(t) < 4000]
    peer = subprocess.Popen([conform, "trees"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ours(source):
        peer.stdin.write(json.dumps({"source": source}) + "\n")
        peer.stdin.flush()
        return json.loads(peer.stdout.readline())

    canonical = {}
    tally = collections.Counter()
    while tally["both"] < count:
        original = r.choice(texts)
        source = change(r, original)
        read = ours(source)
        try:
            theirs = tree(source.encode())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tally["ours alone"] += read["printed"] is not None
            continue
        if read["printed"] is None:
            tally["theirs alone"] += 1
            continue
        tally["both"] += 1
        if original not in canonical:
            canonical[original] = ours(original)["canonical"]
        twins = canonical[original] is not None and read["canonical"] == canonical[original]
        tally["twins"] += twins
        if tree(read["printed"]) != theirs or (twins and tree(source.encode(), Nameless) != tree(original, Nameless)):
            tally["wrong"] += 1
            print(f"--- read otherwise{', and taken for its original' if twins else ''}:\n{source}")
    print(f"sources: {tally['both'] - tally['wrong']} of {tally['both']} trees as Python's; {tally['twins']} twins of their original; "
          f"{tally['theirs alone']} refused here only, {tally['ours alone']} in Python only")
    return 1 if tally["wrong"] or not tally["twins"] else 0


sys.exit(main())
