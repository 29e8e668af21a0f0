"""Layers and models on top, as libraries for several engines have them: a layer makes its weights when it is
first called, a model is compiled, fitted, evaluated, asked, its weights are read and set. Recurrences by
`past_value`, one by one or with masks; statistics of batches that an update moves on; learners that are
graphs of assignments."""

import numpy as np
import cntk as C

BATCH = C.Axis.default_batch_axis()
rng = np.random.RandomState(5)
LEARNING = C.parameter((), init=0.0, name='learning')


def learning(on):
    LEARNING.value = np.asarray(1.0 if on else 0.0, 'f')


def while_learning(then, otherwise):
    return C.element_select(LEARNING, then, otherwise)


class Layer(object):
    def __init__(self):
        self.weights, self.frozen, self.updates, self.penalties = [], [], [], []
        self.built = False

    def weight(self, values, learned=True):
        made = C.parameter(init=np.asarray(values, 'f'), name='w%d' % len(self.weights))
        (self.weights if learned else self.frozen).append(made)
        return made

    def __call__(self, x):
        if not self.built:
            self.build(x)
            self.built = True
        return self.call(x)

    def build(self, x):
        pass


def scaled(*shape):
    return rng.uniform(-1, 1, shape) / np.sqrt(max(1, np.prod(shape[:-1])))


class Dense(Layer):
    def __init__(self, units, activation=None, decay=0.0):
        Layer.__init__(self)
        self.units, self.activation, self.decay = units, activation, decay

    def build(self, x):
        self.W, self.b = self.weight(scaled(x.shape[-1], self.units)), self.weight(np.zeros(self.units))
        if self.decay:
            self.penalties.append(self.decay * C.reduce_sum(C.square(self.W)))

    def call(self, x):
        y = C.times(x, self.W) + self.b
        return self.activation(y) if self.activation else y


def to_front(x):
    return C.transpose(x, (len(x.shape) - 1,) + tuple(range(len(x.shape) - 1)))


def to_back(x):
    return C.transpose(x, tuple(range(1, len(x.shape))) + (0,))


class Conv(Layer):
    """Channels last, in one, two or three dimensions."""

    def __init__(self, filters, size, strides=None, padding='valid', activation=None):
        Layer.__init__(self)
        self.filters, self.size, self.activation = filters, size, activation
        self.strides, self.same = strides or (1,) * len(size), padding == 'same'

    def build(self, x):
        self.K = self.weight(scaled(*(self.size + (x.shape[-1], self.filters))))
        self.b = self.weight(np.zeros(self.filters))

    def kernel(self):
        n = len(self.size)
        return C.transpose(self.K, (n + 1, n) + tuple(range(n)))

    def call(self, x):
        pads = [False] + [self.same] * len(self.size)
        y = C.convolution(self.kernel(), to_front(x), strides=self.strides, auto_padding=pads)
        y = to_back(y) + self.b
        return self.activation(y) if self.activation else y


class ConvTranspose(Conv):
    def build(self, x):
        self.K = self.weight(scaled(*(self.size + (self.filters, x.shape[-1]))))
        self.b = self.weight(np.zeros(self.filters))

    def call(self, x):
        if self.same:
            size = [n * s for n, s in zip(x.shape, self.strides)]
        else:
            size = [(n - 1) * s + k for n, s, k in zip(x.shape, self.strides, self.size)]
        pads = [False] + [self.same] * len(self.size)
        y = C.convolution_transpose(
            self.kernel(),
            to_front(x),
            strides=self.strides,
            auto_padding=pads,
            output_shape=tuple([self.filters] + size),
        )
        return to_back(y) + self.b


class DepthwiseConv(Conv):
    def build(self, x):
        self.K = self.weight(scaled(*(self.size + (1, x.shape[-1]))))
        self.b = self.weight(np.zeros(x.shape[-1]))

    def call(self, x):
        pads = [False] + [self.same] * len(self.size)
        y = C.convolution(
            self.kernel(), to_front(x), strides=self.strides, auto_padding=pads, groups=x.shape[-1]
        )
        return to_back(y) + self.b


