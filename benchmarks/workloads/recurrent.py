"""lstm_*, gru_*, custom_cell*: a recurrence over sequences of very different (or equal) lengths, trained;
frames a second."""

from skewed import sequences, size_of
from timing import arguments, cantik_with, np, one_hot, rate, wanted

args = arguments(workload='lstm_skewed')
C = cantik_with(args.threads)
D, H = size_of(args.workload)


def data():
    x, lengths, labels = sequences(args.workload)
    return [
        ([np.ascontiguousarray(s[:n]) for s, n in zip(*pair)], one_hot(label, 10))
        for *pair, label in zip(x, lengths, labels)
    ], int(lengths.sum())


def custom_cell(x):
    """A cell of the user's own: z = σ(xWz+hUz+bz), r = σ(xWr+hUr+br), c = tanh(xWc+(r∘h)Uc+bc), h = (1−z)∘h +
    z∘c."""
    g = C.glorot_uniform()
    Wz, Wr, Wc = (C.parameter((D, H), init=g) for _ in range(3))
    Uz, Ur, Uc = (C.parameter((H, H), init=g) for _ in range(3))
    bz, br, bc = (C.parameter(H) for _ in range(3))
    state = C.placeholder(H)
    h = C.sequence.past_value(state)
    z = C.sigmoid(C.times(x, Wz) + C.times(h, Uz) + bz)
    r = C.sigmoid(C.times(x, Wr) + C.times(h, Ur) + br)
    c = C.tanh(C.times(x, Wc) + C.times(r * h, Uc) + bc)
    new = (1 - z) * h + z * c
    return new.replace_placeholders({state: new.output})


def sweep(body, minibatches):
    x, y = C.sequence.input_variable(D), C.input_variable(10)
    z = C.layers.Dense(10)(C.sequence.last(body(x)))
    trainer = C.Trainer(
        z, C.cross_entropy_with_softmax(z, y), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))]
    )

    def run():
        for words, labels in minibatches:
            trainer.train_minibatch({x: words, y: labels})

    return run


bodies = dict(
    lstm=lambda: C.layers.Recurrence(C.layers.LSTM(H)),
    gru=lambda: C.layers.Recurrence(C.layers.GRU(H)),
    custom_cell=lambda: custom_cell,
)
minibatches, frames = data()
body = next(make for name, make in bodies.items() if args.workload.startswith(name))()
if wanted(args, 'train'):
    rate(args.workload, 'train', 'frames/s', sweep(body, minibatches), frames, args, warmup=1)
