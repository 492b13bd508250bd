# In Triton's place for the tests of compile workers: the worker's text, Python and the sandbox are the real
# ones. What compile() does, a kernel's name says: see misbehave() in fake.py.
__version__ = "3.6.0"
from .fake import compile, jit  # noqa: F401
