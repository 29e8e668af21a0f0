"""Models of several inputs and outputs on top: graphs of layers as tensors with a history, functions of
tensors with updates, losses with weights, learning rates that change, weights in files, states kept from
batch to batch."""

import os
import tempfile

import numpy as np
import scipy.sparse
import cntk as C

rng = np.random.RandomState(8)
BATCH = C.Axis.default_batch_axis()
UIDS = {}


def uid(prefix):
    UIDS[prefix] = UIDS.get(prefix, 0) + 1
    return '%s_%d' % (prefix, UIDS[prefix])


def shape_of(tensor):
    return tuple(
        None if n == C.FreeDimension else n for n in getattr(tensor, '_shape', (None,) + tensor.shape)
    )


def with_shape(tensor, shape):
    tensor._shape = tuple(shape)
    return tensor


class Tensors(object):
    """Names that layers use, for this engine."""

    @staticmethod
    def placeholder(shape, sparse=False, name=None):
        sizes = tuple(C.FreeDimension if n is None else n for n in shape[1:])
        x = C.input_variable(sizes, dtype=np.float32, is_sparse=sparse, name=name or uid('placeholder'))
        return with_shape(x, shape)

    @staticmethod
    def variable(value, name=None):
        v = C.parameter(init=np.asarray(value, np.float32), name=name or uid('variable'))
        return with_shape(v, v.shape)

    @staticmethod
    def eval(tensor):
        if isinstance(tensor, (C.variables.Parameter, C.variables.Constant)):
            return tensor.value
        return tensor.eval()

    @staticmethod
    def get_value(v):
        return v.value

    @staticmethod
    def set_value(v, value):
        v.value = np.asarray(value, np.float32) if not np.isscalar(value) else np.full(v.shape, value, 'f')


K = Tensors


class Run(object):
    """A function of tensors: results for values, and updates of variables on the way."""

    def __init__(self, inputs, outputs, updates=()):
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.updates = [C.assign(v, C.reshape(new, v.shape)) for v, new in updates]
        roots = [o.output if isinstance(o, C.Function) else o for o in self.outputs]
        self.roots = roots
        self.whole = C.combine(roots + [u.output for u in self.updates])

    def __call__(self, values):
        feed = dict(
            (x, np.asarray(v, np.float32)) for x, v in zip(self.inputs, values) if x in self.whole.arguments
        )
        found = self.whole.eval(feed)
        if not isinstance(found, dict):
            found = {self.whole.output: found}
        return [np.asarray(found[r]) for r in self.roots]


class Node(object):
    def __init__(self, layer, inputs, output):
        self.layer, self.inputs, self.output = layer, inputs, output


class Layer(object):
    def __init__(self, name=None, trainable=True):
        self.name = name or uid(type(self).__name__.lower())
        self.trainable, self.weights, self.nodes, self.updates = trainable, [], [], []

    def add(self, shape, values=None):
        w = K.variable(
            values if values is not None else rng.uniform(-0.5, 0.5, shape),
            self.name + '/w%d' % len(self.weights),
        )
        self.weights.append(w)
        return w

    def __call__(self, inputs):
        several = isinstance(inputs, (list, tuple))
        shapes = [shape_of(x) for x in inputs] if several else shape_of(inputs)
        if not self.nodes:
            self.build(shapes)
        output = self.call(inputs)
        with_shape(output, self.out(shapes))
        output._history = Node(self, list(inputs) if several else [inputs], output)
        self.nodes.append(output._history)
        return output

    def build(self, shape):
        pass


class Dense(Layer):
    def __init__(self, units, activation=None, **options):
        Layer.__init__(self, **options)
        self.units, self.activation = units, activation

    def build(self, shape):
        self.W, self.b = self.add((shape[-1], self.units)), self.add(None, np.zeros(self.units))

    def call(self, x):
        y = C.times(x, self.W) + self.b
        return self.activation(y) if self.activation else y

    def out(self, shape):
        return shape[:-1] + (self.units,)


class Concatenate(Layer):
    def call(self, xs):
        return C.splice(*xs, axis=-1)

    def out(self, shapes):
        return shapes[0][:-1] + (sum(s[-1] for s in shapes),)


class Dot(Layer):
    def call(self, xs):
        a, b = xs
        return C.reshape(C.reduce_sum(a * b, axis=-1), (1,))

    def out(self, shapes):
        return (None, 1)


