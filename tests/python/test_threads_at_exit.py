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


READS = '''
import sys
import cantik as C
with open('data.ctf', 'w') as file:
    file.writelines(f'|x {i % 100} 1\\n' for i in range(300000))
description = C.io.CTFDeserializer('data.ctf', C.io.StreamDefs(x=C.io.StreamDef('x', 2)))
description['chunkSizeInBytes'] = 1 << 20
source = C.io.MinibatchSource(description, randomize=False)
source.next_minibatch(10)
print('end')
'''


def test_the_process_ends_well_while_it_reads_ahead(tmp_path):
    """The source is a global, and its thread has begun to read the next chunk."""
    for _ in range(3):
        r = subprocess.run(
            [sys.executable, '-c', READS],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=tmp_path,
        )
        assert (r.returncode, r.stdout, r.stderr) == (0, 'end\n', '')


def test_workers_of_a_pool_read_by_themselves(tmp_path):
    """A forked process has the source, but not its thread."""
    program = READS.replace(
        "print('end')",
        "import multiprocessing\n"
        "def count(size):\n"
        "    return source.next_minibatch(size)[source.streams.x].num_samples\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    assert pool.map(count, [150000, 150000]) == [150000, 150000]\n"
        "print('end')",
    )
    r = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert (r.returncode, r.stdout) == (0, 'end\n'), r.stderr
