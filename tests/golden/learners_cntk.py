"""Golden numbers for tests/unit/learners/learner_test.cc, made by CNTK 2.7:  python learners_cntk.py >
learners_cntk.inc

Each learner updates a parameter of shape [2, 3] five times by given gradients and minibatch sizes; the
parameter after each update is written. The names are those of the cases in the test, which makes the same
learners.
"""

import cntk as C
import numpy as np
from cntk.learners import *

W0 = np.array([[1, -1, 0.5], [0.25, 2, -0.125]])
G0 = np.array([[0.5, -2, 3], [0.1, 0.4, -0.7]])
SIGNS = [1, 1, -1, 1, 1]
SAMPLES = [4, 4, 3, 4, 2]
lr = learning_parameter_schedule
ms = momentum_schedule

CASES = {
    "sgd": lambda p: sgd(p, lr(0.1)),
    "sgd_per_sample": lambda p: sgd(p, lr(0.1, minibatch_size=1)),
    "sgd_8": lambda p: sgd(p, lr(0.1, minibatch_size=8)),
    "sgd_learner_8": lambda p: sgd(p, lr(0.1), minibatch_size=8),
    "sgd_16_learner_8": lambda p: sgd(p, lr(0.1, minibatch_size=16), minibatch_size=8),
    "sgd_learner_0": lambda p: sgd(p, lr(0.1), minibatch_size=0),
    "sgd_mean": lambda p: sgd(p, lr(0.1), use_mean_gradient=True),
    "sgd_mean_8": lambda p: sgd(p, lr(0.1, minibatch_size=8), use_mean_gradient=True),
    "sgd_list": lambda p: sgd(p, lr([(2, 0.1), (1, 0.05), (1, 0.5)], minibatch_size=1, epoch_size=4)),
    "sgd_l1": lambda p: sgd(p, lr(0.1), l1_regularization_weight=0.3),
    "sgd_l2": lambda p: sgd(p, lr(0.1), l2_regularization_weight=0.3),
    "sgd_clip": lambda p: sgd(p, lr(0.1), gradient_clipping_threshold_per_sample=0.15),
    "sgd_clip_norm": lambda p: sgd(
        p, lr(0.1), gradient_clipping_threshold_per_sample=0.15, gradient_clipping_with_truncation=False
    ),
    "sgd_all": lambda p: sgd(
        p,
        lr(0.1),
        l1_regularization_weight=0.03,
        l2_regularization_weight=0.2,
        gradient_clipping_threshold_per_sample=0.15,
    ),
    "sgd_all_mean": lambda p: sgd(
        p,
        lr(0.1),
        l1_regularization_weight=0.03,
        l2_regularization_weight=0.2,
        gradient_clipping_threshold_per_sample=0.15,
        use_mean_gradient=True,
    ),
    "sgd_clip_norm_mean": lambda p: sgd(
        p,
        lr(0.1),
        gradient_clipping_threshold_per_sample=0.15,
        gradient_clipping_with_truncation=False,
        use_mean_gradient=True,
    ),
    "sgd_noise": lambda p: sgd(
        p, lr(0.1), gaussian_noise_injection_std_dev=0.01, l1_regularization_weight=0.01
    ),
    "momentum": lambda p: momentum_sgd(p, lr(0.1), ms(0.9)),
    "momentum_2": lambda p: momentum_sgd(p, lr(0.1), ms(0.9, minibatch_size=2)),
    "momentum_learner_8": lambda p: momentum_sgd(p, lr(0.1), ms(0.9), minibatch_size=8),
    "momentum_time_constant": lambda p: momentum_sgd(p, lr(0.1), momentum_as_time_constant_schedule(20)),
    "momentum_no_gain": lambda p: momentum_sgd(p, lr(0.1), ms(0.9), unit_gain=False),
    "momentum_all": lambda p: momentum_sgd(
        p,
        lr(0.1),
        ms(0.9),
        l1_regularization_weight=0.03,
        l2_regularization_weight=0.2,
        gradient_clipping_threshold_per_sample=0.15,
    ),
    "nesterov": lambda p: nesterov(p, lr(0.1), ms(0.9)),
    "nesterov_2": lambda p: nesterov(p, lr(0.1), ms(0.9, minibatch_size=2)),
    "nesterov_no_gain": lambda p: nesterov(p, lr(0.1), ms(0.9), unit_gain=False),
    "adagrad": lambda p: adagrad(p, lr(0.1)),
    "adagrad_no_average": lambda p: adagrad(p, lr(0.1), need_ave_multiplier=False),
    "adagrad_mean": lambda p: adagrad(p, lr(0.1), use_mean_gradient=True),
    "adadelta": lambda p: adadelta(p, lr(1)),
    "adadelta_default": lambda p: adadelta(p),
    "adadelta_rho": lambda p: adadelta(p, lr(1, minibatch_size=2), rho=0.5, epsilon=1e-3),
    "rmsprop": lambda p: rmsprop(p, lr(0.1), 0.9, 1.2, 0.8, 10, 0.001),
    "rmsprop_no_average": lambda p: rmsprop(p, lr(0.1), 0.9, 1.2, 0.8, 10, 0.001, need_ave_multiplier=False),
    "rmsprop_limits": lambda p: rmsprop(p, lr(0.1), 0.5, 2, 0.5, 0.05, 0.015, need_ave_multiplier=False),
    "adam": lambda p: adam(p, lr(0.1), ms(0.9)),
    "adam_99": lambda p: adam(p, lr(0.1), ms(0.9, minibatch_size=2), variance_momentum=ms(0.99)),
    "adam_no_gain": lambda p: adam(
        p, lr(0.1), ms(0.9), unit_gain=False, variance_momentum=ms(0.99), epsilon=0.1
    ),
    "adamax": lambda p: adam(p, lr(0.1), ms(0.9), adamax=True, variance_momentum=ms(0.8)),
    "fsadagrad": lambda p: fsadagrad(p, lr(0.1), ms(0.9)),
    "fsadagrad_99": lambda p: fsadagrad(
        p, lr(0.1), ms(0.9, minibatch_size=2), variance_momentum=ms(0.99), unit_gain=False
    ),
    "fsadagrad_momentum_0": lambda p: fsadagrad(
        p, lr(0.1), ms([0.9, 0.0, 0.9], epoch_size=4), variance_momentum=ms(0.99)
    ),
}


