"""What CNTK 2.7 reads from HTK's files of speech: features, labels, orders, frames.

    CNTK's python tests/golden/speech_cntk.py          # writes speech_cntk.json beside it

tests/python/test_speech_files.py runs the same cases on Cantik (run(cantik, steps_of)) and compares. An
error is written down as such: the texts are our own.
"""

import json
import os
import struct
import tempfile

import numpy as np

LENGTHS = [3, 1, 4, 2, 5, 1, 1, 6]
LONG = [5, 2, 3, 7, 1, 4]
# A chunk of features has 90,000 frames, and the rest of its last utterance.
BIG = [40000, 50000, 1, 30000, 60001, 20000, 65000, 100, 30000]
NAMES = ['sil', 'A', 'B', 'C']
USER, MFCC_E = 9, 6 | 0o100


def write_archive(path, rows, kind=USER, order='>', period=100000, compressed=False, crc=False):
    """A parameter file: rows of numbers, in either byte order."""
    rows = np.asarray(rows, np.float32)
    kind |= (0o2000 if compressed else 0) | (0o10000 if crc else 0)
    frames, numbers = len(rows), rows.shape[1]
    if compressed:
        most, least = rows.max(0), rows.min(0)
        scale, shift = 65534 / (most - least), 32767 * (most + least) / (most - least)
        body = scale.astype(order + 'f4').tobytes() + shift.astype(order + 'f4').tobytes()
        body += np.round(rows * scale - shift).astype(order + 'i2').tobytes()
        frames += 4
    else:
        body = rows.astype(order + 'f4').tobytes()
    with open(path, 'wb') as f:
        f.write(struct.pack(order + 'iihH', frames, period, numbers * (2 if compressed else 4), kind))
        f.write(body + (b'\x12\x34' if crc else b''))


def utterance(u, n, dim=3):
    """Its frames are [u, t, u * t / 2]."""
    t = np.arange(n)
    return np.stack([np.full(n, u), t, 0.5 * u * t], 1)[:, :dim]


def labels(u, n):
    """Runs of labels over n frames."""
    runs, left = [], n
    while left:
        count = min(left, 1 + (u + left) % 3)
        runs.append(((u + len(runs)) % 4, count))
        left -= count
    return runs


def write_script(path, lines):
    with open(path, 'w') as f:
        f.write(''.join(line + '\n' for line in lines))
    return path


def in_archive(path, archive, lengths, name='a{}.mfc'):
    begins = np.cumsum([0] + list(lengths))
    lines = [
        '{}={}[{},{}]'.format(name.format(u), archive, begins[u], begins[u + 1] - 1)
        for u in range(len(lengths))
    ]
    return write_script(path, lines)


def write_mlf(path, utterances, prefix='', scale=100000, columns='', end='\n', head='#!MLF!#\n'):
    with open(path, 'w') as f:
        f.write(head.replace('\n', end))
        for name, runs in utterances:
            f.write('"{}{}.lab"'.format(prefix, name) + end)
            t = 0
            for label, n in runs:
                f.write('{} {} {}{}'.format(t * scale, (t + n) * scale, NAMES[label], columns) + end)
                t += n
            f.write('.' + end)
    return path


def write_binary_mlf(path, utterances, version=2):
    out = b'MLF' + struct.pack('<h', version)
    for name, runs in utterances:
        out += struct.pack('<I', name) if version == 1 else struct.pack('<H', len(name)) + name.encode()
        out += struct.pack('<IH', sum(n for _, n in runs), len(runs))
        out += b''.join(struct.pack('<HH', *run) for run in runs)
    with open(path, 'wb') as f:
        f.write(out)
    return path


UTTERANCES = [('a{}'.format(u), labels(u, n)) for u, n in enumerate(LENGTHS)]
ORDER = dict(randomize=False, max_sweeps=1)
RANDOM = dict(max_sweeps=2)


