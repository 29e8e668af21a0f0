#!/usr/bin/env python3
"""Cantik and PyTorch in one process, in turns of a few milliseconds, on one thread: ratios that hold on a
machine whose speed jumps, since both sides meet the same seconds.

    PYTHONPATH=build/release/python PEERS=FOLDER TORCH_PYTHON benchmarks/turns.py [products] [infer] [train]
        [--seconds 30]

Prints medians. PEERS: the folder with the peers' programs, of which PyTorch's ResNet-20 is one.
"""

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path

for _name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'):  # before NumPy loads its BLAS
    os.environ[_name] = '1'

import numpy as np
import torch
import torch.nn.functional as F

import cantik as C

sys.path += [os.path.join(os.environ['PEERS'], 'torch'), os.environ['PEERS']]
import convnet  # PyTorch's ResNet-20

sys.path.insert(0, str(Path(__file__).resolve().parent / 'workloads'))
import nets

IMAGES = 64


def in_turns(sides, seconds, least=2e-3):
    """{side: median seconds of a call}; each side is called for at least so long before the next one is."""
    for call in sides.values():
        for _ in range(3):
            call()
    times = {name: [] for name in sides}
    counts = {}
    for name, call in sides.items():
        start = time.perf_counter()
        call()
        counts[name] = max(1, int(least / (time.perf_counter() - start)))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, call in sides.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                call()
            times[name].append((time.perf_counter() - start) / counts[name])
    return {name: float(np.median(measured)) for name, measured in times.items()}


def tell(what, times, amount, unit):
    ours = times.pop('cantik')
    best = min(times, key=times.get)
    print(
        '%-16s Cantik %.4g %s, %s %.4g: %.2f'
        % (what, amount / ours, unit, best, amount / times[best], times[best] / ours),
        flush=True,
    )


def products(seconds):
    random = np.random.RandomState(0)
    for m, k, n in (1024, 1024, 1024), (2048, 2048, 2048), (256, 576, 96), (32, 256, 1024), (1, 256, 1024):
        x, weights = C.input_variable(k), random.randn(k, n).astype(np.float32)
        product, rows = C.times(x, C.parameter((k, n), init=weights)), random.randn(m, k).astype(np.float32)
        into, a, b = np.empty((m, n), np.float32), torch.from_numpy(rows), torch.from_numpy(weights)
        made, turned = torch.empty(m, n), torch.from_numpy(np.ascontiguousarray(weights.T))
        sides = {
            'cantik': lambda: product.eval({x: rows}, as_numpy=False),
            'numpy': lambda: np.matmul(rows, weights, out=into),
            'mm': lambda: torch.mm(a, b, out=made),
            'linear': lambda: F.linear(a, turned),
        }
        tell(f'{m}x{k}x{n}', in_turns(sides, seconds), 2e-9 * m * k * n, 'GFLOP/s')


def pictures():
    return np.random.RandomState(0).randn(IMAGES, 3, 32, 32).astype(np.float32)


def infer(seconds):
    x, images = C.input_variable((3, 32, 32)), pictures()
    network = nets.resnet20(C)(x)
    sides = {'cantik': lambda: network.eval({x: images})}
    torch._inductor.config.freezing = True
    last = torch.from_numpy(images).contiguous(memory_format=torch.channels_last)
    for name, options in {'freezing': {}, 'max_autotune': {'mode': 'max-autotune'}}.items():
        theirs = convnet.resnet20().eval().to(memory_format=torch.channels_last)
        sides[name] = torch.no_grad()(partial(torch.compile(theirs, dynamic=False, **options), last))
    tell('resnet20 infer', in_turns(sides, seconds), IMAGES, 'images/s')


def train(seconds):
    images, labels = pictures(), np.random.RandomState(1).randint(0, 10, IMAGES)
    one_hot = np.eye(10, dtype=np.float32)[labels]
    x, y = C.input_variable((3, 32, 32)), C.input_variable(10)
    network = nets.resnet20(C)(x)
    rate, momentum = C.learning_parameter_schedule(0.1), C.momentum_schedule(0.9)
    learner = C.momentum_sgd(network.parameters, rate, momentum, unit_gain=False)
    trainer = C.Trainer(network, C.cross_entropy_with_softmax(network, y), [learner])
    sides = {'cantik': lambda: trainer.train_minibatch({x: images, y: one_hot})}
    last = torch.from_numpy(images).contiguous(memory_format=torch.channels_last)
    for name, is_compiled in {'eager': False, 'compiled': True}.items():
        sides[name] = torch_step(last, torch.from_numpy(labels), is_compiled)
    tell('resnet20 train', in_turns(sides, seconds), IMAGES, 'images/s')


def torch_step(images, labels, is_compiled):
    network = convnet.resnet20().train().to(memory_format=torch.channels_last)
    learner = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, foreach=True)

    def loss_of(x, y):
        return F.cross_entropy(network(x), y)

    loss = torch.compile(loss_of, dynamic=False) if is_compiled else loss_of

    def step():
        learner.zero_grad(set_to_none=True)
        loss(images, labels).backward()
        learner.step()

    return step


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('what', nargs='*', default=['products', 'infer', 'train'])
    parser.add_argument('--seconds', type=float, default=30)
    options = parser.parse_args()
    torch.set_num_threads(1)
    C.cntk_py.set_max_num_cputhreads(1)
    for what in options.what:
        {'products': products, 'infer': infer, 'train': train}[what](options.seconds)


if __name__ == '__main__':
    main()
