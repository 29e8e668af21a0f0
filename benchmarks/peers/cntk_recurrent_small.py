"""lstm_small, custom_cell_small in CNTK 2.7: its own layers, and cells as its users write them. Minibatches
are ready-made values."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, np, one_hot, rate, wanted

args = arguments(workload='lstm_small')
import cntk as C
from cntk.internal import sanitize_batch
from skewed import by_length, sequences, size_of

C.try_set_default_device(C.cpu())
C.cntk_py.set_max_num_cputhreads(args.threads)
D, H = size_of(args.workload)
data = sequences(args.workload)
g = C.glorot_uniform()


def lstm_by_hand(x):
    W, U, b = (
        [C.parameter(shape, init=g if len(shape) > 1 else 0) for _ in range(4)]
        for shape in ((D, H), (H, H), (H,))
    )
    state, memory = C.placeholder(H), C.placeholder(H)
    h, c = C.sequence.past_value(state), C.sequence.past_value(memory)
    i, f, o, n = (C.times(x, w) + C.times(h, u) + v for w, u, v in zip(W, U, b))
    new = C.sigmoid(f) * c + C.sigmoid(i) * C.tanh(n)
    out = C.sigmoid(o) * C.tanh(new)
    return out.replace_placeholders({state: out.output, memory: new.output})


def past_value(x):
    W, U, b = (
        [C.parameter(shape, init=g if len(shape) > 1 else 0) for _ in range(3)]
        for shape in ((D, H), (H, H), (H,))
    )
    state = C.placeholder(H)
    h = C.sequence.past_value(state)
    z, r = (C.sigmoid(C.times(x, W[k]) + C.times(h, U[k]) + b[k]) for k in (0, 1))
    new = (1 - z) * h + z * C.tanh(C.times(x, W[2]) + C.times(r * h, U[2]) + b[2])
    return new.replace_placeholders({state: new.output})


def by_hand(x):
    """As an expert writes it: one product for the input, one for two gates."""
    W, U, Uc, b = (
        C.parameter((D, 3 * H), init=g),
        C.parameter((H, 2 * H), init=g),
        C.parameter((H, H), init=g),
        C.parameter(3 * H),
    )
    p = C.times(x, W) + b
    state = C.placeholder(H)
    h = C.sequence.past_value(state)
    gates = C.sigmoid(C.slice(p, 0, 0, 2 * H) + C.times(h, U))
    z, r = C.slice(gates, 0, 0, H), C.slice(gates, 0, H, 2 * H)
    new = h + z * (C.tanh(C.slice(p, 0, 2 * H, 3 * H) + C.times(r * h, Uc)) - h)
    return new.replace_placeholders({state: new.output})


def sweep(body, buckets=False):
    x, y = C.sequence.input_variable(D), C.input_variable(10)
    z = C.layers.Dense(10)(C.sequence.last(body(x)))
    trainer = C.Trainer(
        None, C.cross_entropy_with_softmax(z, y), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))]
    )
    minibatches = [
        {
            x: sanitize_batch(x, [np.ascontiguousarray(s[:n]) for s, n in zip(steps, lengths)]),
            y: sanitize_batch(y, one_hot(labels, 10)),
        }
        for steps, lengths, labels in zip(*(by_length(*data) if buckets else data))
    ]

    def run():
        for minibatch in minibatches:
            trainer.train_minibatch(minibatch)

    return run


if args.workload.startswith('lstm'):
    layer = lambda: C.layers.Recurrence(C.layers.LSTM(H))
    variants = dict(
        layer=lambda: sweep(layer()),
        layer_bucketed=lambda: sweep(layer(), True),
        by_hand=lambda: sweep(lstm_by_hand),
        by_hand_bucketed=lambda: sweep(lstm_by_hand, True),
    )
else:
    variants = dict(
        past_value=lambda: sweep(past_value),
        by_hand=lambda: sweep(by_hand),
        by_hand_bucketed=lambda: sweep(by_hand, True),
    )
for name, make in variants.items():
    if wanted(args, name):
        rate(args.workload, name, 'frames/s', make(), int(data[1].sum()), args, warmup=1)
