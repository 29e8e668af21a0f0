"""checkpoint: how long a training of 100 million parameters stands still for a checkpoint, in milliseconds.

`first` and `later`: what the step with a checkpoint behind it takes longer than the others; `write`: as many
bytes written into a file and flushed to the disk by the program itself. The first checkpoint of a process
touches the memory of its copy for the first time. Momentum SGD: a checkpoint holds twice as many numbers.
"""

import os
import time

from files import path_of
from timing import arguments, cantik_with, emit, np, wanted

args = arguments(parameters=100_000_000)
C = cantik_with(args.threads)
WIDTH = 10_000
PATH = path_of('training.ckp')

x, y = C.input_variable(WIDTH), C.input_variable(1)
table = C.parameter((WIDTH, args.parameters // WIDTH), init=0.001)
z = C.reduce_sum(C.times(x, table))
trainer = C.Trainer(
    z, C.squared_error(z, y), [C.momentum_sgd(z.parameters, C.learning_parameter_schedule(1e-9), 0.9)]
)
batch = {x: np.ones((1, WIDTH), np.float32), y: np.ones((1, 1), np.float32)}


class Clock(C.train.Callback):
    """When each minibatch ended."""

    def __init__(self):
        super().__init__()
        self.times = []

    def on_minibatch_end(self, session):
        self.times.append(time.perf_counter())


def steps():
    """Seconds of each of 60 steps, a checkpoint behind every twentieth: the writing of one is over before the
    next."""
    source = C.io.MinibatchSourceFromData(
        {'x': np.ones((60, WIDTH), np.float32), 'y': np.ones((60, 1), np.float32)}, max_samples=60
    )
    clock = Clock()
    C.training_session(
        trainer,
        source,
        1,
        {x: source.streams.x, y: source.streams.y},
        max_samples=60,
        checkpoint_config=C.CheckpointConfig(PATH, frequency=20, restore=False),
        callbacks=[clock],
    ).train()
    return np.diff(clock.times)


def write():
    data = np.ones(2 * args.parameters, np.float32)
    begin = time.perf_counter()
    with open(path_of('plain'), 'wb') as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return (time.perf_counter() - begin) * 1e3


trainer.train_minibatch(batch)
if wanted(args, 'write'):
    emit('checkpoint', 'write', 'ms', [write() for _ in range(args.reps)], args.threads)
    os.remove(path_of('plain'))
if wanted(args, 'first') or wanted(args, 'later'):
    seconds = steps()  # between minibatch i + 1 and i + 2
    usual = float(np.median(seconds))
    emit('checkpoint', 'first', 'ms', [(seconds[19] - usual) * 1e3], args.threads, step=usual * 1e3)
    emit('checkpoint', 'later', 'ms', [(seconds[39] - usual) * 1e3], args.threads)
