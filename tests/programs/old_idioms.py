"""A script in the idioms of early releases."""

from __future__ import print_function
import os, sys
import numpy as np
import cntk
from cntk import Trainer, load_model, UnitType
from cntk.device import cpu, try_set_default_device, use_default_device, all_devices
from cntk.learners import (
    sgd,
    momentum_sgd,
    learning_rate_schedule,
    momentum_schedule,
    momentum_as_time_constant_schedule,
    training_parameter_schedule,
)
from cntk.ops import *
from cntk import cross_entropy_with_softmax, classification_error
from cntk.ops import input, input_variable, sigmoid, plus, times, parameter, constant, relu, element_times
from cntk.ops.functions import load_model
from cntk.logging import *
from cntk.logging.progress_print import ProgressPrinter
from cntk.initializer import glorot_uniform, he_normal

try:
    from cntk import print_training_progress

    print('print_training_progress')
except ImportError as e:
    print('no print_training_progress')

try:
    from cntk.utils import get_train_loss

    print('utils')
except ImportError as e:
    print('no utils')

for text in (
    'cntk.blocks',
    'cntk.models',
    'cntk.layers.blocks',
    'cntk.layers.layers',
    'cntk.layers.sequence',
    'cntk.layers.higher_order_layers',
    'cntk.layers.models',
    'cntk.learner',
    'cntk.persist',
    'cntk.distributed',
    'cntk.train.distributed',
    'cntk.training_session',
    'cntk.utils',
    'cntk.ops.sequence',
    'cntk.ops.functions',
    'cntk.ops.variables',
    'cntk.variables',
    'cntk.graph',
    'cntk.trainer',
    'cntk.train.trainer',
    'cntk.tensor',
    'cntk.axis',
    'cntk.core',
    'cntk.internal',
    'cntk.internal.utils',
    'cntk.internal.sanitize',
    'cntk.internal.swig_helper',
    'cntk.random',
    'cntk.losses',
    'cntk.metrics',
    'cntk.eval',
    'cntk.eval.evaluator',
    'cntk.debugging',
    'cntk.debugging.debug',
    'cntk.debugging.profiler',
    'cntk.misc',
    'cntk.misc.convert',
    'cntk.misc.optimized_rnnstack_converter',
    'cntk.misc.converter',
    'cntk.io.transforms',
    'cntk.io.bindings',
):
    try:
        __import__(text)
        print(text, 'is there')
    except ImportError as e:
        print(text, 'is not there')

cntk.cntk_py.set_fixed_random_seed(1)
print(cpu(), cpu().type(), cpu().id(), all_devices()[-1], try_set_default_device(cpu()))
np.random.seed(0)
input_dim, hidden, num_output_classes = (2, 50, 2)


def generate(sample_size, feature_dim, num_classes):
    Y = np.random.randint(size=(sample_size, 1), low=0, high=num_classes)
    X = (np.random.randn(sample_size, feature_dim) + 3) * (Y + 1)
    X = X.astype(np.float32)
    class_ind = [Y == class_number for class_number in range(num_classes)]
    Y = np.asarray(np.hstack(class_ind), dtype=np.float32)
    return (X, Y)


def linear_layer(input_var, output_dim):
    shape = input_var.shape
    w = parameter(shape=(shape[0], output_dim), init=glorot_uniform())
    b = parameter(shape=output_dim)
    return times(input_var, w) + b


def dense_layer(input, output_dim, nonlinearity):
    r = linear_layer(input, output_dim)
    return nonlinearity(r)


input1 = input_variable(shape=input_dim, dtype=np.float32, needs_gradient=False, is_sparse=False, name='i')
label = input_variable(num_output_classes, np.float32)
h = dense_layer(input1, hidden, sigmoid)
h = dense_layer(h, hidden, sigmoid)
z = linear_layer(h, num_output_classes)
loss = cross_entropy_with_softmax(z, label)
eval_error = classification_error(z, label)
lr_schedule = learning_rate_schedule(0.5, UnitType.minibatch)
learner = sgd(z.parameters, lr_schedule)
trainer = Trainer(z, (loss, eval_error), [learner])


def moving_average(a, w=10):
    if len(a) < w:
        return a[:]
    return [val if idx < w else sum(a[idx - w : idx]) / w for idx, val in enumerate(a)]


def print_progress(trainer, mb, frequency, verbose=1):
    training_loss, eval_error = ('NA', 'NA')
    if mb % frequency == 0:
        training_loss = trainer.previous_minibatch_loss_average
        eval_error = trainer.previous_minibatch_evaluation_average
        if verbose:
            print(
                'Minibatch: {}, Train Loss: {:.5f}, Train Error: {:.4f}'.format(mb, training_loss, eval_error)
            )
    return (mb, training_loss, eval_error)


for i in range(0, 60):
    features, labels = generate(25, input_dim, num_output_classes)
    trainer.train_minibatch({input1: features, label: labels}, device=cpu())
    print_progress(trainer, i, 10)

features, labels = generate(25, input_dim, num_output_classes)
print('%.4f' % trainer.test_minibatch({input1: features, label: labels}))
out = softmax(z)
predicted = out.eval({input1: features})
print([int(np.argmax(l)) for l in labels], [int(np.argmax(p)) for p in predicted])
old = input((3,), np.float32)
print(old.shape, old.dtype, old)
for u, e in ((UnitType.sample, None), (UnitType.minibatch, None), (UnitType.sample, 100)):
    s = (
        learning_rate_schedule([0.1, 0.05], u, e)
        if e
        else learning_rate_schedule([0.1, 0.05], unit=u, epoch_size=1)
    )
    print([s[i] for i in (0, 1, 99, 100, 200)], '', '')

m = momentum_as_time_constant_schedule([100, 200], epoch_size=50)
print(['%.6f' % m[i] for i in (0, 49, 50, 100)])
m = momentum_schedule([0.9, 0.99], 10)
print([m[i] for i in (0, 9, 10)])
t = training_parameter_schedule(0.01, UnitType.sample)
print(t[0], t[1000])
learner = momentum_sgd(
    z.parameters, learning_rate_schedule(0.02, UnitType.sample), momentum_as_time_constant_schedule(70), True
)
print(learner.learning_rate(), len(learner.parameters))
learner.reset_learning_rate(learning_rate_schedule(0.01, UnitType.sample))
print(learner.learning_rate())
z.save('old.model')
again = load_model('old.model')
print(np.allclose(again.eval({again.arguments[0]: features}), z.eval({input1: features})))
