"""Data larger than memory: a text file, read a part at a time and shuffled on the way."""

import cntk as C
import mnist
import numpy as np
from cntk.io import CTFDeserializer, MinibatchSource, StreamDef, StreamDefs

C.cntk_py.set_fixed_random_seed(1)


def write(path, name, count):
    """CNTK's text format: a line a sample, a field for each stream; sparse fields are index:value."""
    images, digits, _ = mnist.read(name, count)
    with open(path, 'w') as file:
        for image, digit in zip(images, digits):
            pixels = image.ravel()
            ink = ' '.join(f'{i}:{pixels[i]:.4g}' for i in np.flatnonzero(pixels))
            file.write(f'|label {digit}:1 |ink {ink}\n')


def source(path, **options):
    streams = StreamDefs(
        image=StreamDef(field='ink', shape=784, is_sparse=True),
        digit=StreamDef(field='label', shape=10, is_sparse=True),
    )
    return MinibatchSource(CTFDeserializer(path, streams), **options)


write('train.ctf', 'train', 6000)
write('test.ctf', 't10k', 1000)

x, y = C.input_variable(784, is_sparse=True), C.input_variable(10, is_sparse=True)
scores = C.layers.Sequential([C.layers.Dense(100, C.tanh), C.layers.Dense(10)])(x)
criterion = C.combine([C.cross_entropy_with_softmax(scores, y), C.classification_error(scores, y)])

train, test = source('train.ctf'), source('test.ctf', randomize=False, max_sweeps=1)
first = train.next_minibatch(4)
print('streams  ', *sorted(s.m_name for s in train.stream_infos()))
print(
    'of four samples',
    first[train.streams.digit].shape,
    'ends a sweep:',
    first[train.streams.digit].end_of_sweep,
)
train.restore_from_checkpoint({'minibatchSourcePosition': 0})  # to the beginning

learner = C.sgd(scores.parameters, C.learning_parameter_schedule_per_sample(0.005))
printer = C.logging.ProgressPrinter(25)
criterion.train(
    train,
    streams=(train.streams.image, train.streams.digit),
    minibatch_size=60,
    epoch_size=3000,
    max_epochs=3,
    parameter_learners=[learner],
    callbacks=[printer],
)
tested = criterion.test(
    test, streams=(test.streams.image, test.streams.digit), minibatch_size=100, callbacks=[printer]
)
print(f'error {tested.metric:.4f}')