class Local(Layer):
    """A convolution whose kernel is another at each place."""

    def __init__(self, filters, size):
        Layer.__init__(self)
        self.filters, self.size = filters, size

    def build(self, x):
        steps, channels = x.shape
        self.K = self.weight(scaled(steps - self.size + 1, self.size * channels, self.filters))

    def call(self, x):
        places = self.K.shape[0]
        windows = [C.reshape(x[i : i + self.size], (1, -1)) for i in range(places)]
        rows = C.reshape(C.splice(*windows, axis=0), (places, -1, 1))
        return C.reshape(C.reduce_sum(rows * self.K, axis=1), (places, self.filters))


class Pool(Layer):
    def __init__(self, kind, size, strides=None, padding='valid'):
        Layer.__init__(self)
        self.kind, self.size, self.strides, self.same = kind, size, strides or size, padding == 'same'

    def call(self, x):
        return to_back(C.pooling(to_front(x), self.kind, self.size, self.strides, auto_padding=[self.same]))


class Call(Layer):
    def __init__(self, function):
        Layer.__init__(self)
        self.call = function


def Flatten():
    return Call(lambda x: C.reshape(x, (-1,)))


class Normalization(Layer):
    def __init__(self, momentum=0.9, epsilon=1e-3):
        Layer.__init__(self)
        self.momentum, self.epsilon = momentum, epsilon

    def build(self, x):
        n = x.shape[-1]
        self.scale, self.shift = self.weight(np.ones(n)), self.weight(np.zeros(n))
        self.mean, self.variance = self.weight(np.zeros(n), False), self.weight(np.ones(n), False)

    def call(self, x):
        mean = x
        for axis in list(range(len(x.shape) - 1)) + [BATCH]:
            mean = C.reduce_mean(mean, axis=axis)
        off = x - mean
        variance = C.square(off)
        for axis in list(range(len(x.shape) - 1)) + [BATCH]:
            variance = C.reduce_mean(variance, axis=axis)
        for kept, now in ((self.mean, mean), (self.variance, variance)):
            now = C.reshape(now, kept.shape)
            self.updates.append((kept, kept * self.momentum + now * (1 - self.momentum)))
        normal = off / C.sqrt(variance + self.epsilon)
        running = (x - self.mean) / C.sqrt(self.variance + self.epsilon)
        return while_learning(normal, running) * self.scale + self.shift


class Dropout(Layer):
    def __init__(self, rate, seed):
        Layer.__init__(self)
        self.rate, self.seed = rate, seed

    def call(self, x):
        return while_learning(C.dropout(x, self.rate, seed=self.seed), x)


class Embedding(Layer):
    def __init__(self, words, units):
        Layer.__init__(self)
        self.words, self.units = words, units

    def build(self, x):
        self.E = self.weight(scaled(self.words, self.units))

    def call(self, x):
        return C.gather(self.E, x)


class Recurrent(Layer):
    """Over the first axis of its input; the last state, or all of them. `mask`: which steps count."""

    def __init__(self, units, sequences=False, backwards=False, mask=None):
        Layer.__init__(self)
        self.units, self.sequences, self.backwards, self.mask = units, sequences, backwards, mask

    def build(self, x):
        n = self.units * self.gates
        self.W = self.weight(scaled(int(np.prod(x.shape[1:])), n))
        self.U, self.b = self.weight(scaled(self.units, n)), self.weight(np.zeros(n))

    def gate(self, x, i):
        return C.slice(x, -1, i * self.units, (i + 1) * self.units)

    def first_states(self):
        return [C.constant(0, (self.units,)) for _ in range(self.states)]

    def call(self, x):
        steps = C.to_sequence(x)
        counts = None
        if self.mask is not None:
            counts = C.to_sequence_like(self.mask(x), steps)
        before = C.sequence.future_value if self.backwards else C.sequence.past_value
        first = self.first_states()
        holes = [C.placeholder(shape=s.shape, dynamic_axes=steps.dynamic_axes) for s in first]
        past = [before(hole, s) for hole, s in zip(holes, first)]
        now = self.step(steps, past)
        if counts is not None:
            now = [C.element_select(counts, new, old) for new, old in zip(now, past)]
        C.combine(now).replace_placeholders({hole: new.output for hole, new in zip(holes, now)})
        if self.sequences:
            return C.sequence.unpack(now[0], 0, no_mask_output=True)
        return (C.sequence.first if self.backwards else C.sequence.last)(now[0])


