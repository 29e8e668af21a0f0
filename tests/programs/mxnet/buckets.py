"""Sentences of several lengths: a language model by buckets, its cells fused and apart; modules in a row; a
loss of one's own; a monitor."""

import contextlib
import io
import logging
import random

import mxnet as mx
import numpy as np

random.seed(6)
np.random.seed(6)
logging.getLogger().setLevel(logging.ERROR)
GRAMMAR = {'a': 'bc', 'b': 'cd', 'c': 'de', 'd': 'ea', 'e': 'ab'}


def sentence():
    letters = [random.choice('abcde')]
    while len(letters) < 3 + random.randrange(6):
        letters.append(random.choice(GRAMMAR[letters[-1]]))
    return letters


class Waves(mx.init.Initializer):
    """The same numbers wherever the program runs."""

    def _init_weight(self, name, array):
        array[:] = 0.4 * np.sin(1 + 0.7 * np.arange(array.size)).reshape(array.shape)


texts = [sentence() for _ in range(120)]
coded, vocabulary = mx.rnn.encode_sentences(texts, start_label=1, invalid_label=0)
print('vocabulary', sorted(vocabulary.items()))
BATCH, HIDDEN = 5, 6
with contextlib.redirect_stdout(io.StringIO()):  # MXNet says that it left no sentence out
    sentences = mx.rnn.BucketSentenceIter(coded, BATCH, buckets=[4, 6, 8], invalid_label=0)
print('batches', [(b.bucket_key, b.data[0].shape) for b in sentences][:6], 'of', len(sentences.idx))


def model(cell):
    def network(length):
        embedded = mx.sym.Embedding(mx.sym.Variable('data'), input_dim=6, output_dim=4, name='embed')
        cell.reset()
        outputs, _ = cell.unroll(length, embedded, merge_outputs=True)
        scores = mx.sym.FullyConnected(
            mx.sym.reshape(outputs, shape=(-1, HIDDEN)), num_hidden=6, name='scores'
        )
        label = mx.sym.reshape(mx.sym.Variable('softmax_label'), shape=(-1,))
        return (
            mx.sym.SoftmaxOutput(scores, label, use_ignore=True, ignore_label=0, name='softmax'),
            ('data',),
            ('softmax_label',),
        )

    return network


def stacked():
    cell = mx.rnn.SequentialRNNCell()
    cell.add(mx.rnn.LSTMCell(HIDDEN, prefix='l0_', forget_bias=0.5))
    cell.add(mx.rnn.ResidualCell(mx.rnn.GRUCell(HIDDEN, prefix='l1_')))
    return cell


def train(name, cell, optimizer):
    module = mx.mod.BucketingModule(model(cell), default_bucket_key=sentences.default_bucket_key)
    sentences.reset()
    seen = []
    module.fit(
        sentences,
        eval_metric=mx.metric.Perplexity(0),
        initializer=Waves(),
        num_epoch=4,
        optimizer=optimizer,
        optimizer_params={'learning_rate': 0.03},
        batch_end_callback=lambda p: seen.append(p.eval_metric.get()[1]) if p.nbatch == 15 else None,
    )
    print(name, *['%.3f' % s for s in seen], '%s %.3f' % module.score(sentences, mx.metric.Perplexity(0))[0])
    return module


first = train('cells', stacked(), 'adam')
fused = mx.rnn.FusedRNNCell(HIDDEN, num_layers=2, mode='lstm', prefix='lstm_')
second = train('fused', fused, 'rmsprop')
args, aux = second.get_params()
print('fused', {k: v.shape for k, v in sorted(args.items())})

# ---- the fused layers' weights in cells, by way of a checkpoint
mx.rnn.save_rnn_checkpoint(fused, 'language', 4, second.symbol, args, aux)
apart = fused.unfuse()
_, args, aux = mx.rnn.load_rnn_checkpoint(apart, 'language', 4)
third = mx.mod.BucketingModule(model(apart), default_bucket_key=8)
third.bind(sentences.provide_data, sentences.provide_label, for_training=False)
third.set_params(args, aux)
print(
    'apart',
    {k: v.shape for k, v in sorted(args.items()) if 'l1' in k},
    '%s %.3f' % third.score(sentences, mx.metric.Perplexity(0))[0],
)

# ---- buckets in files
first.save_checkpoint('stack', 4)
again = mx.mod.BucketingModule.load('stack', 4, sym_gen=model(stacked()), default_bucket_key=8)
again.bind(sentences.provide_data, sentences.provide_label)
print('loaded', '%s %.3f' % again.score(sentences, mx.metric.Perplexity(0))[0])
again.init_optimizer(optimizer_params={'learning_rate': 0.1})
for batch in sentences:
    pass
sentences.reset()
for _, batch in zip(range(8), sentences):
    again.forward_backward(batch)
    again.update()
print('goes on', '%s %.3f' % again.score(sentences, mx.metric.Perplexity(0))[0])

# ---- modules in a row, the last a loss in Python
x = np.random.uniform(-1, 1, (40, 3)).astype('f')
y = (x @ [1, -2, 0.5] > 0).astype('f')
points = mx.io.NDArrayIter(x, y, 10)


def hinge(scores, labels):
    signs = 2 * labels.asnumpy()[:, None] - 1
    return np.where(signs * scores.asnumpy() < 1, -signs, 0)


row = mx.mod.SequentialModule()
row.add(
    mx.mod.Module(
        mx.sym.Activation(
            mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=4, name='in'), act_type='tanh'
        ),
        label_names=None,
    )
)
row.add(
    mx.mod.Module(mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=1, name='out'), label_names=None),
    auto_wiring=True,
)
row.add(mx.mod.PythonLossModule(grad_func=hinge), auto_wiring=True, take_labels=True)
signs = mx.metric.np(lambda label, score: ((score[:, 0] > 0) == label).mean(), name='signs')
row.fit(
    points,
    eval_metric=signs,
    initializer=Waves(),
    num_epoch=6,
    optimizer_params={'learning_rate': 0.3, 'momentum': 0.5},
)
print(
    'row',
    row.output_shapes,
    '%s %.4f' % row.score(points, signs)[0],
    {k: '%.4f' % v.asnumpy().sum() for k, v in sorted(row.get_params()[0].items())},
)

# ---- what a monitor sees
watched = mx.mod.Module(
    mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2, name='fc'), name='softmax'
    )
)
watched.bind(points.provide_data, points.provide_label)
watched.init_params(Waves())
watched.init_optimizer()
monitor = mx.mon.Monitor(2, stat_func=lambda a: [a.max(), a.min()], pattern='fc_(output|weight)', sort=True)
watched.install_monitor(monitor)
points.reset()
for i, batch in enumerate(points):
    monitor.tic()
    watched.forward_backward(batch)
    watched.update()
    print(
        'monitor',
        i,
        [(step, name, ['%.4f' % float(v) for v in figures.split()]) for step, name, figures in monitor.toc()],
    )
