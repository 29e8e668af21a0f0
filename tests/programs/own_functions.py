"""Functions, losses and learners of the program's own: a UserFunction, a UserLearner, learners as graphs."""

import numpy as np

import cntk as C
from cntk import output_variable, user_function
from cntk.learners import UserLearner, universal
from cntk.ops.functions import UserFunction


class MySigmoid(UserFunction):
    def __init__(self, arg, name='MySigmoid'):
        super(MySigmoid, self).__init__([arg], name=name)
        self.calls = [0, 0]

    def forward(self, argument, device=None, outputs_to_retain=None):
        self.calls[0] += 1
        sigmoid_x = 1 / (1 + np.exp(-argument))
        return sigmoid_x, sigmoid_x

    def backward(self, state, root_gradients):
        self.calls[1] += 1
        return root_gradients * state * (1 - state)

    def infer_outputs(self):
        x = self.inputs[0]
        return [output_variable(x.shape, x.dtype, x.dynamic_axes)]

    @staticmethod
    def deserialize(inputs, name, state):
        return MySigmoid(inputs[0], name)


class MySgd(UserLearner):
    def __init__(self, parameters, lr_schedule):
        super(MySgd, self).__init__(parameters, lr_schedule)
        self.samples = 0

    def update(self, gradient_values, training_sample_count, sweep_end):
        eta = self.learning_rate() / training_sample_count
        self.samples += training_sample_count
        for p, g in gradient_values.items():
            new_p = p - eta * C.constant(g)
            p.set_value(new_p.eval(as_numpy=False).data)
        return True


def my_adagrad(parameters, gradients):
    accumulators = [C.constant(0, shape=p.shape, name='accum') for p in parameters]
    updates = []
    for p, g, a in zip(parameters, gradients, accumulators):
        accum_new = C.assign(a, a + g * g)
        updates.append(C.assign(p, p - 0.05 * g / C.sqrt(accum_new + 1e-6)))
    return C.combine(updates)


rng = np.random.RandomState(0)
X = rng.randn(80, 4).astype(np.float32)
Y = np.eye(2, dtype=np.float32)[(X.sum(1) > 0).astype(int)]


def train(name, make_learner):
    C.cntk_py.set_fixed_random_seed(8)
    x, y = C.input_variable(4), C.input_variable(2)
    inner = MySigmoid(C.layers.Dense(6)(x))
    z = C.layers.Dense(2)(user_function(inner))
    loss = C.cross_entropy_with_softmax(z, y)
    learner = make_learner(z.parameters)
    trainer = C.Trainer(z, (loss, C.classification_error(z, y)), [learner])
    losses = []
    for k in range(0, 80, 20):
        trainer.train_minibatch({x: X[k : k + 20], y: Y[k : k + 20]})
        losses.append('%.6f' % trainer.previous_minibatch_loss_average)
    print(name, *losses)
    return x, z, inner, learner


x, z, inner, learner = train('MySgd', lambda p: MySgd(p, C.learning_parameter_schedule(0.5)))
print('samples', learner.samples, 'calls', inner.calls)
train('sgd', lambda p: C.sgd(p, C.learning_parameter_schedule(0.5)))
train('my_adagrad', lambda p: universal(my_adagrad, p))
z.save('own.model')
loaded = C.Function.load('own.model')
print(np.abs(loaded.eval({loaded.arguments[0]: X[:4]}) - z.eval({x: X[:4]})).max())

a = C.input_variable(3, needs_gradient=True)
f = user_function(MySigmoid(a))
print(f.eval({a: [[0, 1, -1]]}).round(5), f.grad({a: np.array([[0, 1, -1]], np.float32)}, [a]).round(5))
