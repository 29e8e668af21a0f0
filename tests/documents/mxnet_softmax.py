"""The operator of MXNet's page about new operators, a softmax in Python, as the loss of a network on MNIST;
CANTIK_DOCUMENTS names the folder of the page:

    python -m cantik run tests/documents/mxnet_softmax.py MNIST_FOLDER [EPOCHS]     # or with MXNet's own
    python

The network around it, which the page only points to: three layers, trained by Module.fit from weights that
NumPy draws, so that runs can be compared.
"""

import logging
import os
import sys
from pathlib import Path

import mxnet as mx
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / 'python'))
from documents import between, document, mended, run

TEXT = document('mxnet_new_operators.txt')
PARTS = [
    ('import os', 'We defined the computation'),
    ('def backward', 'Softmax defines'),
    ('@mx.operator.register', 'Then, call'),
    ('def __init__', 'Then declare'),
    ('def list_arguments', 'Note that'),
    ('def infer_shape', 'The first axis'),
    ('def infer_type', 'Finally'),
    ('def create_operator', 'To use the custom'),
]
MENDS = [('np.int)', 'int)')]  # (printed, meant): NumPy has no np.int any more


def program():
    """The page's operator, whose lines are printed without their indentation: two classes of methods that
    have no blocks."""
    lines = mended(''.join(between(TEXT, *part) for part in PARTS), *MENDS).splitlines()

    def depth(line):
        return 0 if line.startswith(('import ', 'class ', '@')) else 4 if line.startswith('def ') else 8

    return ''.join(' ' * depth(line) + line + '\n' for line in lines)


run(program(), globals())


def network():
    data = mx.symbol.Variable('data')
    fc1 = mx.symbol.FullyConnected(data=data, name='fc1', num_hidden=128)
    act1 = mx.symbol.Activation(data=fc1, name='relu1', act_type='relu')
    fc2 = mx.symbol.FullyConnected(data=act1, name='fc2', num_hidden=64)
    act2 = mx.symbol.Activation(data=fc2, name='relu2', act_type='relu')
    fc3 = mx.symbol.FullyConnected(data=act2, name='fc3', num_hidden=10)
    return run(between(TEXT, 'mlp =', 'Please see'), dict(mx=mx, fc3=fc3))['mlp']


def unpacked(folder, to):
    """MXNet reads MNIST's files unpacked."""
    import gzip

    for name in os.listdir(folder):
        if name.endswith('.gz') and 'ubyte' in name:
            with gzip.open(os.path.join(folder, name)) as packed:
                content = packed.read()
            with open(os.path.join(to, name[:-3]), 'wb') as f:
                f.write(content)
    return to


def main(folder, epochs=2, batch=100):
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)

    def data(part):
        return mx.io.MNISTIter(
            image=os.path.join(folder, part + '-images-idx3-ubyte'),
            label=os.path.join(folder, part + '-labels-idx1-ubyte'),
            batch_size=batch,
            shuffle=False,
            flat=True,
        )

    train, test = data('train'), data('t10k')
    mlp = network()
    rs = np.random.RandomState(0)
    shapes, _, _ = mlp.infer_shape(data=(batch, 784))
    weights = {
        n: mx.nd.array(rs.uniform(-0.07, 0.07, s))
        for n, s in zip(mlp.list_arguments(), shapes)
        if n.startswith('fc')
    }
    mod = mx.mod.Module(mlp, context=mx.cpu())
    mod.fit(
        train_data=train,
        eval_data=test,
        optimizer='sgd',
        optimizer_params={'learning_rate': 0.1, 'momentum': 0.9, 'wd': 0.00001},
        arg_params=weights,
        num_epoch=epochs,
        batch_end_callback=mx.callback.Speedometer(batch, 200),
    )
    return mod


if __name__ == '__main__':
    import tempfile

    with tempfile.TemporaryDirectory() as to:
        main(unpacked(sys.argv[1], to), *map(int, sys.argv[2:]))
