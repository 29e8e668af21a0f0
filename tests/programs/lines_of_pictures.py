"""Lines of pictures: columns as steps by to_sequence, LSTM both ways, CTC; films, convolved at every
step."""

import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(25)
rng = np.random.RandomState(2)
K = 5
img = C.input_variable((1, 8, 20), name='line')
f = Sequential(
    [
        Convolution2D((3, 3), 3, C.relu, pad=True),
        MaxPooling((2, 2), (2, 2)),
        Convolution2D((3, 3), 4, pad=True, bias=False),
        BatchNormalization(map_rank=1),
        Activation(C.relu),
        MaxPooling((2, 1), (2, 1)),
    ]
)(img)
cols = C.transpose(f, (2, 0, 1))
print(f.shape, cols.shape)
seq = C.to_sequence(cols)
print(seq.shape, [a.name[:10] for a in seq.dynamic_axes])
h = C.splice(Recurrence(LSTM(5))(seq), Recurrence(LSTM(5), go_backwards=True)(seq))
z = Dense(K)(h)
lab = C.input_variable((10, K), name='lab')
labs = C.to_sequence_like(lab, seq)
print(z.shape, labs.shape)
loss = C.forward_backward(C.labels_to_graph(labs), z, K - 1, -1)
err = C.edit_distance_error(z, labs, squashInputs=True, tokensToIgnore=[K - 1])


def batch(n):
    P = rng.rand(n, 1, 8, 20).astype('f') * 0.1
    L = np.zeros((n, 10, K), 'f')
    for i in range(n):
        for j in range(3):
            s = rng.randint(K - 1)
            P[i, 0, s * 2 : s * 2 + 2, j * 6 + 1 : j * 6 + 5] += 1
            L[i, j * 3 : (j + 1) * 3 + (j == 2), s] = 1
            L[i, j * 3, s] = 2
    return (P, L)


t = C.Trainer(
    z,
    (loss, err),
    C.adam(z.parameters, C.learning_parameter_schedule(0.02), C.momentum_schedule(0.9)),
    C.logging.ProgressPrinter(2, metric_is_pct=False),
)
for i in range(6):
    P, L = batch(4)
    t.train_minibatch({img: P, lab: L})
print([np.argmax(v, 1).tolist() for v in z.eval({img: P[:2]})])
v = C.sequence.input_variable((2, 6, 6), name='film')
c = Sequential([Convolution2D((3, 3), 3, C.relu, pad=True, strides=(2, 2)), GlobalAveragePooling()])(v)
m = Sequential([Fold(GRU(4)), Dense(2)])(C.reshape(c, (3,)))
films = [rng.rand(n, 2, 6, 6).astype('f') for n in (3, 1, 4)]
print(c.shape, m.shape, np.round(m.eval({v: films}), 5).tolist())
g = m.grad({v: films}, wrt=m.parameters)
print(sorted(('%.5f' % np.abs(a).sum() for a in g.values())))
p = C.layers.MaxPooling((2, 2), 2)(v)
u = MaxUnpooling((2, 2), 2)(p, v)
print(p.shape, u.shape, '%.4f' % sum((a.sum() for a in u.eval({v: films}))))
bn = BatchNormalization(map_rank=1)(v)
print(bn.shape, '%.4f' % np.abs(bn.eval({v: films})[0]).sum())
