"""Transfer: the body of a trained network, loaded from a file, gets a new head, first frozen, then
fine-tuned."""

import os
import tempfile

import numpy as np

import cntk as C
from cntk.layers import AveragePooling, BatchNormalization, Convolution, Dense, Sequential
from cntk.logging.graph import depth_first_search, find_by_name, get_node_outputs
from cntk.ops.functions import CloneMethod, load_model

BASE = os.path.join(tempfile.mkdtemp(), 'base.model')


def images(classes, count, seed):
    rng = np.random.RandomState(seed)
    kind = rng.randint(0, classes, count)
    row, column = np.mgrid[0:10, 0:10]
    tilt = rng.uniform(0, 1, (count, 1, 1))
    waves = np.sin((1 + kind)[:, None, None] * 0.5 * row + tilt * column) + 0.1 * rng.randn(count, 10, 10)
    return waves[:, None].astype(np.float32), np.eye(classes, dtype=np.float32)[kind]


def base_network(x):
    h = Sequential(
        [
            Convolution((3, 3), 6, activation=C.relu, pad=True, name='conv_a'),
            BatchNormalization(map_rank=1, name='bn_a'),
            AveragePooling((2, 2), strides=2),
            Convolution((3, 3), 8, activation=C.relu, name='conv_b'),
        ]
    )(x)
    return Dense(3, name='old_head')(C.reduce_mean(h, axis=(1, 2), name='features'))


def train_base():
    C.cntk_py.set_fixed_random_seed(4)
    X, Y = images(3, 240, 1)
    x, y = C.input_variable((1, 10, 10), name='image'), C.input_variable(3, name='label')
    z = base_network(x)
    criterion = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
    learner = C.adam(z.parameters, C.learning_parameter_schedule(0.02), C.momentum_schedule(0.9))
    trainer = C.Trainer(z, criterion, learner)
    for k in range(0, 240, 40):
        trainer.train_minibatch({x: X[k : k + 40], y: Y[k : k + 40]})
        print(
            'base %.5f %.4f'
            % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
        )
    z.save(BASE)


def create_model(freeze, num_classes):
    base_model = load_model(BASE)
    feature_node = find_by_name(base_model, 'image')
    last_node = find_by_name(base_model, 'features')
    method = CloneMethod.freeze if freeze else CloneMethod.clone
    cloned_layers = C.combine([last_node.owner]).clone(method, {feature_node: C.placeholder(name='image')})
    x = C.input_variable((1, 10, 10))
    return x, Dense(num_classes, name='new_head')(cloned_layers((x - 0.1) * 2.0))


def train_model(freeze):
    C.cntk_py.set_fixed_random_seed(9)
    x, z = create_model(freeze, 4)
    y = C.input_variable(4)
    print('freeze', freeze, [(p.name, p.shape) for p in z.parameters], 'constants', len(z.constants))
    X, Y = images(4, 160, 2)
    criterion = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
    learner = C.momentum_sgd(
        z.parameters,
        C.learning_parameter_schedule(0.5),
        C.momentum_schedule(0.5),
        l2_regularization_weight=0.0005,
    )
    trainer = C.Trainer(z, criterion, learner, C.logging.ProgressPrinter(2))
    for _ in range(2):
        for k in range(0, 160, 40):
            trainer.train_minibatch({x: X[k : k + 40], y: Y[k : k + 40]})
        trainer.summarize_training_progress()
    print(z.eval({x: X[:2]}).round(4))


train_base()
loaded = load_model(BASE)
print(loaded)
print(sorted({o.name for o in get_node_outputs(loaded)} - {''}))
blocks = depth_first_search(loaded, lambda f: isinstance(f, C.Function) and f.is_block)
print(sorted({f.op_name for f in blocks}))
middle = find_by_name(loaded, 'conv_b')
print(middle.outputs[0].shape, middle.W.shape)
train_model(freeze=True)
train_model(freeze=False)
