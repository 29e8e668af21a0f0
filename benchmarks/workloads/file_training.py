"""file_training: a sweep of a training from files that are read for the first time, beside the same from
memory; samples a second (words of ATIS).

`mnist_ctf`: mnist_convnet, minibatches of 256, from a text file of 20,000 rows, `mnist_memory`: from arrays.
`cifar_jpeg`: ResNet-20, minibatches of 64, from 4,096 JPEG files of 40 x 40 pixels, of which a random part of
32 x 32 is taken, mirrored in half of the cases; `cifar_memory`: from an array. `atis_ctf`: slots of
sentences, minibatches of 1,000 words, from a text file; `atis_memory`: of values that are there.
"""

import scipy.sparse
from files import pictures, text_file, text_streams
from nets import convnet, resnet20
from timing import arguments, cantik_with, mnist, np, one_hot, rate, wanted

args = arguments(pictures=4096)
C = cantik_with(args.threads)


def trainer_of(z, y, rate, momentum=0.9):
    loss = C.cross_entropy_with_softmax(z, y)
    learner = C.momentum_sgd(z.parameters, C.learning_parameter_schedule_per_sample(rate), momentum)
    return C.Trainer(z, loss, [learner])


def over_source(trainer, describe, streams, size, randomize=True):
    """A sweep with a new source."""

    def sweep():
        source = C.io.MinibatchSource(describe(), max_sweeps=1, randomize=randomize)
        given = {v: source.streams[name] for v, name in streams.items()}
        while minibatch := source.next_minibatch(size, input_map=given):
            trainer.train_minibatch(minibatch)

    return sweep


def over_arrays(trainer, arrays, size):
    """A sweep in random order."""
    count, draw = next(iter(arrays.values())).shape[0], np.random.RandomState(0)

    def sweep():
        order = draw.permutation(count)
        for begin in range(0, count, size):
            rows = order[begin : begin + size]
            trainer.train_minibatch({v: data[rows] for v, data in arrays.items()})

    return sweep


def mnist_sweeps():
    images, digits = mnist()
    x, y = C.input_variable((28, 28)), C.input_variable(10)
    trainer = trainer_of(convnet(C)(x / 256), y, 0.0005)
    data = {x: np.rint(images[:20000] * 255).astype(np.float32), y: one_hot(digits[:20000], 10)}
    file = text_file('int')
    return (
        20000,
        over_source(
            trainer, lambda: C.io.CTFDeserializer(file, text_streams(C, 'int')), {x: 'f', y: 'l'}, 256
        ),
        over_arrays(trainer, data, 256),
    )


def cifar_sweeps():
    x, y = C.input_variable((3, 32, 32)), C.input_variable(10, is_sparse=True)
    trainer = trainer_of(resnet20(C)((x - 128) / 64), y, 0.0005)
    T, stream, listing = C.io.transforms, C.io.StreamDef, pictures(args.pictures)
    cut = [T.crop(crop_type='randomside', side_ratio=0.8), T.scale(width=32, height=32, channels=3)]
    streams = C.io.StreamDefs(
        picture=stream(field='image', transforms=cut), kind=stream(field='label', shape=10)
    )
    rs = np.random.RandomState(0)
    kinds = scipy.sparse.csr_matrix(one_hot(rs.randint(0, 10, args.pictures), 10))
    data = {x: rs.randint(0, 256, (args.pictures, 3, 32, 32)).astype(np.float32), y: kinds}
    return (
        args.pictures,
        over_source(trainer, lambda: C.io.ImageDeserializer(listing, streams), {x: 'picture', y: 'kind'}, 64),
        over_arrays(trainer, data, 64),
    )


def atis_sweeps():
    x, y = C.sequence.input_variable(943, is_sparse=True), C.sequence.input_variable(129, is_sparse=True)
    layers = [C.layers.Embedding(150), C.layers.Recurrence(C.layers.LSTM(300)), C.layers.Dense(129)]
    trainer = trainer_of(C.layers.Sequential(layers)(x), y, 0.003, 0)
    file, given = text_file('atis_once'), {x: 'q', y: 's'}

    def described():
        return C.io.CTFDeserializer(file, text_streams(C, 'atis'))

    source = C.io.MinibatchSource(described(), max_sweeps=1)
    streams = {v: source.streams[name] for v, name in given.items()}
    minibatches = list(iter(lambda: source.next_minibatch(1000, input_map=streams), {}))

    def memory():
        for minibatch in minibatches:
            trainer.train_minibatch(minibatch)

    words = sum(minibatch[x].num_samples for minibatch in minibatches)
    return words, over_source(trainer, described, given, 1000), memory


for name, make in dict(mnist=mnist_sweeps, cifar=cifar_sweeps, atis=atis_sweeps).items():
    form = 'jpeg' if name == 'cifar' else 'ctf'
    variants = [name + '_' + form, name + '_memory']
    if any(wanted(args, variant) for variant in variants):
        samples, *sweeps = make()
        for variant, sweep in zip(variants, sweeps):
            if wanted(args, variant):
                rate('file_training', variant, 'samples/s', sweep, samples, args, warmup=0, seconds=0)
