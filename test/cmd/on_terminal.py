"""on_terminal.py COMMAND... - runs it with a terminal for its three streams, copies what it writes to standard output, and
exits as it does."""
import os
import pty
import sys

status = pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536))
sys.exit(os.waitstatus_to_exitcode(status))
