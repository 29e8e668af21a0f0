"""Word vectors: noise-contrastive estimation, skip-grams with negatives, questions and answers by the
cosine with negative samples; sparse rows, one-hot sequences, sparse gradients."""

import numpy as np
import cntk as C
from scipy.sparse import csr_matrix

C.cntk_py.set_fixed_random_seed(10)
np.random.seed(1)
VOC, DIM, NEG, MB = 40, 6, 8, 16
q = np.arange(VOC, 0, -1).astype('f') ** 0.75
q /= q.sum()


def pairs(n):
    a = np.random.randint(0, VOC, n)
    return a, (a * 3 + 1) % VOC


def onehots(ix):
    return csr_matrix((np.ones(len(ix), 'f'), (np.arange(len(ix)), ix)), shape=(len(ix), VOC))


x = C.input_variable(VOC, is_sparse=True, name='x')
y = C.input_variable(VOC, is_sparse=True, name='y')
h = C.layers.Embedding(DIM, init=C.uniform(0.5))(x)
nl = C.nce_loss(
    C.parameter((VOC, C.InferredDimension), init=C.glorot_uniform()),
    C.parameter((VOC, 1)),
    h,
    y,
    q,
    num_samples=NEG,
    allow_duplicates=True,
    seed=5,
)
print(nl.shape, [(p.name, p.shape) for p in nl.parameters])
tr = C.Trainer(
    None, (nl, nl), C.adagrad(nl.parameters, C.learning_parameter_schedule(0.1), need_ave_multiplier=False)
)
for i in range(6):
    a, b = pairs(MB)
    tr.train_minibatch({x: onehots(a), y: onehots(b)})
    print('%.4f' % tr.previous_minibatch_loss_average, end=' ')
print()
ctx = C.input_variable(VOC, is_sparse=True)
lab = C.input_variable(1)
E2 = C.parameter((VOC, DIM), init=C.normal(0.1, seed=3))
O2 = C.parameter((VOC, DIM), init=0)
logit = C.reduce_sum(C.times(x, E2) * C.times(ctx, O2), axis=0)
bce = C.binary_cross_entropy(C.sigmoid(logit), lab)
tr = C.Trainer(
    None,
    (bce, C.not_equal(C.greater(logit, 0), lab)),
    C.adagrad([E2, O2], C.learning_parameter_schedule_per_sample(0.02)),
)
for i in range(8):
    a, b = pairs(8)
    cx = np.concatenate([b, np.random.randint(0, VOC, 16)])
    aa = np.concatenate([a, a, a])
    l = np.concatenate([np.ones(8), np.zeros(16)]).astype('f').reshape(-1, 1)
    tr.train_minibatch({x: onehots(aa), ctx: onehots(cx), lab: l})
    print(
        '%.4f/%.3f' % (tr.previous_minibatch_loss_average, tr.previous_minibatch_evaluation_average), end=' '
    )
print('%.4f %.4f' % (E2.value.sum(), O2.value.sum()))
q, d = (
    C.sequence.input_variable(VOC, is_sparse=True),
    C.sequence.input_variable(VOC, is_sparse=True, sequence_axis=C.Axis('doc')),
)


def tower(n):
    return C.layers.Sequential(
        [
            C.layers.Embedding(DIM),
            C.layers.Fold(C.layers.GRU(7)),
            C.layers.Dense(5, C.tanh),
            C.layers.Dense(5, C.tanh),
        ],
        name=n,
    )


Q, D = (tower('query')(q), tower('answer')(d))
loss = C.cosine_distance_with_negative_samples(Q, D, shift=1, num_negative_samples=3)
print(loss.shape, [o.name for o in (Q, D)])
sim = loss[0] if loss.shape else loss
lab4 = C.input_variable(4)
crit = C.cross_entropy_with_softmax(loss, lab4)
print(crit, crit.shape)
tr = C.Trainer(None, (crit, C.classification_error(loss, lab4)), C.adagrad(crit.parameters, 0.02))


def words(n):
    return [
        C.Value.one_hot([np.random.randint(0, VOC, np.random.randint(2, 6)).tolist()], VOC) for _ in range(n)
    ]


for i in range(5):
    lists = [np.random.randint(0, VOC, np.random.randint(2, 6)).tolist() for _ in range(6)]
    docs = [[w * 7 % VOC for w in s] + [0] for s in lists]
    tr.train_minibatch(
        {q: C.Value.one_hot(lists, VOC), d: C.Value.one_hot(docs, VOC), lab4: np.eye(4, dtype='f')[[0] * 6]}
    )
    print(
        '%.5f/%.3f' % (tr.previous_minibatch_loss_average, tr.previous_minibatch_evaluation_average), end=' '
    )
print()
v = C.Value.one_hot([[1, 2], [3]], VOC)
print(v.shape, v.is_sparse, v.mask, len(v.as_sequences(q)), [s.shape for s in v.as_sequences(q)])
sim = C.cosine_distance(Q, D)
print(np.round(sim.eval({q: v, d: C.Value.one_hot([[5], [9, 9, 9]], VOC)}), 5).ravel())
