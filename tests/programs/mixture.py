"""A mixture of experts: a gate chooses between small networks that are made in a loop and joined by
splice; the balance of the gate is a second term of the loss; rates fall by a schedule; what the gate does
is read from the trained graph."""

import numpy as np

import cntk as C

EXPERTS, INPUTS = 3, 5

C.cntk_py.set_fixed_random_seed(19)
x, y = C.input_variable(INPUTS, name='x'), C.input_variable(1, name='y')
gate = C.softmax(C.layers.Dense(EXPERTS, init=C.glorot_uniform(), name='gate')(x))
experts = [
    C.layers.Sequential([C.layers.Dense(6, activation=C.tanh), C.layers.Dense(1)], name='expert%d' % i)(x)
    for i in range(EXPERTS)
]
z = C.reduce_sum(C.element_times(gate, C.splice(*experts)), axis=0, name='z')
usage = C.reduce_mean(gate, axis=C.Axis.default_batch_axis())
balance = C.reduce_sum(C.square(usage - 1.0 / EXPERTS))
loss = C.squared_error(z, y) + 0.1 * balance
print(z.shape, usage.dynamic_axes, len(loss.parameters))

rng = np.random.RandomState(1)


def samples(count):
    X = rng.randn(count, INPUTS).astype(np.float32)
    return X, np.where(X[:, :1] > 0, X[:, 1:2] * 2, -X[:, 2:3]).astype(np.float32)


rates = C.learning_parameter_schedule_per_sample([(2, 0.02), (3, 0.01), (1, 0.002)], epoch_size=64)
learner = C.rmsprop(loss.parameters, rates, gamma=0.9, inc=1.1, dec=0.8, max=5.0, min=0.2)
trainer = C.Trainer(z, (loss, C.squared_error(z, y)), [learner])
for step in range(12):
    X, Y = samples(32)
    updated, values = trainer.train_minibatch({x: X, y: Y}, outputs=[usage])
    if step % 3 == 2:
        print(
            updated,
            '%.5f' % trainer.previous_minibatch_loss_average,
            values[usage].round(4).ravel(),
            learner.learning_rate(),
        )
X, Y = samples(4)
for name in ('gate', 'expert1'):
    found = C.combine([z.find_by_name(name)])
    print(name, found.shape, found.eval({found.arguments[0]: X}).round(4).tolist())
print(C.combine([z, usage]).eval({x: X})[z.output].round(4).ravel())
