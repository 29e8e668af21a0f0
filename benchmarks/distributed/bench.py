"""Several workers against the wire and PyTorch's DistributedDataParallel: `python bench.py [RATE]` prints a
table.

Two workers of one thread each live on machines of their own, network namespaces whose links have the rate in
both directions (1gbit). It needs root."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / 'tests' / 'python'))

import faults

RATES = {'1gbit': 1e9, '10gbit': 1e10, '100mbit': 1e8}


def run(machines, case, side, workers=2, **environment):
    """What worker 0 prints; none where the side cannot be run."""
    command = [sys.executable, str(HERE / 'worker.py'), case, side]
    if workers == 1:
        variables = {**os.environ, 'OMP_NUM_THREADS': '1', **environment}
        done = subprocess.run(command, capture_output=True, text=True, env=variables)
        return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
    os.environ.update(environment, GLOO_SOCKET_IFNAME='wire')
    all_workers = [
        machines.start(i, command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for i in range(workers)
    ]
    texts = [w.communicate(timeout=600)[0] for w in all_workers]
    if any(w.returncode for w in all_workers):
        return None
    return json.loads(texts[0].splitlines()[-1])


def milliseconds(x):
    return 'not run' if x is None else f'{x * 1e3:,.0f} ms'


def main(rate='1gbit'):
    wire = 4e7 * 8 / RATES[rate]  # of 40 MB, in each direction
    sides = ['cantik', 'torch']
    print(f'{socket.gethostname()}, two workers of one thread, {rate}; the wire takes {milliseconds(wire)}')
    with faults.Machines(2, rate) as machines:
        for name, case in (
            ('32-bit exchange of 40 MB', 'exchange'),
            ('a minibatch of one sample, 40 MB of gradients', 'all_bits'),
            ('the same with 1 bit', 'one_bit'),
        ):
            found = [run(machines, case, s) if (case, s) != ('one_bit', 'torch') else None for s in sides]
            print(f'{name}: ' + ', '.join(f'{s} {milliseconds(x)}' for s, x in zip(sides, found)), flush=True)
        for side in sides:
            samples = run(machines, 'alone', side, workers=1)
            if samples:
                one = run(machines, 'overlap', side, workers=1, SAMPLES=str(samples))
                two = run(machines, 'overlap', side, SAMPLES=str(samples))
                print(
                    f'40 MB behind {milliseconds(one)} of computing: {side} {milliseconds(two)}', flush=True
                )
        for case in ('convolution', 'recurrence'):
            for side in sides:
                one, two = run(machines, case, side, workers=1), run(machines, case, side)
                if one and two:
                    print(f'{case}, 2 workers over 1: {side} {two / one:.2f} x', flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
