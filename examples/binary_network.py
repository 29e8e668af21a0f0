"""A network of binary convolutions beside its twin with numbers: MNIST, or CIFAR-10 from its JPEG files.

    python examples/binary_network.py [--sweeps 3]
    python examples/binary_network.py --cifar cifar10-jpeg.tar.gz [--sweeps 10]

The first convolution and the dense layer keep their numbers; the convolutions between them see signs times
their mean, and so do their filters.
"""

import argparse
import gzip
import io
import tarfile
import time
from pathlib import Path

import numpy as np

import cantik as C
from cantik.contrib.netopt.quantization import binary_convolution, convert_to_native_binary_convolution

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument(
    '--cifar', type=Path, help="CIFAR-10: a tar file with train/<class>/*.jpg and test/<class>/*.jpg"
)
parser.add_argument('--sweeps', type=int, default=3, help='how often the networks see all training images')
parser.add_argument('--images', type=int, help='learn from so many images only')
parser.add_argument('--channels', type=int, default=32, help='of the first binary convolution')
parser.add_argument('--rate', type=float, default=0.02, help='of Adam, at first; it falls to a twentieth')
options = parser.parse_args()


def mnist():
    def read(name, header):
        with gzip.open(Path(__file__).resolve().parent / 'data' / 'mnist' / name) as file:
            return np.frombuffer(file.read(), np.uint8)[header:]

    return [
        (
            read(part + '-images-idx3-ubyte.gz', 16).reshape(-1, 1, 28, 28),
            read(part + '-labels-idx1-ubyte.gz', 8),
        )
        for part in ('train', 't10k')
    ]


def cifar(path):
    from PIL import Image

    images, labels, classes = {'train': [], 'test': []}, {'train': [], 'test': []}, {}
    with tarfile.open(path) as tar:
        for member in tar:
            if not member.name.endswith(('.jpg', '.png')):
                continue
            part, name = Path(member.name).parts[-3:-1]
            file = tar.extractfile(member)
            assert file is not None, member.name + ' is no file'
            images[part].append(
                np.asarray(Image.open(io.BytesIO(file.read())).convert('RGB')).transpose(2, 0, 1)
            )
            labels[part].append(classes.setdefault(name, len(classes)))
    return [(np.stack(images[part]), np.array(labels[part])) for part in ('train', 'test')]


def network(x, binary):
    """Convolution, then two or three times: normalisation, convolution, maximum of 2 x 2 pixels;
    normalisation, dense layer."""
    h = C.layers.Convolution2D((3, 3), options.channels // 2, pad=True, bias=False)(x)
    channels = options.channels // 2
    for filters in (options.channels, 2 * options.channels) + (
        (2 * options.channels,) if options.cifar else ()
    ):
        h = C.layers.BatchNormalization(map_rank=1)(h)
        if binary:
            h = binary_convolution((3, 3), num_filters=filters, channels=channels, pad=True)(h)
        else:
            h = C.layers.Convolution2D((3, 3), filters, pad=True, bias=False)(C.relu(h))
        h, channels = C.layers.MaxPooling((2, 2), strides=(2, 2))(h), filters
    return C.layers.Dense(10)(C.layers.BatchNormalization(map_rank=1)(h))


def train(name, z, x, images, labels):
    y = C.input_variable(10)
    loss, error = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
    size, count = 64, len(images) // 64
    # The rate falls in twenty steps.
    rates = [options.rate * (1 - 0.95 * i / 19) for i in range(20)]
    rate = C.learning_parameter_schedule(
        rates, minibatch_size=size, epoch_size=max(1, options.sweeps * count * size // 20)
    )
    learner = C.adam(
        z.parameters,
        rate,
        momentum=C.momentum_schedule(0.9),
        variance_momentum=C.momentum_schedule(0.999),
        use_mean_gradient=False,
    )  # rates for sums over 64 samples, as in CNTK
    trainer = C.Trainer(z, (loss, error), [learner])
    order, begin = np.random.RandomState(1), time.time()
    for sweep in range(options.sweeps):
        chosen, seen = order.permutation(len(images))[: count * size].reshape(count, size), 0.0
        for some in chosen:
            batch = images[some]
            if options.cifar:  # every other image is mirrored
                batch = np.where(order.randint(0, 2, (size, 1, 1, 1)), batch, batch[..., ::-1])
            trainer.train_minibatch({x: batch, y: np.eye(10, dtype=np.float32)[labels[some]]})
            seen += trainer.previous_minibatch_evaluation_average
        print(
            f'{name:6}  sweep {sweep + 1:2}  error in training {100 * seen / count:5.2f} %'
            f'   {time.time() - begin:.0f} s',
            flush=True,
        )


def right(z, x, images, labels):
    scores = np.concatenate([z.eval({x: images[i : i + 500]}) for i in range(0, len(images), 500)])
    return 100 * np.mean(np.argmax(scores, axis=1) == labels)


def seconds(z, x, images):
    z.eval({x: images})
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        z.eval({x: images}, as_numpy=False)
        times.append(time.perf_counter() - begin)
    return min(times)


C.cntk_py.set_fixed_random_seed(1)
(images, labels), (test_images, test_labels) = cifar(options.cifar) if options.cifar else mnist()
mean, spread = images.mean((0, 2, 3), keepdims=True), images.std((0, 2, 3), keepdims=True)
images, test_images = (
    (part.astype(np.float32) - mean.astype(np.float32)) / spread.astype(np.float32)
    for part in (images, test_images)
)
if options.images:
    some = np.random.RandomState(2).permutation(len(images))[: options.images]
    images, labels = images[some], labels[some]
print(f'{len(images)} images to learn from, {len(test_images)} to test with')

x = C.input_variable(images.shape[1:])
results = {}
for name in ('full', 'binary'):
    z = network(x, name == 'binary')
    train(name, z, x, images, labels)
    results[name] = right(z, x, test_images, test_labels)
    print(
        f'{name:6}  {results[name]:.2f} % of the test images are right; '
        f'{1e3 * seconds(z, x, test_images[:100]):.1f} ms for 100 images'
    )
native = convert_to_native_binary_convolution(z, means=True)
results['native'] = right(native, x, test_images, test_labels)
print(
    '{:6}  {:.2f} % of the test images are right; {:.1f} ms for 100 images'.format(
        'native', results['native'], 1e3 * seconds(native, x, test_images[:100])
    )
)
