"""A recurrence of your own, in ten lines, beside the built-in LSTM and GRU: what each learns, and how fast it
runs.

    python examples/own_cell.py [--sweeps 12] [--states 64] [--sequences 2000]

The task (Hochreiter and Schmidhuber 1997): a sequence of pairs (a number, a mark); the answer is the sum of
the two numbers that are marked, however far apart they stand. Sequences have 10 to 40 steps; nobody pads or
sorts them.
"""

import argparse
import time

import numpy as np

import cantik as C

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--sweeps', type=int, default=12, help='how often each network sees all sequences')
parser.add_argument('--states', type=int, default=64, help='numbers that a cell remembers')
parser.add_argument('--sequences', type=int, default=2000, help='how many there are to learn from')
options = parser.parse_args()


def my_cell(states):
    """A minimal gated unit (Zhou et al. 2016). Parameters are made here, once; `step` says what happens to
    the state in one step."""
    W = C.parameter((C.InferredDimension, 2 * states), init=C.glorot_uniform())
    F, H = (C.parameter((states, states), init=C.glorot_uniform()) for _ in range(2))
    b = C.parameter(2 * states)

    def step(h, x):
        gate, new = (C.slice(C.times(x, W) + b, -1, k * states, (k + 1) * states) for k in (0, 1))
        f = C.sigmoid(gate + C.times(h, F))
        return (1 - f) * h + f * C.tanh(new + C.times(f * h, H))

    return step


def task(count, seed):
    """Sequences [steps, 2] of a number and a mark; the sums of the numbers marked."""
    rs, sequences = np.random.RandomState(seed), []
    for steps in rs.randint(10, 41, count):
        marks = np.zeros(steps)
        marks[rs.choice(steps, 2, replace=False)] = 1
        sequences.append(np.stack([rs.rand(steps), marks], axis=1).astype(np.float32))
    return sequences, np.array([[(s[:, 0] * s[:, 1]).sum()] for s in sequences], np.float32)


def learn(name, cell):
    x, y = C.sequence.input_variable(2), C.input_variable(1)
    answer = C.layers.Sequential([C.layers.Recurrence(cell), C.sequence.last, C.layers.Dense(1)])(x)
    loss = C.squared_error(answer, y)
    learner = C.adam(
        answer.parameters,
        C.learning_parameter_schedule_per_sample(
            [0.003] * 8 + [0.001], epoch_size=sum(map(len, training[0]))
        ),
        C.momentum_schedule(0.9),
        gradient_clipping_threshold_per_sample=1,
    )
    writers = [C.logging.ProgressBar(samples=options.sequences, epochs=options.sweeps)]
    begin = time.perf_counter()
    loss.train(
        training,
        minibatch_size=500,
        max_epochs=options.sweeps,
        parameter_learners=[learner],
        callbacks=writers,
    )  # of 500 steps
    seconds = time.perf_counter() - begin
    error = np.sqrt(loss.test(testing, minibatch_size=10000).metric)
    print(
        f'{name:<10} error {error:.3f}   '
        f'{options.sweeps * sum(map(len, training[0])) / seconds:>9,.0f} steps a second, learning',
        flush=True,
    )


training, testing = task(options.sequences, seed=1), task(1000, seed=2)
print(f'who always answers the mean has an error of {testing[1].std():.3f}')
learn('my cell', my_cell(options.states))
learn('GRU', C.layers.GRU(options.states))
learn('LSTM', C.layers.LSTM(options.states))
