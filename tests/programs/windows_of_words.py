"""Sentences by convolutions of several widths over sequences, the largest along the sequence; also with
reductions by recurrences."""

import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(8)
V, E, CL = (30, 5, 3)
rng = np.random.RandomState(4)
x = C.sequence.input_variable(V, is_sparse=True)
y = C.input_variable(CL)
e = Embedding(E)(x)
parts = []
for width in (2, 3):
    c = SequentialConvolution(width, 4, activation=C.relu, pad=True)(e)
    parts.append(C.sequence.reduce_max(c))

windows = C.splice(*[C.sequence.past_value(e, time_step=k + 1) for k in range(2)] + [e])
parts.append(C.sequence.reduce_sum(Dense(3, C.tanh)(windows)) / 5)
parts.append(C.sequence.last(Recurrence(RNNStep(3, activation=C.tanh))(e)))
z = Dense(CL)(Dropout(0.1, seed=3)(C.splice(*parts)))
print([p.shape for p in parts], z.shape)
loss, err = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
t = C.Trainer(z, (loss, err), [C.momentum_sgd(z.parameters, 0.3, 0.8)])
for i in range(15):
    k = rng.randint(0, CL, 8)
    seqs = [(rng.randint(0, 10, rng.randint(3, 9)) + 10 * c).tolist() for c in k]
    t.train_minibatch({x: C.Value.one_hot(seqs, V), y: np.eye(CL, dtype='f')[k]})
    print('%.4f %.3f' % (t.previous_minibatch_loss_average, t.previous_minibatch_evaluation_average))
