"""Transfer: part of a saved network by name, frozen, with a new head; part of it cloned and trained; shared
clones."""

import numpy as np
import cntk as C
from cntk import load_model, CloneMethod
from cntk.logging.graph import find_by_name, get_node_outputs, depth_first_search
from cntk.layers import (
    Dense,
    Sequential,
    BatchNormalization,
    Dropout,
    Convolution2D,
    GlobalAveragePooling,
    MaxPooling,
)

C.cntk_py.set_fixed_random_seed(6)
rng = np.random.RandomState(0)


def data(n, classes):
    y = rng.randint(0, classes, n)
    x = (rng.rand(n, 1, 8, 8) + y[:, None, None, None] * np.linspace(0, 0.5, 64).reshape(1, 1, 8, 8)).astype(
        'f'
    )
    return (x, np.eye(classes, dtype='f')[y])


x = C.input_variable((1, 8, 8), name='features')
y = C.input_variable(3, name='labels')
base = Sequential(
    [
        Convolution2D((3, 3), 4, activation=C.relu, pad=True, name='c1'),
        BatchNormalization(map_rank=1, name='bn1'),
        MaxPooling((2, 2), 2, name='p1'),
        Convolution2D((3, 3), 5, activation=C.relu, pad=True, name='c2'),
        GlobalAveragePooling(name='pool'),
        Dense(3, name='head'),
    ]
)(x)
loss, err = (C.cross_entropy_with_softmax(base, y), C.classification_error(base, y))
t = C.Trainer(base, (loss, err), C.momentum_sgd(base.parameters, 0.1, 0.9))
for _ in range(10):
    a, b = data(16, 3)
    t.train_minibatch({x: a, y: b})

print('%.5f' % t.previous_minibatch_loss_average)
base.save('base.model')
again = load_model('base.model')
feature_node = find_by_name(again, 'features')
last = find_by_name(again, 'pool')
print(
    feature_node,
    last.shape,
    [n.name for n in depth_first_search(again, lambda n: n.name in ('c1', 'c2', 'pool'))][:4],
)
new_x = C.input_variable((1, 8, 8), name='new_features')
frozen = C.combine([last.owner]).clone(CloneMethod.freeze, {feature_node: C.placeholder(name='features')})
print(len(frozen.parameters), len(frozen.constants), frozen.placeholders)
z = Dense(2, activation=None, name='new_head')(frozen(new_x - C.Constant(0.1)))
print([p.name for p in z.parameters], len(z.constants))
yy = C.input_variable(2)
loss, err = (C.cross_entropy_with_softmax(z, yy), C.classification_error(z, yy))
t = C.Trainer(
    z,
    (loss, err),
    C.momentum_sgd(
        z.parameters,
        C.learning_parameter_schedule(0.2),
        C.momentum_schedule(0.9),
        l2_regularization_weight=0.01,
    ),
)
for _ in range(8):
    a, b = data(16, 2)
    t.train_minibatch({new_x: a, yy: b})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')

print()
c1 = again.find_by_name('c1')
print(c1 is not None, [p.shape for p in c1.parameters])
tuned = C.combine([again.find_by_name('p1')]).clone('clone', {again.arguments[0]: new_x})
shared = again.clone(CloneMethod.share, {again.arguments[0]: new_x})
print(
    len(tuned.parameters),
    tuned.shape,
    shared.parameters[0].uid == again.parameters[0].uid,
    tuned.parameters[0].uid == again.parameters[0].uid,
)
mid = C.combine([again.find_by_name('c2').output, again.find_by_name('pool').output])
out = mid.eval({again.arguments[0]: a})
print(sorted(((o.name, v.shape, round(float(np.abs(v).sum()), 2)) for o, v in out.items())))
print(get_node_outputs(again)[0].name, len(C.logging.graph.get_node_outputs(again)))
for i in range(3):
    print(again.parameters[i].name, again.parameters[i].shape, end='; ')

print()
