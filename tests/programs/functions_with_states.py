"""Functions of the program's own with state, several outputs, saved and loaded with the model."""

import numpy as np
import cntk as C
from cntk.ops.functions import UserFunction
from cntk import output_variable, user_function


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(1)


class Running(UserFunction):
    """x minus a running mean of what was seen."""

    def __init__(self, arg, rate=0.5, name='running'):
        super(Running, self).__init__([arg], name=name)
        self.rate, self.mean, self.calls = (rate, 0.0, 0)

    def infer_outputs(self):
        a = self.inputs[0]
        return [output_variable(a.shape, a.dtype, a.dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        self.calls += 1
        self.mean = self.rate * self.mean + (1 - self.rate) * float(argument.mean())
        return (None, argument - self.mean)

    def backward(self, state, root_gradients):
        return root_gradients

    def clone(self, cloned_inputs):
        return Running(cloned_inputs[0], self.rate, self.name)

    def serialize(self):
        return {'rate': self.rate}

    @staticmethod
    def deserialize(inputs, name, state):
        return Running(inputs[0], state['rate'], name)


class Split(UserFunction):
    def __init__(self, a, b, name='split'):
        super(Split, self).__init__([a, b], name=name)

    def infer_outputs(self):
        return [
            output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes),
            output_variable(self.inputs[1].shape, self.inputs[1].dtype, self.inputs[1].dynamic_axes),
        ]

    def forward(self, arguments, outputs, device=None, outputs_to_retain=None):
        a, b = arguments
        for k in outputs:
            outputs[k] = a * b if k == self.outputs[0] else a + b
        return arguments

    def backward(self, state, root_gradients, variables):
        a, b = state
        g0 = root_gradients.get(self.outputs[0], 0)
        g1 = root_gradients.get(self.outputs[1], 0)
        for v in variables:
            variables[v] = g0 * b + g1 if v == self.inputs[0] else g0 * a + g1


x = C.input_variable(3, needs_gradient=True)
y = C.input_variable(2)
h = C.layers.Dense(4, activation=C.tanh)(x)
r = user_function(Running(h, 0.8))
z = C.layers.Dense(2)(r)
loss = C.cross_entropy_with_softmax(z, y)
t = C.Trainer(z, (loss, C.classification_error(z, y)), [C.sgd(z.parameters, 0.3)])
rng = np.random.RandomState(2)
for i in range(8):
    X = rng.randn(6, 3).astype('f')
    t.train_minibatch({x: X, y: np.eye(2, dtype='f')[(X[:, 0] > 0).astype(int)]})
    print('%.5f' % t.previous_minibatch_loss_average)

f = z.find_by_name('running')
print(f.op_name)
z.save('state.model')
again = C.load_model('state.model')
print(again.find_by_name('running').op_name, text(again.eval({again.arguments[0]: X[:2]})))
c = z.clone('clone')
print(text(c.eval({c.arguments[0]: X[:2]})))
a, b = (C.input_variable(2, needs_gradient=True), C.input_variable(2, needs_gradient=True))
s = user_function(Split(a, b))
print([o.shape for o in s.outputs])
v = s.eval({a: np.array([[1, 2]], 'f'), b: np.array([[3, 4]], 'f')})
print([v[o].tolist() for o in s.outputs])
total = C.reduce_sum(s.outputs[0] * 2 + s.outputs[1])
g = total.grad({a: np.array([[1, 2]], 'f'), b: np.array([[3, 4]], 'f')}, [a, b])
print(g[a].tolist(), g[b].tolist())
only = C.reduce_sum(s.outputs[1] * 3)
g = only.grad({a: np.array([[1, 2]], 'f'), b: np.array([[3, 4]], 'f')}, [a, b])
print(g[a].tolist(), g[b].tolist())
