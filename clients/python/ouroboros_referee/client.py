"""The referee as a child process: requests go to its standard input, verdicts come back in any order."""

import collections
import json
import math
import os
import re
import shutil
import subprocess
import threading
import time


_SHAPE = re.compile(r"[1-9][0-9]{0,6}x[1-9][0-9]{0,6}")
_DTYPES = ("fp16", "float16", "bf16", "bfloat16", "fp32", "float32")
_SIDE_MAX = 1 << 20
_TIMED_MAX = 8  # shapes of one request
_GROUP_MAX = 1024  # programs of one group
_VERSION_SECONDS = 30.0
_LAST_WORDS_SECONDS = 5.0  # for standard error to end after the program did


class RefereeError(Exception):
    """The referee cannot be run at all: no program, another program, a wrong option, no sandbox. Never a verdict
    on a kernel."""


class Verdict(dict):
    """A verdict: the referee's JSON object as it came, and its most used members as attributes.

    `accepted` is True only for status "ok". `decided` is False for the statuses that say nothing about the
    kernel ("unsupported", "unreached", "referee_error") and for any the client does not know to be a rejection.
    """

    REJECTED = frozenset(
        "parse_reject compile_fail host_error oob uninit_read uncovered_output overlap input_write race bad_value "
        "nondeterministic wrong_shape wrong_dtype incorrect inaccurate nan_class timeout crash no_kernel "
        "truncated timing_unstable below_floor".split()
    )
    UNDECIDED = frozenset(("unsupported", "unreached", "referee_error"))

    @property
    def status(self):
        return self.get("status", "referee_error")

    @property
    def accepted(self):
        return self.get("accepted") is True and self.status == "ok"

    @property
    def decided(self):
        return self.accepted or self.status in self.REJECTED

    @property
    def feedback(self):
        return self.get("feedback", "")

    @property
    def cached(self):
        return self.get("cached", False)

    @property
    def ratios(self):
        """How many times as fast as the better of torch.compile and max-autotune, in device time: one number for each
        shape that was timed beside both. Empty where nothing was asked for, or nothing could be measured."""
        cells = (self.get("times") or {}).get("cells", [])
        return [c["ratio"] for c in cells if c.get("status") == "ok" and c.get("ratio")]

    @property
    def speed(self):
        """The geometric mean of `ratios`, or None without any."""
        ratios = self.ratios
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def undecided(op, why, rule="client"):
    """What the client itself answers when it has no answer of the referee's."""
    return Verdict(op=op, accepted=False, status="referee_error", rule=rule, feedback=why)


def manifest_of(given):
    """A manifest as the JSON object of a request: a mapping, the text of one, or the path of a .json file."""
    if given is None or isinstance(given, dict):
        return given
    text = os.fspath(given)
    if not isinstance(text, str):
        raise TypeError(f"a manifest is a dict, JSON text or a path, not {type(given).__name__}")
    if not text.lstrip().startswith("{"):
        with open(text, encoding="utf-8") as f:
            text = f.read()
    manifest = json.loads(text, object_pairs_hook=_no_twins)
    if not isinstance(manifest, dict):
        raise ValueError("a manifest is a JSON object")
    return manifest


