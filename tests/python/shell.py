"""The command line as a shell starts it."""

import signal
import subprocess
import sys


def cantik(*arguments, **options):
    """The program as a shell starts it."""
    return subprocess.run(
        [sys.executable, '-m', 'cantik', *map(str, arguments)], capture_output=True, text=True, **options
    )


def hears_of_ctrl_c():
    """For preexec_fn: what is started in the background of a shell ignores Ctrl-C otherwise."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
