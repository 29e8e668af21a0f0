"""Function.train and test with every kind of callback: checkpoints by sweeps and minibatches, validation
that stops, tests, several writers; schedules by sweeps."""

import os
import numpy as np
import cntk as C
from cntk.layers import Dense, Sequential
from cntk.layers.typing import *
from cntk.train.training_session import (
    CheckpointConfig,
    CrossValidationConfig,
    TestConfig,
    DataUnit,
    TrainingSession,
)
from cntk.logging import ProgressPrinter

C.cntk_py.set_fixed_random_seed(2)
rng = np.random.RandomState(0)
X = rng.randn(100, 3).astype('f')
Y = np.eye(2, dtype='f')[(X.sum(1) > 0).astype(int)]
Xv, Yv = (X[:20], Y[:20])


def make():
    m = Sequential([Dense(4, C.relu), Dense(2)])

    @C.Function
    @Signature(Tensor[3], Tensor[2])
    def crit(x, y):
        z = m(x)
        return (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))

    return (m, crit)


m, crit = make()
m, crit = make()
out = crit.train(
    (X, Y),
    minibatch_size=C.minibatch_size_schedule([10, 25], 100),
    max_epochs=2,
    parameter_learners=[C.momentum_sgd(crit.parameters, 0.1, 0.9)],
    progress_frequency=50,
    callbacks=[ProgressPrinter(freq=None, first=0)],
)
print([round(e['loss'], 5) for e in out['epoch_summaries']], crit.test((Xv, Yv), minibatch_size=7)['metric'])
out = crit.test((Xv, Yv), callbacks=[ProgressPrinter(tag='T')])
print(out['samples'], round(out['metric'], 4))
x, y = (C.input_variable(3), C.input_variable(2))
z = Dense(2)(x)
l, e = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
for unit in (DataUnit.sample, DataUnit.minibatch, DataUnit.sweep):
    src = C.io.MinibatchSourceFromData(dict(x=X, y=Y), max_samples=300)
    n = []
    cvs = C.io.MinibatchSourceFromData(dict(x=Xv, y=Yv), max_samples=C.io.INFINITELY_REPEAT)
    t = C.Trainer(z, (l, e), [C.sgd(z.parameters, 0.1)], [ProgressPrinter(freq=1000)])
    C.training_session(
        trainer=t,
        mb_source=src,
        mb_size=20,
        model_inputs_to_streams={x: src.streams['x'], y: src.streams['y']},
        max_samples=300,
        progress_frequency=(60 if unit == DataUnit.sample else 3 if unit == DataUnit.minibatch else 1, unit),
        checkpoint_config=CheckpointConfig(
            'ck/u',
            frequency=(100 if unit == DataUnit.sample else 5 if unit == DataUnit.minibatch else 1, unit),
            restore=False,
            preserve_all=True,
        ),
        cv_config=CrossValidationConfig(
            cvs,
            frequency=(2 if unit == DataUnit.minibatch else 1 if unit == DataUnit.sweep else 100, unit),
            minibatch_size=10,
            max_samples=20,
            callback=lambda i, er, ns, nm: n.append((i, ns)) or True,
            model_inputs_to_streams={x: cvs.streams['x'], y: cvs.streams['y']},
        ),
    ).train()
    print(unit, n, sorted((f for f in os.listdir('ck') if f.startswith('u'))))
