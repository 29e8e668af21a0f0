"""Pictures of ten kinds (CIFAR-10), read as JPEG files, cut and mirrored at random, by a ResNet-20.

    python examples/cifar10.py FOLDER [--sweeps 10] [--model resnet20.model]

FOLDER has the pictures as files, one folder for each kind: train/airplane/0000.jpg, ..., test/truck/0999.jpg.
The pictures for learning get a grey border of 4 pixels first (this needs Pillow, once); a random part of 32 x
32 of them, in half of the cases mirrored, is what the network sees. A training that is started again goes on
after its last sweep. Written with CNTK v2's names; CNTK 2.7 runs it too.
"""

import argparse
import os

import cntk as C
import cntk.io.transforms as T
from cntk.io import ImageDeserializer, MinibatchSource, StreamDef, StreamDefs

SIDE, BORDER, GREY = 32, 4, 128
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('folder')
parser.add_argument('--sweeps', type=int, default=10, help='how often the network sees the pictures')
parser.add_argument(
    '--most', type=int, default=5000, help='pictures of a kind for learning, and for the test'
)
parser.add_argument('--model', default='resnet20.model', help='the checkpoint')
options = parser.parse_args()


def with_border(path, into):
    """Writes the picture with a border, as JPEG again."""
    from PIL import Image, ImageOps

    os.makedirs(os.path.dirname(into), exist_ok=True)
    with Image.open(path) as picture:
        ImageOps.expand(picture, BORDER, (GREY,) * 3).save(into, quality=98, subsampling=0)


def listed(part, bordered):
    """A file that names the pictures with the numbers of their kinds."""
    listing = os.path.join(options.folder, part + '.txt')
    count = 0
    with open(listing, 'w') as file:
        for kind, name in enumerate(sorted(os.listdir(os.path.join(options.folder, part)))):
            folder = os.path.join(options.folder, part, name)
            for picture in sorted(os.listdir(folder))[: options.most]:
                path = os.path.join(folder, picture)
                if bordered:
                    path = os.path.join(options.folder, part + '_with_border', name, picture)
                    if not os.path.exists(path):
                        with_border(os.path.join(folder, picture), path)
                file.write(f'{path}\t{kind}\n')
                count += 1
    return listing, count


def pictures(listing, cut, **how):
    transforms = [T.crop(crop_type='randomside', side_ratio=SIDE / (SIDE + 2 * BORDER))] if cut else []
    transforms.append(T.scale(width=SIDE, height=SIDE, channels=3, interpolations='linear'))
    streams = StreamDefs(
        picture=StreamDef(field='image', transforms=transforms), kind=StreamDef(field='label', shape=10)
    )
    return MinibatchSource(ImageDeserializer(listing, streams), **how)


# ---- The network of He et al. 2015, section 4.2.
def convolution(size, filters, stride=1):
    return C.layers.Sequential(
        [
            C.layers.Convolution2D(
                (size, size), filters, strides=stride, pad=size > 1, bias=False, init=C.he_normal()
            ),
            C.layers.BatchNormalization(map_rank=1, normalization_time_constant=4096),
        ]
    )


def block(filters, stride):
    first, second = convolution(3, filters, stride), convolution(3, filters)
    shortcut = convolution(1, filters, stride) if stride > 1 else lambda x: x
    return lambda x: C.relu(second(C.relu(first(x))) + shortcut(x))


def resnet20(x):
    x = C.relu(convolution(3, 16)(x))
    for stage, filters in enumerate((16, 32, 64)):
        for i in range(3):
            x = block(filters, 2 if stage > 0 and i == 0 else 1)(x)
    return C.layers.Dense(10)(C.layers.AveragePooling((8, 8))(x))


C.cntk_py.set_fixed_random_seed(1)
x, y = C.input_variable((3, SIDE, SIDE)), C.input_variable(10, is_sparse=True)
scores = resnet20((x - GREY) / 64)
criterion = C.combine([C.cross_entropy_with_softmax(scores, y), C.classification_error(scores, y)])

listing, count = listed('train', True)
train = pictures(listing, True, max_sweeps=options.sweeps)
test = pictures(listed('test', False)[0], False, randomize=False, max_sweeps=1)

SIZE = 128
rates = C.learning_parameter_schedule([0.1] * 5 + [0.02] * 3 + [0.004], SIZE, count)
learner = C.momentum_sgd(
    scores.parameters, rates, C.momentum_schedule(0.9, SIZE), l2_regularization_weight=1e-4
)
criterion.train(
    train,
    streams=(train.streams.picture, train.streams.kind),
    minibatch_size=SIZE,
    epoch_size=count,
    max_epochs=options.sweeps,
    parameter_learners=[learner],
    callbacks=[
        C.logging.ProgressPrinter(freq=0),
        C.CheckpointConfig(options.model, count, restore=True),
    ],
)
tested = criterion.test(test, streams=(test.streams.picture, test.streams.kind), minibatch_size=200)
print(f'error of the test {100 * tested.metric:.2f} %')
