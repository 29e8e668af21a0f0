"""Reads texts of digits without knowing where they stand: a network of the RNN operator both ways, and
CTC."""

import mxnet as mx
import numpy as np

np.random.seed(3)
STEPS, WIDTH, MOST, CLASSES, HIDDEN, LAYERS, BATCH = 24, 6, 4, 6, 16, 1, 20
PATTERNS = np.random.uniform(-1, 1, (CLASSES, 4, WIDTH))


def signal(labels):
    """Each label is four columns long, with columns of silence between."""
    x = np.random.normal(0, 0.1, (STEPS, WIDTH))
    at = np.random.randint(0, 2)
    for label in labels:
        x[at : at + 4] += PATTERNS[label]
        at += 4 + np.random.randint(0, 3)
    return x


class Signals(mx.io.DataIter):
    """Batches of signals and labels; labels from 1 on, 0 fills up."""

    def __init__(self, count, init_states):
        super().__init__()
        self.batch_size = BATCH
        self.init_states = init_states
        self.init_arrays = [mx.nd.zeros(s) for _, s in init_states]
        self.provide_data = [mx.io.DataDesc('data', (BATCH, STEPS, WIDTH))] + [
            mx.io.DataDesc(n, s, layout='LNC') for n, s in init_states
        ]
        self.provide_label = [mx.io.DataDesc('label', (BATCH, MOST))]
        self.batches = []
        for _ in range(count):
            labels = np.zeros((BATCH, MOST))
            data = np.zeros((BATCH, STEPS, WIDTH))
            for i in range(BATCH):
                n = np.random.randint(1, MOST + 1)
                chosen = np.random.randint(1, CLASSES, n)
                labels[i, :n] = chosen
                data[i] = signal(chosen)
            self.batches.append((mx.nd.array(data), mx.nd.array(labels)))
        self.reset()

    def reset(self):
        self.at = 0

    def next(self):
        if self.at == len(self.batches):
            raise StopIteration
        data, label = self.batches[self.at]
        self.at += 1
        return mx.io.DataBatch(
            [data] + self.init_arrays,
            [label],
            pad=0,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )


def network():
    data, label = mx.sym.Variable('data'), mx.sym.Variable('label')
    columns = mx.sym.swapaxes(data, dim1=0, dim2=1)
    rnn = mx.sym.RNN(
        columns,
        parameters=mx.sym.Variable('lstm_parameters'),
        state=mx.sym.Variable('lstm_init_h'),
        state_cell=mx.sym.Variable('lstm_init_c'),
        state_size=HIDDEN,
        num_layers=LAYERS,
        bidirectional=True,
        mode='lstm',
        name='lstm',
    )
    flat = mx.sym.Reshape(rnn, shape=(-3, -2))
    scores = mx.sym.FullyConnected(flat, num_hidden=CLASSES, name='scores')
    scores = mx.sym.Reshape(scores, shape=(-4, STEPS, -1, 0))
    loss = mx.sym.MakeLoss(mx.sym.CTCLoss(scores, label, name='ctc'), name='loss')
    said = mx.sym.BlockGrad(mx.sym.transpose(mx.sym.softmax(scores, axis=2), axes=(1, 0, 2)), name='said')
    return mx.sym.Group([said, loss])


def read(probabilities):
    """The best path, without repetitions and blanks."""
    found = []
    for best in probabilities.argmax(1):
        found.append(best)
    return [int(b) for a, b in zip([0] + found, found) if b != a and b != 0]


class Texts(mx.metric.EvalMetric):
    def __init__(self):
        super().__init__('texts')

    def update(self, labels, preds):
        for row, want in zip(preds[0].asnumpy(), labels[0].asnumpy()):
            self.sum_metric += read(row) == [int(v) for v in want if v > 0]
            self.num_inst += 1


def main():
    states = [('lstm_init_c', (2 * LAYERS, BATCH, HIDDEN)), ('lstm_init_h', (2 * LAYERS, BATCH, HIDDEN))]
    train, test = Signals(12, states), Signals(3, states)
    net = network()
    print(net.list_arguments(), net.list_outputs())
    module = mx.mod.Module(net, data_names=['data', 'lstm_init_c', 'lstm_init_h'], label_names=['label'])
    module.bind(train.provide_data, train.provide_label)
    arguments, shapes = (
        net.list_arguments(),
        net.infer_shape(**{d.name: d.shape for d in train.provide_data + train.provide_label})[0],
    )
    start = {
        n: mx.nd.array(np.random.uniform(-0.25, 0.25, s))
        for n, s in zip(arguments, shapes)
        if n in ('lstm_parameters', 'scores_weight', 'scores_bias')
    }
    print({n: a.shape for n, a in sorted(start.items())})
    module.init_params(mx.init.Zero(), arg_params=start, allow_missing=False)
    module.init_optimizer(
        optimizer='adam',
        optimizer_params={'learning_rate': 0.03, 'rescale_grad': 1.0 / BATCH, 'clip_gradient': 1.0},
    )
    metric = mx.metric.CompositeEvalMetric(
        [Texts(), mx.metric.Loss(output_names=['loss_output'], label_names=[])]
    )
    for epoch in range(10):
        train.reset()
        metric.reset()
        for batch in train:
            module.forward(batch)
            module.backward()
            module.update()
            module.update_metric(metric, batch.label)
        loss = dict(metric.get_name_value())
        print('epoch', epoch, 'loss %.3f texts %.2f' % (loss['loss'], loss['texts']))
    test.reset()
    batch = next(test)
    module.forward(batch, is_train=False)
    said = module.get_outputs()[0].asnumpy()
    for row, want in list(zip(said, batch.label[0].asnumpy()))[:6]:
        print([int(v) for v in want if v > 0], read(row))


main()