def run(make, dtype):
    C.cntk_py.set_fixed_random_seed(5)
    p = C.parameter(W0.shape, init=W0.astype(dtype), dtype=dtype)
    learner = make([p])
    numbers = []
    for i in range(5):
        g = (G0 * (1 + 0.3 * i) * SIGNS[i]).astype(dtype)
        learner.update({p: C.NDArrayView.from_dense(g)}, SAMPLES[i])
        numbers += list(p.value.ravel())
    return numbers


# Rows of an embedding: x picks two rows of W in each step, the gradient of W has only those.
ROWS = [[0, 2], [2, 2], [1, 0], [3, 3], [0, 2]]
SPARSE = [
    "sgd",
    "sgd_mean",
    "sgd_clip",
    "sgd_clip_norm",
    "sgd_l1",
    "momentum",
    "momentum_no_gain",
    "adagrad",
    "adagrad_no_average",
    "adadelta",
]


def run_rows(make, dtype):
    C.cntk_py.set_fixed_random_seed(5)
    x = C.input_variable(4, is_sparse=True, dtype=dtype)
    t = C.input_variable(3, dtype=dtype)
    w = C.parameter((4, 3), init=(np.arange(12).reshape(4, 3) / 10 + 0.1).astype(dtype), dtype=dtype)
    z = C.times(x, w)
    trainer = C.Trainer(z, (C.reduce_sum(z * t),), [make([w])])
    numbers = []
    for i, rows in enumerate(ROWS):
        target = (np.array([[1, -2, 0.5], [0.3, 0.4, -1]]) * (1 + 0.2 * i)).astype(dtype)
        trainer.train_minibatch({x: C.Value.one_hot(rows, 4, dtype=dtype), t: target})
        numbers += list(w.value.ravel())
    return numbers


def show(kind, name, dtype, numbers):
    print(
        '{"%s", "%s", DType::%s, {%s}},'
        % (
            kind,
            name,
            np.dtype(dtype).name,
            ", ".join("%.17g" % v if dtype == np.float64 else "%.9g" % v for v in numbers),
        )
    )


print("// Written by learners_cntk.py with CNTK 2.7.")
for dtype in (np.float64, np.float32):
    for name, make in CASES.items():
        show("dense", name, dtype, run(make, dtype))
    for name in SPARSE:
        show("rows", name, dtype, run_rows(CASES[name], dtype))