def _no_twins(pairs):
    """Python would take the last of two equal keys; the program refuses them, and so does this."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a manifest has a key twice")
    return found


def find_binary(binary=None):
    """The program: what was given, $OUROBOROS, or `ouroboros` on the PATH."""
    wanted = binary or os.environ.get("OUROBOROS") or "ouroboros"
    found = shutil.which(os.fspath(wanted))
    if not found:
        raise RefereeError(
            f"there is no program {wanted!r}: give Referee(binary=...), or set OUROBOROS to its path"
        )
    return found


def check_binary(path):
    """Whether `path` is the program, by its --version: another one would leave every kernel undecided."""
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_VERSION_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise RefereeError(
            f"{path} is not the program ouroboros: no answer to --version for {_VERSION_SECONDS:g} seconds"
        ) from None
    except OSError as e:
        raise RefereeError(f"cannot start {path}: {e}") from e
    if done.returncode != 0 or not re.match(rb"ouroboros [0-9]", done.stdout):
        raise RefereeError(
            f"{path} is not the program ouroboros: to --version it answers {_quoted(done.stdout)}, "
            f"exit code {done.returncode}"
        )


def _quoted(line):
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= 200 else text[:200] + "...")


LEVELS = ("ladder", "quick", "full")
LAYOUTS = ("any", "contiguous")
FIELDS = {"level", "shape", "dtype", "layout", "manifest", "time", "tf32", "ragged", "shapes", "library"}


def _is_shape(text):
    return isinstance(text, str) and bool(_SHAPE.fullmatch(text)) and max(map(int, text.split("x"))) <= _SIDE_MAX


def _check_fields(fields):
    """What the referee would refuse is an error of the caller's, not an undecided kernel."""
    level, shape, dtype, layout, when = (fields.get(k) for k in ("level", "shape", "dtype", "layout", "time"))
    if when is not None and not isinstance(when, bool):
        if not isinstance(when, (list, tuple)) or not 1 <= len(when) <= _TIMED_MAX or not all(map(_is_shape, when)):
            raise ValueError(f'time is True or a list of 1 to {_TIMED_MAX} shapes such as "8192x4096", not {when!r:.80}')
    if when and level == "quick":
        raise ValueError("only what level full accepts is timed: time goes with level 'full' or 'ladder'")
    for flag in ("tf32", "ragged"):
        if not isinstance(fields.get(flag), (bool, type(None))):
            raise TypeError(f"{flag} is True or False, not {fields[flag]!r:.80}")
    if fields.get("shapes") not in (None, "small", "published"):
        raise ValueError(f"shapes is small or published, not {fields['shapes']!r:.80}")
    if fields.get("library") not in (None, "none", "light", "all"):
        raise ValueError(f"library is none, light or all, not {fields['library']!r:.80}")
    if level is not None and level not in LEVELS:
        raise ValueError(f"level is one of {', '.join(LEVELS)}, not {level!r}")
    if shape is not None and not _is_shape(shape):
        raise ValueError(f'shape is a text ROWSxCOLUMNS such as "8192x4096", each at most {_SIDE_MAX}, not {shape!r}')
    if layout is not None and layout not in LAYOUTS:
        raise ValueError(f"layout is one of {', '.join(LAYOUTS)}, not {layout!r}")
    if dtype is not None and dtype not in _DTYPES:
        raise ValueError(f"dtype is one of {', '.join(_DTYPES)}, not {dtype!r}")


def _check_pair(pair):
    """(op, source, manifest) of what judge_many was given."""
    if isinstance(pair, (str, bytes)) or len(pair) not in (2, 3):
        raise TypeError(f"judge_many takes (op, source) or (op, source, manifest), not {pair!r:.80}")
    op, source, *own = pair
    if isinstance(op, os.PathLike):
        op = os.fspath(op)
    if not isinstance(op, str) or not op.strip():
        raise TypeError(
            f"an op is its name, a description, the path of a .py definition or the text of a module, not {op!r:.80}"
        )
    if not isinstance(source, str):
        raise TypeError(f"a source is a text, not {type(source).__name__}")
    if "\n" in op and "\n" not in source:
        raise ValueError(f"the op comes first, then the source: {op!r:.80} looks like a source")
    return op, source, own


def _is_answer(o):
    """Whether a line is the answer to one of our requests."""
    return (
        isinstance(o, dict)
        and isinstance(o.get("id"), int)
        and isinstance(o.get("accepted"), bool)
        and isinstance(o.get("status"), str)
    )


