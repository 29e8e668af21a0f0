"""The user functions of "Extending CNTK", and the figures they give. Runs on CNTK 2.7 and on Cantik:

    python tests/documents/extending_functions.py > tests/documents/extending_functions.json   # with CNTK's python

MENDS says what the printed text has lost or got wrong, and what stands here instead.
"""
import json
import os
import sys
import tempfile

import numpy as np

import cntk as C

MENDS = [
    ('import numpy as np', 'the programs use it without naming it'),
    ('self.inputs[0].dtype, self.inputs[0].dynamic_axes)]', 'the end of the line in MySigmoid.infer_outputs is lost'),
    ('@staticmethod', 'lost before deserialize, which is called through an instance too'),
    ('return MySigmoid(inputs[0], name)', 'printed as "return = MySigmoid(inputs[0], name)"'),
    ('def backward(self, state, root_gradients, variables):', 'MyPlus has two inputs: its printed backward lacks the argument that the text then explains'),
    ("arg, when=lambda arg: True, execute=lambda arg: print(arg), name=''):", 'the first and the last arguments of LambdaFunc are lost'),
    ('self.execute(argument)', 'the body of "if self.when(argument):" is lost'),
]

# ---- as it is printed, with these mends

from cntk.ops.functions import UserFunction
from cntk import output_variable

class MySigmoid(UserFunction):
    def __init__(self, arg, name='MySigmoid'):
        super(MySigmoid, self).__init__([arg], name=name)

    def forward(self, argument, device=None, outputs_to_retain=None):
        sigmoid_x = 1 / (1 + np.exp(-argument))
        return sigmoid_x, sigmoid_x

    def backward(self, state, root_gradients):
        sigmoid_x = state
        return root_gradients * sigmoid_x * (1 - sigmoid_x)

    def infer_outputs(self):
        return [output_variable(self.inputs[0].shape, self.inputs[0].dtype,
                                self.inputs[0].dynamic_axes)]

    @staticmethod
    def deserialize(inputs, name, state):
        return MySigmoid(inputs[0], name)

from cntk import user_function

