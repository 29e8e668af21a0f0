"""Bidirectional tagger over words and letters; CTF data; truncated windows of words before and behind."""

from __future__ import print_function
import numpy as np
import cntk as C
from cntk.layers import *
from cntk.layers.typing import *
from cntk import Trainer, Axis
from cntk.learners import (
    momentum_sgd,
    adam,
    learning_rate_schedule,
    momentum_as_time_constant_schedule,
    UnitType,
)
from cntk.logging import ProgressPrinter
from cntk.io import *
from cntk.metrics import classification_error
from cntk.losses import cross_entropy_with_softmax

C.cntk_py.set_fixed_random_seed(1)
VOCAB, TAGS, EMB, HID = (40, 7, 6, 8)
rng = np.random.RandomState(0)
with open('tags.ctf', 'w') as f:
    for i in range(60):
        for _ in range(rng.randint(2, 12)):
            w = rng.randint(0, VOCAB)
            f.write('{} |S0 {}:1 |S1 {}:1\n'.format(i, w, w * 3 % TAGS))


def BiRecurrence(fwd, bwd):
    F = Recurrence(fwd)
    G = Recurrence(bwd, go_backwards=True)
    x = placeholder()
    apply_x = splice(F(x), G(x))
    return apply_x


def OneWordLookahead():
    x = C.placeholder()
    return C.splice(x, C.sequence.future_value(x))


def create_model():
    with C.layers.default_options(initial_state=0.1):
        return C.layers.Sequential(
            [
                C.layers.Embedding(EMB, name='embed'),
                OneWordLookahead(),
                BiRecurrence(C.layers.LSTM(HID // 2), C.layers.LSTM(HID // 2)),
                C.layers.Dense(TAGS, name='classify'),
            ]
        )


from cntk import placeholder, splice


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


x = C.sequence.input_variable(VOCAB, is_sparse=True)
y = C.sequence.input_variable(TAGS, is_sparse=True)


def reader(path, is_training):
    return MinibatchSource(
        CTFDeserializer(
            path,
            StreamDefs(
                query=StreamDef(field='S0', shape=VOCAB, is_sparse=True),
                slot_labels=StreamDef(field='S1', shape=TAGS, is_sparse=True),
            ),
        ),
        randomize=is_training,
        max_sweeps=INFINITELY_REPEAT if is_training else 1,
    )


model = create_model()


@Function
def criterion(query: Sequence[SparseTensor[VOCAB]], labels: Sequence[SparseTensor[TAGS]]):
    z = model(query)
    return (cross_entropy_with_softmax(z, labels), classification_error(z, labels))


src = reader('tags.ctf', True)
epoch_size, minibatch_size = (300, 50)
lr_per_sample = [0.003] * 2 + [0.0015]
lr_per_minibatch = [lr * minibatch_size for lr in lr_per_sample]
lr_schedule = C.learning_parameter_schedule(lr_per_minibatch, epoch_size=epoch_size)
momentums = C.momentum_schedule(0.9048374180359595, minibatch_size=minibatch_size)
learner = C.momentum_sgd(
    criterion.parameters,
    lr=lr_schedule,
    momentum=momentums,
    gradient_clipping_threshold_per_sample=15,
    gradient_clipping_with_truncation=True,
)
pp = ProgressPrinter(freq=4, tag='Training', num_epochs=3)
progress = criterion.train(
    src,
    streams=(src.streams.query, src.streams.slot_labels),
    minibatch_size=minibatch_size,
    max_epochs=3,
    epoch_size=epoch_size,
    parameter_learners=[learner],
    callbacks=[pp],
)
print(
    sorted(progress.keys()), ['%.4f' % u.loss for u in progress['epoch_summaries']], len(progress['updates'])
)
src = reader('tags.ctf', False)
res = criterion.test(
    src,
    streams=(src.streams.query, src.streams.slot_labels),
    minibatch_size=100,
    callbacks=[ProgressPrinter(tag='Evaluation', num_epochs=1)],
)
print(res['samples'], '%.5f' % res['metric'])
print(model)
w = [3, 5, 7]
out = model(x).eval({x: C.Value.one_hot([w], VOCAB)})
print(text(out[0]))
