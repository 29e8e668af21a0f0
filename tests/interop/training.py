#!/usr/bin/env python3
"""The same trainings in CNTK 2.7 and in Cantik: forward values, gradients and parameters, step by step.

    PYTHON tests/interop/training.py run FOLDER           # under each of the two, with a folder of its own
    PYTHON tests/interop/training.py compare FOLDER FOLDER

Networks: the guided tour's logistic regression and convolutional network (dropout included), and a ResNet-20
with batch normalisation. Both begin at the same values and see the same minibatches. float64: 100 steps,
relative difference at most 1e-8; float32: 1e-4 after one step, 1e-3 after 20, from CNTK's figures in float32
or in float64, whichever are nearer: in ResNet-20 CNTK's own float32 (it takes variances as differences of
squares) is 1.2e-3 away from its float64 after 20 steps.
"""

import os
import sys
import warnings

import numpy as np

warnings.simplefilter('ignore')
import cntk as C

RECORDED = (1, 5, 20, 100)


def logistic_regression(dtype):
    return (2,), 2, lambda x: C.layers.Dense(2)(x), lambda p: C.sgd(p, C.learning_parameter_schedule(0.1))


def convnet(dtype):
    def network(x):
        with C.layers.default_options(activation=C.relu, pad=False):
            return C.layers.Sequential(
                [
                    C.layers.Convolution2D((5, 5), 8, reduction_rank=0, pad=True),
                    C.layers.MaxPooling((3, 3), strides=(2, 2)),
                    C.layers.Convolution2D((3, 3), 12),
                    C.layers.MaxPooling((3, 3), strides=(2, 2)),
                    C.layers.Convolution2D((3, 3), 16),
                    C.layers.Dense(24),
                    C.layers.Dropout(0.5, seed=5),
                    C.layers.Dense(10, activation=None),
                ]
            )(x)

    return (
        (28, 28),
        10,
        network,
        lambda p: C.momentum_sgd(
            p, C.learning_parameter_schedule_per_sample(0.001), C.momentum_schedule_per_sample(0.999)
        ),
    )


def resnet20(dtype):
    def convolution(size, filters, stride=1):
        return C.layers.Sequential(
            [
                C.layers.Convolution2D((size, size), filters, strides=stride, pad=size > 1, bias=False),
                C.layers.BatchNormalization(map_rank=1),
            ]
        )

    def block(filters, stride):
        first, second = convolution(3, filters, stride), convolution(3, filters)
        shortcut = convolution(1, filters, stride) if stride > 1 else lambda x: x
        return lambda x: C.relu(second(C.relu(first(x))) + shortcut(x))

    def network(x):
        x = C.relu(convolution(3, 4)(x))
        for stage, filters in enumerate((4, 8, 16)):
            for i in range(3):
                x = block(filters, 2 if stage > 0 and i == 0 else 1)(x)
        return C.layers.Dense(10)(C.layers.AveragePooling((8, 8))(x))

    return (
        (3, 32, 32),
        10,
        network,
        lambda p: C.momentum_sgd(p, C.learning_parameter_schedule(0.01), C.momentum_schedule(0.9)),
    )


def run(folder):
    os.makedirs(folder, exist_ok=True)
    C.cntk_py.set_fixed_random_seed(1)
    for make in (logistic_regression, convnet, resnet20):
        for dtype in (np.float64, np.float32):
            shape, classes, network, learner = make(dtype)
            with C.default_options(dtype=dtype):
                x, y = C.input_variable(shape, dtype=dtype), C.input_variable(classes, dtype=dtype)
                z = network(x)
                loss = C.cross_entropy_with_softmax(z, y)
                rs = np.random.RandomState(1)  # the same minibatches for both element types
                for p in z.parameters:
                    p.value = (rs.randn(*p.shape) / np.sqrt(max(1, np.prod(p.shape[1:])))).astype(dtype)
                kept = {}
                steps = 100 if dtype is np.float64 else 20
                trainer = C.Trainer(z, loss, [learner(z.parameters)])
                for step in range(1, steps + 1):
                    images = rs.rand(8, *shape).astype(dtype)
                    labels = np.eye(classes, dtype=dtype)[rs.randint(0, classes, 8)]
                    if step == 1 and make is not convnet:  # the gradient draws from dropout's stream, too
                        for i, (_, g) in enumerate(
                            zip(
                                z.parameters,
                                (
                                    loss.grad({x: images, y: labels}, wrt=list(z.parameters))[q]
                                    for q in z.parameters
                                ),
                            )
                        ):
                            kept['gradient_%d' % i] = np.asarray(g)
                    trainer.train_minibatch({x: images, y: labels})
                    if step in RECORDED or step == steps:
                        kept['loss_%d' % step] = np.asarray(trainer.previous_minibatch_loss_average)
                        kept['scores_%d' % step] = np.asarray(z.eval({x: images}))
                        for i, p in enumerate(z.parameters):
                            kept['parameter_%d_%d' % (i, step)] = p.value
                np.savez(os.path.join(folder, '%s_%s.npz' % (make.__name__, np.dtype(dtype).name)), **kept)


def compare(ours, theirs):
    failed = 0
    for file in sorted(os.listdir(theirs)):
        a, b = np.load(os.path.join(ours, file)), np.load(os.path.join(theirs, file))
        exact = np.load(os.path.join(theirs, file.replace('float32', 'float64')))
        worst = {}
        for key in b.files:
            step = 1 if key.startswith('gradient') else int(key.split('_')[-1])
            difference = min(
                float(np.max(np.abs(a[key] - wanted[key])) / max(float(np.max(np.abs(wanted[key]))), 1e-300))
                for wanted in (b, exact)
            )
            worst[step] = max(worst.get(step, 0), difference)
        limits = {step: 1e-8 if 'float64' in file else 1e-4 if step == 1 else 1e-3 for step in worst}
        bad = any(not worst[s] <= limits[s] for s in worst)
        failed += bad
        print(
            '%-32s %s%s'
            % (
                file[:-4],
                '  '.join('step %d: %.1e' % item for item in sorted(worst.items())),
                '   TOO FAR' if bad else '',
            )
        )
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(run(sys.argv[2]) if sys.argv[1] == 'run' else compare(sys.argv[2], sys.argv[3]))