class SimpleRNN(Recurrent):
    gates, states = 1, 1

    def step(self, x, past):
        return [C.tanh(C.times(x, self.W) + C.times(past[0], self.U) + self.b)]


class LSTM(Recurrent):
    gates, states = 4, 2

    def step(self, x, past):
        z = C.times(x, self.W) + C.times(past[0], self.U) + self.b
        i, f, o = [C.sigmoid(self.gate(z, k)) for k in (0, 1, 3)]
        c = f * past[1] + i * C.tanh(self.gate(z, 2))
        return [o * C.tanh(c), c]


class GRU(Recurrent):
    gates, states = 3, 1

    def step(self, x, past):
        z, q = C.times(x, self.W) + self.b, C.times(past[0], self.U)
        keep = C.sigmoid(self.gate(z, 0) + self.gate(q, 0))
        reset = C.sigmoid(self.gate(z, 1) + self.gate(q, 1))
        new = C.tanh(self.gate(z, 2) + C.times(reset * past[0], self.gate(self.U, 2)))
        return [keep * past[0] + (1 - keep) * new]


class ConvLSTM(Recurrent):
    """Pictures over time: the products of an LSTM are convolutions."""

    states = 2

    def __init__(self, filters, size, **options):
        Recurrent.__init__(self, filters, **options)
        self.size = size

    def build(self, x):
        self.picture = x.shape[1:3]
        self.W = self.weight(scaled(*((4 * self.units, x.shape[-1]) + self.size)))
        self.U = self.weight(scaled(*((4 * self.units, self.units) + self.size)))
        self.b = self.weight(np.zeros((4 * self.units, 1, 1)))

    def first_states(self):
        return [C.constant(0, (self.units,) + self.picture) for _ in range(2)]

    def gate(self, x, i):
        return C.slice(x, 0, i * self.units, (i + 1) * self.units)

    def step(self, x, past):
        pads = [False, True, True]
        z = C.convolution(self.W, to_front(x), auto_padding=pads)
        z = z + C.convolution(self.U, past[0], auto_padding=pads) + self.b
        i, f, o = [C.sigmoid(self.gate(z, k)) for k in (0, 1, 3)]
        c = f * past[1] + i * C.tanh(self.gate(z, 2))
        return [o * C.tanh(c), c]


class Several(Layer):
    """Layers beside each other, their results merged."""

    def __init__(self, layers, merge):
        Layer.__init__(self)
        self.layers, self.merge = layers, merge

    def call(self, x):
        found = [layer(x) for layer in self.layers]
        for layer in self.layers:
            self.weights += layer.weights
            self.updates += layer.updates
            self.penalties += layer.penalties
        return self.merge(found)


class EachStep(Layer):
    """A layer at each step."""

    def __init__(self, layer):
        Layer.__init__(self)
        self.layer = layer

    def call(self, x):
        steps = [C.reshape(self.layer(C.squeeze(x[i])), (1, -1)) for i in range(x.shape[0])]
        self.weights = self.layer.weights
        return C.splice(*steps, axis=0)


def squared(wanted, given):
    return C.reduce_mean(C.square(wanted - given), axis=-1)


def crossed(wanted, given):
    share = C.clip(given / C.reduce_sum(given, axis=-1), 1e-7, 1 - 1e-7)
    return -C.reduce_sum(wanted * C.log(share), axis=-1)


def accuracy(wanted, given):
    return C.equal(C.argmax(wanted, axis=-1), C.argmax(given, axis=-1))


def momentum(weights, gradients, rate=0.1, share=0.9):
    for w, g in zip(weights, gradients):
        v = C.parameter(w.shape, init=0)
        moved = share * v - rate * g
        yield v, moved
        yield w, w + moved


def adam(weights, gradients, rate=0.02):
    t = C.parameter((), init=0)
    now = t + 1
    yield t, now
    bias = C.sqrt(1 - C.pow(C.constant(0.999), now)) / (1 - C.pow(C.constant(0.9), now))
    for w, g in zip(weights, gradients):
        m, v = C.parameter(w.shape, init=0), C.parameter(w.shape, init=0)
        m_now, v_now = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * C.square(g)
        yield m, m_now
        yield v, v_now
        yield w, w - rate * bias * m_now / (C.sqrt(v_now) + 1e-7)


