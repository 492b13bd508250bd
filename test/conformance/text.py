#!/usr/bin/env python3
"""Our tokenizers and chat templates against Hugging Face `tokenizers` and jinja2, id by id and byte by byte.

    text.py --serve build/release/text-serve [--strings 100000] [--code 10000] [--sdist llama_cpp_python-*.tar.gz]
    text.py --golden test/text/golden        writes the small tokenizers and cases that the unit tests read

For each of the four families (pattern, normaliser, ignore_merges, BOS) a vocabulary is trained on this repository's text. The
random strings hold what pre-tokenisers trip over; the controls are files with one thing wrong, which have to show. With --sdist,
the real vocabularies and published templates that llama.cpp carries for its own tests are compared, too."""
import argparse
import json
import pathlib
import random
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[2]
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|"
WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+|"
SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*|"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
FAMILIES = {
    "llama31": dict(pre="llama-bpe", splits=[CONTRACTIONS + WORDS + r"\p{N}{1,3}|" + SIGNS + BLANKS], nfc=False, whole=True,
                    bos="<|begin_of_text|>", special=["<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"],
                    added=[]),
    "qwen25": dict(pre="qwen2", splits=[CONTRACTIONS + WORDS + r"\p{N}|" + SIGNS + BLANKS], nfc=True, whole=False, bos=None,
                   special=["<|endoftext|>", "<|im_start|>", "<|im_end|>"], added=["<tool_call>", "</tool_call>"]),
    "qwen35": dict(pre="qwen35", nfc=True, whole=False, bos=None,
                   splits=[CONTRACTIONS + r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + BLANKS],
                   special=["<|endoftext|>", "<|im_start|>", "<|im_end|>"], added=["<think>", "</think>"]),
    "minicpm5": dict(pre="minicpm5", splits=[r"\p{N}{1,3}", CONTRACTIONS + WORDS + r"\p{N}+|" + SIGNS + BLANKS], nfc=False,
                     whole=True, bos=None, special=["<s>", "</s>", "<|im_start|>", "<|im_end|>"], added=["<think>", "</think>"]),
}
wrong = 0


def tell(ok, line):
    global wrong
    wrong += not ok
    print(("  ok    " if ok else "  WRONG ") + line, flush=True)


# ---- vocabularies ----

def corpus():
    files = sorted(ROOT.glob("src/**/*.[ch]")) + sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("src/op/suite/gold/*.py"))
    for f in files:
        yield f.read_text()
    yield "naïve café über straße Ελληνικά кириллица 日本語 中文 한국어 हिन्दी עברית العربية 😀 ½ ²³ Ⅷ" * 20


def train(family, size):
    t = Tokenizer(models.BPE(ignore_merges=family["whole"]))
    if family["nfc"]:
        t.normalizer = normalizers.NFC()
    steps = [pre_tokenizers.Split(Regex(p), "isolated") for p in family["splits"]]
    t.pre_tokenizer = pre_tokenizers.Sequence(steps + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(corpus(), trainers.BpeTrainer(vocab_size=size, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
                                                        show_progress=False))
    # Every fifth merge whose result no other needs goes: the token stays, and only ignore_merges finds it.
    d = json.loads(t.to_str())
    merges = [tuple(m if isinstance(m, list) else m.split(" ")) for m in d["model"]["merges"]]
    parts = {p for m in merges for p in m}
    last = [m for m in merges if m[0] + m[1] not in parts]
    gone = set(last[::5])
    d["model"]["merges"] = [list(m) for m in merges if m not in gone]
    t = Tokenizer.from_str(json.dumps(d))
    t.add_special_tokens([AddedToken(s, normalized=False) for s in family["special"]])
    t.add_tokens([AddedToken(s, normalized=False) for s in family["added"]])
    if family["bos"]:
        bos = family["bos"]
        t.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
            single=bos + " $A", pair=bos + " $A " + bos + ":1 $B:1", special_tokens=[(bos, t.token_to_id(bos))])])
    else:
        t.post_processor = processors.ByteLevel(trim_offsets=False)
    return t


