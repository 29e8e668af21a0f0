"""A small convolutional network that tells four kinds of stripes apart, from files in CNTK's text format."""

from __future__ import print_function

import os
import tempfile

import numpy as np

import cntk as C
from cntk.io import CTFDeserializer, INFINITELY_REPEAT, MinibatchSource, StreamDef, StreamDefs
from cntk.layers import (
    BatchNormalization,
    Convolution2D,
    Dense,
    Dropout,
    MaxPooling,
    Sequential,
    default_options,
)
from cntk.logging import ProgressPrinter, log_number_of_parameters

SIDE, CLASSES = 12, 4


def write_stripes(path, count, seed):
    rng = np.random.RandomState(seed)
    row, column = np.mgrid[0:SIDE, 0:SIDE]
    patterns = [row, column, row + column, row - column]
    with open(path, 'w') as f:
        for _ in range(count):
            kind, phase = rng.randint(CLASSES), rng.randint(4)
            image = (patterns[kind] + phase) // 2 % 2 * 200 + rng.randint(0, 56, (SIDE, SIDE))
            label = ' '.join('1' if k == kind else '0' for k in range(CLASSES))
            f.write('|labels %s |features %s\n' % (label, ' '.join(str(v) for v in image.ravel())))


def create_reader(path, is_training):
    streams = StreamDefs(
        features=StreamDef(field='features', shape=SIDE * SIDE, is_sparse=False),
        labels=StreamDef(field='labels', shape=CLASSES, is_sparse=False),
    )
    return MinibatchSource(
        CTFDeserializer(path, streams),
        randomize=is_training,
        max_sweeps=INFINITELY_REPEAT if is_training else 1,
    )


def create_model():
    with default_options(activation=C.relu, init=C.glorot_uniform()):
        return Sequential(
            [
                Convolution2D((3, 3), 8, pad=True, name='first'),
                MaxPooling((2, 2), strides=(2, 2)),
                Convolution2D((3, 3), 12, bias=False, activation=None, name='second'),
                BatchNormalization(map_rank=1),
                C.relu,
                MaxPooling((2, 2), strides=2),
                Dropout(0.25),
                Dense(24, name='hidden'),
                Dense(CLASSES, activation=None, name='scores'),
            ]
        )


def train(trainer, source, features, labels, epochs, epoch_size, minibatch_size):
    input_map = {features: source.streams.features, labels: source.streams.labels}
    for _ in range(epochs):
        count = 0
        while count < epoch_size:
            size = min(minibatch_size, epoch_size - count)
            data = source.next_minibatch(size, input_map=input_map)
            trainer.train_minibatch(data)
            count += data[labels].num_samples
        trainer.summarize_training_progress()


def test(trainer, source, features, labels):
    input_map = {features: source.streams.features, labels: source.streams.labels}
    total, count = 0.0, 0
    while True:
        data = source.next_minibatch(32, input_map=input_map)
        if not data:
            break
        samples = data[labels].num_samples
        error = trainer.test_minibatch(data)
        print('test minibatch of %d: %.4f' % (samples, error))
        total += error * samples
        count += samples
    trainer.summarize_test_progress()
    print('test error %.4f over %d' % (total / count, count))


def main():
    C.cntk_py.set_fixed_random_seed(7)
    folder = tempfile.mkdtemp()
    train_file, test_file = os.path.join(folder, 'train.ctf'), os.path.join(folder, 'test.ctf')
    write_stripes(train_file, 600, 1)
    write_stripes(test_file, 100, 2)

    features = C.input_variable((1, SIDE, SIDE), name='features')
    labels = C.input_variable(CLASSES, name='labels')
    z = create_model()(features / 255.0)
    loss = C.cross_entropy_with_softmax(z, labels)
    error = C.classification_error(z, labels)
    log_number_of_parameters(z)
    print()
    print(z)

    epochs, epoch_size = 3, 600
    rate = C.learning_rate_schedule([0.004] * 2 + [0.002], C.UnitType.sample, epoch_size)
    momentum = C.momentum_as_time_constant_schedule([0, 200], epoch_size)
    learner = C.momentum_sgd(z.parameters, rate, momentum, l2_regularization_weight=0.001)
    printer = ProgressPrinter(freq=4, tag='Training', num_epochs=epochs)
    trainer = C.Trainer(z, (loss, error), [learner], [printer])
    train(trainer, create_reader(train_file, True), features, labels, epochs, epoch_size, minibatch_size=50)
    print('samples', trainer.total_number_of_samples_seen)
    test(trainer, create_reader(test_file, False), features, labels)

    source = create_reader(test_file, False)
    minibatch = source.next_minibatch(3)
    images = minibatch[source.streams.features].asarray().reshape(3, 1, SIDE, SIDE)
    print(np.round(C.softmax(z).eval({features: images}), 4))
    second = C.combine([z.find_by_name('second').output])
    print(second.shape, '%.5f' % np.abs(second.eval({second.arguments[0]: images})).sum())


if __name__ == '__main__':
    main()
