"""Operators on sequences, one after the other, on the same data: slices, gathers, scatters, wheres, unpack,
to_sequence, one-hot, reductions."""

import numpy as np
import cntk as C


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


x = C.sequence.input_variable(2, name='x')
c = C.sequence.input_variable(1, name='c')
v = C.input_variable(2, name='v')
data = [np.arange(2 * n, dtype='f').reshape(n, 2) + 10 * n for n in (4, 2, 3)]
cond = [np.array([[i % 2 == 0] for i in range(len(d))], 'f') for d in data]
vec = np.array([[1, 2], [3, 4], [5, 6]], 'f')


def show(name, f):
    args = {x: data, c: cond, v: vec}
    try:
        r = None
        g = f()
        r = g.eval({a: args[a] for a in g.arguments})
        if isinstance(r, list):
            print(name, g.shape, [text(a) for a in r])
        elif isinstance(r, dict):
            print(
                name,
                sorted(
                    (
                        (o.shape, text(a) if not isinstance(a, list) else [text(b) for b in a])
                        for o, a in r.items()
                    )
                ),
            )
        else:
            print(name, g.shape, text(r))
    except Exception as e:
        print(name, type(e).__name__)


S = C.sequence
show('first', lambda: S.first(x))
show('last', lambda: S.last(x))
show('is_first', lambda: S.is_first(x))
show('is_last', lambda: S.is_last(x))
show('slice', lambda: S.slice(x, 1, 0))
show('slice2', lambda: S.slice(x, 0, -1))
show('slice3', lambda: S.slice(x, -2, 0))
show('slice4', lambda: S.slice(x, 1, 2))
show('gather', lambda: S.gather(x, c))
show('scatter', lambda: S.scatter(S.gather(x, c), c))
show('where', lambda: S.where(c))
show('past', lambda: S.past_value(x))
show('past2', lambda: S.past_value(x, 7, 2))
show('future', lambda: S.future_value(x, -1, 1))
show('delay', lambda: S.delay(x, 3, 1))
show('delay-', lambda: S.delay(x, 3, -1))
show('pastv', lambda: S.past_value(x, v))
show('broadcast', lambda: S.broadcast_as(v, x))
show('plusv', lambda: x + v)
show('reduce_sum', lambda: S.reduce_sum(x))
show('reduce_max', lambda: S.reduce_max(x))
show('softmax', lambda: S.softmax(x / 3))
show('unpack', lambda: S.unpack(x, 0.5))
show('unpack nomask', lambda: S.unpack(x, -1, no_mask_output=True))
show('unpack sum', lambda: C.reduce_sum(S.unpack(x, 0, no_mask_output=True), axis=0))
show('to_sequence', lambda: C.to_sequence(C.reshape(v, (2, 1))))
show('to_sequence_like', lambda: C.to_sequence_like(S.unpack(x, 0, no_mask_output=True) * 2, x))
show('reduce batch', lambda: C.reduce_sum(v, axis=C.Axis.default_batch_axis()))
show('reduce all', lambda: C.reduce_mean(v, axis=C.Axis.all_axes()))
show('reduce all static', lambda: C.reduce_sum(x, axis=C.Axis.all_static_axes()))
show('onehot', lambda: C.one_hot(C.slice(v, 0, 0, 1), 7))
show('argmax', lambda: C.argmax(x, 0))
show('topk', lambda: C.combine(C.top_k(x, 1).outputs))
show('hardmax', lambda: C.hardmax(x))
show('last of gather', lambda: S.last(S.gather(x, c)))
show('first of slice', lambda: S.first(S.slice(x, 1, 0)))
show('nested', lambda: S.reduce_sum(S.slice(S.slice(x, 1, 0), 0, 1)))
show('reconcile', lambda: C.reconcile_dynamic_axes(x, x) * 2)
show('splice', lambda: C.splice(x, S.past_value(x), axis=-1))
show('times', lambda: C.times(x, C.constant(np.ones((2, 3), 'f'))))
show(
    'window',
    lambda: (
        C.layers.PastValueWindow(2, axis=-2)(x)[0]
        if isinstance(C.layers.PastValueWindow(2, axis=-2)(x), tuple)
        else C.layers.PastValueWindow(2, axis=-2)(x)
    ),
)
show('stop', lambda: C.stop_gradient(x))
show('select', lambda: C.element_select(c, x, -x))
show('mvn', lambda: C.mean_variance_normalization(x))
show('edit', lambda: C.edit_distance_error(x, x * 1, 0, 1, 1))
