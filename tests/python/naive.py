"""What operators on sequences mean, said a second time: padded to the longest sequence, masked, and looped in
time.

Numbers are complex: the imaginary part carries a derivative (`step` times as large), so that one pass gives
values and, to the last digit, their slope along a direction. Behind the end of a sequence stands NaN:
whatever looks there shows it.
"""

import numpy as np

STEP = 1e-40


class Refused(Exception):
    """No meaning for these lengths: the first step of nothing, rows that do not match."""


class Unclear(Exception):
    """Rounding decides: which of two numbers that are all but equal is the larger one."""


class Rows:
    """A value: axes None: data [shape]; 'batch': data [samples, shape]; any other name: a sequence axis, data
    [samples, steps, shape] and lengths."""

    def __init__(self, data, axes=None, lengths=None):
        self.axes, self.lengths = axes, lengths
        self.data = np.array(data, np.complex128)
        if self.has_steps:
            self.data[~self.mask] = np.nan

    has_steps = property(lambda self: self.axes not in (None, 'batch'))
    dynamic = property(lambda self: 0 if self.axes is None else 1 if self.axes == 'batch' else 2)
    shape = property(lambda self: self.data.shape[self.dynamic :])
    mask = property(lambda self: np.arange(self.data.shape[1])[None] < self.lengths[:, None])

    def at(self, s):
        """The item of a sample, or the items of its steps."""
        return (
            self.data
            if self.axes is None
            else self.data[s]
            if self.axes == 'batch'
            else self.data[s, : self.lengths[s]]
        )

    def like(self, data):
        return Rows(data, self.axes, self.lengths)


def padded(sequences, axes):
    """Rows of a list of arrays [steps, shape]."""
    lengths = np.array([len(q) for q in sequences])
    data = np.full((len(sequences), max(lengths)) + np.shape(sequences[0])[1:], np.nan, np.complex128)
    for s, q in enumerate(sequences):
        data[s, : len(q)] = q
    return Rows(data, axes, lengths)


def aligned(values, items=True):
    """Their data with the same number of dynamic axes in front; with `items`, of static axes too. And the
    value that has the most axes."""
    most = max(values, key=lambda v: v.dynamic)
    rank = max(len(v.shape) for v in values)
    data = []
    for v in values:
        outer, inner = v.data.shape[: v.dynamic], v.shape
        data.append(
            v.data.reshape(
                outer
                + (1,) * (most.dynamic - v.dynamic)
                + ((1,) * (rank - len(inner)) if items else ())
                + inner
            )
        )
    return data, most


def elementwise(f, *values):
    data, most = aligned(values)
    result = f(*data)
    return most.like(
        np.broadcast_to(
            result,
            np.broadcast_shapes(
                result.shape, most.data.shape[: most.dynamic] + (1,) * (result.ndim - most.dynamic)
            ),
        )
    )


def rowwise(f, *values):
    """f works on the last axes of its operands."""
    data, most = aligned(values, items=False)
    front = most.data.shape[: most.dynamic]
    return most.like(
        f(
            *(
                np.broadcast_to(d, front + d.shape[most.dynamic :]) if v.dynamic else d
                for d, v in zip(data, values)
            )
        )
    )


def holds(x):
    """1 where the sum of an item is more than a number that no sum is."""
    return rowwise(lambda d: (d.real.sum(tuple(range(x.dynamic, d.ndim))) > 0.0531).astype(np.complex128), x)


def flat_product(x, w, shape):
    """Items flattened, multiplied by a matrix, and of another shape."""
    return x.like(
        (x.data.reshape(x.data.shape[: x.dynamic] + (len(w.data),)) @ w.data).reshape(
            x.data.shape[: x.dynamic] + shape
        )
    )


def relu(x):
    return np.where(x.real > 0, x, 0)


