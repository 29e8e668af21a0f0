"""A matrix factorization: ratings as products of vectors of users and of items, with biases, by Module with
several inputs."""

import mxnet as mx
import numpy as np

np.random.seed(11)
USERS, ITEMS, FACTORS, BATCH = 60, 40, 4, 64

# ratings from hidden vectors
u, v = np.random.normal(0, 0.6, (USERS, FACTORS)), np.random.normal(0, 0.6, (ITEMS, FACTORS))
pairs = np.array([(i, j) for i in range(USERS) for j in range(ITEMS)])
np.random.shuffle(pairs)
pairs = pairs[:1500]
score = (
    (u[pairs[:, 0]] * v[pairs[:, 1]]).sum(1)
    + 0.3 * np.sin(pairs[:, 0])
    + np.random.normal(0, 0.05, len(pairs))
)


def iterator(rows, shuffle):
    return mx.io.NDArrayIter(
        {'user': pairs[rows, 0].astype(np.float32), 'item': pairs[rows, 1].astype(np.float32)},
        {'score': score[rows].astype(np.float32)},
        batch_size=BATCH,
        shuffle=shuffle,
        last_batch_handle='discard',
    )


def network(k):
    user, item, score = (mx.symbol.Variable(n) for n in ('user', 'item', 'score'))
    bias = mx.symbol.Embedding(data=user, input_dim=USERS, output_dim=1, name='user_bias')
    user = mx.symbol.Embedding(data=user, input_dim=USERS, output_dim=k, name='user_factors')
    item = mx.symbol.Embedding(data=item, input_dim=ITEMS, output_dim=k, name='item_factors')
    user = mx.symbol.Activation(data=user, act_type='softrelu')
    user = mx.symbol.FullyConnected(data=user, num_hidden=k, name='dense')
    pred = user * item
    pred = mx.symbol.sum(data=pred, axis=1)
    pred = pred + mx.symbol.Reshape(data=bias, shape=(-1,))
    return mx.symbol.LinearRegressionOutput(data=pred, label=score, name='lro')


def rmse(label, pred):
    return np.sqrt(((label.reshape(-1) - pred.reshape(-1)) ** 2).mean())


class Numbers(mx.init.Initializer):
    """Numbers drawn by NumPy, as large as the parameter's name asks for."""

    def _init_weight(self, name, array):
        array[:] = np.random.uniform(-0.5, 0.5, array.shape)

    def _init_default(self, name, array):
        array[:] = 0.01


train, test = iterator(np.arange(1200), False), iterator(np.arange(1200, 1500), False)
net = network(6)
print([(d.name, d.shape) for d in train.provide_data], [(d.name, d.shape) for d in train.provide_label])
print(sorted(net.list_arguments()))

for optimizer, params in [
    (
        'sgd',
        {
            'learning_rate': 0.5,
            'momentum': 0.9,
            'wd': 1e-4,
            'lr_scheduler': mx.lr_scheduler.FactorScheduler(40, 0.7, base_lr=0.5),
        },
    ),
    (
        'adam',
        {
            'learning_rate': 0.02,
            'lr_scheduler': mx.lr_scheduler.MultiFactorScheduler([60, 90], 0.5, base_lr=0.02),
        },
    ),
    ('adagrad', {'learning_rate': 0.2}),
    ('rmsprop', {'learning_rate': 0.01, 'centered': True}),
    ('signum', {'learning_rate': 0.01, 'momentum': 0.9}),
]:
    np.random.seed(2)
    module = mx.mod.Module(net, data_names=['user', 'item'], label_names=['score'])
    module.fit(
        train,
        eval_data=test,
        eval_metric=mx.metric.create(rmse),
        num_epoch=6,
        optimizer=optimizer,
        optimizer_params=params,
        initializer=Numbers(),
        kvstore=None,
    )
    metric = mx.metric.CompositeEvalMetric(['rmse', 'mae', mx.metric.PearsonCorrelation()])
    print(
        '%-8s' % optimizer,
        *['%s %.4f' % pair for pair in module.score(train, metric)],
        '| test',
        *['%s %.4f' % pair for pair in module.score(test, metric)],
    )
    train.reset()

# what the model says of some pairs, and the vectors that it found
test.reset()
said = module.predict(test).asnumpy()
print(said.shape, np.round(said[:4], 3).tolist())
factors = module.get_params()[0]['item_factors_weight']
near = mx.nd.dot(factors, factors, transpose_b=True) / (
    mx.nd.norm(factors, axis=1, keepdims=True) * mx.nd.norm(factors, axis=1).reshape((1, -1))
)
print('nearest to 0:', [int(i) for i in mx.nd.topk(near[0], k=3).asnumpy()])
