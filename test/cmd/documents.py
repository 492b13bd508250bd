"""documents.py BINARY [FILE ...] - what the documents say holds: output that they show is what the program prints, links and
files that they name exist, sentences are short. Prints "ok NAME" or "not ok NAME" for each check.

A fenced block of the language `console` is a session: lines that start with "$ " are run in the repository's root, what
follows is what they print on standard output, up to times, hashes and versions; a line "..." stands for any lines, at a line's end for
any rest of it.
"""

import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINES = {"README.md": 120}  # of pages
WORDS = 30  # of a sentence: fewer than this
# Tables of numbers, derivations and what is made from tables: their sentences are not counted.
EXEMPT = ["CHANGELOG.md", "cli.md", "conformance.md", "error-bound.md", "protocols.md", "results.md", "triton.md"]


def blocks(text):
    """(language, lines, the number of its first line) of each fenced block."""
    found, language, lines, first = [], None, [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```") and language is None:
            language, lines, first = line[3:].strip(), [], number + 1
        elif line.startswith("```"):
            found.append((language, lines, first))
            language = None
        elif language is not None:
            lines.append(line)
    return found


def sessions(lines):
    """[command, output lines] of a console block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
    return found


def plain(line):
    """A line without what differs from run to run, machine to machine, version to version."""
    line = re.sub(r"\b[0-9a-f]{7,64}\b", "HASH", line)
    line = re.sub(r"referee [0-9][0-9a-z.+~-]*( at HASH)?", "referee VERSION", line)
    line = re.sub(r"ouroboros [0-9]+\.[0-9][0-9a-z.+~-]*", "ouroboros VERSION", line)
    return re.sub(r"\b[0-9.]+ (s|ms|seconds|minutes)\b", "TIME", line).rstrip()


def line_is(shown, printed):
    return printed.startswith(shown[:-3]) if shown.endswith("...") else shown == printed


def same(shown, printed):
    """Whether the printed lines are those shown, "..." standing for any."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(same(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and line_is(shown[0], printed[0]) and same(shown[1:], printed[1:])


def difference(shown, printed):
    for i, line in enumerate(shown):
        if line == "...":
            return "something behind a line '...' is not printed"
        if i >= len(printed) or not line_is(line, printed[i]):
            return f"shown:   {line}\nprinted: {printed[i] if i < len(printed) else '(nothing)'}"
    return f"printed, not shown: {printed[len(shown)]}"


def wrong_sessions(text, env):
    for language, lines, first in blocks(text):
        for command, output in sessions(lines) if language == "console" else ():
            run = subprocess.run(
                command, shell=True, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300
            )
            printed = [plain(line) for line in run.stdout.decode().rstrip("\n").split("\n")]
            shown = [line if line == "..." else plain(line) for line in "\n".join(output).rstrip("\n").split("\n")]
            if not same(shown, printed):
                yield f"line {first}: {command}\n{difference(shown, printed)}"


def prose(text):
    """The text without fenced blocks."""
    kept, inside = [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
            line = ""
        kept.append("" if inside else line)
    return kept


def wrong_links(name, text):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"`[^`]*`", "", "\n".join(prose(text)))):
        path = os.path.normpath(os.path.join(ROOT, os.path.dirname(name), target))
        if "://" not in target and not os.path.exists(path):
            yield f"a link to {target}, which is not there"


def tracked():
    skipped = {".git", "build", "__pycache__"}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in skipped]
        here = os.path.relpath(folder, ROOT)
        for f in files:
            yield f if here == "." else f"{here}/{f}"


def wrong_files(text, files):
    """Names in backticks that look like files of the tree, with or without their folder."""
    for name in sorted(set(re.findall(r"`([a-zA-Z0-9_./*-]+\.(?:c|h|def|sh))`", text))):
        if not any(fnmatch.fnmatch(f, name) or fnmatch.fnmatch(f, "*/" + name) for f in files):
            yield f"no file {name}"


def paragraphs(text):
    """(first line, text): runs of lines that belong together; an item of a list or a table's cell is one of its own."""
    first, held = 0, []
    for number, line in enumerate(prose(text) + [""], 1):
        starts = re.match(r"\s*([-*]|\d+\.|#+)\s", line)
        if held and (not line.strip() or starts or line.startswith("|")):
            yield first, " ".join(held)
            held = []
        if line.startswith("|"):
            for cell in line.strip("|").split("|"):
                yield number, cell
        elif line.strip():
            if not held:
                first = number
            held.append(line.strip())


def long_sentences(text):
    for line, paragraph in paragraphs(text):
        words = re.sub(r"`[^`]*`", "x", paragraph)  # code is one word
        words = re.sub(r"\]\([^)]*\)", "]", words)
        for sentence in re.split(r"(?<=[.!?:;])\s+", words):
            n = len([w for w in sentence.split() if re.search(r"\w", w)])
            if n >= WORDS:
                yield f"line {line}: {n} words: {sentence[:70]}..."


def rooms_without_a_row(text):
    layers = open(os.path.join(ROOT, "tools/layers.sh"), encoding="utf-8").read()
    for room in re.search(r'order="([^"]*)"', layers).group(1).split():
        if f"`{room}/`" not in text:
            yield f"the room {room} is not in the table"


def wrong_sections(name, text):
    """Questions whose section is not on the page that should answer them, and pages with fewer than ten."""
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        page = os.path.join(ROOT, os.path.dirname(name), re.search(r"\]\(([^)]*)\)", part).group(1))
        headings = re.findall(r"^#+ (.*)$", "\n".join(prose(open(page, encoding="utf-8").read())), flags=re.M)
        rows = re.findall(r"^\| (.*) \| (.*) \|$", part, flags=re.M)[1:]
        if len(rows) < 10:
            yield f"{len(rows)} questions for {os.path.basename(page)}"
        for question, section in rows:
            if section not in headings:
                yield f"{question} {os.path.basename(page)} has no section {section}"


def tell(name, wrong):
    wrong = list(wrong)
    print(f"{'not ok' if wrong else 'ok'} {name}")
    for w in wrong[:8]:
        print("\n".join("    " + line for line in w.split("\n")))


def main():
    binary = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or sorted(
        n
        for n in glob.glob("*.md", root_dir=ROOT) + glob.glob("doc/*.md", root_dir=ROOT) + glob.glob("examples/*.md", root_dir=ROOT)
    )
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(binary, os.path.join(folder, "bin", "ouroboros"))
        env = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", OUROBOROS=binary, COLUMNS="80", NO_COLOR="1")
        env.update(PYTHONPATH="clients/python", PYTHONDONTWRITEBYTECODE="1")
        env.setdefault("XDG_STATE_HOME", folder)
        files = list(tracked())
        for name in names:
            text = open(os.path.join(ROOT, name), encoding="utf-8").read()
            tell(f"{name}: output shown is what is printed", wrong_sessions(text, env))
            tell(f"{name}: links", wrong_links(name, text))
            tell(f"{name}: files", wrong_files(text, files))
            page = os.path.basename(name)
            if page in LINES:
                lines = text.count("\n")
                tell(f"{name}: length", [] if lines <= LINES[page] else [f"{lines} lines"])
            if page not in EXEMPT:
                tell(f"{name}: sentences", long_sentences(text))
            if page == "questions.md":
                tell(f"{name}: sections", wrong_sections(name, text))
            if page == "ARCHITECTURE.md":
                tell(f"{name}: rooms", rooms_without_a_row(text))


if __name__ == "__main__":
    main()
