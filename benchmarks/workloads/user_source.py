"""user_source: mnist_convnet fed by a source written in Python, beside the same minibatches from arrays in
the loop itself; samples a second.

`arrays`: rows gathered in the loop; `source`: the same loop, rows from a UserMinibatchSource; `session`: a
training_session over it; `ahead`: the same, where the source is called on another thread.
"""

from nets import convnet
from timing import arguments, cantik_with, mnist, np, one_hot, rate, wanted

args = arguments(minibatches=20)
C = cantik_with(args.threads)
X, digits = mnist()
L = one_hot(digits, 10)
order = np.random.RandomState(0).permutation(60000)[:54000]
SIZE = 256


class Images(C.io.UserMinibatchSource):
    def __init__(self, read_ahead=False):
        self.image = C.io.StreamInformation('image', 0, 'dense', np.float32, (28, 28))
        self.digit = C.io.StreamInformation('digit', 1, 'dense', np.float32, (10,))
        self.at, self.read_ahead = 0, read_ahead
        super().__init__()

    def stream_infos(self):
        return [self.image, self.digit]

    def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        begin = self.at % (210 * SIZE)
        self.at = begin + num_samples
        rows = order[begin : self.at]
        return {
            info: C.io.MinibatchData(C.Value(data[rows]), len(rows), len(rows), False)
            for info, data in ((self.image, X), (self.digit, L))
        }


def network():
    x, y = C.input_variable((28, 28)), C.input_variable(10)
    z = convnet(C)(x)
    learner = C.momentum_sgd(
        z.parameters,
        C.learning_parameter_schedule_per_sample(0.001),
        C.momentum_schedule_per_sample(0.9990239141819757),
    )
    return x, y, C.Trainer(z, C.cross_entropy_with_softmax(z, y), [learner])


def arrays():
    x, y, trainer = network()
    steps = [0]

    def many():
        for _ in range(args.minibatches):
            rows = order[steps[0] % 210 * SIZE : (steps[0] % 210 + 1) * SIZE]
            trainer.train_minibatch({x: X[rows], y: L[rows]})
            steps[0] += 1

    return many


def source():
    x, y, trainer = network()
    images = Images()

    def many():
        for _ in range(args.minibatches):
            batch = images.next_minibatch(SIZE)
            trainer.train_minibatch({x: batch[images.image], y: batch[images.digit]})

    return many


def session(read_ahead=False):
    x, y, trainer = network()
    images = Images(read_ahead)

    def many():
        C.training_session(
            trainer,
            images,
            SIZE,
            {x: images.image, y: images.digit},
            max_samples=trainer.total_number_of_samples_seen + SIZE * args.minibatches,
        ).train()

    return many


for name, make in dict(arrays=arrays, source=source, session=session, ahead=lambda: session(True)).items():
    if wanted(args, name):
        rate('user_source', name, 'samples/s', make(), SIZE * args.minibatches, args, warmup=0, seconds=0)
