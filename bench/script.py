"""How every script of this folder starts and ends: run(main, __doc__) instead of main().

What a user meets is a sentence, not a traceback: too few arguments show the script's own text, a file that cannot be read is named, and
where nobody reads the output any more (`grid.py --sum FILE | head`) the script ends in silence, as others do.
"""

import errno
import os
import select
import sys


def run(main, about=None, least=0):
    """Ends the process. about, least: of scripts without argparse, what they say of themselves and how many arguments they need."""
    name = os.path.basename(sys.argv[0])
    asked = [a for a in sys.argv[1:] if a in ("-h", "--help")]
    if about and (asked or len(sys.argv) - 1 < least):
        print(about.strip(), file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    if about and sys.argv[1:] and sys.argv[1].startswith("-"):
        sys.exit(f"{name}: no option {sys.argv[1]}")
    code, gone = 0, False
    try:
        try:
            code = main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        gone = not is_read(sys.stdout)
        if not gone:
            raise  # of another process
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
    except OSError as e:
        if e.filename is None and e.errno != errno.ENOSPC:
            raise
        sys.exit(f"{name}: {e.filename or 'standard output'}: {e.strerror}")
    sys.exit(141 if gone else code)


def is_read(stream):
    poll = select.poll()
    poll.register(stream.fileno(), 0)  # only what is told unasked: errors, and that the other end is closed
    return not poll.poll(0)