class Model(object):
    def __init__(self, layers, shape):
        self.layers = layers
        self.x = C.input_variable(shape, needs_gradient=True, name='x')
        y = self.x
        for layer in layers:
            y = layer(y)
        self.y = y
        self.weights = [w for layer in layers for w in layer.weights]
        self.stored = self.weights + [w for layer in layers for w in layer.frozen]

    def compile(self, loss, metric=None, rule=adam):
        self.wanted = C.input_variable(self.y.shape, name='wanted')
        each = loss(self.wanted, self.y)
        self.loss = C.reduce_mean(each, axis=C.Axis.all_axes())
        for layer in self.layers:
            for penalty in layer.penalties:
                self.loss += penalty
        measured = metric(self.wanted, self.y) if metric else each
        self.metric = C.reduce_mean(measured, axis=C.Axis.all_axes())
        self.moved = [C.assign(p, v) for layer in self.layers for p, v in layer.updates]
        learner = C.universal(
            lambda weights, gradients: C.combine([C.assign(p, v) for p, v in rule(weights, gradients)]),
            self.weights,
        )
        model = C.combine([self.y.output] + [m.output for m in self.moved])
        self.trainer = C.Trainer(model, (self.loss, self.metric), [learner])

    def feed(self, X, Y):
        return {self.x: np.asarray(X, 'f'), self.wanted: np.asarray(Y, 'f')}

    def train_on_batch(self, X, Y):
        learning(True)
        told = [self.loss.output, self.metric.output]
        updates = [m.output for m in self.moved]
        _, found = self.trainer.train_minibatch(self.feed(X, Y), outputs=told + updates)
        return [float(np.asarray(found[v]).mean()) for v in told]

    def fit(self, X, Y, batch, epochs):
        history = []
        for _ in range(epochs):
            sums = np.zeros(2)
            for i in range(0, len(X), batch):
                sums += np.multiply(
                    self.train_on_batch(X[i : i + batch], Y[i : i + batch]), len(X[i : i + batch])
                )
            history.append(sums / len(X))
        return history

    def evaluate(self, X, Y):
        learning(False)
        both = C.combine([self.loss.output, self.metric.output])
        found = both.eval(self.feed(X, Y))
        return [float(np.asarray(found[v])) for v in (self.loss.output, self.metric.output)]

    def predict(self, X, batch=5):
        learning(False)
        return np.concatenate(
            [
                np.asarray(self.y.eval({self.x: np.asarray(X[i : i + batch], 'f')}))
                for i in range(0, len(X), batch)
            ]
        )

    def get_weights(self):
        return [w.value for w in self.stored]

    def set_weights(self, values):
        for w, value in zip(self.stored, values):
            w.value = value


def shown(values):
    return ' '.join('%.4f' % (v + 0.0) for v in np.ravel(values))


def tried(name, layers, shape, loss=squared, metric=None, integers=False, rule=adam, target=None):
    """Fits a model, sets its weights back, asks it."""
    global rng
    rng = np.random.RandomState(len(name))
    model = Model(layers(), shape)
    model.compile(loss, metric, rule)
    X = rng.randint(0, 6, (12,) + shape) if integers else rng.uniform(-1, 1, (12,) + shape)
    if loss is crossed:
        Y = np.eye(model.y.shape[-1])[rng.randint(0, model.y.shape[-1], (12,) + model.y.shape[:-1])]
    else:
        Y = rng.uniform(-1, 1, (12,) + model.y.shape)
    begun = model.get_weights()
    before = model.evaluate(X, Y)
    history = model.fit(X, Y, 5, 3)
    after = model.evaluate(X, Y)
    print(name, model.y.shape, [w.shape for w in model.stored])
    print('  fitted', ' | '.join(shown(h) for h in history))
    print('  before', shown(before), 'after', shown(after), 'sum', shown(model.predict(X).sum()))
    model.set_weights(begun)
    print('  set back', np.allclose(model.evaluate(X, Y), before), end=' ')
    learning(False)
    gradient = model.loss.grad(model.feed(X[:3], Y[:3]), [model.x] + model.weights[:1])
    print('gradients', shown([np.abs(gradient[v]).sum() for v in [model.x] + model.weights[:1]]))


