"""Threads that are at work when the program ends."""

import subprocess
import sys

import pytest

PROGRAM = '''
import threading, time
import cantik as C, numpy as np

x, w = C.input_variable(64), C.parameter((64, 64), init=1)
{network}
rows = np.ones((200, 64), np.float32)
begun = threading.Semaphore(0)

def work():
    while True:
        f.eval({{x: rows}})
        begun.release()

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
for _ in range(20):
    begun.acquire()
print('end')
'''


@pytest.mark.parametrize(
    'network',
    [
        'f = C.tanh(C.times(C.tanh(C.times(x, w)), w))',
        'f = C.op(lambda a: a + 1, name="one_more")(C.times(x, w))',
    ],
)
def test_the_process_ends_well(network):
    for _ in range(3):
        r = subprocess.run(
            [sys.executable, '-c', PROGRAM.format(network=network)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (r.returncode, r.stdout, r.stderr) == (0, 'end\n', '')
