"""Programs of documents that several workers run: the source for several workers of "How to create user
minibatch sources", whose folder CANTIK_DOCUMENTS names, and the tour's chapter on workers
(examples/tour/8_workers.py).

python workers.py record MPIRUN PYTHON           writes what they print on CNTK 2.7 into workers/ (Python 3.6)
MPIRUN -np 2 PYTHON workers.py PROGRAM FOLDER    one of them; each worker writes what it prints into a file
"""

import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / 'python'))
from documents import between, document, mended, run

IMPORTS = """
import numpy as np
import cntk as C
from cntk.io import UserMinibatchSource, StreamInformation, MinibatchData
"""
# (printed, meant): towards the end fewer samples are asked for than a sequence has. The program as printed
# ends with an IndexError there, as the text shows.
MENDS = [
    (
        '        num_seq = len(features)\n',
        '        if not features:\n            return {}\n        num_seq = len(features)\n',
    )
]
PROGRAMS = ['source', 'tour']
COUNTS = [1, 2, 4]


def kept(program, workers):
    """Where it is kept what CNTK 2.7 prints."""
    return HERE / 'workers' / '{}_{}.txt'.format(program, workers)


def together(folder):
    """What all workers have printed."""
    files = sorted(Path(folder).glob('[0-9].txt'))
    return ''.join('worker {}\n{}'.format(f.stem, f.read_text()) for f in files)


def source():
    """The text's second source with its training, and the weights in the end."""
    text = document('user_minibatch_sources.txt')
    text = text[text.index('## Multiple node user minibatch source') :]
    names = run(IMPORTS)
    run(mended(between(text, "sample_data = r'''", 'In [74]'), *MENDS), names)
    run(between(text, 'import io', 'io pos'), names)
    for p in names['z'].parameters:
        print('%.4f' % abs(p.value).sum(), p.shape)


def main(program, folder):
    import cntk as C

    C.cntk_py.set_fixed_random_seed(1)
    rank = C.train.distributed.Communicator.rank()
    sys.stdout.flush()
    printed = os.open(os.path.join(folder, '%d.txt' % rank), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(printed, 1)
    sys.stdout.reconfigure(line_buffering=True) if hasattr(sys.stdout, 'reconfigure') else None
    os.chdir(folder)
    if program == 'source':
        source()
        sys.stdout.flush()
        C.train.distributed.Communicator.finalize()
    else:
        sys.path.insert(0, str(HERE.parents[1] / 'examples' / 'tour'))
        runpy.run_path(str(HERE.parents[1] / 'examples' / 'tour' / '8_workers.py'), run_name='__main__')
        sys.stdout.flush()


def record(mpirun, python):
    (HERE / 'workers').mkdir(exist_ok=True)
    for program in PROGRAMS:
        for workers in COUNTS:
            with tempfile.TemporaryDirectory() as folder:
                command = [mpirun, '-np', str(workers), python, __file__, program, folder]
                subprocess.check_call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                kept(program, workers).write_text(together(folder))


if __name__ == '__main__':
    if sys.argv[1] == 'record':
        record(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
