"""A language model with a softmax of two levels."""

import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(4)
V, CLASSES, PER = (20, 5, 4)
rng = np.random.RandomState(7)
x = C.sequence.input_variable(V)
h = Sequential([Embedding(8), Recurrence(LSTM(9))])(x)
y_class = C.sequence.input_variable(1)
y_word = C.sequence.input_variable(1)
target = C.sequence.input_variable(1)
prob, class_probs, all_probs = C.hierarchical_softmax_layer(h, target, V)
print(prob.shape, class_probs.shape, len(all_probs), sorted((p.shape for p in prob.parameters)))
loss = -C.log(prob)
trainer = C.Trainer(None, (C.reduce_sum(loss), None), C.sgd(loss.parameters, 0.5))
for i in range(10):
    seqs = [np.sort(rng.randint(0, V, rng.randint(3, 9))) for _ in range(4)]
    X = [np.eye(V, dtype='f')[s[:-1]] for s in seqs]
    Y = [s[1:, None].astype('f') for s in seqs]
    trainer.train_minibatch({x: X, target: Y})
    print('%.5f %d' % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_sample_count))
