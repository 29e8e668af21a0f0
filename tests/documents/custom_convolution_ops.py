"""Figures of "cntk.contrib.netopt.custom_convolution_ops". Runs on CNTK 2.7 and on Cantik; CANTIK_DOCUMENTS
names the folder of the document:

python tests/documents/custom_convolution_ops.py > tests/documents/custom_convolution_ops.json   # with CNTK's
python
"""

import json
import re
import sys
from pathlib import Path

import cntk as C
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / 'python'))
from documents import between, document, mended, run

MENDS = [
    ('C.output_values[', 'output_values['),  # there is no C.output_values
    ('(np.greater(bit_map, i)).as_type(float)', 'C.greater(bit_map, i)'),
]  # of the graph; and arrays have no as_type

# Where statements begin. Comments, with which the printed lines run together, have words that look alike: "y
# = ", "return the", "return argument is".
STATEMENT = re.compile(
    r'(?:class \w+\(|def \w+ ?\(|super\(|np\.place\(|print\(|assert |for \w+ in range|if \(|else:|return '
    r'(?!the |argument is)|(?:\w[\w.]*, )*\w[\w.\[\]]+ = )'
)


def statements(line):
    """A line's statements, without comments: the printed text has lost the line ends inside of functions."""
    begins, depth, i = [], 0, 0
    while i < len(line):
        found = STATEMENT.match(line, i) if depth == 0 and (i == 0 or line[i - 1] == ' ') else None
        if found:
            begins.append(i)
            i = found.end() - (found.group().endswith('('))
        else:
            depth += {'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}.get(line[i], 0)
            i += 1
    return [line[a:b].split('#')[0].strip() for a, b in zip(begins, begins[1:] + [len(line)])]


def program(text):
    """The program with lines and indentation: `[docs] def` is a method; a return ends all blocks of its
    function, an assertion the innermost."""
    lines = []
    for line in text.splitlines():
        method, line = line.startswith('[docs] '), re.sub(r'^\[docs\] ?', '', line)
        if line.startswith(('@', 'import ', 'from ')):
            lines.append('    ' * line.startswith('@') + line)
        if line.startswith(('#', '@', 'import ', 'from ')):
            continue
        depth, blocks = 1 if method else 0, []
        for statement in statements(line):
            word = re.match(r'\w+', statement).group()
            if word == 'else':
                while blocks.pop() != 'if':
                    pass
            elif word == 'return':
                blocks = []
            elif word == 'assert':
                blocks.pop()
            lines.append('    ' * (depth + len(blocks)) + statement)
            if word in ('class', 'def'):
                depth += 1
            elif word in ('if', 'else', 'for'):
                blocks.append(word)
    return '\n'.join(lines) + '\n'


def printed():
    """The document's functions and classes, in this module: files of user functions find their classes by
    it."""
    return run(
        program(mended(between(document('custom_convolution_ops.txt'), 'import numpy'), *MENDS)), globals()
    )


# ---- figures: of the functions CustomSign, ... of a dictionary

X = (np.random.RandomState(3).randn(2, 4, 5, 5) * 1.5).astype(np.float32)
W = (np.random.RandomState(4).randn(3, 4, 3, 3) * 1.5).astype(np.float32)
R = np.random.RandomState(5).randn(2, 3, 5, 5).astype(np.float32)
X[0, 0, 0, 0] = W[0, 0, 0, 0] = 0
MAP = np.random.RandomState(6).randint(1, 5, W.shape)


def activations(function, *bits):
    """The function of a batch, and its gradient for the numbers 1, 2, ... coming back."""
    x = C.input_variable(X.shape[1:], needs_gradient=True)
    y = function(x, *bits) * C.constant(np.arange(1, 101, dtype=np.float32).reshape(X.shape[1:]))
    gradient, value = y.grad({x: X}, wrt=[x], outputs=[y.output])
    return dict(value=value, gradient=gradient)


def weights(function, *bits):
    """A convolution with the function of the filters, and the gradients for fixed numbers coming back."""
    x, w = C.input_variable(X.shape[1:], needs_gradient=True), C.parameter(init=W)
    y = C.convolution(function(w, *bits), x, auto_padding=[False, True, True])
    back = C.input_variable(R.shape[1:])
    gradients, value = (y * back).grad({x: X, back: R}, wrt=[x, w], outputs=[y.output])
    return dict(value=value, dx=gradients[x], dw=gradients[w])


def network(functions, w_bits=(), x_bits=(), kernels=None):
    """Losses of a network of the program's kind: binary weights and activations, trained."""
    of_weights, of_activations = (
        functions['CustomMultibitKernel' if kernels else 'CustomMultibit' if w_bits else 'CustomSign'],
        functions['CustomMultibit' if x_bits else 'CustomSign'],
    )
    x, y = C.input_variable(X.shape[1:]), C.input_variable(3)
    w, v = C.parameter(init=W * 0.5), C.parameter(init=W[:, :3, :1, 0] * 0.5)
    h = C.convolution(of_weights(w, *w_bits), of_activations(x, *x_bits), auto_padding=[False, True, True])
    z = C.reshape(C.times(C.reshape(C.reduce_mean(h, axis=(1, 2)), 3), C.reshape(v, (3, 3))), 3)
    loss = C.squared_error(z, y)
    trainer = C.Trainer(z, (loss, None), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01, 1))])
    losses = []
    for _ in range(20):
        trainer.train_minibatch({x: X, y: [[1, 0, 2], [0, 1, -1]]})
        losses.append(trainer.previous_minibatch_loss_average)
    return losses


def figures(functions):
    f = dict(
        sign=activations(functions['CustomSign']),
        py_sign=activations(functions['CustomPySign']),
        sign_of_weights=weights(functions['CustomSign']),
        map_of_weights=weights(functions['CustomMultibit'], MAP),
        map_of_kernels=weights(functions['CustomMultibitKernel'], MAP),
        network=network(functions),
        network_of_bits=network(functions, (2,), (3,)),
        network_of_kernels=network(functions, (2,), (2,), True),
    )
    for bits in (1, 2, 3, 4):
        f['multibit_%d' % bits] = activations(functions['CustomMultibit'], bits)
        f['kernel_%d' % bits] = weights(functions['CustomMultibitKernel'], bits)
    return plain(f)


def plain(v):
    if isinstance(v, dict):
        return {key: plain(value) for key, value in v.items()}
    return np.asarray(v, np.float64).round(6).tolist()


if __name__ == '__main__':
    sys.stdout.write(json.dumps(figures(printed()), sort_keys=True) + '\n')
