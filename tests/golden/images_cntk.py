"""What CNTK 2.7 makes of pictures: decoded, scaled, cut, less a mean; in which order; which lists it refuses.

    CNTK's python tests/golden/images_cntk.py       # writes images_cntk.npz beside it

tests/python/test_images.py runs the same cases on Cantik (run(cantik, folder)) and compares. The pictures in
images/ are smooth noise, written by Pillow; turned.jpg says in EXIF that it lies on its side.
"""

import base64
import os
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(HERE, 'images')
FILES = [
    'full_colour.jpg',
    'quarter_colour.jpg',
    'half_colour.jpg',
    'grey.jpg',
    'progressive.jpg',
    'turned.jpg',
    'cmyk.jpg',
    'rgb.png',
    'transparent.png',
    'grey.png',
    'palette.png',
    'grey16.png',
    'black_white.png',
    'square.png',
    'archive.zip@/inner/palette.png',
    'archive.zip@/grey.jpg',
]


def transforms(T):
    """name: (picture, transforms)"""
    cases = {'decoded ' + file: (file, []) for file in FILES}
    for way in ('nearest', 'linear', 'cubic', 'lanczos'):
        cases['smaller ' + way] = ('quarter_colour.jpg', [T.scale(33, 29, 3, interpolations=way)])
        cases['larger ' + way] = ('grey.png', [T.scale(61, 47, 3, interpolations=way)])
        cases['half ' + way] = ('rgb.png', [T.scale(30, 20, 3, interpolations=way)])
    for mode in ('crop', 'pad'):
        for file in ('full_colour.jpg', 'half_colour.jpg'):
            for size in (17, 32, 50):
                cases['%s %s %d' % (mode, file, size)] = (
                    file,
                    [T.scale(size, size, 3, scale_mode=mode, pad_value=7)],
                )
    cases['pad with the border'] = ('full_colour.jpg', [T.scale(32, 32, 3, scale_mode='pad')])
    crops = {
        'center': dict(crop_type='center'),
        'center, side': dict(crop_type='center', side_ratio=0.7),
        'center, pixels': dict(crop_type='center', crop_size=20),
        'center, width and height': dict(crop_type='center', crop_size=(30, 20)),
        'center, more than there are': dict(crop_type='center', crop_size=(130, 120)),
        'center, aspect': dict(crop_type='center', side_ratio=0.5, aspect_ratio=0.5),
        'center, a range': dict(crop_type='center', side_ratio=(0.5, 0.9)),
        'center, a square that does not fit': dict(crop_type='center', area_ratio=0.9),
        'center, an aspect that never fits': dict(crop_type='center', side_ratio=1.0, aspect_ratio=0.3),
        'center, one number of pixels': dict(crop_type='center', crop_size=(20, 0)),
        'first of ten': dict(crop_type='multiview10', side_ratio=0.5),
        'random, all of it': dict(crop_type='randomside'),
    }
    for name, options in crops.items():
        cases[name] = ('quarter_colour.jpg', [T.crop(**options)])
    for ratio in (0.1, 0.3, 0.5, 0.7, 0.9):
        crops = [T.crop('center', crop_size=5), T.crop('center', side_ratio=ratio)]
        cases['center, %g of five pixels' % ratio] = ('square.png', crops)
    mean = os.path.join(PICTURES, 'mean.xml')
    cases['mean'] = ('square.png', [T.mean(mean)])
    cases['scale and mean'] = ('full_colour.jpg', [T.scale(32, 32, 3), T.mean(mean)])
    cases['mean of another size'] = ('rgb.png', [T.mean(mean)])
    cases['colours that stay'] = ('full_colour.jpg', [T.color(), T.scale(20, 20, 3)])
    return cases