def _group_names(groups, checked, call):
    """The fields of each request: the group it is in, under a name that no other call uses, and how many it has."""
    if groups is None:
        return [{}] * len(checked)
    groups = list(groups)
    if len(groups) != len(checked):
        raise ValueError(f"{len(groups)} groups for {len(checked)} programs: one each, None where there is none")
    names, ops, sizes = {}, {}, collections.Counter(groups)
    for group, (op, _, _) in zip(groups, checked):
        if group is None:
            continue
        if sizes[group] > _GROUP_MAX:
            raise ValueError(f"group {group!r:.80} has {sizes[group]} programs, and at most {_GROUP_MAX} can be")
        if ops.setdefault(group, op) != op:
            raise ValueError(f"group {group!r:.80} has the ops {ops[group]!r:.80} and {op!r:.80}: its best is of one")
        names.setdefault(group, f"{call}.{len(names)}")
    return [{} if g is None else {"group": names[g], "of": sizes[g]} for g in groups]


class _Job:
    """One request until its verdict. `tries` counts the processes that died on it."""

    __slots__ = ("number", "op", "line", "verdict", "tries", "done")

    def __init__(self, number, op, line):
        self.number, self.op, self.line = number, op, line
        self.verdict, self.tries = None, 0
        self.done = threading.Event()

    def finish(self, verdict):
        if self.verdict is None:
            self.verdict = verdict
            self.done.set()


class _Process:
    """One running referee and its three threads: one writes what is asked, one reads what is answered, one what it
    says on standard error. All are needed: the referee reads no more when its answers are not taken."""

    def __init__(self, command, on_answer, on_end):
        self.on_answer, self.on_end = on_answer, on_end
        self.asked = collections.deque()
        self.wake = threading.Condition()
        self.closing = False
        self.said = collections.deque(maxlen=20)  # the last words on standard error
        try:
            self.popen = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as e:
            raise RefereeError(f"cannot start {command[0]}: {e}") from e
        self.threads = [
            threading.Thread(target=f, daemon=True, name="referee-" + f.__name__.strip("_"))
            for f in (self._write, self._listen, self._read)
        ]
        self.listener = self.threads[1]
        for t in self.threads:
            t.start()

    def ask(self, line):
        with self.wake:
            self.asked.append(line)
            self.wake.notify()

    def close_input(self):
        with self.wake:
            self.closing = True
            self.wake.notify()

    def _write(self):
        try:
            while True:
                with self.wake:
                    while not self.asked and not self.closing:
                        self.wake.wait()
                    lines = list(self.asked)
                    self.asked.clear()
                    closing = self.closing
                if lines:
                    self.popen.stdin.write(b"".join(lines))
                    self.popen.stdin.flush()
                elif closing:
                    break
        except (OSError, ValueError):
            pass  # it is dead: the reader notices, too
        try:
            self.popen.stdin.close()
        except OSError:
            pass

    def _listen(self):
        for line in self.popen.stderr:
            self.said.append(line.decode("utf-8", "replace").rstrip())
        self.popen.stderr.close()

    def _read(self):
        for line in self.popen.stdout:
            if not line.endswith(b"\n"):
                break  # it died in the middle of this one
            self.on_answer(self, line)
        self.popen.stdout.close()
        code = self.popen.wait()
        self.listener.join(_LAST_WORDS_SECONDS)  # what it said before it ended may still be in the pipe
        self.close_input()
        self.on_end(self, code)


