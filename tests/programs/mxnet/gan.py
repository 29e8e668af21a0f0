"""A GAN of two modules: gradients go from the one that tells pictures apart to the one that makes them."""

import mxnet as mx
import numpy as np

np.random.seed(5)
BATCH, Z, NGF, NDF = 16, 6, 4, 4


def make_dcgan_sym(no_bias=True, fix_gamma=True, eps=1e-5 + 1e-12):
    rand = mx.sym.Variable('rand')
    g1 = mx.sym.Deconvolution(rand, name='g1', kernel=(4, 4), num_filter=NGF * 2, no_bias=no_bias)
    gbn1 = mx.sym.BatchNorm(g1, name='gbn1', fix_gamma=fix_gamma, eps=eps)
    gact1 = mx.sym.Activation(gbn1, name='gact1', act_type='relu')
    g2 = mx.sym.Deconvolution(
        gact1, name='g2', kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=NGF, no_bias=no_bias
    )
    gbn2 = mx.sym.BatchNorm(g2, name='gbn2', fix_gamma=fix_gamma, eps=eps)
    gact2 = mx.sym.Activation(gbn2, name='gact2', act_type='relu')
    g3 = mx.sym.Deconvolution(
        gact2, name='g3', kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=1, no_bias=no_bias
    )
    gout = mx.sym.Activation(g3, name='gact3', act_type='tanh')

    data, label = mx.sym.Variable('data'), mx.sym.Variable('label')
    d1 = mx.sym.Convolution(
        data, name='d1', kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=NDF, no_bias=no_bias
    )
    dact1 = mx.sym.LeakyReLU(d1, name='dact1', act_type='leaky', slope=0.2)
    d2 = mx.sym.Convolution(
        dact1, name='d2', kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=NDF * 2, no_bias=no_bias
    )
    dbn2 = mx.sym.BatchNorm(d2, name='dbn2', fix_gamma=fix_gamma, eps=eps)
    dact2 = mx.sym.LeakyReLU(dbn2, name='dact2', act_type='leaky', slope=0.2)
    d3 = mx.sym.Convolution(dact2, name='d3', kernel=(4, 4), num_filter=1, no_bias=no_bias)
    d3 = mx.sym.Flatten(d3)
    return gout, mx.sym.LogisticRegressionOutput(data=d3, label=label, name='dloss')


class RandIter(mx.io.DataIter):
    def __init__(self, batch_size, ndim):
        super().__init__()
        self.batch_size, self.ndim = batch_size, ndim
        self.provide_data = [('rand', (batch_size, ndim, 1, 1))]
        self.provide_label = []

    def iter_next(self):
        return True

    def getdata(self):
        return [mx.nd.array(np.random.normal(0, 1.0, (self.batch_size, self.ndim, 1, 1)))]


@mx.init.register
class Drawn(mx.init.Initializer):
    """Normal numbers of NumPy's."""

    def _init_weight(self, name, array):
        array[:] = np.random.normal(0, 0.08, array.shape)


def crosses(count):
    x = -np.ones((count, 1, 16, 16))
    for one in x[:, 0]:
        i, j = np.random.randint(4, 12, 2)
        one[i - 1 : i + 1] = 1
        one[:, j - 1 : j + 1] = 1
    return x + np.random.normal(0, 0.05, x.shape)


def entropy(label, pred):
    pred, label = pred.ravel(), label.ravel()
    return -(label * np.log(pred + 1e-12) + (1.0 - label) * np.log(1.0 - pred + 1e-12)).mean()


symG, symD = make_dcgan_sym()
train_iter = mx.io.NDArrayIter(crosses(96), batch_size=BATCH)
rand_iter = RandIter(BATCH, Z)
label = mx.nd.zeros((BATCH,))

modG = mx.mod.Module(symbol=symG, data_names=('rand',), label_names=None)
modG.bind(data_shapes=rand_iter.provide_data)
modG.init_params(initializer=mx.init.create('drawn'))
modG.init_optimizer(optimizer='adam', optimizer_params={'learning_rate': 0.002, 'wd': 0.0, 'beta1': 0.5})
mods = [modG]
modD = mx.mod.Module(symbol=symD, data_names=('data',), label_names=('label',))
modD.bind(data_shapes=train_iter.provide_data, label_shapes=[('label', (BATCH,))], inputs_need_grad=True)
modD.init_params(initializer=Drawn())
modD.init_optimizer(optimizer='adam', optimizer_params={'learning_rate': 0.002, 'wd': 0.0, 'beta1': 0.5})
print([(n, s) for n, s in modG.output_shapes], [(n, s) for n, s in modD.output_shapes])

mG, mD, mACC = (
    mx.metric.CustomMetric(entropy),
    mx.metric.CustomMetric(entropy),
    mx.metric.CustomMetric(lambda l, p: ((p.ravel() > 0.5) == l.ravel()).mean()),
)
for epoch in range(3):
    train_iter.reset()
    for t, batch in enumerate(train_iter):
        rbatch = rand_iter.next()
        modG.forward(rbatch, is_train=True)
        outG = modG.get_outputs()
        # update discriminator on fake
        label[:] = 0
        modD.forward(mx.io.DataBatch(outG, [label]), is_train=True)
        modD.backward()
        gradD = [[grad.copyto(grad.context) for grad in grads] for grads in modD._exec_group.grad_arrays]
        modD.update_metric(mD, [label])
        modD.update_metric(mACC, [label])
        # update discriminator on real
        label[:] = 1
        batch.label = [label]
        modD.forward(batch, is_train=True)
        modD.backward()
        for gradsr, gradsf in zip(modD._exec_group.grad_arrays, gradD):
            for gradr, gradf in zip(gradsr, gradsf):
                gradr += gradf
        modD.update()
        modD.update_metric(mD, [label])
        modD.update_metric(mACC, [label])
        # update generator
        label[:] = 1
        modD.forward(mx.io.DataBatch(outG, [label]), is_train=True)
        modD.backward()
        diffD = modD.get_input_grads()
        modG.backward(diffD)
        modG.update()
        mG.update([label], modD.get_outputs())
        if t % 3 == 2:
            print(
                'epoch',
                epoch,
                'iter',
                t,
                'accuracy %.3f loss of D %.4f of G %.4f' % (mACC.get()[1], mD.get()[1], mG.get()[1]),
                'diff %.2e' % np.abs(diffD[0].asnumpy()).mean(),
            )
            for m in (mG, mD, mACC):
                m.reset()

modG.save_checkpoint('generator', 3)
again = mx.mod.Module.load('generator', 3, data_names=('rand',), label_names=None)
again.bind(rand_iter.provide_data, for_training=False)
fixed = rand_iter.next()
again.forward(fixed)
picture = again.get_outputs()[0].asnumpy()
print(picture.shape, '%.4f %.4f' % (picture.mean(), picture.std()))