def lists():
    """name: the text of a map file"""
    picture = os.path.join(PICTURES, 'square.png')
    return {
        'a picture that is not there': picture + 'x\t0\n',
        'a class beyond the last': picture + '\t20\n',
        'a negative class': picture + '\t-1\n',
        'a word': picture + '\tcat\n',
        'no label': picture + '\n',
        'a blank': picture + ' 3\n',
        'keys': '5\t%s\t3\n7\t%s\t4\n' % (picture, picture),
        'a key that is a word': 'a\t' + picture + '\t3\n',
        'one key for two': '5\t%s\t3\n5\t%s\t4\n' % (picture, picture),
        'not in the archive': os.path.join(PICTURES, 'archive.zip') + '@/nothere.png\t3\n',
        'nothing': '',
        'an empty line': '%s\t1\n\n%s\t2\n' % (picture, picture),
        'carriage returns': '%s\t1\r\n%s\t2\r\n' % (picture, picture),
        'no picture': os.path.join(PICTURES, 'mean.xml') + '\t1\n',
        'two sizes': '%s\t1\n%s\t2\n' % (picture, os.path.join(PICTURES, 'rgb.png')),
    }


def run(C, folder):
    """Arrays by name: pixels; labels in their order; of a list the labels, or -1 where it is refused."""
    io = C.io
    path = os.path.join(folder, 'list.txt')

    def source(text, transforms, classes=20, **options):
        with open(path, 'w') as f:
            f.write(text)
        streams = io.StreamDefs(
            picture=io.StreamDef(field='image', transforms=transforms),
            label=io.StreamDef(field='label', shape=classes),
        )
        options = dict(dict(randomize=False, max_sweeps=1), **options)
        return io.MinibatchSource(io.ImageDeserializer(path, streams), **options)

    def labels(s, classes=20, size=8):
        found = []
        for batch in iter(lambda: s.next_minibatch(size), {}):
            variable = C.sequence.input_variable(classes, is_sparse=True)
            found += [int(row.indices[0]) for row in batch[s.streams.label].as_sequences(variable)]
        return found

    found = {}
    for name, (file, list_of) in transforms(io.transforms).items():
        s = source('%s\t3\n' % os.path.join(PICTURES, file), list_of)
        pixels = np.asarray(s.next_minibatch(1)[s.streams.picture].asarray())
        found[name] = pixels.reshape(pixels.shape[-3:])
    for name, text in lists().items():
        try:
            found[name] = np.array(labels(source(text, [])))
        except Exception:
            found[name] = np.array(-1)
    many = ''.join('%s\t%d\n' % (os.path.join(PICTURES, 'square.png'), i) for i in range(40))
    for name, window in (
        ('any window', {}),
        ('5 pictures', dict(randomization_window_in_chunks=5)),
        ('7 samples', dict(randomization_window_in_chunks=0, randomization_window_in_samples=7)),
    ):
        s = source(many, [], 40, randomize=True, max_sweeps=2, **window)
        found['order, ' + name] = np.array(labels(s, 40))
    with open(os.path.join(PICTURES, 'rgb.png'), 'rb') as f:
        text = base64.b64encode(f.read()).decode()
    with open(path, 'w') as f:
        f.write('4\t%s\n' % text)
    streams = io.StreamDefs(
        picture=io.StreamDef(field='image', transforms=[]), label=io.StreamDef(field='label', shape=20)
    )
    s = io.MinibatchSource(io.Base64ImageDeserializer(path, streams), randomize=False, max_sweeps=1)
    pixels = np.asarray(s.next_minibatch(1)[s.streams.picture].asarray())
    found['base64'] = pixels.reshape(pixels.shape[-3:])
    with open(path, 'w') as f:
        f.write(''.join('%d\t%s\n' % (i % 20, text) for i in range(40)))
    for name, window in (('any window', {}), ('a window of 2', dict(randomization_window_in_chunks=2))):
        s = io.MinibatchSource(io.Base64ImageDeserializer(path, streams), max_sweeps=2, **window)
        found['order of base64, ' + name] = np.array(labels(s))
    return found


if __name__ == '__main__':
    import cntk
    import cntk.io.transforms

    found = run(cntk, tempfile.mkdtemp())
    whole = {
        n: a.astype(np.uint8) if a.dtype == np.float32 and (a == np.rint(a)).all() else a
        for n, a in found.items()
    }
    np.savez_compressed(os.path.splitext(os.path.abspath(__file__))[0] + '.npz', **whole)