class MyPlus(UserFunction):
    def __init__(self, arg1, arg2, name='f1'):
        super(MyPlus, self).__init__([arg1, arg2], name=name)
        self.forward_calls = 0
        self.backward_calls = 0

    def forward(self, arguments, device=None, outputs_to_retain=None):
        # No state needs to be passed to backward() so we just
        # pass None
        self.forward_calls += 1
        return None, arguments[0] + arguments[1]

    def backward(self, state, root_gradients, variables):
        self.backward_calls += 1
        for var in variables:
            variables[var] = root_gradients

    def infer_outputs(self):
        # We just pass the meta information of the first operand. For real
        # scenarios, one would want to calculate what the actual output's
        # result would actually look like (considering broadcasting, etc.).
        return [output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def serialize(self):
        return {'forward_calls' : self.forward_calls,
                'backward_calls' : self.backward_calls}

    @staticmethod
    def deserialize(inputs, name, state):
        f = MyPlus(inputs[0], inputs[1], name)
        f.forward_calls = state['forward_calls']
        f.backward_calls = state['backward_calls']
        return f

class LambdaFunc(UserFunction):
    def __init__(self,
            arg,
            when=lambda arg: True,
            execute=lambda arg: print(arg),
            name=''):
        self.when = when
        self.execute = execute

        super(LambdaFunc, self).__init__([arg], name=name)

    def infer_outputs(self):
        return [output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        if self.when(argument):
            self.execute(argument)

        return None, argument

    def backward(self, state, root_gradients):
        return root_gradients

# ---- the text between the programs: several outputs, whose forward has `outputs` and whose root gradients are a dictionary

class SumAndProduct(UserFunction):
    def __init__(self, arg1, arg2, name='SumAndProduct'):
        super(SumAndProduct, self).__init__([arg1, arg2], name=name)

    def forward(self, args, outputs, device=None, outputs_to_retain=None):
        outputs[self.outputs[0]] = args[0] + args[1]
        outputs[self.outputs[1]] = args[0] * args[1]
        return args

    def backward(self, state, root_gradients, variables):
        d_sum, d_product = root_gradients[self.outputs[0]], root_gradients[self.outputs[1]]
        if self.inputs[0] in variables:
            variables[self.inputs[0]] = d_sum + d_product * state[1]
        if self.inputs[1] in variables:
            variables[self.inputs[1]] = d_sum + d_product * state[0]

    def infer_outputs(self):
        return [output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes) for _ in range(2)]

# ---- figures

X = (np.arange(12, dtype=np.float32).reshape(4, 3) - 5) / 4
Y = np.cos(X) + 1


def sigmoid_figures():
    x = C.input_variable(3, needs_gradient=True)
    prev_node = x * 2
    s = user_function(MySigmoid(prev_node))
    gradient, value = s.grad({x: X}, wrt=[x], outputs=[s.output])
    return dict(text=str(s.root_function), value=value, gradient=gradient)


def sequence_figures():
    seen = []
    x = C.sequence.input_variable(3, needs_gradient=True)
    s = user_function(LambdaFunc(x * x, execute=lambda arg: seen.append([list(a.shape) for a in arg])))
    gradient, value = s.grad({x: [X[:3], X[3:]]}, wrt=[x], outputs=[s.output])
    return dict(seen=seen, value=value, gradient=gradient)


def plus_figures(folder):
    """100 steps of training, the calls counted, saved and loaded with them."""
    x = C.input_variable(3, needs_gradient=True)
    p = C.parameter(3, init=np.array([1, 2, 3], np.float32))
    m = MyPlus(x, C.constant(3), 'my_plus')
    z = user_function(m) * p
    y = C.input_variable(3)
    loss = C.squared_error(z, y)
    trainer = C.Trainer(z, (loss, loss), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))])
    losses = []
    for _ in range(100):
        trainer.train_minibatch({x: X, y: Y})
        losses.append(trainer.previous_minibatch_loss_average)
    path = os.path.join(folder, 'plus.model')
    z.save(path)
    loaded = C.Function.load(path)
    state = loaded.find_by_name('my_plus').serialize()['state']
    return dict(forward_calls=m.forward_calls, backward_calls=m.backward_calls, loaded_forward=state['forward_calls'], loaded_backward=state['backward_calls'],
                losses=losses[::10], p=p.value, loaded=loaded.eval({loaded.arguments[0]: X}))


def several_outputs_figures():
    a, b = C.input_variable(3, needs_gradient=True), C.input_variable(3, needs_gradient=True)
    f = user_function(SumAndProduct(a, b))
    values = f.eval({a: X, b: Y})
    total = f.outputs[0] + 3 * f.outputs[1]
    gradients = total.grad({a: X, b: Y}, wrt=[a, b])
    return dict(sum=values[f.outputs[0]], product=values[f.outputs[1]], da=gradients[a], db=gradients[b])


def debugging_figures():
    seen = []
    x = C.input_variable(3, needs_gradient=True)
    node = x * 3
    debug_node = LambdaFunc(node,
            when=lambda arg: np.var(arg)>1,
            execute=lambda arg: seen.append(float(np.var(arg))))
    out = user_function(debug_node) + 1
    values = [out.eval({x: X * scale}) for scale in (0.1, 0.5, 1.0)]
    return dict(seen=seen, last=values[-1], gradient=out.grad({x: X}, wrt=[x]))


def plain(v):
    if isinstance(v, dict):
        return {key: plain(value) for key, value in v.items()}
    if isinstance(v, (list, tuple)):
        return [plain(value) for value in v]
    return np.asarray(v).tolist() if isinstance(v, (np.ndarray, np.generic)) else v


def figures():
    with tempfile.TemporaryDirectory() as folder:
        return plain(dict(sigmoid=sigmoid_figures(), sequences=sequence_figures(), plus=plus_figures(folder), several=several_outputs_figures(),
                          debugging=debugging_figures()))


if __name__ == '__main__':
    sys.stdout.write(json.dumps(figures(), indent=1, sort_keys=True) + '\n')
