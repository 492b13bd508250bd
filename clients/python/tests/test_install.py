"""Installing the client, with no network and nothing but what `python3 -m venv` brings. $OUROBOROS names the program."""

import base64
import csv
import ensurepip
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BINARY = os.path.abspath(shutil.which(os.environ.get("OUROBOROS", "ouroboros")) or "ouroboros")
sys.path.insert(0, os.path.join(HERE, "build_backend"))
sys.path.insert(0, HERE)

import ouroboros_referee  # noqa: E402
import plain_wheel  # noqa: E402

# Whatever reaches for a network finds none.
ALONE = {
    "PATH": os.environ["PATH"], "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_CACHE_DIR": "1",
    "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "PIP_RETRIES": "0",
}


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Install(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.copy = os.path.join(self.dir.name, "client")
        shutil.copytree(HERE, self.copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))

    def run_in(self, *command, **more):
        return subprocess.run(command, cwd=self.dir.name, env={**ALONE, "HOME": self.dir.name}, capture_output=True, text=True, **more)

    def build(self, kind):
        before = os.getcwd()
        os.chdir(self.copy)
        try:
            return os.path.join(self.dir.name, kind(self.dir.name))
        finally:
            os.chdir(before)

    def venv(self):
        """The Python of a new one, with the pip that Python brings, and nothing else. That pip is unpacked: `python3 -m venv`
        has it install itself and compiles all of it, which takes longer than what is tested here."""
        python = os.path.join(self.dir.name, "venv/bin/python")
        wheels = glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled", "pip-*.whl"))
        self.assertEqual(self.run_in(sys.executable, "-m", "venv", *["--without-pip"] * len(wheels), "venv").returncode, 0)
        if wheels:
            where = self.run_in(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
            with zipfile.ZipFile(wheels[0]) as z:
                z.extractall(where)
        else:  # some systems keep it elsewhere
            self.run_in(python, "-m", "pip", "uninstall", "-y", "setuptools", "wheel")
        return python

    def test_pip_needs_no_network(self):
        python = self.venv()
        done = self.run_in(python, "-m", "pip", "install", "--no-index", "./client")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        asked = (f"from ouroboros_referee import Referee as R, __file__ as f; print(f); "
                 f"print(R(binary={BINARY!r}, state='state').judge('softmax', 'def (').status)")
        where, status = self.run_in(python, "-c", asked).stdout.split()
        self.assertIn("site-packages", where)
        self.assertEqual(status, "parse_reject")
        # The same for whoever edits it; and the control: a backend that is not here cannot be had.
        done = self.run_in(python, "-m", "pip", "install", "-e", "./client")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(os.path.realpath(self.copy), os.path.realpath(self.run_in(python, "-c", asked).stdout.split()[0]))
        path = os.path.join(self.copy, "pyproject.toml")
        text = read(path).decode()
        with open(path, "w") as f:
            f.write(text.replace("requires = []", 'requires = ["setuptools>=61"]'))
        self.assertNotEqual(self.run_in(python, "-m", "pip", "install", "./client").returncode, 0)

    def test_the_wheel_holds_the_package(self):
        path = self.build(plain_wheel.build_wheel)
        first = read(path)
        self.assertEqual(os.path.basename(path), f"ouroboros_referee-{ouroboros_referee.__version__}-py3-none-any.whl")
        with zipfile.ZipFile(path) as z:
            names = z.namelist()
            record = list(csv.reader(z.read(names[-1]).decode().splitlines()))
            for name, digest, size in record[:-1]:
                data = z.read(name)
                self.assertEqual(len(data), int(size))
                self.assertEqual("sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("="), digest)
            metadata = z.read([n for n in names if n.endswith("/METADATA")][0]).decode()
        self.assertEqual([row[0] for row in record], names)
        sources = sorted(f for f in os.listdir(os.path.join(HERE, "ouroboros_referee")) if f.endswith(".py"))
        self.assertEqual([n for n in names if ".dist-info/" not in n], ["ouroboros_referee/" + f for f in sources])
        for line in ("Name: ouroboros-referee", f"Version: {ouroboros_referee.__version__}", "Requires-Python: >=3.9"):
            self.assertIn(line + "\n", metadata)
        self.assertIn("# ouroboros-referee", metadata)
        self.build(plain_wheel.build_wheel)
        self.assertEqual(read(path), first)

    def test_the_source_distribution_builds_the_same(self):
        wheel = read(self.build(plain_wheel.build_wheel))
        with tarfile.open(self.build(plain_wheel.build_sdist)) as tar:
            tar.extractall(self.dir.name)
        self.copy = os.path.join(self.dir.name, f"ouroboros_referee-{ouroboros_referee.__version__}")
        self.assertEqual(read(self.build(plain_wheel.build_wheel)), wheel)

    def test_what_the_backend_does_not_read_is_refused(self):
        text = read(os.path.join(HERE, "pyproject.toml")).decode()
        self.assertEqual(plain_wheel.project(text)["dependencies"], [])
        self.assertEqual(plain_wheel.project(text.replace("= []\n", '= ["a>=1", "b"]\n'))["dependencies"], ["a>=1", "b"])
        for before, after in (
            ("[project]", "[tool.x]"), ('version = "0.1"', 'dynamic = ["version"]'), ('name = "', 'name = {file = "'),
            ('"MIT"', '{text = "MIT"}'), ("dependencies = []", "dependencies = ["), ('readme = "README.md"\n', ""),
        ):
            changed = re.sub(re.escape(before), after, text, count=1)
            self.assertNotEqual(changed, text)
            with self.assertRaises(ValueError):
                plain_wheel.project(changed)


if __name__ == "__main__":
    unittest.main()
