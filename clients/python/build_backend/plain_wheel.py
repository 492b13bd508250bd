"""A build backend (PEP 517 and 660) for packages of plain Python files, in the tree so that `pip install` needs no
network: pip would download setuptools even where it is installed. It reads what it needs of pyproject.toml.
"""

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel


def project(text):
    """The table [project]: texts, lists of texts. Python has a reader of TOML only since 3.11."""
    found = re.search(r"^\[project\]$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError("pyproject.toml has no [project]")
    table = {}
    for line in found.group(1).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = re.fullmatch(r'([a-z-]+) *= *(?:"([^"\\]*)"|\[((?:"[^"\\]*"(?:, *)?)*)\])', line.strip())
        if not row:
            raise ValueError(f"pyproject.toml: this backend does not read {line.strip()!r}")
        key, value, values = row.groups()
        table[key] = value if values is None else re.findall(r'"([^"]*)"', values)
    for key in ("name", "version", "description", "readme", "requires-python"):
        if not isinstance(table.get(key), str):
            raise ValueError(f"pyproject.toml: [project] needs {key}, a text")
    return table


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Package:
    def __init__(self):
        self.table = project(read("pyproject.toml"))
        self.module = self.table["name"].replace("-", "_")
        self.stem = f"{self.module}-{self.table['version']}"
        self.info = f"{self.stem}.dist-info"

    def sources(self):
        found = []
        for folder, folders, files in os.walk(self.module):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            found += [os.path.join(folder, f) for f in sorted(files) if f.endswith(".py") or f == "py.typed"]
        if not found:
            raise ValueError(f"there is no package {self.module}")
        return found

    def metadata(self):
        t = self.table
        lines = ["Metadata-Version: 2.1", f"Name: {t['name']}", f"Version: {t['version']}", f"Summary: {t['description']}"]
        lines += [f"License: {t['license']}"] if "license" in t else []
        lines += [f"Requires-Python: {t['requires-python']}"]
        lines += [f"Requires-Dist: {d}" for d in t.get("dependencies", [])]
        return "\n".join(lines) + "\nDescription-Content-Type: text/markdown\n\n" + read(t["readme"])

    def wheel(self, directory, files):
        """files: (name in the archive, bytes)."""
        files = files + [
            (f"{self.info}/METADATA", self.metadata().encode()),
            (f"{self.info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: plain_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        ]
        record = []
        for name, data in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        record.append(f"{self.info}/RECORD,,")
        files.append((f"{self.info}/RECORD", ("\n".join(record) + "\n").encode()))
        name = f"{self.stem}-py3-none-any.whl"
        with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as z:
            for path, data in files:
                entry = zipfile.ZipInfo(path.replace(os.sep, "/"), EPOCH)
                entry.external_attr = 0o644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                z.writestr(entry, data)
        return name


def _bytes(path):
    with open(path, "rb") as f:
        return f.read()


# ---- what pip calls, with the project's folder as its working directory


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = Package()
    return package.wheel(wheel_directory, [(path, _bytes(path)) for path in package.sources()])


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    package = Package()
    package.sources()
    return package.wheel(wheel_directory, [(f"{package.module}.pth", (os.getcwd() + "\n").encode())])


def build_sdist(sdist_directory, config_settings=None):
    package = Package()
    tests = [os.path.join("tests", f) for f in sorted(os.listdir("tests")) if f.endswith(".py")] if os.path.isdir("tests") else []
    backend = os.path.join("build_backend", "plain_wheel.py")
    name = f"{package.stem}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as tar:
        def put(path, data):
            entry = tarfile.TarInfo(f"{package.stem}/{path}")
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))

        put("PKG-INFO", package.metadata().encode())
        for path in ["pyproject.toml", package.table["readme"], backend, *package.sources(), *tests]:
            put(path, _bytes(path))
    return name