class Files:
    """Cases: each makes its files in a folder of its own and gives deserializers, or one, and options."""

    def __init__(self, C, folder):
        self.C, self.folder = C, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def stream(self, scp, shape=3, **options):
        C = self.C
        return C.io.HTKFeatureDeserializer(C.io.StreamDefs(x=C.io.StreamDef(shape=shape, scp=scp, **options)))

    def features(self, archive=None, shape=3, **options):
        """Utterances side by side in an archive."""
        path = self.path('all.arc')
        write_archive(path, np.concatenate([utterance(u, n) for u, n in enumerate(LENGTHS)]), **archive or {})
        return self.stream(in_archive(self.path('all.scp'), path, LENGTHS), shape, **options)

    def script(self, *lines, **options):
        """The same archive under a script of its own."""
        self.features()
        lines = [line.replace('@', self.path('all.arc')) for line in lines]
        return self.stream(write_script(self.path('own.scp'), lines), **options)

    def labels(self, utterances=UTTERANCES, boundaries=False, dim=4, **options):
        return self.labels_of(write_mlf(self.path('all.mlf'), utterances, **options), boundaries, dim)

    def labels_of(self, mlf, boundaries=False, dim=4):
        C = self.C
        names = write_script(self.path('names'), NAMES)
        return C.io.HTKMLFDeserializer(
            names, C.io.StreamDefs(y=C.io.StreamDef(shape=dim, mlf=mlf)), boundaries
        )

    def binary(self, *parts):
        C = self.C
        paths = [write_binary_mlf(self.path('b{}.mlf'.format(i)), part) for i, part in enumerate(parts)]
        mlf = paths[0] if len(paths) == 1 else paths
        return C.io.HTKMLFBinaryDeserializer(C.io.StreamDefs(y=C.io.StreamDef(shape=4, mlf=mlf)))

    def voices(self, frames=1, broadcast=True, defines=False):
        """A stream v of one frame, or several, for each utterance."""
        C, path = self.C, self.path('v.arc')
        count = len(LENGTHS)
        write_archive(path, [[10 * u, 1] for u in range(count) for _ in range(frames)])
        scp = in_archive(self.path('v.scp'), path, [frames] * count, 'a{}.iv')
        stream = C.io.StreamDef(shape=2, scp=scp, broadcast=broadcast, defines_mb_size=defines)
        return C.io.HTKFeatureDeserializer(C.io.StreamDefs(v=stream))

    def big(self):
        path = self.path('big.arc')
        write_archive(path, np.concatenate([utterance(u, n, 1) for u, n in enumerate(BIG)]))
        return self.stream(in_archive(self.path('big.scp'), path, BIG), 1)


TWO_DIFFER = [('a0', [(1, 2)])] + UTTERANCES[1:]