def arrays_of(path, tokenizer, family):
    """The same vocabulary as the arrays of a GGUF file."""
    d = json.loads(tokenizer.to_str())
    special = {a["id"]: a["special"] for a in d["added_tokens"]}
    content = {i: c for c, i in d["model"]["vocab"].items()} | {a["id"]: a["content"] for a in d["added_tokens"]}
    tokens = [content[i].encode() for i in range(len(content))]
    kinds = [1 if i not in special else 3 if special[i] else 4 for i in range(len(content))]
    merges = [(m if isinstance(m, str) else " ".join(m)).encode() for m in d["model"]["merges"]]
    bos = tokenizer.token_to_id(family["bos"]) if family["bos"] else -1
    write_arrays(path, tokens, kinds, merges, family["pre"].encode(), bos)


def write_arrays(path, tokens, kinds, merges, pre, bos):
    framed = lambda b: struct.pack("<I", len(b)) + b
    path.write_bytes(struct.pack("<I", len(tokens)) + b"".join(map(framed, tokens)) + struct.pack(f"<{len(kinds)}i", *kinds) +
                     struct.pack("<I", len(merges)) + b"".join(map(framed, merges)) + framed(pre) + struct.pack("<ii", bos, -1))


# ---- strings ----

EDGES = ["'s", "'S", "'ſ", "'LL", "'ll", "'Re", "'ve", "'M", "'d", "'t", "’s", " ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\n\n ", " \n",
         "\u00a0", "\u2003", "\u3000", "\u180e", "\u0085", "\u2028", "\u200b", "\u200d", "\ufeff", "1", "12", "1234567", "٣٤٥", "²", "½", "Ⅷ", "१२", "e\u0301",
         "é", "a\u0323\u0302", "a\u0302\u0323", "\u0301", "\u0344", "\u1100\u1161\u11a8", "각", "\uac00\u11a8", "が", "か\u3099", "ｶﾞ", "\u212b", "Å", "ﬁ", "ß", "İ",
         "ñ", "中文", "日本語", "한국어", "हिन्दी", "नि", "ไทย", "עִברית", "العَرَبِيَّة", "😀", "👩\u200d👩\u200d👧", "🇩🇪", "naïve", "über", "Ω", "кот", "hello", " world", "def",
         "return", "tl.load", "(x)", "==", "->", "!!", "...", "_", "__init__", "#", "\\", "\"", "'", "``", "/*", "*/", "{", "}", "\x00", "\x7f", "\u0378", "\U000323af",
         "\U0001e4f0", "\u1c89", "\U0010ffff", "\ue000", "<", "|", ">", "<|", "|>", "<|im_", "start|>", "<think", "<s", "</s"]


def random_string(rng, family):
    parts = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.62:
            parts.append(rng.choice(EDGES))
        elif kind < 0.72:
            parts.append("".join(chr(rng.randint(32, 126)) for _ in range(rng.randint(1, 8))))
        elif kind < 0.78:
            parts.append(rng.choice(family["special"] + family["added"]))
        elif kind < 0.86:
            parts.append("".join(rng.choice(" \t\n\r\u00a0\u2009") for _ in range(rng.randint(1, 9))))
        elif kind < 0.92:
            base = rng.choice([0x0, 0x80, 0x300, 0x370, 0x590, 0x900, 0x1100, 0x1e00, 0x2000, 0x3040, 0x4e00, 0xac00, 0xf900, 0x10400, 0x11000, 0x1d100, 0x1f300, 0x2f800])
            parts.append("".join(chr(base + rng.randint(0, 255)) for _ in range(rng.randint(1, 5))))
        else:
            c = rng.randint(0, 0x10ffff)
            parts.append(chr(c) if not 0xd800 <= c < 0xe000 else "\u0300")
    return "".join(parts)


def code_strings(n):
    rng = random.Random(2)
    text = []
    for f in sorted(ROOT.glob("src/**/*.py")) + sorted(ROOT.glob("src/**/*.[ch]")) + sorted(ROOT.glob("test/**/*.py")) + sorted(ROOT.glob("tools/*")):
        if f.is_file():
            text.append(f.read_text())
    whole = "\n".join(text)
    out = []
    for _ in range(n):
        at = rng.randrange(len(whole) - 600)
        out.append(whole[at:at + rng.randint(20, 600)])
    return out