def classes(n):
    return Dense(n, lambda y: C.softmax(y, axis=-1))


MAX, AVERAGE = C.MAX_POOLING, C.AVG_POOLING
tried('dense', lambda: [Dense(5, C.relu), Dense(2)], (3,))
tried('decay', lambda: [Dense(5, C.tanh, decay=0.01), Dense(2, decay=0.1)], (3,), rule=momentum)
tried('classes', lambda: [Dense(6, C.elu), classes(3)], (4,), crossed, accuracy)
tried('steps', lambda: [Dense(4, C.sigmoid), classes(3)], (5, 4), crossed, accuracy)
tried('normal', lambda: [Dense(4), Normalization(), Call(C.relu), Dense(2)], (3,), rule=momentum)
tried(
    'normal pictures',
    lambda: [Conv(3, (2, 2)), Normalization(), Flatten(), Dense(2)],
    (4, 4, 2),
    rule=momentum,
)
tried('dropped', lambda: [Dense(8), Dropout(0.4, 7), Dense(2)], (3,), rule=momentum)
tried('conv1', lambda: [Conv(4, (3,), activation=C.relu), Flatten(), Dense(2)], (7, 2))
tried('conv2', lambda: [Conv(4, (3, 3), padding='same'), Pool(MAX, (2, 2)), Flatten(), Dense(2)], (6, 6, 2))
tried(
    'conv2 strides',
    lambda: [Conv(3, (3, 2), (2, 1)), Pool(AVERAGE, (2, 2), (1, 1)), Flatten(), Dense(2)],
    (7, 6, 2),
)
tried('conv3', lambda: [Conv(2, (2, 2, 2)), Pool(MAX, (2, 2, 2)), Flatten(), Dense(2)], (5, 5, 5, 1))
tried('transposed', lambda: [ConvTranspose(2, (3, 3), (2, 2))], (3, 4, 2))
tried('transposed same', lambda: [ConvTranspose(2, (3, 3), (2, 2), 'same')], (3, 4, 2))
tried('depthwise', lambda: [DepthwiseConv(0, (3, 3)), Conv(4, (1, 1)), Flatten(), Dense(2)], (5, 5, 3))
tried('local', lambda: [Local(3, 2), Flatten(), Dense(2)], (6, 2))
tried('words', lambda: [Embedding(6, 4), Flatten(), classes(3)], (5,), crossed, accuracy, integers=True)
for kind in (SimpleRNN, LSTM, GRU):
    name = kind.__name__
    tried(name, lambda: [kind(4), Dense(2)], (5, 3))
    tried(name + ' backwards', lambda: [kind(4, backwards=True), Dense(2)], (5, 3))
    tried(name + ' two', lambda: [kind(4, sequences=True), kind(3), Dense(2)], (5, 3))
    tried(
        name + ' both ways',
        lambda: [Several([kind(3), kind(3, backwards=True)], lambda f: C.splice(*f, axis=-1)), Dense(2)],
        (5, 3),
    )
    tried(
        name + ' masked',
        lambda: [kind(4, mask=lambda x: C.greater(C.reduce_max(x, axis=-1), 0.3)), Dense(2)],
        (5, 3),
    )
    tried(
        name + ' words',
        lambda: [Embedding(6, 4), kind(4), classes(3)],
        (5,),
        crossed,
        accuracy,
        integers=True,
    )
tried('pictures over time', lambda: [ConvLSTM(2, (3, 3)), Flatten(), Dense(2)], (3, 4, 4, 2))
tried('each step', lambda: [EachStep(Dense(3, C.tanh)), Flatten(), Dense(2)], (4, 3))
tried('sum of two', lambda: [Several([Dense(4, C.tanh), Dense(4)], lambda f: f[0] + f[1]), Dense(2)], (3,))
tried('largest', lambda: [Several([Dense(4), Dense(4)], lambda f: C.element_max(*f)), Dense(2)], (3,))
tried('product', lambda: [Several([Dense(4), Dense(4)], lambda f: f[0] * f[1]), Dense(2)], (3,))
tried(
    'average over steps',
    lambda: [LSTM(4, sequences=True), Call(lambda x: C.reduce_mean(x, axis=0)), Flatten(), Dense(2)],
    (5, 3),
)