CASES = {
    'archive': lambda f: (f.features(), ORDER),
    'random': lambda f: (f.features(), RANDOM),
    'random, seed': lambda f: (f.features(), dict(RANDOM, randomization_seed=5)),
    'lowest byte first': lambda f: (f.features(dict(order='<')), ORDER),
    'checksum': lambda f: (f.features(dict(crc=True)), ORDER),
    'compressed': lambda f: (f.features(dict(compressed=True)), ORDER),
    'compressed, checksum': lambda f: (f.features(dict(compressed=True, crc=True)), ORDER),
    'compressed, lowest byte first': lambda f: (f.features(dict(compressed=True, order='<')), ORDER),
    'another kind': lambda f: (f.features(dict(kind=MFCC_E)), ORDER),
    'no such kind': lambda f: (f.features(dict(kind=33)), ORDER),
    'another period': lambda f: (f.features(dict(period=625)), ORDER),
    'context': lambda f: (f.features(context=(1, 2)), ORDER),
    'context to the left': lambda f: (f.features(context=(3, 0)), RANDOM),
    'context by the dimension': lambda f: (f.features(shape=9), ORDER),
    'dimension too small': lambda f: (f.features(shape=2), ORDER),
    'dimension too large': lambda f: (f.features(shape=4), ORDER),
    'frames': lambda f: (f.features(), dict(ORDER, frame_mode=True)),
    'frames at random': lambda f: (f.features(), dict(RANDOM, frame_mode=True)),
    'frames with context': lambda f: (f.features(context=(1, 1)), dict(RANDOM, frame_mode=True)),
    'window of samples': lambda f: (
        f.features(),
        dict(RANDOM, randomization_window_in_chunks=0, randomization_window_in_samples=9),
    ),
    'length that is not used': lambda f: (f.features(max_sequence_length=3), ORDER),
    'broadcast alone': lambda f: (f.features(broadcast=True), ORDER),
    'chunks': lambda f: (f.big(), ORDER),
    'chunks at random': lambda f: (f.big(), RANDOM),
    'chunks, window of 1': lambda f: (f.big(), dict(RANDOM, randomization_window_in_chunks=1)),
    'chunks, window of 2': lambda f: (f.big(), dict(RANDOM, randomization_window_in_chunks=2)),
    'names with dots': lambda f: (f.script('a.b.mfc=@[0,2]', 'c=@[4,4]'), ORDER),
    'order of the script': lambda f: (f.script('b.mfc=@[8,9]', 'a.mfc=@[0,2]'), ORDER),
    'overlap': lambda f: (f.script('b.mfc=@[0,9]', 'a.mfc=@[2,4]', 'c.mfc=@[5,5]'), ORDER),
    'folder of the script': lambda f: (f.script('a.mfc=.../all.arc[0,2]', 'b.mfc=.../all.arc[3,3]'), ORDER),
    'beyond the archive': lambda f: (f.script('a.mfc=@[0,2]', 'b.mfc=@[20,23]'), ORDER),
    'frames fall': lambda f: (f.script('a.mfc=@[0,2]', 'b.mfc=@[3,2]'), ORDER),
    'no archive': lambda f: (f.script('a.mfc=nowhere[0,2]'), ORDER),
    'no lines': lambda f: (f.script(), ORDER),
    'labels': lambda f: ([f.features(), f.labels()], ORDER),
    'labels at random': lambda f: ([f.features(), f.labels()], RANDOM),
    'labels of frames': lambda f: ([f.features(), f.labels()], dict(ORDER, frame_mode=True)),
    'labels of frames at random': lambda f: ([f.features(), f.labels()], dict(RANDOM, frame_mode=True)),
    'boundaries': lambda f: ([f.features(), f.labels(boundaries=True)], ORDER),
    'label files': lambda f: (
        [
            f.features(),
            f.labels_of(
                [
                    write_mlf(f.path('1.mlf'), UTTERANCES[:3]),
                    write_mlf(f.path('2.mlf'), UTTERANCES[3:]),
                ]
            ),
        ],
        ORDER,
    ),
    'labels in another order': lambda f: ([f.features(), f.labels(UTTERANCES[::-1])], RANDOM),
    'labels are missing': lambda f: ([f.features(), f.labels(UTTERANCES[:2] + UTTERANCES[3:])], RANDOM),
    'more labels': lambda f: ([f.features(), f.labels(UTTERANCES + [('z', [(1, 4)])])], ORDER),
    'other names': lambda f: ([f.features(), f.labels(prefix='/x/')], ORDER),
    'any folder': lambda f: ([f.features(), f.labels(prefix='*/')], ORDER),
    'labels by frames': lambda f: ([f.features(), f.labels(scale=1)], ORDER),
    'carriage returns': lambda f: ([f.features(), f.labels(end='\r\n')], ORDER),
    'scores': lambda f: ([f.features(), f.labels(columns=' -1.5 word')], ORDER),
    'no header': lambda f: ([f.features(), f.labels(head='')], ORDER),
    'fewer labels': lambda f: ([f.features(), f.labels(TWO_DIFFER)], ORDER),
    'larger dimension': lambda f: ([f.features(), f.labels(dim=9)], ORDER),
    'smaller dimension': lambda f: ([f.features(), f.labels(dim=3)], ORDER),
    'labels with a gap': lambda f: ([f.features(), f.labels(scale=150000)], ORDER),
    'labels alone': lambda f: (f.labels(), ORDER),
    'binary labels': lambda f: ([f.features(), f.binary(UTTERANCES)], RANDOM),
    'binary labels of frames': lambda f: (
        [f.features(), f.binary(UTTERANCES)],
        dict(RANDOM, frame_mode=True),
    ),
    'binary label files': lambda f: ([f.features(), f.binary(UTTERANCES[:2], UTTERANCES[2:])], ORDER),
    'broadcast': lambda f: ([f.features(), f.voices()], ORDER),
    'broadcast at random': lambda f: ([f.features(), f.voices(), f.labels()], RANDOM),
    'broadcast of frames': lambda f: ([f.features(), f.voices()], dict(RANDOM, frame_mode=True)),
    'broadcast of several': lambda f: ([f.features(), f.voices(frames=2)], ORDER),
    'one frame each': lambda f: ([f.features(), f.voices(broadcast=False)], RANDOM),
    'one frame counts': lambda f: ([f.features(), f.voices(broadcast=False, defines=True)], ORDER),
}


