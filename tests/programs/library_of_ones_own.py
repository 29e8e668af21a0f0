"""A small library on top: fed tensors with open sizes, steps that update, a switch for training,
normalization with moments and running means by hand; recurrences unrolled and by past_value; operators on
shapes, one by one."""

import numpy as np
import cntk as C
from cntk import Axis

C.cntk_py.set_fixed_random_seed(3)
TRAINING = C.parameter((), init=0.0, name='training')


def fed(*sizes, **options):
    return C.input_variable(
        tuple(C.FreeDimension if n is None else n for n in sizes),
        dynamic_axes=[Axis.default_batch_axis()],
        **options,
    )


def stored(value, name):
    return C.parameter(init=np.asarray(value, np.float32), name=name)


def product(a, b):
    return C.times(a, b, output_rank=len(b.shape) - 1)


def surprise(wanted, given):
    share = C.clip(given / C.reduce_sum(given, axis=-1), 1e-07, 1 - 1e-07)
    return -C.reduce_sum(wanted * C.log(share), axis=-1)


class Step(object):
    """Trains on a loss and tells it, with a second output of the same run."""

    def __init__(self, inputs, loss, other, learner):
        total = C.reduce_mean(loss)
        self.inputs, self.told = inputs, [total.output, other.output]
        self.trainer = C.Trainer(None, (total, other), [learner])

    def __call__(self, *values):
        _, found = self.trainer.train_minibatch(dict(zip(self.inputs, values)), outputs=self.told)
        return ['%.5f' % np.mean(found[v]) for v in self.told]


rng = np.random.RandomState(0)
x, y = fed(6, name='x'), fed(3, name='y')
W1, W2 = stored(rng.uniform(-0.5, 0.5, (6, 8)), 'W1'), stored(rng.uniform(-0.5, 0.5, (8, 3)), 'W2')
b2 = stored(np.zeros(3), 'b2')
h = product(x, W1)
mean = C.reduce_mean(h, axis=Axis.default_batch_axis())
variance = C.reduce_mean(C.square(h - C.stop_gradient(mean)), axis=Axis.default_batch_axis())
print(x, mean, mean.dynamic_axes, variance.shape)
running = stored(np.zeros(8), 'mean'), stored(np.ones(8), 'variance')
normal = C.element_select(
    TRAINING,
    (h - mean) / C.sqrt(variance + 0.001),
    (h - running[0]) / C.sqrt(running[1] + 0.001),
)
a = C.relu(normal)
a = C.element_select(TRAINING, C.dropout(a, 0.25, seed=11), a)
p = C.softmax(product(a, W2) + b2)
loss, right = surprise(y, p), C.equal(C.argmax(y, axis=-1), C.argmax(p, axis=-1))
print(loss.shape, right.shape, p.shape)
X = rng.randn(24, 6).astype('f')
Y = np.eye(3, dtype='f')[np.argmax(X[:, :3], 1)]
learner = C.adam(
    [W1, W2, b2],
    C.learning_rate_schedule(0.02, C.UnitType.minibatch),
    C.momentum_schedule(0.9),
    variance_momentum=C.momentum_schedule(0.999),
    unit_gain=False,
)
step = Step([x, y], loss, right, learner)
TRAINING.value = np.array(1, 'f')
for i in range(12):
    told = step(X, Y)
    for kept, now in zip(running, (mean, variance)):
        kept.value = 0.9 * kept.value + 0.1 * np.reshape(now.eval({x: X}), (-1, 8))[0]
    if i % 3 == 0:
        print(told, ' '.join('%.5f' % np.abs(v.value).sum() for v in running))
TRAINING.value = np.array(0, 'f')
found = C.combine([p, loss, right]).eval({x: X, y: Y})
print(sorted((v.shape, '%.4f' % v.mean()) for v in found.values()))
t = fed(4, 2, name='t')
print(t, t.shape)
U, V = (stored(rng.uniform(-0.5, 0.5, (2, 3)), 'U'), stored(rng.uniform(-0.5, 0.5, (3, 3)), 'V'))
steps = [C.reshape(C.slice(t, 0, i, i + 1), (2,)) for i in range(4)]
state = C.constant(0, shape=(3,))
for s in steps:
    state = C.tanh(product(s, U) + product(state, V))
