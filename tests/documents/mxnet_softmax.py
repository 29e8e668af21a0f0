"""The document mxnet_new_operators as one program: a Softmax of one's own as the loss of a network on MNIST.

    python -m cantik run tests/documents/mxnet_softmax.py MNIST_FOLDER [EPOCHS]

The operator stands as the document prints it, but for one mend: `np.int`, which NumPy has no more, is `int`. The network around it, which the
document only points to, is of the same kind: three layers, trained by Module.fit from weights that NumPy draws, so that runs can be compared.
"""
import os
import sys
import logging

import mxnet as mx
import numpy as np


class Softmax(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        y = np.exp(x - x.max(axis=1).reshape((x.shape[0], 1)))
        y /= y.sum(axis=1).reshape((x.shape[0], 1))
        self.assign(out_data[0], req[0], mx.nd.array(y))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        l = in_data[1].asnumpy().ravel().astype(int)
        y = out_data[0].asnumpy()
        y[np.arange(l.shape[0]), l] -= 1.0
        self.assign(in_grad[0], req[0], mx.nd.array(y))


@mx.operator.register("softmax")
class SoftmaxProp(mx.operator.CustomOpProp):
    def __init__(self):
        super(SoftmaxProp, self).__init__(need_top_grad=False)

    def list_arguments(self):
        return ['data', 'label']

    def list_outputs(self):
        return ['output']

    def infer_shape(self, in_shape):
        data_shape = in_shape[0]
        label_shape = (in_shape[0][0],)
        output_shape = in_shape[0]
        return [data_shape, label_shape], [output_shape], []

    def infer_type(self, in_type):
        dtype = in_type[0]
        return [dtype, dtype], [dtype], []

    def create_operator(self, ctx, shapes, dtypes):
        return Softmax()


def network():
    data = mx.symbol.Variable('data')
    fc1 = mx.symbol.FullyConnected(data=data, name='fc1', num_hidden=128)
    act1 = mx.symbol.Activation(data=fc1, name='relu1', act_type='relu')
    fc2 = mx.symbol.FullyConnected(data=act1, name='fc2', num_hidden=64)
    act2 = mx.symbol.Activation(data=fc2, name='relu2', act_type='relu')
    fc3 = mx.symbol.FullyConnected(data=act2, name='fc3', num_hidden=10)
    return mx.symbol.Custom(data=fc3, name='softmax', op_type='softmax')


def unpacked(folder, to):
    """MXNet reads MNIST's files unpacked."""
    import gzip
    for name in os.listdir(folder):
        if name.endswith('.gz') and 'ubyte' in name:
            with gzip.open(os.path.join(folder, name)) as packed, open(os.path.join(to, name[:-3]), 'wb') as f:
                f.write(packed.read())
    return to


def main(folder, epochs=2, batch=100):
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)

    def data(part):
        return mx.io.MNISTIter(image=os.path.join(folder, part + '-images-idx3-ubyte'), label=os.path.join(folder, part + '-labels-idx1-ubyte'), batch_size=batch,
                               shuffle=False, flat=True)
    train, test = data('train'), data('t10k')
    mlp = network()
    rs = np.random.RandomState(0)
    shapes, _, _ = mlp.infer_shape(data=(batch, 784))
    weights = {n: mx.nd.array(rs.uniform(-0.07, 0.07, s)) for n, s in zip(mlp.list_arguments(), shapes) if n.startswith('fc')}
    mod = mx.mod.Module(mlp, context=mx.cpu())
    mod.fit(train_data=train, eval_data=test, optimizer='sgd', optimizer_params={'learning_rate': 0.1, 'momentum': 0.9, 'wd': 0.00001}, arg_params=weights, num_epoch=epochs,
            batch_end_callback=mx.callback.Speedometer(batch, 200))
    return mod


if __name__ == '__main__':
    import tempfile
    with tempfile.TemporaryDirectory() as to:
        main(unpacked(sys.argv[1], to), *map(int, sys.argv[2:]))