class StatefulRNN(Layer):
    """One step at a time; its state is a variable of so many rows, which an update moves on."""

    def __init__(self, units, rows, **options):
        Layer.__init__(self, **options)
        self.units, self.rows = units, rows

    def build(self, shape):
        self.W, self.U = self.add((shape[-1], self.units)), self.add((self.units, self.units))
        self.state = K.variable(np.zeros((self.rows, self.units)), self.name + '/state')

    def call(self, x):
        h = self.state
        flat = C.unpack_batch(x)
        for t in range(x.shape[0]):
            step = C.reshape(C.slice(flat, 1, t, t + 1), (-1, x.shape[1]))
            h = C.tanh(C.times(step, self.W) + C.times(h, self.U))
        self.updates.append((self.state, h))
        return C.to_batch(h)

    def out(self, shape):
        return (None, self.units)

    def reset(self):
        K.set_value(self.state, 0.0)


def layers_above(outputs):
    found, seen = [], set()

    def visit(tensor):
        node = getattr(tensor, '_history', None)
        if node is None or node in seen:
            return
        seen.add(node)
        for x in node.inputs:
            visit(x)
        if node.layer not in found:
            found.append(node.layer)

    for output in outputs:
        visit(output)
    return found


class Model(Layer):
    def __init__(self, inputs, outputs, name=None):
        Layer.__init__(self, name)
        self.inputs, self.outputs = inputs, outputs
        self.layers = layers_above(outputs)
        self.weights = [w for layer in self.layers for w in layer.weights]

    def compile(self, losses, weights=None, rate=0.1):
        self.wanted = [K.placeholder(shape_of(o)) for o in self.outputs]
        each = [loss(t, o) for loss, t, o in zip(losses, self.wanted, self.outputs)]
        means = [C.reduce_mean(e, axis=C.Axis.all_axes()) for e in each]
        total = means[0] * (weights[0] if weights else 1)
        for i in range(1, len(means)):
            total = total + means[i] * (weights[i] if weights else 1)
        self.loss, self.parts = total, means
        learned = [w for layer in self.layers if layer.trainable for w in layer.weights]
        self.schedule = C.learning_parameter_schedule(rate)
        self.learner = C.momentum_sgd(learned, self.schedule, C.momentum_schedule(0.9), unit_gain=False)
        metric = C.reduce_sum(C.splice(*[C.reshape(m, (1,)) for m in means], axis=0))
        self.trainer = C.Trainer(C.combine(self.outputs), (total, metric), [self.learner])

    def train_on_batch(self, xs, ys):
        feed = dict(zip(self.inputs + self.wanted, xs + ys))
        _, found = self.trainer.train_minibatch(feed, outputs=[p.output for p in self.parts])
        return [float(np.asarray(found[p.output])) for p in self.parts]

    def predict(self, xs):
        return Run(self.inputs, self.outputs)(xs)

    def call(self, xs):
        xs = xs if isinstance(xs, (list, tuple)) else [xs]
        return C.combine([o.output for o in self.outputs]).clone(
            C.CloneMethod.share, dict(zip(self.inputs, xs))
        )

    def out(self, shape):
        return shape_of(self.outputs[0])

    def save_weights(self, path):
        np.savez(path, **dict((w.name.replace('/', '.'), w.value) for w in self.weights))

    def load_weights(self, path):
        with np.load(path) as file:
            for w in self.weights:
                w.value = file[w.name.replace('/', '.')]


def squared(t, y):
    return C.reduce_mean(C.square(t - y), axis=-1)


def crossed(t, y):
    return C.cross_entropy_with_softmax(y, t)


def shown(values):
    return ' '.join('%.4f' % (v + 0.0) for v in np.ravel(values))


# ---- two inputs, two outputs, a shared layer, one that is not learned
a, b = K.placeholder((None, 4), name='a'), K.placeholder((None, 4), name='b')
shared = Dense(5, C.tanh, name='shared')
fixed = Dense(3, C.relu, name='fixed', trainable=False)
left, right = shared(a), shared(b)
both = Concatenate()([left, right, fixed(a)])
first, second = Dense(2, name='first')(both), Dense(3, name='second')(both)
model = Model([a, b], [first, second])
print([layer.name for layer in model.layers], [shape_of(o) for o in model.outputs])
print([(w.name, w.shape) for w in model.weights])
model.compile([squared, crossed], [1.0, 0.5])
A, B = rng.uniform(-1, 1, (8, 4)).astype('f'), rng.uniform(-1, 1, (8, 4)).astype('f')
Y1, Y2 = rng.uniform(-1, 1, (8, 2)).astype('f'), np.eye(3, dtype='f')[rng.randint(0, 3, 8)]
before = fixed.W.value
for i in range(4):
    print('step', i, shown(model.train_on_batch([A, B], [Y1, Y2])))
    model.schedule = C.learning_parameter_schedule(0.1 / (i + 2))
    model.learner.reset_learning_rate(model.schedule)
