"""Sentences: a convolution over embedded words with several widths, word vectors by drawn noise, a language
model unrolled by hand."""

import logging

import mxnet as mx
import numpy as np

np.random.seed(8)
logging.getLogger().setLevel(logging.ERROR)
WORDS = 'the a cat dog bird sees likes eats fish seed small big not never'.split()
GOOD, BAD = {'likes', 'small'}, {'not', 'never'}


def sentence():
    words = []
    for kind in (
        ['the', 'a'],
        ['small', 'big', ''],
        ['cat', 'dog', 'bird'],
        ['not', 'never', '', ''],
        ['sees', 'likes', 'eats'],
        ['the', 'a'],
        ['fish', 'seed', 'dog'],
    ):
        word = kind[np.random.randint(len(kind))]
        if word:
            words.append(word)
    return words


def numbers(words, length):
    ids = [WORDS.index(w) + 1 for w in words][:length]
    return ids + [0] * (length - len(ids))


LENGTH, VOCABULARY, BATCH = 7, len(WORDS) + 1, 20
texts = [sentence() for _ in range(160)]
x = np.array([numbers(t, LENGTH) for t in texts], np.float32)
y = np.array([len(GOOD & set(t)) > len(BAD & set(t)) for t in texts], np.float32)


class FromNumPy(mx.init.Initializer):
    def __init__(self, scale):
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name, array):
        array[:] = np.random.uniform(-self.scale, self.scale, array.shape)


# ---- is the sentence a kind one? Convolutions of several widths over its words
def text_cnn():
    data, label = mx.sym.Variable('data'), mx.sym.Variable('softmax_label')
    embedded = mx.sym.Embedding(data=data, input_dim=VOCABULARY, output_dim=8, name='vocab_embed')
    picture = mx.sym.Reshape(data=embedded, shape=(-1, 1, LENGTH, 8))
    pooled = []
    for width in (1, 2, 3):
        conv = mx.sym.Convolution(data=picture, kernel=(width, 8), num_filter=6, name='convolution%d' % width)
        relu = mx.sym.Activation(data=conv, act_type='relu')
        pooled.append(
            mx.sym.Pooling(data=relu, pool_type='max', kernel=(LENGTH - width + 1, 1), stride=(1, 1))
        )
    joined = mx.sym.Concat(*pooled, dim=1)
    dropped = mx.sym.Dropout(data=mx.sym.Reshape(data=joined, shape=(-1, 18)), p=0.0)
    return mx.sym.SoftmaxOutput(
        data=mx.sym.FullyConnected(data=dropped, num_hidden=2, name='cls'), label=label, name='softmax'
    )


train, test = mx.io.NDArrayIter(x[:120], y[:120], BATCH), mx.io.NDArrayIter(x[120:], y[120:], BATCH)
module = mx.mod.Module(text_cnn())
module.fit(
    train,
    eval_metric=mx.metric.F1(),
    initializer=FromNumPy(0.3),
    optimizer='rmsprop',
    optimizer_params={'learning_rate': 0.01},
    num_epoch=4,
)
print(
    'kind',
    *[
        '%s %.4f' % pair
        for pair in module.score(test, mx.metric.CompositeEvalMetric(['acc', 'f1', 'mcc', 'ce']))
    ],
)

# ---- word vectors: is the word the one between its neighbours, or one that was drawn?
pairs = [(t[i - 1 : i] + t[i + 1 : i + 2], t[i]) for t in texts for i in range(1, len(t) - 1)]
around = np.array([numbers(p[0], 2) for p in pairs], np.float32)
drawn = np.random.randint(1, VOCABULARY, (len(pairs), 3))
chosen = np.concatenate([np.array([[WORDS.index(p[1]) + 1] for p in pairs]), drawn], 1).astype(np.float32)
right = np.tile([1, 0, 0, 0], (len(pairs), 1)).astype(np.float32)


def nce():
    around, chosen, right = (mx.sym.Variable(n) for n in ('around', 'chosen', 'right'))
    table = mx.sym.Variable('embed_weight')
    hidden = mx.sym.sum(mx.sym.Embedding(around, weight=table, input_dim=VOCABULARY, output_dim=6), axis=1)
    candidates = mx.sym.Embedding(chosen, input_dim=VOCABULARY, output_dim=6, name='out_embed')
    hidden = mx.sym.Reshape(data=hidden, shape=(-1, 1, 6))
    score = mx.sym.sum(data=mx.sym.broadcast_mul(hidden, candidates), axis=2)
    return mx.sym.LogisticRegressionOutput(data=score, label=right, name='nce')


