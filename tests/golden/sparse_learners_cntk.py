"""What CNTK 2.7 makes of a parameter that products with sparse operands read:  python sparse_learners_cntk.py
> sparse_learners_golden.json

Rows of which no operand had an entry have no gradient. CNTK's learners leave them alone, momentum included.
Each case lists the first column of the parameter after each minibatch. tests/python/test_sparse_learners.py
runs this file too.
"""

import json

import cntk as C
import numpy as np
from scipy.sparse import csr_matrix

MINIBATCHES = [[0, 1], [1], [2], [0, 0, 3], [3], [1, 2]]
RATE = C.learning_parameter_schedule(0.1)
CHANGING_RATE = C.learning_parameter_schedule([0.1, 0.05, 0.2], epoch_size=3)


def csr(rows):
    return csr_matrix((np.ones(len(rows), np.float32), (range(len(rows)), rows)), shape=(len(rows), 4))


def with_zeros(rows):
    """A row of its own, and the number 0 in the last column."""
    n = len(rows)
    numbers = np.array([1.0] * n + [0.0] * n, np.float32)
    return csr_matrix((numbers, (list(range(n)) * 2, rows + [3] * n)), shape=(n, 4))


def of_sparse(w):
    x = C.input_variable(4, is_sparse=True)
    return x, C.reduce_sum(C.tanh(C.times(x, w)))


def of_sparse_twice(w):
    x = C.input_variable(4, is_sparse=True)
    return x, C.reduce_sum(C.times(x, w)) + C.reduce_sum(C.tanh(C.times(x, w)))


def of_steps(w):
    x = C.sequence.input_variable(4, is_sparse=True)
    return x, C.reduce_sum(C.sequence.reduce_sum(C.times(x, w)))


def of_the_last_step(w):
    x = C.sequence.input_variable(4, is_sparse=True)
    return x, C.reduce_sum(C.sequence.last(C.times(x, w)))


def of_dense(w):
    x = C.input_variable(4)
    return x, C.reduce_sum(C.tanh(C.times(x, w)))


def of_gathered(w):
    x = C.input_variable(1)
    return x, C.reduce_sum(C.tanh(C.gather(w, x)))


def one_sequence(rows):
    return C.Value.one_hot([rows], 4)


def dense(rows):
    return np.eye(4, dtype=np.float32)[rows]


def numbers(rows):
    return np.array(rows, np.float32)[:, None]


def momentum(p, **more):
    return C.momentum_sgd(p, RATE, 0.9, **more)


CASES = {
    'momentum': (of_sparse, csr, momentum),
    'momentum, no unit gain': (of_sparse, csr, lambda p: momentum(p, unit_gain=False)),
    'momentum, mean gradients': (of_sparse, csr, lambda p: momentum(p, use_mean_gradient=True)),
    'momentum, rates that change': (
        of_sparse,
        csr,
        lambda p: C.momentum_sgd(p, CHANGING_RATE, C.momentum_schedule(0.9, minibatch_size=2)),
    ),
    'momentum, rates for samples': (
        of_sparse,
        csr,
        lambda p: C.momentum_sgd(
            p, C.learning_parameter_schedule_per_sample(0.05), C.momentum_as_time_constant_schedule(10)
        ),
    ),
    'momentum, clipped': (of_sparse, csr, lambda p: momentum(p, gradient_clipping_threshold_per_sample=0.1)),
    'momentum, clipped by norm': (
        of_sparse,
        csr,
        lambda p: momentum(
            p, gradient_clipping_threshold_per_sample=0.1, gradient_clipping_with_truncation=False
        ),
    ),
    'momentum, l1': (of_sparse, csr, lambda p: momentum(p, l1_regularization_weight=0.1)),
    'momentum, used twice': (of_sparse_twice, csr, momentum),
    'momentum, zeros that are stored': (of_sparse, with_zeros, momentum),
    'momentum, steps': (of_steps, one_sequence, momentum),
    'momentum, the last step': (of_the_last_step, one_sequence, momentum),
    'momentum, dense': (of_dense, dense, momentum),
    'momentum, gathered': (of_gathered, numbers, momentum),
    'adagrad': (of_sparse, csr, lambda p: C.adagrad(p, RATE)),
    'adagrad, no multiplier': (of_sparse, csr, lambda p: C.adagrad(p, RATE, need_ave_multiplier=False)),
    'adagrad, clipped by norm': (
        of_sparse,
        csr,
        lambda p: C.adagrad(
            p, RATE, gradient_clipping_threshold_per_sample=0.1, gradient_clipping_with_truncation=False
        ),
    ),
    'adagrad, l1': (of_sparse, csr, lambda p: C.adagrad(p, RATE, l1_regularization_weight=0.1)),
    'sgd': (of_sparse, csr, lambda p: C.sgd(p, RATE)),
    'sgd, gathered': (of_gathered, numbers, lambda p: C.sgd(p, RATE)),
    'adadelta': (of_sparse, csr, lambda p: C.adadelta(p, RATE)),
}


def figures(build, feed, learner):
    w = C.parameter((4, 2), init=1)
    x, loss = build(w)
    trainer = C.Trainer(loss, loss, learner([w]))
    columns = []
    for rows in MINIBATCHES:
        trainer.train_minibatch({x: feed(rows)})
        columns.append([round(float(v), 7) for v in w.value[:, 0]])
    return columns


if __name__ == '__main__':
    print(json.dumps({name: figures(*case) for name, case in CASES.items()}).replace('], "', '],\n"'))
