"""What is in a checkpoint: the model, the criteria and their sums; what comes back, and what is refused."""

import os

import numpy as np

import cntk as C

C.cntk_py.set_fixed_random_seed(1)
X = np.arange(32).reshape(8, 4).astype(np.float32) / 10
Y = np.eye(2, dtype=np.float32)[np.arange(8) % 2]


def describe(path):
    model = C.load_model(path)
    print(model)
    for output in model.outputs:
        axes = len(output.dynamic_axes)
        print(' ', repr(output.name), output.shape, axes, output.owner.op_name)
    print([n.op_name for n in C.logging.graph.depth_first_search(model, lambda n: hasattr(n, 'op_name'))])


x, y = C.input_variable(4, name='x'), C.input_variable(2, name='y')
z = C.layers.Sequential([C.layers.Dense(5, activation=C.tanh, name='h'), C.layers.Dense(2, name='o')])(x)
ce = C.cross_entropy_with_softmax(z, y, name='ce')
pe = C.classification_error(z, y, name='pe')
learner = C.momentum_sgd(z.parameters, C.learning_parameter_schedule(0.1), C.momentum_schedule(0.9))
trainer = C.Trainer(z, (ce, pe), [learner])
print(trainer.model, trainer.loss_function, trainer.evaluation_function)


def train(trainer, times):
    for _ in range(times):
        trainer.train_minibatch({x: X, y: Y})
        loss, error = trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average
        print('%.5f %.3f %d' % (loss, error, trainer.total_number_of_samples_seen))


train(trainer, 3)
trainer.save_checkpoint('three.ckp', {'epoch': 3, 'who': 'me', 'rates': [0.1, 0.01], 'done': False})
train(trainer, 2)
state = trainer.restore_from_checkpoint('three.ckp')
print(sorted(state.items()))
train(trainer, 2)
print(sorted(os.listdir('.')))
describe('three.ckp')

# trainers of other makes
whole = C.reduce_mean(ce, axis=C.Axis.all_axes())
trainers = [
    ('no model', None, (ce, pe)),
    ('no metric', z, ce),
    ('metric as loss', z, (ce, ce)),
    ('model as loss', ce, (ce, pe)),
    ('a mean', z, (whole, pe)),
    ('two means', z, (whole, C.reduce_mean(pe, axis=C.Axis.all_axes()))),
    ('a vector', z, C.square(z - y)),
    ('criteria', z, C.combine([ce, pe])),
    ('model and criteria', C.combine([z, ce, pe]), (ce, pe)),
]
for what, model, criteria in trainers:
    other = C.Trainer(model, criteria, [C.sgd(z.parameters, 0.0)])
    other.train_minibatch({x: X, y: Y})
    other.save_checkpoint('other.ckp')
    print('--', what)
    describe('other.ckp')

# a part of it is a model again
loaded = C.load_model('three.ckp')
scores = C.combine([loaded.find_by_name('o')])
print(scores, np.argmax(scores.eval({scores.arguments[0]: X}), 1))
sums = C.combine([o for o in loaded.outputs if o.name.startswith('aggregate')])
values = sums.eval({loaded.arguments[0]: X, loaded.arguments[1]: Y})
for name, value in sorted((output.name, value) for output, value in values.items()):
    print(name, '%.5f' % value)

# what is refused
w = C.layers.Dense(3)(x)
stranger = C.Trainer(w, C.squared_error(w, C.input_variable(3)), [C.momentum_sgd(w.parameters, 0.1, 0.9)])
for path, trained in [('nothing.ckp', trainer), ('three.ckp', stranger)]:
    try:
        trained.restore_from_checkpoint(path)
    except (RuntimeError, ValueError) as error:
        print(path, 'RuntimeError' if isinstance(error, RuntimeError) else 'ValueError')
