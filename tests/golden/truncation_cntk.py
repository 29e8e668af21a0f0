"""Losses of CNTK 2.7 in truncated back-propagation, for tests/python/test_truncation.py:

    python truncation_cntk.py > truncation_golden.json

A language model over a random text of 12 symbols, in float64: an LSTM written from past_value, and one with
two delays of different steps. Streams side by side, fed by start flags, and from a file in CNTK's text format
with truncation. Parameters begin with numbers of NumPy.
"""

import json
import os
import sys
import tempfile

import numpy as np

import cntk as C

SYMBOLS, WIDTH = 12, 7


def lstm(x):
    h, c = C.placeholder(shape=(WIDTH,)), C.placeholder(shape=(WIDTH,))
    parameters = [
        C.parameter((SYMBOLS, 4 * WIDTH), dtype=np.float64),
        C.parameter((WIDTH, 4 * WIDTH), dtype=np.float64),
        C.parameter((4 * WIDTH,), dtype=np.float64),
    ]
    before, cell = C.sequence.past_value(h), C.sequence.past_value(c)
    a = C.times(x, parameters[0]) + C.times(before, parameters[1]) + parameters[2]
    i, f, o, g = (C.slice(a, 0, k * WIDTH, (k + 1) * WIDTH) for k in range(4))
    new_c = C.sigmoid(f) * cell + C.sigmoid(i) * C.tanh(g)
    new_h = C.sigmoid(o) * C.tanh(new_c)
    return C.combine([new_h, new_c]).replace_placeholders({h: new_h.output, c: new_c.output})[0], parameters


def two_delays(x):
    h = C.placeholder(shape=(WIDTH,))
    first = C.parameter((WIDTH,), dtype=np.float64)  # the initial state learns
    parameters = [
        C.parameter((SYMBOLS, WIDTH), dtype=np.float64),
        C.parameter((WIDTH, WIDTH), dtype=np.float64),
        C.parameter((WIDTH, WIDTH), dtype=np.float64),
        first,
    ]
    new = C.tanh(
        C.times(x, parameters[0])
        + C.times(C.sequence.past_value(h, first), parameters[1])
        + C.times(C.sequence.past_value(h, first, 3), parameters[2])
    )
    return new.replace_placeholders({h: new.output}), parameters


MODELS = {'lstm': lstm, 'two_delays': two_delays}


def training(name, dtype=np.float64):
    x, y = (C.sequence.input_variable(SYMBOLS, dtype=dtype) for _ in range(2))
    h, parameters = MODELS[name](x if dtype == np.float64 else C.cast(x, np.float64))
    out = C.parameter((WIDTH, SYMBOLS), dtype=np.float64)
    parameters.append(out)
    rs = np.random.RandomState(5)
    for p in parameters:
        p.value = rs.uniform(-0.6, 0.6, p.shape)
    loss = C.cross_entropy_with_softmax(C.times(h, out), y if dtype == np.float64 else C.cast(y, np.float64))
    return (
        x,
        y,
        C.Trainer(loss, (loss, None), [C.sgd(parameters, C.learning_rate_schedule(0.05, C.UnitType.sample))]),
    )


def text(streams, length):
    """Symbols that follow one another by a rule with some noise: [streams, length + 1]."""
    rs = np.random.RandomState(3)
    t = rs.randint(0, SYMBOLS, (streams, length + 1))
    for i in range(2, length + 1):
        t[:, i] = np.where(rs.rand(streams) < 0.8, (t[:, i - 1] + 2 * t[:, i - 2] + 1) % SYMBOLS, t[:, i])
    return t


def one_hot(symbol):
    return ' '.join('1' if i == symbol else '0' for i in range(SYMBOLS))


def by_flags(name, streams=3, parts=20, steps=5):
    t, one = text(streams, parts * steps), np.eye(SYMBOLS)
    x, y, trainer = training(name)
    losses = []
    for k in range(parts):
        at = slice(k * steps, (k + 1) * steps)
        # The sequences begin anew at different times.
        flags = [k == 0 or (k + s) % 7 == 0 for s in range(streams)]
        data = [np.ascontiguousarray(one[t[s, at]]) for s in range(streams)]
        labels = [np.ascontiguousarray(one[t[s, 1:][at]]) for s in range(streams)]
        trainer.train_minibatch(({x: data, y: labels}, flags))
        losses.append(trainer.previous_minibatch_loss_average)
    return losses


def by_file(name, streams=6, steps=9, truncation=4, minibatches=20):
    rs = np.random.RandomState(8)
    t = text(streams, 3 * steps)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'text.ctf')
        with open(path, 'w') as f:
            for s in range(streams):
                count = int(rs.randint(steps, 3 * steps))
                if name == 'two_delays':  # CNTK loses rows where a part is shorter than a delay
                    count -= count % truncation
                for i in range(count):
                    f.write('%d |x %s |y %s\n' % (s, one_hot(t[s, i]), one_hot(t[s, i + 1])))
        x, y, trainer = training(name, np.float32)  # CNTK's reader knows no other
        source = C.io.MinibatchSource(
            C.io.CTFDeserializer(
                path,
                C.io.StreamDefs(
                    x=C.io.StreamDef(field='x', shape=SYMBOLS), y=C.io.StreamDef(field='y', shape=SYMBOLS)
                ),
            ),
            randomize=False,
            truncation_length=truncation,
        )
        losses = []
        for _ in range(minibatches):
            data = source.next_minibatch(3 * truncation, {x: source.streams.x, y: source.streams.y})
            trainer.train_minibatch(data)
            losses.append(trainer.previous_minibatch_loss_average)
    return losses


if __name__ == '__main__':
    result = {name: {'flags': by_flags(name)} for name in MODELS}
    for name in MODELS:
        try:
            result[name]['file'] = by_file(name)
        except Exception as e:
            print(name, 'file', e, file=sys.stderr)
    json.dump(result, sys.stdout, indent=1)
