"""A network of convolutions and batch normalizations, trained for three epochs by whichever mxnet it is
given.

MXNET_PYTHON tests/python/mxnet_convnet.py tests/golden/mxnet_convnet     writes the parameters that MXNet
1.9.1 finds, and the symbol
"""

import sys

import numpy as np


def network(mx):
    data = mx.sym.Variable('data')
    c1 = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, pad=(1, 1), name='c1')
    b1 = mx.sym.BatchNorm(c1, name='bn1', fix_gamma=False)
    p1 = mx.sym.Pooling(
        mx.sym.Activation(b1, act_type='relu', name='a1'),
        kernel=(2, 2),
        stride=(2, 2),
        pool_type='max',
        name='p1',
    )
    c2 = mx.sym.Convolution(p1, kernel=(3, 3), num_filter=4, pad=(1, 1), no_bias=True, name='c2')
    r = mx.sym.elemwise_add(mx.sym.BatchNorm(c2, name='bn2'), p1, name='r')
    g = mx.sym.Pooling(r, kernel=(1, 1), global_pool=True, pool_type='avg', name='g')
    both = mx.sym.Concat(g, mx.sym.mean(r, axis=(2, 3), keepdims=True, name='m'), name='both')
    f = mx.sym.FullyConnected(mx.sym.Flatten(both, name='fl'), num_hidden=3, name='f')
    return mx.sym.SoftmaxOutput(mx.sym.LeakyReLU(f, act_type='leaky', name='l'), name='softmax')


def train(mx):
    """Parameters and states after three epochs of momentum and weight decay."""
    net = network(mx)
    rs = np.random.RandomState(0)
    x = rs.randn(40, 2, 8, 8).astype(np.float32)
    y = (np.abs(x).mean((1, 2, 3)) * 1000).astype(int) % 3
    it = mx.io.NDArrayIter(x, y.astype(np.float32), 8)
    shapes, _, states = net.infer_shape(data=(8, 2, 8, 8))
    args = {
        n: mx.nd.array(rs.uniform(-0.5, 0.5, s))
        for n, s in zip(net.list_arguments(), shapes)
        if n not in ('data', 'softmax_label')
    }
    aux = {n: mx.nd.array(np.ones(s)) for n, s in zip(net.list_auxiliary_states(), states)}
    module = mx.mod.Module(net)
    module.fit(
        it,
        num_epoch=3,
        optimizer='sgd',
        optimizer_params={'learning_rate': 0.1, 'momentum': 0.9, 'wd': 1e-3},
        arg_params=args,
        aux_params=aux,
    )
    found = {k: v.asnumpy() for part in module.get_params() for k, v in part.items()}
    found['entropy'] = np.float64(dict(module.score(it, ['acc', 'ce']))['cross-entropy'])
    return found


if __name__ == '__main__':
    import mxnet

    np.savez_compressed(sys.argv[1] + '.npz', **train(mxnet))
    network(mxnet).save(sys.argv[1] + '.json')
