"""Files that readers are measured on, written in a folder of their own, and a sweep over them. For CNTK's
Python 3.6 too."""

import os
import struct
import tempfile

from timing import np

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
