"""The guided tour: a convolutional network learns to read MNIST's digits. Run it with `make tour`.

    python examples/tour.py [--sweeps 10] [--cpp build/release/examples/cpp/tour_scores] [--backend naive.so]

Written with CNTK v2's names: `import cntk` instead of `import cantik as cntk` works as well.
"""

import argparse
import gzip
import subprocess
from pathlib import Path

import numpy as np
import scipy.sparse

import cantik as cntk

HERE = Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--sweeps', type=int, default=10, help='how often the network sees all training images')
parser.add_argument('--data', type=Path, default=HERE / 'data' / 'mnist')
parser.add_argument(
    '--model', type=Path, default=Path('tour.model'), help='where the trained network is saved'
)
parser.add_argument(
    '--cpp', type=Path, help='the C++ program that loads the saved network and prints its scores'
)
parser.add_argument('--backend', type=Path, help='a library with a device, on which everything runs then')
options = parser.parse_args()
if options.backend:
    cntk.try_set_default_device(cntk.device.load_backend(options.backend)[0])


def say(text):
    print('\n== ' + text, flush=True)


# ---- Data: images as arrays of shape [28, 28] with numbers from 0 to 1, labels as sparse one-hot rows.
def images_of(name):
    with gzip.open(options.data / (name + '-images-idx3-ubyte.gz')) as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28).astype(np.float32) / 255


def labels_of(name):
    with gzip.open(options.data / (name + '-labels-idx1-ubyte.gz')) as file:
        digits = np.frombuffer(file.read(), np.uint8, offset=8).astype(int)
    return digits, scipy.sparse.csr_matrix(
        (np.ones(len(digits), np.float32), (range(len(digits)), digits)), shape=(len(digits), 10)
    )


say('Reading MNIST')
X_train, (_, Y_train) = images_of('train'), labels_of('train')
X_test, (digits, Y_test) = images_of('t10k'), labels_of('t10k')
order = np.random.RandomState(0).permutation(len(X_train))[:54000]
X_train, Y_train = X_train[order], Y_train[order]
print(
    f'{len(X_train)} images to learn from, {len(X_test)} to test with; the first test image is a {digits[0]}:'
)
for line in X_test[0, 6:26:2]:
    print('    ' + ''.join(' .:-=+*#%@'[int(9 * pixel)] for pixel in line))

# ---- The network is a function: layers, one after the other.
with cntk.layers.default_options(activation=cntk.relu, pad=False):
    model = cntk.layers.Sequential(
        [
            cntk.layers.Convolution2D(
                (5, 5), num_filters=32, reduction_rank=0, pad=True
            ),  # reduction_rank=0: a grey image has no channels
            cntk.layers.MaxPooling((3, 3), strides=(2, 2)),
            cntk.layers.Convolution2D((3, 3), num_filters=48),
            cntk.layers.MaxPooling((3, 3), strides=(2, 2)),
            cntk.layers.Convolution2D((3, 3), num_filters=64),
            cntk.layers.Dense(96),
            cntk.layers.Dropout(dropout_rate=0.5),
            cntk.layers.Dense(10, activation=None),
        ]
    )

# ---- What it has to learn: a function of an image and its label, which gives a loss to make small and an
# error to report.
x, y = cntk.input_variable((28, 28)), cntk.input_variable(10, is_sparse=True)
scores = model(x)
criterion = cntk.combine([cntk.cross_entropy_with_softmax(scores, y), cntk.classification_error(scores, y)])

say('The network')
print(cntk.summary(scores))

say('Training it')
N = len(X_train)
rates = cntk.learning_parameter_schedule_per_sample(
    [0.001] * 12 + [0.0005] * 6 + [0.00025] * 6 + [0.000125], epoch_size=N
)
momenta = cntk.momentum_schedule_per_sample([0] * 5 + [0.9990239141819757], epoch_size=N)
sizes = cntk.minibatch_size_schedule([256] * 6 + [512] * 9 + [1024] * 7 + [2048], epoch_size=N)
learner = cntk.momentum_sgd(scores.parameters, rates, momenta)
bar = cntk.logging.ProgressBar(samples=N, epochs=options.sweeps)  # nothing where that is no terminal
writers = [cntk.logging.ProgressPrinter(), bar]
criterion.train(
    (X_train, Y_train),
    minibatch_size=sizes,
    max_epochs=options.sweeps,
    parameter_learners=[learner],
    callbacks=writers,
)

say('Testing it on images it has never seen')
tested = criterion.test((X_test, Y_test), callbacks=[cntk.logging.ProgressPrinter()])

say(f'Saving it to {options.model} and loading it again')
scores.save(str(options.model))
classify = cntk.Function.load(str(options.model))
mine = classify(X_test[:10])
print('labels:     ', *digits[:10])
print('recognized: ', *mine.argmax(axis=1))

if options.cpp:
    say(f'The same file in C++ ({options.cpp.name})')
    text = subprocess.run(
        [str(options.cpp), str(options.model), '10', str(options.data)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    theirs = np.array([[np.float32(number) for number in line.split()] for line in text.splitlines()])
    print('recognized: ', *theirs.argmax(axis=1))
    if not np.array_equal(mine, theirs):
        raise SystemExit(f'C++ and Python differ by up to {np.abs(mine - theirs).max()}')
    print(f'All {theirs.size} scores are the same in both languages, to the last bit.')

say('What to try next')
print('''make tour SWEEPS=40            until the error is about 0.6 %
examples/cpp/tour.cc           the same in C++
examples/tour.py               change a layer, and run it again
help(cantik.layers.Dense)      every function explains itself
docs/reference/operators/      what networks can be made of''')
