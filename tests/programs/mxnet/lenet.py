"""LeNet by Module on pictures of digits in MNIST's files: training with callbacks, checkpoints, predictions,
features of a layer."""

import gzip
import logging
import struct
import sys

import mxnet as mx
import numpy as np

logging.getLogger().setLevel(logging.ERROR)
np.random.seed(7)

DIGITS = '''
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#...# ..#.. ....# ...#. .#.#. ####. ####. ...#. .###. .####
#...# ..#.. ..##. ....# ##### ....# #...# ..#.. #...# ....#
.###. .###. ##### .###. ...#. ####. .###. .#... .###. .###.
'''.split()


def picture(digit):
    """A digit somewhere in the picture, thick, with noise."""
    image = np.random.uniform(0, 40, (28, 28))
    top, left = np.random.randint(4, 8), np.random.randint(4, 8)
    for row in range(5):
        for column in range(5):
            if DIGITS[10 * row + digit][column] == '#':
                image[top + 2 * row : top + 2 * row + 3, left + 2 * column : left + 2 * column + 3] = (
                    np.random.uniform(150, 255)
                )
    return image.astype(np.uint8)


def write(prefix, count):
    labels = np.arange(count) % 10
    np.random.shuffle(labels)
    with gzip.open(prefix + '-images-idx3-ubyte.gz', 'wb') as f:
        f.write(struct.pack('>iiii', 2051, count, 28, 28) + np.stack([picture(d) for d in labels]).tobytes())
    with gzip.open(prefix + '-labels-idx1-ubyte.gz', 'wb') as f:
        f.write(struct.pack('>ii', 2049, count) + labels.astype(np.uint8).tobytes())


def unpacked(path):
    with gzip.open(path + '.gz', 'rb') as f, open(path, 'wb') as out:
        out.write(f.read())
    return path


def to_iter(folder, batch):
    def one(prefix, **more):
        return mx.io.MNISTIter(
            image=unpacked(folder + prefix + '-images-idx3-ubyte'),
            label=unpacked(folder + prefix + '-labels-idx1-ubyte'),
            batch_size=batch,
            shuffle=False,
            flat=False,
            input_shape=(1, 28, 28),
            silent=True,
            **more,
        )

    return one('train'), one('test')


def lenet():
    data = mx.symbol.Variable('data')
    conv1 = mx.symbol.Convolution(data=data, kernel=(5, 5), num_filter=8, name='conv1')
    tanh1 = mx.symbol.Activation(data=conv1, act_type='tanh')
    pool1 = mx.symbol.Pooling(data=tanh1, pool_type='max', kernel=(2, 2), stride=(2, 2))
    conv2 = mx.symbol.Convolution(data=pool1, kernel=(5, 5), num_filter=16, name='conv2')
    tanh2 = mx.symbol.Activation(data=conv2, act_type='tanh')
    pool2 = mx.symbol.Pooling(data=tanh2, pool_type='max', kernel=(2, 2), stride=(2, 2))
    flatten = mx.symbol.Flatten(data=pool2)
    fc1 = mx.symbol.FullyConnected(data=flatten, num_hidden=64, name='fc1')
    tanh3 = mx.symbol.Activation(data=fc1, act_type='tanh', name='features')
    fc2 = mx.symbol.FullyConnected(data=tanh3, num_hidden=10, name='fc2')
    return mx.symbol.SoftmaxOutput(data=fc2, name='softmax')


def main():
    folder = sys.argv[1] + '/' if len(sys.argv) > 1 else ''
    if not folder:
        write('train', 400)
        write('test', 100)
    train, val = to_iter(folder, 50)
    print(train.provide_data, train.provide_label)
    net = lenet()
    shapes, outputs, _ = net.infer_shape(data=(50, 1, 28, 28))
    print(dict(zip(net.list_arguments(), shapes)), outputs)
    start = {
        n: mx.nd.array(np.random.uniform(-1, 1, s) * np.sqrt(3.0 / np.prod(s[1:]) if len(s) > 1 else 0))
        for n, s in zip(net.list_arguments(), shapes)
        if n not in ('data', 'softmax_label')
    }

    model = mx.mod.Module(net, context=mx.cpu(), data_names=['data'], label_names=['softmax_label'])
    metric = mx.metric.CompositeEvalMetric(
        [mx.metric.Accuracy(), mx.metric.CrossEntropy(), mx.metric.TopKAccuracy(3)]
    )

    def each_batch(param):
        if param.nbatch == 7:
            print('  epoch', param.epoch, *['%s %.4f' % pair for pair in param.eval_metric.get_name_value()])

    def each_epoch(epoch, symbol, arg, aux):
        print('epoch', epoch, 'conv1 %.5f' % arg['conv1_weight'].asnumpy().std())

    model.fit(
        train,
        eval_data=val,
        eval_metric=metric,
        optimizer='sgd',
        optimizer_params={'learning_rate': 0.1, 'momentum': 0.9, 'wd': 0.0005},
        arg_params=start,
        num_epoch=3,
        batch_end_callback=[each_batch],
        epoch_end_callback=[mx.callback.do_checkpoint('lenet', 3), each_epoch],
    )
    print('score', *['%s %.4f' % pair for pair in model.score(val, metric)])

    # what it says of the first pictures, by a network that was loaded
    symbol, args, aux = mx.model.load_checkpoint('lenet', 3)
    again = mx.mod.Module(symbol)
    again.bind(data_shapes=[('data', (50, 1, 28, 28))], for_training=False)
    again.set_params(args, aux)
    val.reset()
    said = again.predict(val)
    print(said.shape, said.asnumpy().argmax(1)[:20].tolist(), np.round(said.asnumpy().max(1)[:5], 3).tolist())

    # features of the layer before the last
    inner = symbol.get_internals()['features_output']
    features = mx.mod.Module(inner, label_names=None)
    features.bind(data_shapes=[('data', (50, 1, 28, 28))], for_training=False)
    features.set_params(args, aux, allow_extra=True)
    val.reset()
    found = features.predict(val, num_batch=1).asnumpy()
    print(inner.list_arguments(), found.shape, '%.4f %.4f' % (found.mean(), found.std()))


main()