def every_character():
    """Each one between letters, digits, spaces and itself."""
    code = [c for c in range(0x110000) if not 0xd800 <= c < 0xe000]
    for i in range(0, len(code), 48):
        yield "".join("a" + chr(c) + "b 1" + chr(c) + chr(c) + " " for c in code[i:i + 48])


# ---- our side ----

class Ours:
    def __init__(self, serve, *source):
        self.p = subprocess.Popen([serve, *map(str, source)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def many(self, requests):
        """requests: (operation, flags, bytes); answers: bytes, or the message as str."""
        def write():
            for op, flags, body in requests:
                self.p.stdin.write(struct.pack("<BBI", ord(op), flags, len(body)) + body)
            self.p.stdin.flush()
        writer = threading.Thread(target=write)
        writer.start()
        out = []
        for _ in requests:
            head = self.p.stdout.read(5)
            if len(head) != 5:
                raise SystemExit("text-serve ended: " + self.p.stderr.read().decode()[:400])
            ok, n = struct.unpack("<BI", head)
            body = self.p.stdout.read(n)
            out.append(body if ok else body.decode())
        writer.join()
        return out

    def encode(self, texts, special=True, begin=True):
        flags = special + 2 * begin
        raw = self.many([("e", flags, t.encode()) for t in texts])
        return [r if isinstance(r, str) else list(struct.unpack(f"<{len(r) // 4}i", r)) for r in raw]

    def decode(self, ids, special=True):
        raw = self.many([("d", int(special), struct.pack(f"<{len(i)}i", *i)) for i in ids])
        return [r.decode() for r in raw]

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def compare(name, theirs, ours, texts, special=True, begin=True, limit=3):
    """How many differ."""
    theirs.encode_special_tokens = not special
    bad = 0
    for at in range(0, len(texts), 20000):
        part = texts[at:at + 20000]
        want = [e.ids for e in theirs.encode_batch(part, add_special_tokens=begin)]
        got = ours.encode(part, special, begin)
        for text, w, g in zip(part, want, got):
            if w != g:
                bad += 1
                if bad <= limit:
                    print(f"    {name}: {text[:200]!r}\n      theirs {str(w)[:200]}\n      ours   {str(g)[:200]}")
    theirs.encode_special_tokens = False
    return bad


def check_decode(name, theirs, ours, rng, n):
    size = theirs.get_vocab_size()
    ids = [[rng.randrange(size) for _ in range(rng.randint(0, 24))] for _ in range(n)]
    for special in (True, False):
        want = theirs.decode_batch(ids, skip_special_tokens=not special)
        got = ours.decode(ids, special)
        bad = [i for i, w, g in zip(ids, want, got) if w != g]
        tell(not bad, f"{name}: decode, special {special}: {len(bad)} of {n} differ {bad[:2]}")


def controls(name, serve, family, theirs, texts, folder):
    """Files with one thing wrong."""
    def merges_turned(d):
        d["model"]["merges"].reverse()

    def no_nfc(d):
        d["normalizer"] = None

    def no_whole(d):
        d["model"]["ignore_merges"] = not family["whole"]

    def letters(d):
        last = d["pre_tokenizer"]["pretokenizers"][-2]["pattern"]
        last["Regex"] = last["Regex"].replace(r"?\p{L}+|", r"?\p{L}{1,3}|").replace(r"?[\p{L}\p{M}]+|", r"?[\p{L}\p{M}]{1,3}|")

    def spaces(d):
        last = d["pre_tokenizer"]["pretokenizers"][-2]["pattern"]
        last["Regex"] = last["Regex"].replace(r"\s+(?!\S)|", "")

    def added(d):
        d["added_tokens"][-1]["content"] += "x"

    for control in (merges_turned, no_nfc, no_whole, letters, spaces, added):
        if control is no_nfc and not family["nfc"]:
            continue
        d = json.loads(theirs.to_str())
        control(d)
        path = folder / "control.json"
        path.write_text(json.dumps(d))
        ours = Ours(serve, "json", path)
        bad = compare(name, theirs, ours, texts, limit=0)
        ours.close()
        tell(bad > 0, f"{name}: control {control.__name__}: {bad} of {len(texts)} differ")


def spellings(name, serve, theirs, texts, folder):
    """The other spelling of merges, keys that older files lack, non-ASCII escaped or not."""
    d = json.loads(theirs.to_str())
    d["model"]["merges"] = [m if isinstance(m, str) else " ".join(m) for m in d["model"]["merges"]]
    d["added_tokens"].reverse()
    path = folder / "spelling.json"
    path.write_text(json.dumps(d, ensure_ascii=False))
    ours = Ours(serve, "json", path)
    bad = compare(name, theirs, ours, texts)
    ours.close()
    tell(not bad, f"{name}: merges as \"a b\": {bad} of {len(texts)} differ")


def stripping(serve, folder):
    """lstrip, rstrip, normalized, GPT-2's ByteLevel pattern: in no published file of the four, but in others."""
    t = train(FAMILIES["qwen25"], 700)
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    t.add_tokens([AddedToken("<l>", lstrip=True, normalized=False), AddedToken("<r>", rstrip=True, normalized=False),
                  AddedToken("cafe\u0301", normalized=True), AddedToken("<both>", lstrip=True, rstrip=True, normalized=True)])
    t.add_special_tokens([AddedToken("<sl>", lstrip=True, normalized=False)])
    path = folder / "strip.json"
    t.save(str(path))
    rng = random.Random(5)
    pieces = ["<l>", "<r>", "<both>", "<sl>", "cafe\u0301", "café", " ", "  ", "\n", "\u00a0", "\u3000", "\u2003 ", "\u0085", "a", "x1", "é", "e\u0301", "'s", "\u180e", "<im>"]
    texts = ["".join(rng.choice(pieces) for _ in range(rng.randint(1, 12))) for _ in range(20000)]
    ours = Ours(serve, "json", path)
    bad = compare("strip", t, ours, texts) + compare("strip", t, ours, texts, special=False)
    ours.close()
    tell(not bad, f"lstrip, rstrip, normalized, ByteLevel's own pattern: {bad} of {2 * len(texts)} differ")


def check_tokenizers(args, folder):
    code = code_strings(args.code)
    for name, family in FAMILIES.items():
        theirs = train(family, 3000)
        path, arrays = folder / f"{name}.json", folder / f"{name}.arrays"
        theirs.save(str(path))
        arrays_of(arrays, theirs, family)
        ours, gguf = Ours(args.serve, "json", path), Ours(args.serve, "arrays", arrays)
        rng = random.Random(1)
        texts = [random_string(rng, family) for _ in range(args.strings)]
        for what, strings in (("random", texts), ("code", code), ("every character", list(every_character()))):
            bad = compare(name, theirs, ours, strings)
            tell(not bad, f"{name}: {what}: {bad} of {len(strings)} differ")
        few = texts[:20000] + code[:2000]
        bad = compare(name, theirs, ours, few, special=False, begin=False)
        tell(not bad, f"{name}: special tokens as text: {bad} of {len(few)} differ")
        bad = compare(name, theirs, gguf, few)
        tell(not bad, f"{name}: from the arrays of a GGUF file: {bad} of {len(few)} differ")
        # A long run of everything that repeats: no quadratic time, no limit met.
        for run in ("a" * 200000, " " * 200000, "\n" * 100000 + "x", "1" * 100000, "é" * 100000, "e\u0301" * 50000, "a\u0323\u0302" * 30000, "=" * 100000, " \n" * 50000):
            bad = compare(name, theirs, ours, [run])
            tell(not bad, f"{name}: {len(run)} times {run[:2]!r}")
        check_decode(name, theirs, ours, rng, 20000)
        spellings(name, args.serve, theirs, few[:4000], folder)
        controls(name, args.serve, family, theirs, few, folder)
        ours.close()
        gguf.close()
    stripping(args.serve, folder)


# ---- real vocabularies ----

def check_sdist(args, folder):
    with tarfile.open(args.sdist) as tar:
        members = {pathlib.PurePath(m.name).name: m for m in tar.getmembers() if "/vendor/llama.cpp/models/" in m.name and m.isfile()}
        data = lambda n: tar.extractfile(members[n]).read()
        from gguf import GGUFReader
        for name, key in (("llama-bpe", "llama31"), ("qwen2", "qwen25"), ("qwen35", "qwen35")):
            path = folder / f"{name}.gguf"
            path.write_bytes(data(f"ggml-vocab-{name}.gguf"))
            f = GGUFReader(path).fields
            strings = lambda k: [bytes(f[k].parts[i]) for i in f[k].data]
            tokens, merges = strings("tokenizer.ggml.tokens"), strings("tokenizer.ggml.merges")
            kinds = [int(f["tokenizer.ggml.token_type"].parts[i][0]) for i in f["tokenizer.ggml.token_type"].data]
            bos = int(f["tokenizer.ggml.bos_token_id"].parts[-1][0]) if "tokenizer.ggml.bos_token_id" in f else -1
            arrays = folder / f"{name}.arrays"
            write_arrays(arrays, tokens, kinds, merges, name.encode(), bos)
            ours = Ours(args.serve, "arrays", arrays)
            cases = [c.decode() for c in data(f"ggml-vocab-{name}.gguf.inp").split(b"\n__ggml_vocab_test__\n")]
            want = [[int(i) for i in line.split()] for line in data(f"ggml-vocab-{name}.gguf.out").decode().split("\n")][:len(cases)]
            family = FAMILIES[key]
            pairs = [(c, w) for c, w in zip(cases, want) if not family["nfc"] or unicodedata.is_normalized("NFC", c)]
            got = ours.encode([c for c, _ in pairs], special=False, begin=False)
            bad = [(c, w, g) for (c, w), g in zip(pairs, got) if w != g]
            tell(not bad, f"{name}: llama.cpp's own cases: {len(bad)} of {len(pairs)} differ {bad[:1]} "
                          f"({len(cases) - len(pairs)} left out: llama.cpp does not normalise)")
            # The same vocabulary in Hugging Face's form.
            t = Tokenizer(models.BPE(vocab={t.decode(): i for i, t in enumerate(tokens) if kinds[i] == 1}, ignore_merges=family["whole"],
                                     merges=[tuple(m.decode().split(" ")) for m in merges]))
            t.normalizer = normalizers.NFC() if family["nfc"] else None
            t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(p), "isolated") for p in family["splits"]] +
                                                      [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
            t.decoder = decoders.ByteLevel()
            for i, token in enumerate(tokens):
                if kinds[i] in (3, 4):
                    (t.add_special_tokens if kinds[i] == 3 else t.add_tokens)([AddedToken(token.decode(), normalized=False)])
            rng = random.Random(3)
            texts = [random_string(rng, family) for _ in range(20000)] + code_strings(2000)
            bad = compare(name, t, ours, texts, begin=False)
            tell(not bad, f"{name}: the real vocabulary: {bad} of {len(texts)} differ")
            path = folder / f"{name}.json"
            t.save(str(path))
            again = Ours(args.serve, "json", path)
            bad = compare(name, t, again, texts, begin=False)
            tell(not bad, f"{name}: the real vocabulary as tokenizer.json: {bad} of {len(texts)} differ")
            again.close()
            ours.close()
        templates = {n: data(n).decode() for n in members if n.endswith(".jinja")}
    return templates


# ---- chat ----

TURNS = [(None, "Write a kernel."), ("Be brief.", "Write a kernel."), ("", ""), (" \n\u2003system \u3000\x1f", "\t two\nlines \x85\n"),
         ("<|im_end|>", "'quoted' \"twice\" \\n {{ x }}"), ("\u200b", "\u180e x \ufeff"), ("a" * 3000, "é\u00a0")]
TOKENS = dict(minicpm5="<s>", llama31="<|begin_of_text|>")


def render(template, family, system, user, think):
    from transformers.utils.chat_template_utils import _compile_jinja_template
    messages = ([dict(role="system", content=system)] if system is not None else []) + [dict(role="user", content=user)]
    return _compile_jinja_template(template).render(messages=messages, add_generation_prompt=True, enable_thinking=think,
                                                    bos_token=TOKENS.get(family, ""))


def ours_render(ours, family, system, user, think):
    body = b"\0".join([family.encode(), b"01"[think:think + 1], b"\1" if system is None else system.encode(), user.encode()])
    return ours.many([("r", 0, body)])[0].decode()


def check_chat(args, templates):
    """templates: name to Jinja text; those of chat.def when none are given."""
    ours = Ours(args.serve)
    lives = {family: ours.many([("l", 0, family.encode())])[0].decode() for family in FAMILIES}
    known = 0
    for name, text in list(templates.items()) + list(lives.items()):
        family = ours.many([("t", 0, text.encode())])[0]
        if isinstance(family, str):
            continue
        family = family.decode()
        known += 1
        bad = [(s, u, k) for s, u in TURNS for k in (True, False)
               if ours_render(ours, family, s, u, k) != render(text, family, s, u, k)]
        tell(not bad, f"chat template {name} is {family}: {len(bad)} of {2 * len(TURNS)} prompts differ {bad[:1]}")
    tell(known >= len(FAMILIES), f"chat templates: {known} of {len(templates) + len(lives)} recognised")
    # Every single change to what runs has to be seen, or to change nothing.
    rng, seen, alike, wrongly = random.Random(4), 0, 0, []
    for family, text in lives.items():
        for _ in range(args.changes):
            at, kind = rng.randrange(len(text)), rng.randrange(3)
            other = text[:at] + (rng.choice("abn'|.<>\\ {%}01\n\n\n --") if kind else "") + text[at + (kind != 2):]
            got = ours.many([("t", 0, other.encode())])[0]
            if isinstance(got, str):
                seen += 1
                continue
            try:
                same = all(render(other, family, s, u, k) == render(text, family, s, u, k) for s, u in TURNS for k in (True, False))
            except Exception as e:
                same = False
            alike += same
            if not same:
                wrongly.append((family, at, text[max(0, at - 20):at + 20], other[max(0, at - 20):at + 20]))
    tell(not wrongly and seen > 1000, f"chat templates with one change: {seen} refused, {alike} the same, {len(wrongly)} wrongly taken {wrongly[:2]}")
    ours.close()


# ---- goldens ----

def write_golden(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, family in FAMILIES.items():
        t = train(family, 420)
        (folder / f"{name}.json").write_text(t.to_str(pretty=False) + "\n")
        rng = random.Random(7)
        texts = ["", *EDGES, *(random_string(rng, family) for _ in range(160)), *code_strings(12)]
        with open(folder / f"{name}.jsonl", "w") as out:
            for i, text in enumerate(texts):
                special = i % 4 != 3
                t.encode_special_tokens = not special
                ids = t.encode(text, add_special_tokens=i % 2 == 0).ids
                out.write(json.dumps(dict(text=text, special=special, begin=i % 2 == 0, ids=ids)) + "\n")
            for _ in range(40):
                ids = [rng.randrange(t.get_vocab_size()) for _ in range(rng.randint(1, 12))]
                out.write(json.dumps(dict(decode=t.decode(ids, skip_special_tokens=False), plain=t.decode(ids), ids=ids)) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--serve")
    p.add_argument("--strings", type=int, default=100000)
    p.add_argument("--code", type=int, default=10000)
    p.add_argument("--changes", type=int, default=1000, help="to each chat template")
    p.add_argument("--sdist", help="the source distribution of llama-cpp-python")
    p.add_argument("--only", choices=["tokenizers", "chat"])
    p.add_argument("--golden", type=pathlib.Path)
    args = p.parse_args()
    if args.golden:
        return write_golden(args.golden)
    print(f"tokenizers {tokenizers.__version__}")
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        if args.only != "chat":
            check_tokenizers(args, folder)
        templates = check_sdist(args, folder) if args.sdist else {}
        check_chat(args, templates)
    print("every comparison agrees" if not wrong else f"{wrong} comparisons differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