class Referee:
    """A referee that is there when it is needed.

    binary   path of the program; default: $OUROBOROS, else `ouroboros` on the PATH
    jobs     kernels judged at a time; default: one per core
    level    "ladder" (default, for training): what level quick accepts is judged at level full; or "quick", or
             "full" for all. The verdict's `level` tells which one decided
    timeout  seconds that one call waits; then the verdict is an undecided one. None: for ever
    fresh    judge again what was judged before, instead of answering from the journal
    state    directory of the journal; default: the program's own
    include  directory of helper files that kernels may import from, read once, when the process starts
    layout   "contiguous": no inputs with gaps between their rows; "any": with them; None: as each definition says.
             The verdict's `domain` tells
    retries  how many processes may die on one request before it is given up as undecided
    options  more options of `ouroboros referee --stream`, such as --alone: times without PyTorch beside them

    The process is started by the first request, and again when it has died: a request that was lost with it is
    asked again. All methods may be called from several threads at once.
    """

    def __init__(
        self, binary=None, jobs=None, level="ladder", timeout=600.0, fresh=False, state=None, retries=2, options=(),
        include=None, layout=None,
    ):
        if level not in LEVELS:
            raise ValueError(f"level is one of {', '.join(LEVELS)}, not {level!r}")
        if isinstance(options, (str, bytes)):
            raise TypeError(f"options is a list of words, not the text {options!r}")
        if layout is not None and layout not in LAYOUTS:
            raise ValueError(f"layout is one of {', '.join(LAYOUTS)}, not {layout!r}")
        self.timeout, self.retries, self.level = timeout, retries, level
        path = find_binary(binary)
        check_binary(path)
        self._command = [path, "referee", "--stream", "--level", level]
        if jobs is not None:
            self._command += ["--jobs", str(int(jobs))]
        if state is not None:
            self._command += ["--state", os.fspath(state)]
        if layout is not None:
            self._command += ["--layout", layout]
        if include is not None:
            self._command += ["--include", os.fspath(include)]
        if fresh:
            self._command.append("--fresh")
        self._command += list(options)
        self._lock = threading.Lock()
        self._process = None
        self._jobs = {}
        self._number = 0
        self._calls = 0  # with groups
        self._closed = False
        self._failed = None  # why it cannot be run at all
        self._answers = 0  # of the running process
        self.restarts = 0  # how often a process died with requests open

    # ---- what it is for

    def judge(self, op, source, timeout=None, **fields):
        """The verdict on one kernel. `fields`: level, shape, dtype, layout, manifest, time, tf32, ragged, shapes or library for
        this request alone.

        An op with line breaks is the text of a reference in module form (class Model, get_inputs), by which the
        ModelNew of the source is judged; tf32=True lets its products read float32 operands with 10 mantissa bits,
        library="all" lets it leave operators to PyTorch; ragged=True rejects what is wrong at odd sizes;
        shapes="published", at level full, leaves undecided what cannot be tried at the published sizes.

        A manifest says how the kernels of a file without `run` are launched: a dict, JSON
        text, or the path of a .json file. time=True, or a list of shapes, asks for times on the referee's GPU of what
        level full accepts: verdict["times"], verdict.ratios, verdict.speed; where the GPU disagrees, the verdict is
        `incorrect`, rule `gpu`."""
        return self.judge_many([(op, source)], timeout=timeout, **fields)[0]

    def judge_many(self, pairs, timeout=None, groups=None, **fields):
        """Verdicts on (op, source) pairs, in their order; (op, source, manifest) for one with a manifest of its
        own. Pairs of one op that are asked together are judged together, which is much cheaper than one by one.

        groups: for each pair a value, equal for pairs of one group, or None; with level "ladder" alone. Of those that
        quick accepts the best of each group, the one that moves the fewest bytes, is judged at full:
        verdict["group"]["best"] is True. The others keep quick's verdict."""
        unknown = fields.keys() - FIELDS - {"policy"}
        if unknown:
            raise TypeError(f"a request has no {', '.join(sorted(unknown))}: only {', '.join(sorted(FIELDS))}")
        _check_fields(fields)
        checked = [_check_pair(pair) for pair in pairs]
        level = fields.get("level") or self.level
        if groups is not None and level != "ladder":
            raise ValueError(f"groups go with level 'ladder', not {level!r}: their best is judged at full")
        with self._lock:
            self._calls += groups is not None
            call = self._calls
        grouped = _group_names(groups, checked, call)
        asked = [(op, source, manifest_of(own[0] if own else fields.get("manifest"))) for op, source, own in checked]
        jobs = [self._ask(op, source, {**fields, "manifest": manifest, **group})
                for (op, source, manifest), group in zip(asked, grouped)]
        timeout = self.timeout if timeout is None else timeout
        end = None if timeout is None else time.monotonic() + timeout
        try:
            for job in jobs:
                job.done.wait(None if end is None else max(0.0, end - time.monotonic()))
        finally:
            with self._lock:
                for job in jobs:
                    self._jobs.pop(job.number, None)
                    job.finish(undecided(job.op, f"no verdict within {timeout} seconds", "timeout"))
                failed = self._failed
        if failed:
            raise RefereeError(failed)
        return [job.verdict for job in jobs]

    def close(self):
        """Ends the process; what is open becomes undecided."""
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
            jobs = list(self._jobs.values())
            self._jobs.clear()
        for job in jobs:
            job.finish(undecided(job.op, "the client was closed", "closed"))
        if process:
            process.close_input()
            try:
                process.popen.terminate()
                process.popen.wait(10)
            except (OSError, subprocess.TimeoutExpired):
                process.popen.kill()
            for thread in process.threads:
                if thread is not threading.current_thread():
                    thread.join(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- how it is done

    def _ask(self, op, source, fields):
        with self._lock:
            if self._closed:
                raise RefereeError("this referee was closed")
            if self._failed:
                raise RefereeError(self._failed)
            self._number += 1
            # The text of a reference in module form has lines; a name, a description or a path has one.
            request = {"id": self._number, "module" if "\n" in op else "op": op, "source": source}
            request.update({k: v for k, v in fields.items() if v is not None})
            # ASCII: a lone surrogate in a model's text stays an escape, and is refused there, not here.
            job = _Job(self._number, op, json.dumps(request).encode("ascii") + b"\n")
            if not self._process:
                self._start()
            self._jobs[job.number] = job
            self._process.ask(job.line)
            return job

    def _start(self):  # with the lock held
        self._answers = 0
        self._process = _Process(self._command, self._answered, self._ended)

    def _answered(self, process, line):
        try:
            verdict = json.loads(line)
        except ValueError:
            verdict = None
        if not _is_answer(verdict):
            return self._give_up(process, f"{self._command[0]} answers what is no verdict: {_quoted(line)}")
        number = verdict.pop("id")
        with self._lock:
            if process is not self._process:
                return  # of a process that was given up
            self._answers += 1
            job = self._jobs.pop(number, None)  # none: of a call that has timed out
        if job:
            job.finish(Verdict(verdict))

    def _give_up(self, process, why):
        """It is no referee, or not of this protocol: who waits, and who asks again, is told so."""
        with self._lock:
            if process is not self._process:
                return
            self._process, self._failed = None, why
            lost = list(self._jobs.values())
            self._jobs.clear()
        for job in lost:
            job.finish(undecided(job.op, why, "client"))
        process.close_input()
        try:
            process.popen.kill()
        except OSError:
            pass

    def _ended(self, process, code):
        lost = []
        with self._lock:
            if process is not self._process:
                return
            self._process = None
            open_jobs = list(self._jobs.values())
            if code in (2, 3) and not self._answers:
                # It says itself that it cannot run: trying again would say it again.
                words = " ".join(process.said) or f"exit code {code}"
                self._failed = f"the referee cannot run: {words}"
                lost = open_jobs
                self._jobs.clear()
            elif open_jobs:
                self.restarts += 1
                for job in open_jobs:
                    job.tries += 1
                    if job.tries > self.retries:
                        lost.append(self._jobs.pop(job.number))
                again = list(self._jobs.values())
                if again:
                    try:
                        self._start()
                        for job in again:
                            self._process.ask(job.line)
                    except RefereeError as e:
                        self._failed = str(e)
                        lost += again
                        self._jobs.clear()
        for job in lost:
            job.finish(undecided(job.op, "the referee died on this request, or beside it", "died"))