def largest(items):
    """Over the first axis; the slopes of all that reach it count, as in CNTK."""
    if len(items) == 0:
        return np.full(items.shape[1:], -np.inf, np.complex128)
    most = items.real.max(0)
    if np.any((items.real != most) & (items.real > most - 1e-9)):
        raise Unclear
    return most + 1j * np.where(items.real == most, items.imag, 0).sum(0)


def by_sequence(f, x, axes='batch'):
    """f of the steps of each sequence: an item where axes is 'batch', else steps again."""
    results = [f(x.at(s)) for s in range(len(x.lengths))]
    return Rows(results, 'batch') if axes == 'batch' else padded(results, axes)


def step_at(x, i):
    def take(items):
        if not -len(items) <= i < len(items):
            raise Refused('no such step')
        return items[i]

    return by_sequence(take, x)


def like_one(x):
    """Of each sample an axis of one item."""
    return Rows(x.data[:, None], 'batch')


def part(x, begin, end, axes):
    return by_sequence(lambda items: items[begin : end or None], x, axes)


def marks(x, place):
    data = np.zeros(x.data.shape[:2], np.complex128)
    for s, n in enumerate(x.lengths):
        if n:
            data[s, place % n] = 1
    return x.like(data)


def broadcast_as(x, like):
    if x.dynamic == 0:
        return like.like(np.broadcast_to(x.data, like.data.shape[:2] + x.shape))
    items = []
    for s, n in enumerate(like.lengths):
        own = x.at(s) if x.has_steps else x.at(s)[None]
        if len(own) not in (1, n):
            raise Refused('other lengths')
        items.append(np.broadcast_to(own, (n,) + x.shape) if len(own) == 1 else own)
    return padded(items, like.axes)


def delay(x, state, k):
    """x[t - k]; outside of the sequence the state, of which, if it has steps, the last k come before the
    sequence and the first k behind it."""
    result = []
    for s, n in enumerate(x.lengths):
        items, size = x.at(s), min(abs(k), n)
        border = state.at(s)
        if state.has_steps and size and len(border) != 1:
            if len(border) < abs(k):
                raise Refused('too few steps of an initial state')
            border = border[-k:][:size] if k > 0 else border[:-k][abs(k) - size :]
        border = border.reshape(
            border.shape[: state.has_steps] + (1,) * (len(x.shape) - len(state.shape)) + state.shape
        )
        border = np.broadcast_to(border, (size,) + x.shape) if size else items[:0]
        result.append(np.concatenate([border, items[: n - size]] if k > 0 else [items[size:], border]))
    return padded(result, x.axes)


def places(condition):
    return [np.flatnonzero(condition.at(s).real.ravel()) for s in range(len(condition.lengths))]


def where(condition, axes):
    return padded(places(condition), axes)


def gather(x, condition, axes):
    return padded([x.at(s)[p] for s, p in enumerate(places(condition))], axes)


def scatter(x, condition):
    result = []
    for s, p in enumerate(places(condition)):
        if len(p) != x.lengths[s]:
            raise Refused('the condition holds elsewhere')
        items = np.zeros((condition.lengths[s],) + x.shape, np.complex128)
        items[p] = x.at(s)
        result.append(items)
    return padded(result, condition.axes)


def softmax(items):
    e = np.exp(items - (items.real.max(0) if len(items) else 0))
    return e / e.sum(0)


def unpack(x, padding):
    return Rows(np.where(x.mask.reshape(x.mask.shape + (1,) * len(x.shape)), x.data, padding), 'batch')


def to_sequence(x, lengths, axes):
    return padded([x.at(s)[:n] for s, n in enumerate(lengths)], axes)


def sum_of_products(x, y):
    """Of two sequences: the sum over the steps of x[t] y[t]."""
    return Rows([np.einsum('tij,tjk->ik', x.at(s), y.at(s)) for s in range(len(x.lengths))], 'batch')


def total(x):
    """Of all samples and steps, every element by itself."""
    if x.axes is None:
        return x
    return Rows(np.nansum(x.data, axis=tuple(range(x.dynamic))) if x.data.size else np.zeros(x.shape))
