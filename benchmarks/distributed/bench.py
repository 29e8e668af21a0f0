"""Several workers against the wire, PyTorch's DistributedDataParallel over Gloo and CNTK 2.7 over its MPI, in
a table in docs/distributed.md:

    benchmarks/distributed/bench.py [--torch PYTHON] [--cntk FOLDER] [--only ROW,...] [--rounds 3]

Two workers of one thread each live on machines of their own, network namespaces whose links have 1 Gb/s in
both directions (it needs root). A figure is the median over the rounds, in which the sides take turns.
Figures are kept in results.json: a run of some rows leaves the others as they were. A peer that is not named,
or that cannot run a case, leaves its place open."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'python'))

import faults

RESULTS, PAGE = HERE / 'results.json', ROOT / 'docs' / 'distributed.md'
BEGIN, END = '<!-- figures of benchmarks/distributed/bench.py -->', '<!-- end of the figures -->'
RATE, BITS = '1gbit', 1e9
WIRE = 4e7 * 8 / BITS  # seconds of 40 MB, in each direction

# What stands for ssh between machines that are namespaces: `agent ADDRESS COMMAND...`.
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
address=$1; shift
exec ip netns exec %sm$((${address##*.} - 1)) sh -c "$*"
"""


class Sides:
    """Programs of a side on one machine or two."""

    def __init__(self, torch, cntk):
        self.pythons = {'cantik': sys.executable}
        if torch:
            self.pythons['torch'] = torch
        if cntk:
            self.pythons['cntk'] = str(Path(cntk) / 'python')
            self.mpirun = str(Path(cntk) / 'mpirun')
        self.folder = tempfile.mkdtemp()

    def run(self, side, case, machines=None, workers=2, **environment):
        """What worker 0 prints; None where it cannot be run."""
        if side not in self.pythons:
            return None
        command = [self.pythons[side], str(HERE / 'worker.py'), case, side]
        variables = {**os.environ, 'OMP_NUM_THREADS': '1', 'MKL_NUM_THREADS': '1', **environment}
        if side != 'cantik':
            variables.pop('PYTHONPATH', None)
        if workers == 1:
            return self.told(subprocess.run(command, capture_output=True, text=True, env=variables))
        if side == 'cntk':
            return self.told(self.by_mpi(command, machines, workers, variables))
        variables['GLOO_SOCKET_IFNAME'] = 'wire'
        keep = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        all_workers = [machines.start(i, command, variables=variables, **keep) for i in range(workers)]
        said = [w.communicate(timeout=900) for w in all_workers]
        failed = next((i for i, w in enumerate(all_workers) if w.returncode), 0)
        return self.told(
            subprocess.CompletedProcess(command, all_workers[failed].returncode, said[0][0], said[failed][1])
        )

    def by_mpi(self, command, machines, workers, variables):
        agent = Path(self.folder) / 'agent'
        agent.write_text(AGENT % machines.name)
        agent.chmod(0o755)
        net = '10.79.0.0/24'
        settings = dict(
            plm_rsh_agent=agent,
            plm_rsh_no_tree_spawn=1,
            oob_tcp_if_include=net,
            btl_tcp_if_include=net,
            pml='ob1',
            btl='tcp,self',
        )
        mpi = ['ip', 'netns', 'exec', machines.machine(0), self.mpirun]
        for name, value in settings.items():
            mpi += ['--mca', name, str(value)]
        mpi += ['--host', ','.join(f'10.79.0.{i + 1}:1' for i in range(workers)), '-n', str(workers)]
        for name in ('OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'SAMPLES'):
            if name in variables:
                mpi += ['-x', name]
        return subprocess.run([*mpi, *command], capture_output=True, text=True, env=variables, timeout=900)

    @staticmethod
    def told(done):
        lines = [line for line in done.stdout.splitlines() if line[:1] in '0123456789']
        if done.returncode == 0 and lines:
            return json.loads(lines[-1])
        print(
            '  not run:', (done.stderr.strip().splitlines() or ['it printed nothing'])[-1][:300], flush=True
        )
        return None


# ---- Rows. Each measures once, and returns {side: figure}.


def scaling(case):
    def measure(sides):
        """Machines without a limit of their links, and one worker."""
        found = {}
        with faults.Machines(2) as machines:
            for side in sides.pythons:
                one = sides.run(side, case, workers=1)
                two = one and sides.run(side, case, machines)
                found[side] = two and two / one
        return found

    return measure


def exchange(sides):
    with faults.Machines(2, RATE) as machines:
        return {side: sides.run(side, 'exchange', machines) for side in sides.pythons}


def ratio(above, below, sides_of=('cantik', 'cntk')):
    """How many times a case's figure is another's, on the shaped link."""

    def measure(sides):
        found = {}
        with faults.Machines(2, RATE) as machines:
            for side in sides_of:
                if side in sides.pythons:
                    a = sides.run(side, above, machines)
                    b = a and sides.run(side, below, machines)
                    found[side] = b and a / b
        return found

    return measure


def time_of_bits(sides):
    """The exchange of a minibatch of one sample: what two workers need beyond one."""
    found = {}
    with faults.Machines(2, RATE) as machines:
        for side in ('cantik', 'cntk'):
            if side not in sides.pythons:
                continue
            alone = sides.run(side, 'all_bits', workers=1)
            all_bits, one_bit = (alone and sides.run(side, c, machines) for c in ('all_bits', 'one_bit'))
            found[side] = one_bit and (all_bits - alone) / (one_bit - alone)
    return found


def overlap(sides):
    found = {}
    with faults.Machines(2, RATE) as machines:
        for side in sides.pythons:
            samples = sides.run(side, 'alone', workers=1)
            found[side] = samples and sides.run(side, 'overlap', machines, SAMPLES=str(samples))
    return found


def blocks(sides):
    """The loss of four workers over that of one, on the documents of this tree."""
    text = Path(sides.folder) / 'text'
    text.write_bytes(b''.join(p.read_bytes() for p in sorted((ROOT / 'docs').glob('*.md'))))
    losses = []
    for workers in (1, 4):
        launch = ['-m', 'cantik', 'launch', '-n', str(workers)]
        command = [sys.executable, *launch, str(HERE / 'worker.py'), 'characters', 'cantik']
        variables = {**os.environ, 'TEXT': str(text), 'FOLDER': sides.folder, 'OMP_NUM_THREADS': '1'}
        losses.append(sides.told(subprocess.run(command, capture_output=True, text=True, env=variables)))
    return {'cantik': losses[1] / losses[0] - 1 if all(losses) else None}


def death(sides):
    """The slowest of twelve."""
    noticed = []
    for number in range(12):
        with tempfile.TemporaryDirectory() as folder, faults.Machines(3) as machines:
            wrong = faults.inject(machines, ('killed', 'stopped', 'cut')[number % 3], folder, noticed=noticed)
            if wrong:
                print('  ', wrong, flush=True)
                return {'cantik': None}
    return {'cantik': max(noticed)}


def watching(sides):
    with faults.Machines(2) as machines:
        return {'cantik': sides.run('cantik', 'watching', machines)}


def milliseconds(x):
    return f'{x * 1e3:,.0f} ms'


def times(x):
    return f'{x:.2f} x'


def percent(x):
    return f'{100 * x:.2f} %'


def seconds(x):
    return f'{x:.2f} s'


# name: (text, how it is measured, how it is written, bound, must, goal)
ROWS = {
    'mnist_convnet': (
        'two workers over one, `mnist_convnet`, minibatches of 256',
        *(scaling('mnist_convnet'), times, '', '1.75 x', '1.92 x'),
    ),
    'lstm_skewed': (
        'two workers over one, `lstm_skewed`, minibatches of 32 sequences',
        *(scaling('lstm_skewed'), times, '', '1.75 x', '1.92 x'),
    ),
    'exchange': (
        'sum of 40 MB, 32 bit',
        *(exchange, milliseconds, f'the wire: {milliseconds(WIRE)}', '1.3 x the wire', '1.05 x the wire'),
    ),
    'bytes': (
        '1 bit: how many times fewer bytes than with 32',
        *(ratio('all_bits_bytes', 'one_bit_bytes'), times, '32 x', '25 x', '30 x'),
    ),
    'time': ('1 bit: how much less time in the exchange', time_of_bits, times, '', '8 x', '20 x'),
    'throughput': (
        '1 bit: throughput of training 10 M parameters, a sample a worker',
        *(ratio('all_bits', 'one_bit'), times, '', '3 x', '6 x'),
    ),
    'overlap': (
        'a minibatch with 40 MB of gradients and 800 ms of computing',
        *(overlap, milliseconds, '800 ms', '900 ms', '830 ms'),
    ),
    'blocks': (
        'block momentum, 4 workers on a character model, 8 sweeps: loss after as many samples, above one',
        *(blocks, percent, '', '2 %', '1 %'),
    ),
    'death': (
        'a worker killed, stopped or cut off (silence counts after 2 s): until all others have raised',
        *(death, seconds, '', '5 s', '0.2 s where the engine reports it'),
    ),
    'watching': ('the watching, of one processor', watching, percent, '', '0.5 %', '0.1 %'),
}
SIDES = {'cantik': 'Cantik', 'torch': 'PyTorch DDP, Gloo', 'cntk': 'CNTK 2.7, Open MPI'}


def table(results):
    lines = [
        '| at 1 Gb/s | bound | ' + ' | '.join(SIDES.values()) + ' | must | goal |',
        '|---|---|' + '---|' * len(SIDES) + '---|---|',
    ]
    for name, (text, _, written, bound, must, goal) in ROWS.items():
        found = results['rows'].get(name, {})
        cells = [written(found[side]) if found.get(side) is not None else '' for side in SIDES]
        lines.append('| ' + ' | '.join([text, bound, *cells, must, goal]) + ' |')
    return '\n'.join(lines)


def write(results):
    RESULTS.write_text(json.dumps(results, indent=1) + '\n')
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(f'{text[:begin]}\n{table(results)}\n{text[end:]}')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--torch', help='a Python with PyTorch')
    parser.add_argument('--cntk', help='the folder of the real CNTK, with `python` and `mpirun`')
    parser.add_argument('--only', default=','.join(ROWS), help='names of rows: ' + ', '.join(ROWS))
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    if not faults.can_inject():
        parser.error('network namespaces need root, ip and tc')
    sides = Sides(options.torch, options.cntk)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {'rows': {}}
    results['machine'] = platform.machine()
    for name in options.only.split(','):
        rounds = []
        for _ in range(options.rounds):
            rounds.append(ROWS[name][1](sides))
            print(name, rounds[-1], flush=True)
        kept = results['rows'].setdefault(name, {})
        for side in SIDES:
            found = [r[side] for r in rounds if r.get(side) is not None]
            if found:
                kept[side] = statistics.median(found)
        write(results)


if __name__ == '__main__':
    main()
