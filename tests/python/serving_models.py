"""Models that the tests of the server over HTTP serve, and what they say here."""

import numpy as np

import cantik as C


def mlp():
    x = C.input_variable(6, name='x')
    return C.layers.Sequential([C.layers.Dense(20, activation=C.relu), C.layers.Dense(4, name='y')])(x)


def tagger(width=5):
    s = C.sequence.input_variable(width, name='s')
    return C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(12)), C.layers.Dense(3, name='y')])(s)


def both_ways():
    s = C.sequence.input_variable(5, name='s')
    states = (C.layers.Recurrence(C.layers.GRU(6)), C.layers.Recurrence(C.layers.GRU(6), go_backwards=True))
    return C.layers.Sequential([states, C.splice, C.layers.Dense(2, name='y')])(s)


def one_hot_tagger():
    s = C.sequence.input_variable(9, is_sparse=True, name='word')
    return C.layers.Sequential([C.layers.Embedding(4), C.layers.Recurrence(C.layers.RNNStep(3, name='y'))])(s)


def centred():
    """Samples that depend on one another: the mean of the batch is subtracted."""
    x = C.input_variable(3, name='x')
    return C.minus(x, C.reduce_mean(x, axis=C.Axis.default_batch_axis()), name='y')


def widest():
    """Samples as wide as the longest sequence: the padding of shorter ones counts."""
    s = C.sequence.input_variable(1, name='s')
    return C.reduce_max(C.sequence.unpack(s, 0.0, no_mask_output=True), axis=0, name='y')


def beside_others():
    """Cosines with the next sample of the batch."""
    a, b = (C.input_variable(2, name=n) for n in 'ab')
    return C.cosine_distance_with_negative_samples(a, b, 1, 1, name='y')


MODELS = {
    'mlp': mlp(),
    'tagger': tagger(),
    'both_ways': both_ways(),
    'words': one_hot_tagger(),
    'centred': centred(),
    'widest': widest(),
    'beside_others': beside_others(),
    'last': C.sequence.last(tagger(), name='end'),
    'wide': C.as_composite(C.plus(C.input_variable(3, np.float64, name='x'), 1, name='y')),
    'free': C.reduce_sum(C.input_variable((C.FreeDimension, 2), name='x'), axis=0, name='y'),
    'two': C.combine(
        [
            C.plus(C.input_variable(2, name='a'), 0, name='same'),
            C.times(C.input_variable(2, name='b'), C.parameter((2, 3), init=1), name='sums'),
        ]
    ),
}


def random(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def expected(name, *values):
    """What the model says here: an array for each sequence, or one for the batch."""
    model = MODELS[name]
    return model.eval(dict(zip(model.arguments, values)))


def sequences(count=12, width=5):
    draw = np.random.default_rng(3)
    return [draw.normal(size=(n, width)).astype(np.float32) for n in draw.integers(1, 20, count)]
