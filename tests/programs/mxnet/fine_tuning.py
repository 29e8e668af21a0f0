"""A network for two tasks; its first layers for a third one, some frozen, some slow; a picture that the
network likes; iterators around iterators."""

import logging

import mxnet as mx
import numpy as np

np.random.seed(2)
logging.getLogger().setLevel(logging.ERROR)


def blobs(count):
    """Pictures with a bright spot: in which quarter it is, and how wide."""
    x = np.random.normal(0, 0.1, (count, 1, 12, 12))
    quarter, wide = np.random.randint(0, 4, count), np.random.randint(0, 2, count)
    for i in range(count):
        top, left = 1 + 6 * (quarter[i] // 2), 1 + 6 * (quarter[i] % 2)
        size = 4 if wide[i] else 2
        x[i, 0, top : top + size, left : left + size] += 1
    return x.astype(np.float32), quarter.astype(np.float32), wide.astype(np.float32)


def body(data):
    with mx.AttrScope(__stage__='body'):
        c1 = mx.sym.Convolution(data, kernel=(3, 3), num_filter=6, pad=(1, 1), name='c1')
        a1 = mx.sym.Activation(mx.sym.BatchNorm(c1, fix_gamma=False, name='b1'), act_type='relu', name='a1')
        p1 = mx.sym.Pooling(a1, kernel=(2, 2), stride=(2, 2), pool_type='avg', name='p1')
        c2 = mx.sym.Convolution(p1, kernel=(3, 3), num_filter=8, name='c2')
        return mx.sym.Activation(mx.sym.Flatten(c2, name='flat'), act_type='tanh', name='hidden')


def drawn(shapes):
    return {
        n: mx.nd.array(
            np.random.uniform(-0.3, 0.3, s)
            if n.endswith('weight')
            else np.ones(s)
            if n.endswith('gamma')
            else np.zeros(s)
        )
        for n, s in shapes.items()
    }


def shapes_of(net, **given):
    args, _, aux = net.infer_shape(**given)
    fed = set(given) | {n for n in net.list_arguments() if n.endswith('label')}
    return {n: s for n, s in zip(net.list_arguments(), args) if n not in fed}, dict(
        zip(net.list_auxiliary_states(), aux)
    )


class Accuracies(mx.metric.EvalMetric):
    """The accuracy of each task."""

    def __init__(self, tasks):
        self.tasks = tasks
        super(Accuracies, self).__init__('accuracies')

    def reset(self):
        self.right, self.count = [0] * self.tasks, [0] * self.tasks

    def update(self, labels, preds):
        mx.metric.check_label_shapes(labels, preds)
        for i in range(self.tasks):
            said = mx.nd.argmax(preds[i], axis=1).asnumpy()
            self.right[i] += (said == labels[i].asnumpy()).sum()
            self.count[i] += len(said)

    def get(self):
        return ['accuracy of task %d' % i for i in range(self.tasks)], [
            r / max(c, 1) for r, c in zip(self.right, self.count)
        ]


# ---- two tasks
h = body(mx.sym.Variable('data'))
s1 = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(h, num_hidden=4, name='f1'), name='quarter')
s2 = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(h, num_hidden=2, name='f2'), name='wide', grad_scale=0.5)
both = mx.sym.Group([s1, s2])
x, quarter, wide = blobs(120)
base = mx.io.NDArrayIter(x, {'quarter_label': quarter, 'wide_label': wide}, 20)
train = mx.io.ResizeIter(base, 6)
args, aux = shapes_of(both, data=(20, 1, 12, 12))
start = (
    drawn(args),
    {n: mx.nd.array(np.zeros(s) if n.endswith('mean') else np.ones(s)) for n, s in aux.items()},
)
module = mx.mod.Module(both, label_names=('quarter_label', 'wide_label'))
metric = Accuracies(2)
module.fit(
    train,
    eval_metric=metric,
    num_epoch=6,
    optimizer='sgd',
    optimizer_params={'learning_rate': 0.1, 'momentum': 0.9},
    arg_params=start[0],
    aux_params=start[1],
    batch_end_callback=mx.callback.Speedometer(20, 100),
    epoch_end_callback=mx.callback.module_checkpoint(module, 'tasks', 6, True),
)
print(
    sorted(both.list_outputs()),
    [(n, round(float(v), 3)) for n, v in metric.get_name_value()],
    both.get_internals()['c1_output'].attr('__stage__'),
)
print([(n, round(float(v), 3)) for n, v in module.score(mx.io.PrefetchingIter(base), metric)])

# ---- a third task: which diagonal the spot is on, with the layers that are there
symbol, args, aux = mx.model.load_checkpoint('tasks', 6)
inner = symbol.get_internals()['hidden_output']
head = mx.sym.FullyConnected(inner, num_hidden=2, name='fnew', lr_mult=10)
tuned = mx.sym.SoftmaxOutput(head, name='softmax')
new_x, new_quarter, _ = blobs(80)
diagonal = ((new_quarter == 0) | (new_quarter == 3)).astype(np.float32)
few = mx.io.NDArrayIter(new_x, diagonal, 20)
shapes, _ = shapes_of(tuned, data=(20, 1, 12, 12))
given = {n: args[n] for n in shapes if n in args}
given.update(drawn({n: s for n, s in shapes.items() if n not in args}))
frozen = [n for n in tuned.list_arguments() if n.startswith(('c1', 'b1'))]
model = mx.mod.Module(tuned, fixed_param_names=frozen)
model.bind(few.provide_data, few.provide_label)
model.init_params(arg_params=given, aux_params=aux, allow_missing=True)
model.init_optimizer(optimizer='sgd', optimizer_params={'learning_rate': 0.01, 'momentum': 0.9, 'wd': 1e-4})
metric = mx.metric.create(['acc', 'ce'])
for epoch in range(6):
    few.reset()
    metric.reset()
    for batch in few:
        model.forward_backward(batch)
        model.update()
        model.update_metric(metric, batch.label)
print([(n, round(float(v), 3)) for n, v in metric.get_name_value()])
after = model.get_params()[0]
print('moved', {n: bool(np.abs(after[n].asnumpy() - given[n].asnumpy()).max() > 1e-6) for n in sorted(given)})

# ---- a picture that the network takes for a wide spot: gradients with respect to the input
label = mx.nd.array([1])
target = mx.sym.SoftmaxOutput(
    mx.sym.FullyConnected(body(mx.sym.Variable('data')), num_hidden=2, name='f2'), name='wide'
)
exe = target.simple_bind(
    mx.cpu(),
    data=(1, 1, 12, 12),
    grad_req={n: 'write' if n == 'data' else 'null' for n in target.list_arguments()},
)
exe.copy_params_from(*mx.model.load_checkpoint('tasks', 6)[1:], allow_extra_params=True)
exe.arg_dict['wide_label'][:] = label
picture = mx.nd.array(blobs(1)[0])
optimizer = mx.optimizer.create('adam', learning_rate=0.1)
updater = mx.optimizer.get_updater(optimizer)
for step in range(15):
    exe.arg_dict['data'][:] = picture
    said = exe.forward(is_train=True)[0].asnumpy()[0, 1]
    exe.backward()
    updater(0, exe.grad_dict['data'], picture)
    if step in (0, 14):
        print('step', step, 'wide %.3f' % said, 'brightest %.3f' % picture.max().asscalar())