print('fixed', np.array_equal(before, fixed.W.value), 'rate %.4f' % model.learner.learning_rate())
for p in model.predict([A[:3], B[:3]]):
    print('predicted', p.shape, shown(p[0]), shown(p.sum()))

# ---- weights in a file, a part of the model, its middle
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'weights.npz')
    kept = model.predict([A, B])
    model.save_weights(path)
    for w in model.weights:
        K.set_value(w, 0.5)
    print('changed', shown(model.predict([A[:1], B[:1]])[0]))
    model.load_weights(path)
    print('back', all(np.array_equal(x, y) for x, y in zip(kept, model.predict([A, B]))))
encoder = Model([a], [left])
print('encoder', [layer.name for layer in encoder.layers], shown(encoder.predict([A[:2]])[0]))
middle = Run([a, b], [both, C.reduce_sum(both, axis=0), left])([A[:2], B[:2]])
print('middle', [m.shape for m in middle], shown(middle[1]))

# ---- a model in a model, a distance of two
u, v = K.placeholder((None, 4), name='u'), K.placeholder((None, 4), name='v')
near = Dot()([encoder(u), encoder(v)])
twins = Model([u, v], [near])
twins.weights = shared.weights
twins.compile([squared], rate=0.05)
T = np.ones((8, 1), 'f')
print(
    'twins',
    [shown(twins.train_on_batch([A, B], [T])) for _ in range(3)],
    shown(twins.predict([A[:2], A[:2]])[0]),
)
print('encoder now', shown(encoder.predict([A[:1]])[0]))

# ---- functions with updates
count, total = K.variable(0.0, 'count'), K.variable(np.zeros(4), 'total')
x = K.placeholder((None, 4))
mean = C.reduce_mean(x, axis=BATCH)
moving = Run([x], [mean, total * 1], [(count, count + 1), (total, total * 0.5 + mean)])
for i in range(3):
    got = moving([A[i * 2 : i * 2 + 2]])
    print('moving', shown(got[0]), '|', shown(got[1]), '|', shown(K.get_value(total)), K.get_value(count))
print(K.eval(total * 2 + count).shape, shown(K.eval(C.reduce_sum(total))))

# ---- states kept from batch to batch
s = K.placeholder((None, 3, 2))
layer = StatefulRNN(4, 2)
h = layer(s)
kept = Run([s], [h], layer.updates)
S = rng.uniform(-1, 1, (2, 6, 2)).astype('f')
one, two = kept([S[:, :3]])[0], kept([S[:, 3:]])[0]
layer.reset()
again = kept([S[:, :3]])[0]
print('states', shown(one), '|', shown(two), '|', np.array_equal(one, again), h.shape, shape_of(h))

# ---- sparse data, open sizes, gradients for pictures of what a layer sees
p = K.placeholder((None, 6), sparse=True)
D = Dense(2, name='sparse')
q = D(p)
dense = rng.randint(0, 2, (3, 6)).astype('f')
print('sparse', np.allclose(q.eval({p: scipy.sparse.csr_matrix(dense)}), dense.dot(D.W.value), atol=1e-6))
free = K.placeholder((None, None, 4))
scores = C.times(free, C.constant(np.arange(4, dtype='f').reshape(4, 1)))
sizes = [np.asarray(scores.eval({free: rng.uniform(-1, 1, (2, n, 4)).astype('f')})).shape for n in (1, 3, 5)]
print('open', shape_of(scores), scores.shape, sizes)
image = C.input_variable((1, 5, 5), needs_gradient=True)
W = C.parameter(init=rng.uniform(-1, 1, (2, 1, 3, 3)).astype('f'))
seen = C.reduce_mean(C.convolution(W, image, auto_padding=[False, True, True])[1])
P = rng.uniform(-1, 1, (1, 1, 5, 5)).astype('f')
for _ in range(3):
    g = seen.grad({image: P}, [image])
    P = P + 0.5 * g / (np.sqrt(np.mean(np.square(g))) + 1e-5)
print('ascent', shown(seen.eval({image: P})), shown(np.abs(P).sum()))
print(
    len({first, second, first}),
    first in [second, first],
    {first: 1, second: 2}[second],
    hash(first) == hash(first),
)
print(
    isinstance(first, C.Function), isinstance(a, C.variables.Variable), isinstance(D.W, C.variables.Parameter)
)
