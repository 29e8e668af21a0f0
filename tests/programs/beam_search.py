"""Sequence to sequence: trained with teacher forcing, decoded greedily by UnfoldFrom and by a beam in
Python over eval."""

from __future__ import print_function
import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(9)
V, H, START, END = (8, 10, 0, 1)
rng = np.random.RandomState(4)
src_axis, dst_axis = (C.Axis('src'), C.Axis('dst'))
SrcSeq, DstSeq = (SequenceOver[src_axis], SequenceOver[dst_axis])
embed = Embedding(6, name='embed')
enc_f, enc_b = (Recurrence(GRU(H)), Recurrence(GRU(H), go_backwards=True))
att = AttentionModel(7, name='att')
out = Dense(V, name='out')
step = GRU(H)
join = Dense(H, C.tanh)


@C.Function
def encode(x):
    e = embed(x)
    return C.splice(enc_f(e), enc_b(e))


@C.Function
def decode(history, x):
    h_enc = encode(x)
    first = join(C.sequence.last(h_enc))

    @C.Function
    def cell(h, w):
        context = att(h_enc, h)
        return step(h, C.splice(w, context))

    states = RecurrenceFrom(cell)(first, embed(history))
    return out(states)


@C.Function
def criterion(x, labels_with_start):
    history = C.sequence.slice(labels_with_start, 0, -1)
    target = C.sequence.slice(labels_with_start, 1, 0)
    z = decode(history, x)
    target = C.reconcile_dynamic_axes(target, z)
    return (C.cross_entropy_with_softmax(z, target), C.classification_error(z, target))


criterion.update_signature(SrcSeq[Tensor[V]], DstSeq[Tensor[V]])
print(criterion.outputs[0].shape, [a.name for a in criterion.arguments], len(criterion.parameters))
learner = C.fsadagrad(
    criterion.parameters,
    C.learning_parameter_schedule_per_sample([0.02] * 2 + [0.01], 100),
    C.momentum_schedule(0.9),
    gradient_clipping_threshold_per_sample=2.3,
)
trainer = C.Trainer(None, criterion, learner)


def pairs(n):
    xs = [rng.randint(2, V, rng.randint(1, 5)).tolist() for _ in range(n)]
    return (xs, [[START] + x[::-1] + [END] for x in xs])


for i in range(24):
    xs, ys = pairs(6)
    trainer.train_minibatch(
        {
            criterion.arguments[0]: [np.eye(V, dtype='f')[x] for x in xs],
            criterion.arguments[1]: [np.eye(V, dtype='f')[y] for y in ys],
        }
    )
    if i % 4 == 3:
        print(
            '%.4f %.4f %d'
            % (
                trainer.previous_minibatch_loss_average,
                trainer.previous_minibatch_evaluation_average,
                trainer.previous_minibatch_sample_count,
            )
        )

h, x = (
    C.input_variable(V, dynamic_axes=[C.Axis.default_batch_axis(), dst_axis]),
    C.input_variable(V, dynamic_axes=[C.Axis.default_batch_axis(), src_axis]),
)
last = C.sequence.last(C.log_softmax(decode(h, x)))


def scores(history, source):
    return last.eval({h: [np.eye(V, dtype='f')[history]], x: [np.eye(V, dtype='f')[source]]})[0]


def beam(source, width, length):
    live, done = ([([START], 0.0)], [])
    while live and len(live[0][0]) < length:
        grown = []
        for said, p in live:
            s = scores(said, source)
            grown += [(said + [int(k)], p + float(s[k])) for k in np.argsort(-s)[:width]]
        grown.sort(key=lambda g: -g[1])
        done += [g for g in grown[:width] if g[0][-1] == END]
        live = [g for g in grown[:width] if g[0][-1] != END]
    return sorted(done + live, key=lambda g: -g[1] / len(g[0]))[0]


for source in ([3, 4], [5, 2, 6]):
    said, p = beam(source, 3, 6)
    print(source, said, '%.4f' % p)
