"""Figures of the user functions of "Extending CNTK". Runs on CNTK 2.7 and on Cantik; CANTIK_DOCUMENTS names
the folder of the document:

python tests/documents/extending_functions.py > tests/documents/extending_functions.json   # with CNTK's
python
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import cntk as C
from cntk import output_variable
from cntk.ops.functions import UserFunction

sys.path.append(str(Path(__file__).resolve().parents[1] / 'python'))
from documents import between, document, mended, run

# (printed, meant): the text has lost lines and the ends of lines, and gives MyPlus, which has two inputs, the
# backward of one input.
MENDS = dict(
    MySigmoid=[
        (
            'self.inputs[0].dtype,\n',
            'self.inputs[0].dtype, self.inputs[0].dynamic_axes)]\n\n    @staticmethod',
        ),
        ('return = ', 'return '),
    ],
    MyPlus=[
        ('root_gradients):', 'root_gradients, variables):'),
        (
            '        return root_gradients\n',
            '        for var in variables:\n            variables[var] = root_gradients\n',
        ),
        ('    def deserialize', '    @staticmethod\n    def deserialize'),
    ],
    LambdaFunc=[
        ('__init__(self,\n', '__init__(self, arg,\n'),
        ('print(arg),\n', "print(arg), name=''):\n"),
        ('argument):\n\n', 'argument):\n            self.execute(argument)\n'),
    ],
)

TEXT = document('extending_cntk.txt')
# Into this module: files of user functions find their classes by it.
run(mended(between(TEXT, 'from cntk.ops.functions', 'This can now be used'), *MENDS['MySigmoid']), globals())
run(mended(between(TEXT, 'class MyPlus', 'If the UserFunction has more'), *MENDS['MyPlus']), globals())
run(mended(between(TEXT, 'class LambdaFunc', 'can now be used'), *MENDS['LambdaFunc']), globals())


def sigmoid_of(prev_node):
    """The text's use of MySigmoid."""
    return run(
        between(TEXT, 'from cntk import user_function', 'Note that'), dict(globals(), prev_node=prev_node)
    )['s']


def debugged(node):
    """The text's use of LambdaFunc, which calls pdb."""
    return run(between(TEXT, 'import pdb', 'Now, if the variance'), dict(globals(), node=node))['debug_node']


# ---- several outputs, which the text tells in words: forward has `outputs`, the root gradients are a
# dictionary


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
        return [
            output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)
            for _ in range(2)
        ]


# ---- figures

X = (np.arange(12, dtype=np.float32).reshape(4, 3) - 5) / 4
Y = np.cos(X) + 1


def sigmoid_figures():
    x = C.input_variable(3, needs_gradient=True)
    s = sigmoid_of(x * 2)
    gradient, value = s.grad({x: X}, wrt=[x], outputs=[s.output])
    return dict(text=str(s.root_function), value=value, gradient=gradient)


def sequence_figures():
    seen = []
    x = C.sequence.input_variable(3, needs_gradient=True)
    s = C.user_function(LambdaFunc(x * x, execute=lambda arg: seen.append([list(a.shape) for a in arg])))
    gradient, value = s.grad({x: [X[:3], X[3:]]}, wrt=[x], outputs=[s.output])
    return dict(seen=seen, value=value, gradient=gradient)


def plus_figures(folder):
    """100 steps of training, the calls counted, saved and loaded with them."""
    x = C.input_variable(3, needs_gradient=True)
    p = C.parameter(3, init=np.array([1, 2, 3], np.float32))
    m = MyPlus(x, C.constant(3), 'my_plus')
    z = C.user_function(m) * p
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
    return dict(
        forward_calls=m.forward_calls,
        backward_calls=m.backward_calls,
        loaded_forward=state['forward_calls'],
        loaded_backward=state['backward_calls'],
        losses=losses[::10],
        p=p.value,
        loaded=loaded.eval({loaded.arguments[0]: X}),
    )


def several_outputs_figures():
    a, b = C.input_variable(3, needs_gradient=True), C.input_variable(3, needs_gradient=True)
    f = C.user_function(SumAndProduct(a, b))
    values = f.eval({a: X, b: Y})
    total = f.outputs[0] + 3 * f.outputs[1]
    gradients = total.grad({a: X, b: Y}, wrt=[a, b])
    return dict(sum=values[f.outputs[0]], product=values[f.outputs[1]], da=gradients[a], db=gradients[b])


def debugging_figures():
    seen = []
    x = C.input_variable(3, needs_gradient=True)
    out = (
        C.user_function(
            LambdaFunc(x * 3, when=lambda v: np.var(v) > 1, execute=lambda v: seen.append(float(np.var(v))))
        )
        + 1
    )
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
        return plain(
            dict(
                sigmoid=sigmoid_figures(),
                sequences=sequence_figures(),
                plus=plus_figures(folder),
                several=several_outputs_figures(),
                debugging=debugging_figures(),
            )
        )


if __name__ == '__main__':
    sys.stdout.write(json.dumps(figures(), indent=1, sort_keys=True) + '\n')
