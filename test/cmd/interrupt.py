"""interrupt.py SECONDS COMMAND... - runs it, sends SIGINT after so long, passes on what it printed and its exit code.
(A shell's background jobs ignore that signal.)"""
import signal
import subprocess
import sys
import time

p = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), stdout=subprocess.PIPE)
time.sleep(float(sys.argv[1]))
p.send_signal(signal.SIGINT)
out = p.communicate(timeout=30)[0]
sys.stdout.buffer.write(out)
sys.exit(p.returncode if p.returncode >= 0 else 128 - p.returncode)
