"""A softmax of one's own as a CustomOp at the end of a network: trained by Module, by an executor, on arrays;
with states, requests and errors."""

import mxnet as mx
import numpy as np

np.random.seed(9)


class Softmax(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        y = np.exp(x - x.max(axis=1).reshape((x.shape[0], 1)))
        y /= y.sum(axis=1).reshape((x.shape[0], 1))
        self.assign(out_data[0], req[0], mx.nd.array(y))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        l = in_data[1].asnumpy().ravel().astype(np.int32)
        y = out_data[0].asnumpy()
        y[np.arange(l.shape[0]), l] -= 1.0
        self.assign(in_grad[0], req[0], mx.nd.array(y))


@mx.operator.register('softmax_of_mine')
class SoftmaxProp(mx.operator.CustomOpProp):
    def __init__(self):
        super(SoftmaxProp, self).__init__(need_top_grad=False)

    def list_arguments(self):
        return ['data', 'label']

    def list_outputs(self):
        return ['output']

    def infer_shape(self, in_shape):
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]], []

    def infer_type(self, in_type):
        return in_type, [in_type[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return Softmax()


class Counted(mx.operator.CustomOp):
    """Scales, and counts in an auxiliary state how often it ran in training."""

    def __init__(self, factor):
        self.factor = factor

    def forward(self, is_train, req, in_data, out_data, aux):
        if is_train:
            aux[0][:] = aux[0] + 1
        self.assign(out_data[0], req[0], in_data[0] * self.factor)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * self.factor)


@mx.operator.register('counted')
class CountedProp(mx.operator.CustomOpProp):
    def __init__(self, factor='1'):
        super(CountedProp, self).__init__(need_top_grad=True)
        self.factor = float(factor)

    def list_auxiliary_states(self):
        return ['count']

    def infer_shape(self, in_shape):
        return in_shape, in_shape, [(1,)]

    def create_operator(self, ctx, shapes, dtypes):
        return Counted(self.factor)


centers = np.random.normal(0, 1, (4, 8))
labels = np.random.randint(0, 4, 240)
x = (centers[labels] + np.random.normal(0, 0.6, (240, 8))).astype(np.float32)
train = mx.io.NDArrayIter(x[:200], labels[:200].astype(np.float32), 25, label_name='softmax_label')
test = mx.io.NDArrayIter(x[200:], labels[200:].astype(np.float32), 25, label_name='softmax_label')

data = mx.symbol.Variable('data')
fc1 = mx.symbol.FullyConnected(data=data, name='fc1', num_hidden=12)
act1 = mx.symbol.Activation(data=fc1, name='relu1', act_type='relu')
scaled = mx.symbol.Custom(data=act1, name='counted', op_type='counted', factor=0.5)
fc2 = mx.symbol.FullyConnected(data=scaled, name='fc2', num_hidden=4)
mlp = mx.symbol.Custom(data=fc2, name='softmax', op_type='softmax_of_mine')
print(
    mlp.list_arguments(), mlp.list_auxiliary_states(), mlp.list_outputs(), mlp.infer_shape(data=(25, 8))[1:]
)

start = {
    n: mx.nd.array(np.random.uniform(-0.4, 0.4, s))
    for n, s in zip(mlp.list_arguments(), mlp.infer_shape(data=(25, 8))[0])
    if n.startswith('fc')
}
model = mx.mod.Module(mlp, context=mx.cpu())
model.fit(
    train_data=train,
    eval_data=test,
    optimizer='sgd',
    optimizer_params={'learning_rate': 0.1, 'momentum': 0.9, 'wd': 0.00001},
    num_epoch=5,
    arg_params=start,
    aux_params={'counted_count': mx.nd.zeros((1,))},
    eval_metric='acc',
)
metric = mx.metric.CompositeEvalMetric(['acc', 'ce', mx.metric.NegativeLogLikelihood()])
print(
    *['%s %.4f' % pair for pair in model.score(test, metric)],
    'counted',
    int(model.get_params()[1]['counted_count'].asscalar()),
)

# the same network with the operator of the library: the same numbers
plain = mx.symbol.SoftmaxOutput(
    mx.symbol.FullyConnected(
        mx.symbol.Activation(mx.symbol.FullyConnected(data, name='fc1', num_hidden=12), act_type='relu')
        * 0.5,
        name='fc2',
        num_hidden=4,
    ),
    name='softmax',
)
twin = mx.mod.Module(plain)
twin.fit(
    train_data=train,
    optimizer='sgd',
    optimizer_params={'learning_rate': 0.1, 'momentum': 0.9, 'wd': 0.00001},
    num_epoch=5,
    arg_params=start,
)
a, b = model.get_params()[0], twin.get_params()[0]
print('twin', max(np.abs(a[k].asnumpy() - b[k].asnumpy()).max() for k in a) < 1e-4)

# an executor, with gradients that add up
exe = mlp.simple_bind(
    mx.cpu(),
    data=(5, 8),
    grad_req={
        n: 'add' if n == 'fc2_weight' else 'write' if n.startswith('fc') else 'null'
        for n in mlp.list_arguments()
    },
)
exe.copy_params_from(*model.get_params())
for _ in range(3):
    exe.forward(is_train=True, data=mx.nd.array(x[:5]), softmax_label=mx.nd.array(labels[:5]))
    exe.backward()
print(
    'executor',
    '%.5f %.5f'
    % (
        np.abs(exe.grad_dict['fc2_weight'].asnumpy()).sum(),
        np.abs(exe.grad_dict['fc1_weight'].asnumpy()).sum(),
    ),
    exe.grad_dict['data'] is None,
    'counted',
    int(exe.aux_dict['counted_count'].asscalar()),
)

# on arrays, recorded
v, l = mx.nd.array(x[:3]), mx.nd.array(labels[:3])
v.attach_grad()
with mx.autograd.record():
    y = mx.nd.Custom(
        mx.nd.Custom(v, mx.nd.zeros((1,)), op_type='counted', factor=2), l, op_type='softmax_of_mine'
    )
y.backward()
print('arrays', np.round(v.grad.asnumpy()[0], 3).tolist())
try:
    mx.nd.Custom(v, op_type='nobody')
except mx.MXNetError as e:
    print('nobody' in str(e))
