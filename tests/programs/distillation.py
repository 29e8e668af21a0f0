"""A small network learns from a large one: the large one's scores at a higher temperature are its
targets. The teacher is saved, loaded, frozen by clone, and read at a layer found by name."""

import os

import numpy as np

import cntk as C

INPUTS, CLASSES, TEMPERATURE = 20, 5, 3.0

C.cntk_py.set_fixed_random_seed(17)
rng = np.random.RandomState(4)
truth = rng.randn(INPUTS, CLASSES)


def samples(count):
    X = rng.randn(count, INPUTS).astype(np.float32)
    return X, np.eye(CLASSES, dtype=np.float32)[(np.tanh(X) @ truth).argmax(axis=1)]


def train(model, loss, error, feeds, steps):
    rate = C.learning_parameter_schedule_per_sample([0.02] * 3 + [0.01], epoch_size=128)
    trainer = C.Trainer(model, (loss, error), [C.nesterov(model.parameters, rate, C.momentum_schedule(0.8))])
    for step in range(steps):
        trainer.train_minibatch(feeds(*samples(32)))
        if step % 5 == 4:
            print(
                '%.5f %.4f'
                % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
            )


x, y = C.input_variable(INPUTS, name='x'), C.input_variable(CLASSES, name='y')
with C.layers.default_options(init=C.he_normal(seed=3)):
    teacher = C.layers.Sequential(
        [
            C.layers.Dense(40, activation=C.relu),
            C.layers.Dense(40, activation=C.relu),
            C.layers.Dense(CLASSES, name='scores'),
        ]
    )(x)
train(
    teacher,
    C.cross_entropy_with_softmax(teacher, y),
    C.classification_error(teacher, y),
    lambda X, Y: {x: X, y: Y},
    20,
)
teacher.save('teacher.model')
loaded = C.load_model('teacher.model')
os.remove('teacher.model')
scores = C.combine([loaded.find_by_name('scores')])
frozen = scores.clone(C.CloneMethod.freeze, {scores.arguments[0]: x})
print(len(frozen.parameters), len(frozen.constants) >= 6)

student = C.layers.Dense(CLASSES, init=C.he_normal(seed=8), name='student')(
    C.layers.Dense(8, activation=C.tanh, init=C.he_normal(seed=7))(x)
)
soft = C.softmax(frozen / TEMPERATURE)
loss = 0.3 * C.cross_entropy_with_softmax(student, y) + 0.7 * TEMPERATURE**2 * C.cross_entropy_with_softmax(
    student / TEMPERATURE, soft
)
train(student, loss, C.classification_error(student, y), lambda X, Y: {x: X, y: Y}, 30)
X, Y = samples(200)
agreement = C.equal(C.argmax(student), C.argmax(frozen))
print('%.4f' % C.reduce_mean(agreement, axis=C.Axis.all_axes()).eval({x: X}))
test = C.eval.Evaluator(C.classification_error(student, y))
print('%.4f' % test.test_minibatch({x: X, y: Y}))
