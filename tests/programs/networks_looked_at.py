"""Looking at networks: printed forms, names, walks, plots, parts of a loaded model."""

import re

import numpy as np

import cntk as C
from cntk.logging import graph

C.cntk_py.set_fixed_random_seed(3)


def plain(text):
    """Without the numbers in names that the system makes."""
    return re.sub(r'(?<=[A-Za-z])\d+', '#', str(text))


x, y = C.input_variable((2, 3), name='x'), C.sequence.input_variable(4, name='y')
first = C.layers.Dense(3, activation=C.relu, name='first')(x)
second = C.layers.Dense(2, name='second')(first)
states = C.layers.Recurrence(C.layers.LSTM(3), name='states')(y)
last = C.sequence.last(states, name='last')
both = C.splice(second, last, name='both')
probabilities = C.alias(C.softmax(both), name='probabilities')
two = C.combine([probabilities, second], name='two')
for f in [first, second, states, last, both, probabilities, two]:
    print(f, '|', f.name, f.op_name, f.is_composite, f.is_block, f.root_function.op_name)
    print('  ', len(f.inputs), [p.name for p in f.parameters], [a.name for a in f.arguments])
    print('  ', [o.shape for o in f.outputs], len(f.constants))
print(plain(graph.plot(probabilities)))
for depth in (0, 1, -1):
    found = graph.depth_first_search(probabilities, lambda n: isinstance(n, C.Function), depth=depth)
    print(depth, [f.op_name for f in found])
print([n.name for n in graph.depth_first_search(two, lambda n: n.name != '')])
for name in ('first', 'x', 'nothing', 'last'):
    print(name, graph.find_by_name(probabilities, name), len(graph.find_all_with_name(two, name)))

# a network is told by its root where its inputs begin as those of the root do
w, s = C.input_variable(3, name='w'), C.sequence.input_variable(3, name='s')
scale = C.parameter((3,), name='scale')
for f in [
    w + C.sigmoid(w), C.sigmoid(w) + w, (w + 1) * 2, w * w + w, C.splice(w, C.sigmoid(w)),
    C.splice(C.sigmoid(w), w), w + s, s + w, w * s, C.minus(w, s, name='m'), C.log_add_exp(w, s),
    C.greater(w, s), C.plus(w, s, w), s + scale, C.sequence.last(s) + w, s - C.sequence.reduce_sum(s),
    C.sequence.broadcast_as(w, s), C.plus(w, C.alias(w)), C.classification_error(w, C.sigmoid(w)),
    C.cross_entropy_with_softmax(C.sigmoid(w), w), scale * 2,
    C.batch_normalization(w, scale, scale, scale, scale, True, running_count=C.constant(0)),
]:  # fmt: skip
    print(f)

# blocks keep their constants to themselves in a plot
for f in [
    C.sequence.first(y), C.sequence.last(C.sigmoid(y)), C.layers.BatchNormalization()(C.relu(w)),
    C.layers.LayerNormalization()(C.relu(w)), C.classification_error(C.relu(w), w), C.element_max(w, 1),
    C.layers.Stabilizer()(w), C.sequence.past_value(y), w + 1, C.layers.Fold(C.layers.GRU(3))(y),
]:  # fmt: skip
    print(plain(graph.plot(f)))

# roots and networks have names of their own
f = C.plus(w, 1, name='f')
for g in [
    f,
    f.root_function,
    C.as_composite(f),
    C.as_composite(f.root_function),
    C.combine([f]),
    C.alias(f, 'g'),
]:
    print(repr(g.name), g)

two.save('two.model')
loaded = C.load_model('two.model')
print(loaded, [a.name for a in loaded.arguments])
for name in ('first', 'second', 'states', 'last', 'both', 'probabilities'):
    part = C.combine([loaded.find_by_name(name)])
    feeds = {a: np.ones((1, 2, 3) if a.name == 'x' else (1, 2, 4), np.float32) for a in part.arguments}
    print(part, '%.5f' % np.sum(part.eval(feeds)))