iterator = mx.io.NDArrayIter(
    {'around': around, 'chosen': chosen}, {'right': right}, 40, last_batch_handle='discard'
)
vectors = mx.mod.Module(nce(), data_names=['around', 'chosen'], label_names=['right'])
auc = mx.metric.np(lambda label, pred: (pred[:, :1] > pred[:, 1:]).mean(), name='ranks')
vectors.fit(
    iterator,
    eval_metric=auc,
    initializer=FromNumPy(0.4),
    optimizer='adagrad',
    optimizer_params={'learning_rate': 0.3},
    num_epoch=4,
)
table = vectors.get_params()[0]['embed_weight']
likeness = mx.nd.dot(mx.nd.L2Normalization(table), mx.nd.L2Normalization(table), transpose_b=True)
print(
    'vectors',
    '%s %.4f' % vectors.score(iterator, auc)[0],
    'nearest to cat:',
    WORDS[int(mx.nd.topk(likeness[3], k=2).asnumpy()[1]) - 1],
)


# ---- a language model: a recurrence of one's own unrolled, its weights shared
def unrolled(length, hidden, layers):
    weights = {
        n: mx.sym.Variable(n)
        for i in range(layers)
        for n in ('l%d_i2h_weight' % i, 'l%d_i2h_bias' % i, 'l%d_h2h_weight' % i, 'l%d_h2h_bias' % i)
    }
    cls_weight, cls_bias = mx.sym.Variable('cls_weight'), mx.sym.Variable('cls_bias')
    states = [(mx.sym.Variable('l%d_init_c' % i), mx.sym.Variable('l%d_init_h' % i)) for i in range(layers)]
    embedded = mx.sym.Embedding(
        data=mx.sym.Variable('data'), input_dim=VOCABULARY, output_dim=6, name='embed'
    )
    steps = mx.sym.SliceChannel(data=embedded, num_outputs=length, squeeze_axis=1)
    outputs = []
    for t in range(length):
        h = steps[t]
        for i in range(layers):
            c_before, h_before = states[i]
            gates = mx.sym.FullyConnected(
                h,
                weight=weights['l%d_i2h_weight' % i],
                bias=weights['l%d_i2h_bias' % i],
                num_hidden=4 * hidden,
            ) + mx.sym.FullyConnected(
                h_before,
                weight=weights['l%d_h2h_weight' % i],
                bias=weights['l%d_h2h_bias' % i],
                num_hidden=4 * hidden,
            )
            parts = mx.sym.SliceChannel(gates, num_outputs=4)
            enter, change, forget, out = (
                mx.sym.sigmoid(parts[0]),
                mx.sym.tanh(parts[1]),
                mx.sym.sigmoid(parts[2]),
                mx.sym.sigmoid(parts[3]),
            )
            c = forget * c_before + enter * change
            h = out * mx.sym.tanh(c)
            states[i] = (c, h)
        outputs.append(h)
    joined = mx.sym.Concat(*outputs, dim=0)
    scores = mx.sym.FullyConnected(joined, num_hidden=VOCABULARY, weight=cls_weight, bias=cls_bias)
    label = mx.sym.Reshape(mx.sym.transpose(mx.sym.Variable('softmax_label')), shape=(-1,))
    return mx.sym.SoftmaxOutput(
        scores, label=label, use_ignore=True, ignore_label=0, normalization='valid', name='softmax'
    )


HIDDEN = 10
net = unrolled(LENGTH, HIDDEN, 2)
init = [('l%d_init_%s' % (i, k), (BATCH, HIDDEN)) for i in range(2) for k in 'ch']
following = np.concatenate([x[:, 1:], np.zeros((len(x), 1))], 1).astype(np.float32)
data = {'data': x, **{n: np.zeros((len(x), HIDDEN), np.float32) for n, _ in init}}
language = mx.io.NDArrayIter(data, {'softmax_label': following}, BATCH)


def perplexity(label, pred):
    label = label.T.reshape(-1).astype(int)
    return float(np.exp(-np.log(np.maximum(pred[np.arange(len(label)), label], 1e-10))[label > 0].mean()))


model = mx.mod.Module(net, data_names=sorted(data), label_names=['softmax_label'])
seen = []
model.fit(
    language,
    eval_metric=mx.metric.np(perplexity, name='perplexity'),
    initializer=FromNumPy(0.3),
    optimizer='adam',
    optimizer_params={'learning_rate': 0.02, 'rescale_grad': 1.0, 'clip_gradient': 5.0},
    num_epoch=6,
    batch_end_callback=lambda p: seen.append(p.eval_metric.get()[1]) if p.nbatch == 7 else None,
)
print(
    'perplexity',
    ['%.3f' % s for s in seen],
    len(net.list_arguments()),
    net.infer_shape(**{k: (BATCH,) + v.shape[1:] for k, v in data.items()})[1],
)