def attempt(run):
    """What it gives, or 'error'. CNTK now and then fails by chance: an error is one that comes twice."""
    for _ in range(2):
        try:
            return run()
        except Exception:
            result = 'error'
    return result


def variable(C, source, name):
    """An input that takes the stream."""
    layout = source.streams[name].m_sample_layout
    shape = layout.dimensions() if hasattr(layout, 'dimensions') else layout
    return C.sequence.input_variable(int(shape[0]), is_sparse=name == 'y')


def minibatches(C, case, size=9, **request):
    """Of each minibatch and stream: the sequences, of long ones the first frame and how many; sweep's end."""
    folder = tempfile.mkdtemp()
    given, options = case(Files(C, folder))
    source = C.io.MinibatchSource(given, **options)
    result = []
    while True:
        batch = source.next_minibatch(size, **request)
        if not batch:
            return result
        found = {}
        for name in 'xvy':
            if name not in source.streams:
                continue
            data = batch[source.streams[name]]
            rows = data.as_sequences(variable(C, source, name))
            if name == 'y':
                found[name] = [[[int(c), float(v)] for c, v in zip(s.indices, s.data)] for s in rows]
            else:
                found[name] = [s.tolist() if len(s) < 20 else [s[0].tolist(), len(s)] for s in rows]
        result.append([found, data.end_of_sweep])
        batch = data = rows = None  # CNTK uses its memory again


def shares(C, rank, frame_mode, randomize):
    options = dict(randomize=randomize, max_sweeps=2, frame_mode=frame_mode)
    return minibatches(
        C, lambda f: ([f.features(), f.labels()], options), 8, num_data_partitions=2, partition_index=rank
    )


# (samples of a minibatch, truncation length, options)
TRUNCATED = [(4, 2, ORDER), (9, 3, ORDER), (9, 3, RANDOM)]


def truncated(C, size, length, options, steps_of):
    """Sequences, samples, whether a sweep ends, and each step with how many steps of its part come from it
    on."""
    f = Files(C, tempfile.mkdtemp())
    rows = [[10 * u + t == q for q in range(60)] for u, n in enumerate(LONG) for t in range(n)]
    write_archive(f.path('long.arc'), rows)
    scp = in_archive(f.path('long.scp'), f.path('long.arc'), LONG)
    source = C.io.MinibatchSource(f.stream(scp, 60), truncation_length=length, **options)
    result = []
    while True:
        batch = source.next_minibatch(size)
        if not batch:
            return result
        data = batch[source.streams.x]
        result.append([data.num_sequences, data.num_samples, data.end_of_sweep, steps_of(data)])


def run(C, steps_of):
    return {
        'files': {name: attempt(lambda: minibatches(C, case)) for name, case in CASES.items()},
        'shares': [
            attempt(lambda: shares(C, rank, frame_mode, randomize))
            for rank in (0, 1)
            for frame_mode in (False, True)
            for randomize in (False, True)
        ],
        'truncated': [attempt(lambda: truncated(C, *case, steps_of=steps_of)) for case in TRUNCATED],
    }


def main():
    """CNTK shows no truncated minibatch; how often each step counts in the gradient of a running sum says
    where it is."""
    import cntk as C

    x, w, before = C.sequence.input_variable(60), C.parameter((60, 1), init=0.0), C.placeholder()
    total = C.times(x, w) + C.sequence.past_value(before)
    loss = C.reduce_sum(total.replace_placeholder(total), axis=C.Axis.all_axes())
    trainer = C.Trainer(None, loss, [C.sgd([w], C.learning_parameter_schedule_per_sample(1.0))])

    def steps_of(data):
        w.value = np.zeros((60, 1), np.float32)
        trainer.train_minibatch({x: data})
        return [[int(i), int(round(-w.value[i, 0]))] for i in np.nonzero(w.value.ravel())[0]]

    found = run(C, steps_of)
    with open(os.path.splitext(os.path.abspath(__file__))[0] + '.json', 'w') as f:
        json.dump(found, f, separators=(',', ':'), sort_keys=True)
        f.write('\n')


if __name__ == '__main__':
    main()
