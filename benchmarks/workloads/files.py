"""Files that readers are measured on, written in a folder of their own, and a sweep over them. For CNTK's
Python 3.6 too."""

import gzip
import os
import struct
import tempfile
import zipfile

from timing import DATA, EXAMPLES_DATA, mnist, np

FOLDER = os.environ.get('BENCH_TMP') or tempfile.mkdtemp()


def path_of(name):
    return os.path.join(FOLDER, name)


def binary_file():
    """MNIST's shape as CNTK's binary format: 6 chunks of 10,000 samples of 784 and 10 numbers, 190 MB."""
    path, magic = path_of('samples.cbf'), 0x636E746B5F62696E
    rs, table, dims = np.random.RandomState(0), [], (('features', 784), ('labels', 10))
    with open(path, 'wb') as f:
        f.write(struct.pack('<QI', magic, 1))
        for _ in range(6):
            table.append(f.tell())
            np.ones(10000, '<u4').tofile(f)
            for _, dim in dims:
                rows = np.zeros(10000, [('count', '<u4'), ('values', '<f4', dim)])
                rows['count'], rows['values'] = 1, rs.rand(10000, dim)
                rows.tofile(f)
        header = f.tell()
        f.write(struct.pack('<QII', magic, len(table), len(dims)))
        for name, dim in dims:
            f.write(struct.pack('<BI', 0, len(name)) + name.encode() + struct.pack('<BI', 0, dim))
        for begin in table:
            f.write(struct.pack('<qII', begin, 10000, 10000))
        f.write(struct.pack('<q', header))
    return path


def write_atis(f, times):
    """ATIS's sentences for learning, so many times under new numbers."""
    with gzip.open(str(EXAMPLES_DATA / 'atis' / 'atis.train.ctf.gz'), 'rt') as packed:
        lines = [line.split('\t', 1) for line in packed]
    for time in range(times):
        f.writelines('%d\t%s' % (int(number) + 100000 * time, rest) for number, rest in lines)


def large_text():
    """A text file of 1 GB."""
    path = path_of('large.ctf')
    with open(path, 'w') as f:
        write_atis(f, 320)
    return path


def pictures(count):
    """A list of so many JPEG files of 40 x 40 pixels, 32 different ones, with a class from 0 to 9 each."""
    with zipfile.ZipFile(str(DATA / 'pictures_40x40.zip')) as z:
        files = [z.read(name) for name in z.namelist()]
    listing = path_of('pictures.txt')
    with open(listing, 'w') as names:
        for i in range(count):
            with open(path_of('%d.jpg' % i), 'wb') as f:
                f.write(files[i % len(files)])
            names.write('%s\t%d\n' % (path_of('%d.jpg' % i), i % 10))
    return listing


def text_file(name):
    """Text in CNTK's format. dense: 10,000 rows of 10 numbers, a one among zeros, and 784 of six digits
    behind the point; int: 20,000 rows of MNIST's pixels as whole numbers, likewise; atis: ATIS's sentences
    for learning, twenty times under new numbers; atis_once: once."""
    path = path_of(name + '.ctf')
    if os.path.exists(path):
        return path
    with open(path, 'w') as f:
        if name.startswith('atis'):
            write_atis(f, 1 if name == 'atis_once' else 20)
            return path
        if name == 'dense':
            rows = (' '.join('%.6f' % x for x in row) for row in np.random.RandomState(0).randn(10000, 784))
            labels = [i % 10 for i in range(10000)]
        else:
            images, labels = mnist()
            pixels = np.rint(images[:20000].reshape(-1, 784) * 255).astype(int)
            rows = (' '.join(map(str, row)) for row in pixels)
        for label, row in zip(labels, rows):
            ones = ' '.join('1' if k == label else '0' for k in range(10))
            f.write('|l %s |f %s\n' % (ones, row))
    return path


def text_streams(C, name):
    stream, streams = C.io.StreamDef, C.io.StreamDefs
    if name == 'atis':
        return streams(q=stream('S0', 943, True), i=stream('S1', 26, True), s=stream('S2', 129, True))
    return streams(f=stream('f', 784), l=stream('l', 10))


def speech_files():
    """2,000 utterances of 300 frames of 40 numbers in one archive of 96 MB, a label for each ten frames."""
    frames, utterances, rs = 300, 2000, np.random.RandomState(0)
    with open(path_of('all.arc'), 'wb') as f:
        f.write(struct.pack('>iihh', frames * utterances, 100000, 160, 9))
        for _ in range(utterances):
            rs.rand(frames, 40).astype('>f4').tofile(f)
    with open(path_of('all.scp'), 'w') as f:
        for u in range(utterances):
            f.write('u%d.mfc=%s[%d,%d]\n' % (u, path_of('all.arc'), frames * u, frames * (u + 1) - 1))
    with open(path_of('states'), 'w') as f:
        f.write(''.join('s%d\n' % i for i in range(100)))
    with open(path_of('all.mlf'), 'w') as f:
        f.write('#!MLF!#\n')
        for u in range(utterances):
            f.write('"u%d.lab"\n' % u)
            for t in range(0, frames, 10):
                f.write('%d %d s%d\n' % (100000 * t, 100000 * (t + 10), (u + t) % 100))
            f.write('.\n')


def speech(C):
    """Features with five frames on each side, and labels."""
    stream, streams = C.io.StreamDef, C.io.StreamDefs
    return [
        C.io.HTKFeatureDeserializer(
            streams(features=stream(shape=40, context=(5, 5), scp=path_of('all.scp')))
        ),
        C.io.HTKMLFDeserializer(path_of('states'), streams(labels=stream(shape=100, mlf=path_of('all.mlf')))),
    ]


def sweep(C, deserializers, size, **options):
    """A new source, and all of its minibatches."""
    source = C.io.MinibatchSource(deserializers, max_sweeps=1, **options)
    while source.next_minibatch(size):
        pass


READERS = {'in_order': dict(randomize=False), 'random': {}}
SPEECH = dict(READERS, frames=dict(frame_mode=True))
