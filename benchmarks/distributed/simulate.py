"""Training by many workers, simulated: `python simulate.py` prints how far 2 to 1,024 workers come, and
`python simulate.py PICTURE.svg` draws it; `python simulate.py --check` measures two workers on shaped links
(it needs root) beside what the simulation says of them.

A step of every worker computes, forward and backward; gradients become final in the order of the backward
pass and are exchanged in buckets while it goes on, as src/distributed/gradient_exchange.h does. The slowest
worker decides when a bucket can go. Constants are those of Measured, which two workers on one machine tell.
"""

import sys

import numpy as np

PARAMETERS = 10_000_000
COMPUTING = 0.8  # seconds of a step, by one worker
FORWARD = 1 / 3  # of them
FIRST_BUCKET, BUCKET = 1 << 20, 4 << 20  # bytes
BLOCK = 16  # steps between two exchanges of block momentum
STEPS = 200  # that are drawn
UNEVEN = 0.02  # standard deviation of a step's time, as a part of it
COUNTS = [2**i for i in range(1, 11)]
RATES = {'1 Gb/s': 1e9, '10 Gb/s': 1e10, '100 Gb/s': 1e11}
METHODS = {'32 bit': 'all', '1 bit': 'one', f'block momentum, every {BLOCK} steps': 'block'}


class Measured:
    """What an exchange costs beside the wire, of two workers of one thread on one machine."""

    framing = 1.06  # bits on the wire for each bit of gradients
    byte = 1.0e-9  # seconds of a worker's processor for each byte that it sends and receives, sums included
    phase = 120e-6  # seconds until the first byte of a phase has come, without a queue
    message = 15e-6  # seconds of a worker's processor for each message
    bits = 0.76e-9  # seconds to make bits of a gradient's byte and numbers of bits
    packing = 0.032  # of the bytes that are left with one bit: bits and two means a column


def exchange(size, workers, rate):
    """Seconds in which a bucket of so many bytes is summed: stripes to their owners, sums to all."""
    moved = 2 * size * (workers - 1) / workers
    on_wire = moved * Measured.framing * 8 / rate
    return max(on_wire, moved * Measured.byte) + 2 * (Measured.phase + (workers - 1) * Measured.message)


def buckets(size):
    """The bytes of each, in the order of the backward pass."""
    sizes = [min(FIRST_BUCKET, size)]
    while sum(sizes) < size:
        sizes.append(min(BUCKET, size - sum(sizes)))
    return sizes


def times_of_workers(workers, steps, random):
    """Seconds that each worker computes in each step."""
    return COMPUTING * (1 + UNEVEN * np.abs(random.standard_normal((steps, workers))))


def step_of_all_bits(computing, rate, workers):
    size, slowest = PARAMETERS * 4, computing.max()
    done, final, begun = 0.0, 0, slowest * FORWARD
    for part in buckets(size):
        final += part
        ready = begun + slowest * (1 - FORWARD) * final / size
        done = max(done, ready) + exchange(part, workers, rate)
    return max(done, slowest)


def step_of_one_bit(computing, rate, workers):
    size = PARAMETERS * 4
    made = 2 * size * Measured.bits  # of the gradient, and of the sums of the own stripe and all others
    return computing.max() + made + exchange(size * Measured.packing, workers, rate)


def seconds_of_step(method, workers, rate, random):
    """The mean over steps; blocks of them wait for the slowest worker once a block."""
    computing = times_of_workers(workers, STEPS, random)
    if method == 'block':
        blocks = computing[: STEPS // BLOCK * BLOCK].reshape(-1, BLOCK, workers).sum(1).max(1)
        return (blocks.mean() + exchange(PARAMETERS * 4, workers, rate)) / BLOCK
    step = step_of_all_bits if method == 'all' else step_of_one_bit
    return float(np.mean([step(c, rate, workers) for c in computing]))


def speedup(method, workers, rate):
    """How many times as many samples as one worker's, each worker's share being the same."""
    random = np.random.default_rng(workers)
    return workers * COMPUTING / seconds_of_step(method, workers, rate, random)


def simulated():
    return {
        (method, rate): [speedup(key, n, bits) for n in COUNTS]
        for method, key in METHODS.items()
        for rate, bits in RATES.items()
    }


def table(found):
    shown = [2, 8, 32, 128, 512, 1024]
    print('| method | link | ' + ' | '.join(f'{n:,} workers' for n in shown) + ' |')
    print('|---|---|' + '---|' * len(shown))
    for (method, rate), row in found.items():
        cells = [f'{row[COUNTS.index(n)]:,.{1 if n < 100 else 0}f}' for n in shown]
        print(f'| {method} | {rate} | ' + ' | '.join(cells) + ' |')


def draw(found, path):
    import matplotlib

    matplotlib.use('svg')
    matplotlib.rcParams['svg.hashsalt'] = 'cantik'
    matplotlib.rcParams['svg.fonttype'] = 'none'
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(RATES), figsize=(10, 3.4), sharey=True)
    for place, rate in zip(axes, RATES):
        for method in METHODS:
            row = found[method, rate]
            place.plot(COUNTS, [100 * s / n for s, n in zip(row, COUNTS)], marker='.', label=method)
        place.set_xscale('log', base=2)
        place.set_title(rate)
        place.set_xlabel('workers')
        place.set_ylim(0, 105)
        place.grid(alpha=0.3)
    axes[0].set_ylabel('% of as many single workers')
    axes[0].legend(fontsize=8, loc='lower left')
    figure.tight_layout()
    figure.savefig(path, metadata={'Date': None})


def side_by_side(sides, samples):
    """Seconds of a step of two processes that know nothing of each other: cores share caches and clocks."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        step = lambda _: sides.run('cantik', 'overlap', workers=1, SAMPLES=str(samples))
        return max(pool.map(step, range(2)))


def check():
    """Two workers on links of three rates: what is measured, and what the simulation says."""
    import bench
    import faults

    sides = bench.Sides(torch=None, cntk=None)
    samples = sides.run('cantik', 'alone', workers=1)
    computing = side_by_side(sides, samples)
    two = np.full(2, computing)
    print(f'a step without an exchange: {computing:.3f} s', flush=True)
    for rate, bits in (('100mbit', 1e8), ('1gbit', 1e9), ('10gbit', 1e10)):
        with faults.Machines(2, rate) as machines:
            for what, case, said in (
                ('exchange of 40 MB', 'exchange', exchange(PARAMETERS * 4, 2, bits)),
                ('step with 40 MB', 'overlap', step_of_all_bits(two, bits, 2)),
                ('1 bit: exchange of 40 MB', 'one_bit', step_of_one_bit(np.zeros(2), bits, 2)),
            ):
                found = sides.run('cantik', case, machines, SAMPLES=str(samples))
                print(f'{rate}, {what}: measured {found:.3f} s, simulated {said:.3f} s', flush=True)


if __name__ == '__main__':
    if sys.argv[1:] == ['--check']:
        check()
    else:
        results = simulated()
        table(results)
        if sys.argv[1:]:
            draw(results, sys.argv[1])