T = rng.randn(2, 4, 2).astype('f')
unrolled = state.eval({t: T})
print(np.round(unrolled, 5))
seq = C.to_sequence(t)
print(seq.shape, len(seq.dynamic_axes))
ph = C.placeholder(dynamic_axes=seq.dynamic_axes, shape=(3,))
past = C.sequence.past_value(ph, initial_state=0)
new = C.tanh(product(seq, U) + product(past, V))
new.replace_placeholders({ph: new.output})
last = C.sequence.last(new)
print(np.allclose(last.eval({t: T}), unrolled, atol=1e-06))
back, mask = C.sequence.unpack(new, 0).outputs
r = C.combine([back, mask]).eval({t: T})
print([np.round(v[0], 4) for v in r.values()])
back = C.sequence.unpack(new, 0, no_mask_output=True)
print(back.shape, back.dynamic_axes, np.asarray(back.eval({t: T})).shape)
ub = C.unpack_batch(x)
print(ub.shape, ub.dynamic_axes)
s0 = C.reduce_sum(ub, 0)
print(s0.shape, np.round(s0.eval({x: X}), 4))
tb = C.to_batch(ub * 2)
print(tb.shape, np.asarray(tb.eval({x: X})).shape)
sums = C.unpack_batch(x) - C.reduce_mean(C.unpack_batch(x), axis=0)
print(np.round(np.abs(sums.eval({x: X})).sum(), 4))
k = fed(2, 3, 4, name='k')
K = np.arange(48, dtype='f').reshape(2, 2, 3, 4)
for f in (
    lambda: C.transpose(k, (2, 0, 1)),
    lambda: C.swapaxes(k, 0, 2),
    lambda: C.reshape(k, (-1,)),
    lambda: C.reshape(k, (6, 4)),
    lambda: C.reshape(k, (C.InferredDimension, 2), 1, 3),
    lambda: C.reshape(k, (1,), 0, 0),
    lambda: C.pad(k, [(0, 0), (1, 1), (2, 0)]),
    lambda: C.reduce_mean(k, axis=[0, 2]),
    lambda: C.reduce_mean(k, axis=-1),
    lambda: C.splice(k, k, axis=1),
    lambda: C.reduce_max(k, axis=0),
    lambda: C.ops.slice(k, [0, 2], [0, 1], [1, 3]),
    lambda: C.squeeze(C.reduce_sum(k, 1), 1),
    lambda: C.expand_dims(k, 1),
    lambda: C.flatten(k, 2),
    lambda: C.ops.pad(k, pattern=[(0, 0), (1, 0), (0, 1)], mode=C.ops.REFLECT_PAD),
    lambda: C.argmax(k, 1),
    lambda: C.ops.element_max(k, 5, 7),
    lambda: C.depth_to_space(C.reshape(k, (4, 3, 2)), 2),
    lambda: C.ops.one_hot(C.reshape(C.argmax(k, 2), (6,)), 4),
):
    g = f()
    v = np.asarray(g.eval({k: K}))
    print(g.shape, v.shape, np.round(v.sum(), 4), np.round((v.ravel() * np.arange(v.size)).sum(), 4))
E = stored(rng.randn(10, 4), 'E')
idx = fed(3, name='idx')
g = C.gather(E, idx)
print(g.shape, np.round(g.eval({idx: np.array([[1, 2, 3], [0, 9, 9]], 'f')})[1, :, 0], 4))
count = stored(np.array(0, 'f'), 'n')
inc = C.assign(count, count + 1)
for _ in range(3):
    inc.eval()
print(count.value, count.value.shape)
gamma, beta, rmean, rvar, n = (
    C.parameter(2, init=1),
    C.parameter(2, init=0.5),
    C.constant(0, 2),
    C.constant(1, 2),
    C.constant(0, ()),
)
bn = C.batch_normalization(
    k,
    gamma,
    beta,
    rmean,
    rvar,
    running_count=n,
    spatial=True,
    normalization_time_constant=0,
    blend_time_constant=0,
    epsilon=0.001,
    use_cudnn_engine=False,
)
print(bn.shape, np.round(bn.eval({k: K}).ravel()[:4], 5), len(bn.constants), len(bn.parameters))
s, out = bn.forward({k: K}, [bn.output], {bn.output})
print(np.round(out[bn.output].ravel()[:4], 5), np.round(rmean.value, 4), np.round(rvar.value, 4), n.value)
