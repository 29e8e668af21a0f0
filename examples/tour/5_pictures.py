"""Pictures from files: a list of paths and classes, transforms that bring them to one size, and a network."""

import struct
import zlib

import cntk as C
import cntk.io.transforms as xforms
import mnist
import numpy as np
from cntk.io import ImageDeserializer, MinibatchSource, StreamDef, StreamDefs

C.cntk_py.set_fixed_random_seed(1)
SIZE = 16


def write_png(path, gray):
    """gray: [height, width] of bytes. A reader makes three equal channels of it."""

    def piece(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    height, width = gray.shape
    rows = b''.join(b'\0' + row.tobytes() for row in gray)
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n')
        file.write(piece(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)))
        file.write(piece(b'IDAT', zlib.compress(rows)) + piece(b'IEND', b''))


def write_pictures(map_file, name, count):
    images, digits, _ = mnist.read(name, count)
    with open(map_file, 'w') as file:
        for i, (image, digit) in enumerate(zip(images, digits)):
            path = f'{name}_{i}.png'
            write_png(path, (image * 255).astype(np.uint8))
            file.write(f'{path}\t{digit}\n')


def pictures(map_file, transforms, **options):
    streams = StreamDefs(
        image=StreamDef(field='image', transforms=transforms), digit=StreamDef(field='label', shape=10)
    )
    return MinibatchSource(ImageDeserializer(map_file, streams), **options)


# ---- Every picture is cut to its middle and brought to 16 x 16 pixels.
whole = [
    xforms.crop(crop_type='center', side_ratio=0.8),
    xforms.scale(width=SIZE, height=SIZE, channels=3, interpolations='linear'),
]
# ---- For learning, cut somewhere else each time, so that the network sees more pictures than there are.
varied = [xforms.crop(crop_type='randomside', side_ratio=0.8)] + whole[1:]

write_pictures('train.txt', 'train', 2000)
write_pictures('test.txt', 't10k', 500)
first = pictures('test.txt', whole, randomize=False).next_minibatch(3)
values = {stream.m_name: data.asarray() for stream, data in first.items()}
print(
    'three pictures',
    values['image'].shape,
    'from {:g} to {:g}'.format(values['image'].min(), values['image'].max()),
)
print('sum of the pixels', *[round(p.sum()) for p in values['image']])
print('their classes ', *values['digit'].argmax(axis=-1).ravel())

x, y = C.input_variable((3, SIZE, SIZE)), C.input_variable(10)
with C.layers.default_options(activation=C.tanh, pad=True):
    scores = C.layers.Sequential(
        [
            C.layers.Convolution2D((3, 3), 16),
            C.layers.AveragePooling((2, 2), strides=(2, 2)),
            C.layers.Convolution2D((3, 3), 32),
            C.layers.AveragePooling((2, 2), strides=(2, 2)),
            C.layers.Dense(10, activation=None),
        ]
    )(x / 256)
criterion = C.combine([C.cross_entropy_with_softmax(scores, y), C.classification_error(scores, y)])
learner = C.momentum_sgd(scores.parameters, C.learning_parameter_schedule(0.1), C.momentum_schedule(0.9))


def trained(source, sweeps, callbacks):
    return criterion.train(
        source,
        streams=(source.streams.image, source.streams.digit),
        minibatch_size=50,
        epoch_size=2000,
        max_epochs=sweeps,
        parameter_learners=[learner],
        callbacks=callbacks,
    )


def error():
    test = pictures('test.txt', whole, randomize=False, max_sweeps=1)
    return criterion.test(test, streams=(test.streams.image, test.streams.digit), minibatch_size=50).metric


trained(pictures('train.txt', whole), 2, [C.logging.ProgressPrinter(10)])
print(f'error {error():.3f}')
progress = trained(pictures('train.txt', varied), 4, [])
losses = [epoch.loss for epoch in progress.epoch_summaries]
print('the loss of varied pictures falls:', losses[-1] < losses[1])
