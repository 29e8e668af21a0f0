"""What CNTK 2.7 reads from files in its text format: values, orders, minibatches, positions.

    CNTK's python tests/golden/ctf_cntk.py          # writes ctf_cntk.json beside it
    CNTK's python tests/golden/ctf_cntk.py atis     # writes ctf_atis.json

tests/python/test_text_format.py runs the same cases on Cantik (run(cantik, folder)) and compares. An error is
written down as such: the texts are our own.
"""

import json
import os
import sys
import tempfile
import warnings

import numpy as np

AB = [('a', 2, 'dense'), ('b', 1, 'dense')]
COUNTED = [('a', 2, 'dense'), ('b', 1, 'counted')]
SPARSE = [('a', 5, 'sparse')]

# name: (text, streams, options)
TEXTS = {
    'samples': ('|a 1 2\n|a 3 4\n', AB[:1], {}),
    'short sample': ('|a 1\n|a 3 4\n', AB[:1], {}),
    'no numbers': ('|a\n|a 3 4\n', AB[:1], {}),
    'long sample': ('|a 1 2 3\n|a 3 4\n', AB[:1], {}),
    'sparse': ('|a 1:1 3:2\n|a\n|a 4:1\n', SPARSE, {}),
    'sparse twice': ('|a 3:1 1:2 3:4\n', SPARSE, {}),
    'sparse and white space': ('0 |a 1:2 \t 3:4 \r\n', SPARSE, {}),
    'lines without a number': ('0 |a 1 2\n|a 3 4\n1 |a 5 6\n', AB[:1], {}),
    'first line without a number': ('|a 1 2\n1 |a 3 4\n1 |a 5 6\n', AB[:1], {}),
    'a number comes again': ('0 |a 1 2\n1 |a 3 4\n0 |a 5 6\n', AB[:1], {}),
    'numbers go backwards': ('5 |a 1 2\n3 |a 3 4\n3 |a 5 6\n', AB[:1], {}),
    'zeros in front': ('0 |a 1 2\n00 |a 3 4\n01 |a 3 4\n', AB[:1], {}),
    'largest number': ('18446744073709551615 |a 1 2\n1 |a 3 4\n', AB[:1], {}),
    'beyond the largest number': ('18446744073709551616 |a 1 2\n1 |a 3 4\n', AB[:1], {}),
    'negative number': ('-1 |a 1 2\n', AB[:1], {}),
    'number and letter': ('0 |a 1 2\n1x |a 3 4\n', AB[:1], {}),
    'comments': ('0 |# foo bar |a 1 2 |# baz\n0 |a 3 4 |#|#x\n', AB[:1], {}),
    'comment without blank': ('0 |a 1 2|#c\n', AB[:1], {}),
    'bars in a comment': ('0 |# x||b |a 1 2\n', AB[:1], {}),
    'line of a comment': ('0 |a 1 2\n0 |# hi\n', AB[:1], {}),
    'sample after a comment': ('0 |a 1 2 |# foo |# |a 5 6\n', AB[:1], {}),
    'stream missing': ('0 |a 1 2\n1 |a 3 4 |b 1\n', AB, {}),
    'other streams': ('0 |a 1 2 |zz 4 |b 3\n1 |a 3 4 |b 1\n', AB, {}),
    'other streams alone': ('0 |a 1 2\n0 |c 1\n', AB[:1], {}),
    'carriage returns': ('0 |a 1 2 |b 3\r\n0 |a 3 4 |b 4\r\n', AB, {}),
    'carriage return inside': ('0 |a 1 2\r0 |a 3 4\n', AB[:1], {}),
    'no end of line': ('|a 1 2\n|a 3 4', AB[:1], {}),
    'empty line': ('0 |a 1 2\n\n0 |a 3 4\n', AB[:1], {}),
    'empty line at the end': ('0 |a 1 2\n\n', AB[:1], {}),
    'empty line of a sample': ('|a 1 2\n\n|a 3 4\n', AB[:1], {}),
    'white space in front': ('  \n\t |a 1 2\n|a 3 4\n', AB[:1], {}),
    'white space before a number': ('0 |a 1 2\n 1 |a 3 4\n', AB[:1], {}),
    'white space before a bar': ('0 |a 1 2\n |a 3 4\n1 |a 5 5\n', AB[:1], {}),
    'byte order mark': ('\ufeff0 |a 1 2\n', AB[:1], {}),
    'empty': ('', AB[:1], {}),
    'blank': ('\n\n', AB[:1], {}),
    'a word': ('abc |a 1 2\n', AB[:1], {}),
    'a word later': ('0 |a 1 2\nabc |a 1 2\n', AB[:1], {}),
    'two samples in a line': ('0 |a 1 2 |a 3 4\n0 |a 5 6\n', AB[:1], {}),
    'tabs': ('0\t|a\t1\t2\n', AB[:1], {}),
    'control characters': ('0 |a 1 2 \x01 |b 3\n', AB, {}),
    'zero byte': ('0 |a 1 2\x00 |b 3\n', AB, {}),
    'no bar': ('0 |a 1 2\n0 a 1 2\n0 |a 3 4\n', AB[:1], {}),
    'bar and blank': ('0 | a 1 2\n0 |a 3 4\n', AB[:1], {}),
    'two bars': ('0 ||a 1 2\n', AB[:1], {}),
    'bar at the end': ('0 |a 1 2 |\n', AB[:1], {}),
    'longer name': ('0 |ab 1 2 |a 3 4\n', AB[:1], {}),
    'number alone': ('0 |a 1 2\n1\n2 |a 3 4\n', AB[:1], {}),
    'no blanks': ('0|a 1 2|b 3\n', AB, {}),
    'text behind numbers': ('0 |a 1 2 foo\n', AB[:1], {}),
    'lengths differ': ('0 |a 1 2 |b 3\n0 |b 2\n0 |b 2\n1 |a 5 6 |b 4\n', AB, {}),
    'lines of two streams': ('0 |a 1 2\n0 |b 3\n1 |a 1 2 |b 4\n', AB, {}),
    'a stream counts': ('0 |a 1 2 |b 3\n0 |a 1 2\n0 |a 1 2\n1 |a 5 6 |b 4\n2 |a 5 6 |b 4\n', COUNTED, {}),
    'sequences that do not count': ('0 |a 1 2 |b 3\n1 |a 1 2\n2 |a 1 2 |b 4\n', COUNTED, {}),
    'every line a sequence': ('0 |a 1 2\n0 |a 1 2\n1 |a 5 6\n', AB[:1], {'skipSequenceIds': True}),
    'errors passed over': (
        '0 |a 1 2\n0 |a 1 2 3\n0 |a x 1\n0 |a 5 6\n1 |a 1 1\nxx |a 2 2\n\n',
        AB[:1],
        {'maxErrors': 20},
    ),
    'errors passed over, nothing left': ('0 |a 1 2\n1 |a x 2\n2 |a 1 1\n', AB[:1], {'maxErrors': 20}),
}
for number in (
    '-1 +2',
    '1e2 2E-1',
    '1.5e+1 .5',
    '5. 1',
    'nan 1',
    'inf 1',
    '1,2 3',
    '0x10 1',
    '1 2x',
    '--1 2',
    '1- 2',
    '1e 2',
    '1e+ 2',
    '1 - 2',
    '1;2',
    '1e400 2',
    '-1e400 1e-400',
    '0.1234567890123456789 16777217',
    '3.4028236e38 1e-46',
    '0.1 0.7',
    '1e22 123456.789e-3',
    '00012 -0',
    '1.e2 3',
):
    TEXTS['number ' + number] = ('|a {}\n|a 7 8\n'.format(number), AB[:1], {})
for number in (
    '3:',
    '3',
    ':1',
    '3: 1',
    '3 :1',
    '-1:1',
    '1.5:1',
    '1:2:3',
    '99999999999999999999:1',
    '4294967296:1',
    '5:1',
    '1:nan',
    'a:1',
    '4:-2.5e1',
):
    TEXTS['sparse ' + number] = ('|a {}\n|a 4:1\n'.format(number), SPARSE, {})

LENGTHS = [4, 5, 1, 2, 4, 1, 1, 2, 5, 5, 2, 3, 5, 3, 5, 4, 5, 3, 5, 3, 5, 2, 2, 1, 2, 2, 2, 2, 1, 5]
ONES = [1] * 40
LONG = [5, 2, 3, 7, 1, 4]

# name: (lengths of the sequences, bytes of a chunk, samples of a minibatch, minibatches at most, options)
ORDERS = {
    'file': (LENGTHS, None, 7, 60, dict(max_sweeps=2, randomize=False)),
    'file, chunks': (LENGTHS, 60, 9, 60, dict(max_sweeps=2, randomize=False)),
    'one chunk': (LENGTHS, None, 1000, 1, dict(max_sweeps=1)),
    'one chunk, seed': (LENGTHS, None, 1000, 1, dict(max_sweeps=1, randomization_seed=123)),
    'one chunk, sweeps': (LENGTHS, None, 11, 100, dict(max_sweeps=3)),
    'endless': (LENGTHS, 60, 50, 7, {}),
    'large minibatches': (LENGTHS, 60, 500, 2, dict(randomization_window_in_chunks=2)),
    'limit': (LENGTHS, 60, 7, 60, dict(max_samples=20)),
    'limit, file': (LENGTHS, 60, 7, 60, dict(max_samples=20, randomize=False)),
    'limit beyond a sweep': (LENGTHS, 60, 7, 60, dict(max_samples=100)),
    'frames': (ONES, None, 7, 60, dict(max_sweeps=1, frame_mode=True)),
    'no frames': (LENGTHS, None, 7, 60, dict(max_sweeps=1, frame_mode=True)),
    'both windows': (
        ONES,
        None,
        7,
        1,
        dict(randomization_window_in_chunks=3, randomization_window_in_samples=5),
    ),
    'both limits': (ONES, None, 7, 1, dict(max_samples=3, max_sweeps=2)),
    'truncation and frames': (ONES, None, 7, 1, dict(frame_mode=True, truncation_length=2)),
    'no samples': (ONES, None, 0, 1, {}),
}
for window in (1, 2, 3, 4, 5, 10, 128):
    ORDERS['chunks of 4, window {}'.format(window)] = (
        ONES,
        24,
        1000,
        1,
        dict(max_sweeps=1, randomization_window_in_chunks=window),
    )
    ORDERS['chunks, window {}'.format(window)] = (
        LENGTHS,
        60,
        7,
        60,
        dict(max_sweeps=2, randomization_window_in_chunks=window, randomization_seed=7),
    )
for window in (1, 4, 7, 8, 10, 20, 40, 1000):
    ORDERS['chunks of 4, window of samples {}'.format(window)] = (
        ONES,
        24,
        1000,
        1,
        dict(max_sweeps=1, randomization_window_in_chunks=0, randomization_window_in_samples=window),
    )
    ORDERS['chunks, window of samples {}'.format(window)] = (
        LENGTHS,
        60,
        7,
        60,
        dict(max_sweeps=1, randomization_window_in_chunks=0, randomization_window_in_samples=window),
    )

# (samples of a minibatch, truncation length, options)
TRUNCATED = [
    (4, 2, {}),
    (5, 2, {}),
    (2, 2, {}),
    (1, 2, {}),
    (6, 3, {}),
    (8, 4, {}),
    (100, 2, {}),
    (100, 100, {}),
    (4, 2, dict(max_sweeps=2)),
    (4, 2, dict(randomize=True, max_sweeps=2)),
    (4, 2, dict(max_samples=10)),
]

# (randomize, positions that are gone to)
POSITIONS = [0, 1, 3, 4, 7, 50, 88, 89, 90, 91, 92, 93, 100, 200, 1000]


def attempt(run):
    """What it gives, or 'error'. CNTK now and then fails by chance: an error is one that comes twice."""
    for _ in range(2):
        try:
            return run()
        except Exception:
            result = 'error'
    return result


def source_of(C, path, streams, options=None, **arguments):
    defs = {
        name: C.io.StreamDef(name, size, is_sparse=kind == 'sparse', defines_mb_size=kind == 'counted')
        for name, size, kind in streams
    }
    file = C.io.CTFDeserializer(path, C.io.StreamDefs(**defs))
    for key, value in (options or {}).items():
        file[key] = C.cntk_py.DictionaryValue(value)
    return C.io.MinibatchSource(file, **arguments)


def write(folder, text):
    """A file of its own for every case: CNTK reads on in the background."""
    path = os.path.join(folder, 'case{}.ctf'.format(len(os.listdir(folder))))
    with open(path, 'wb') as f:
        f.write(text.encode('utf-8'))
    return path


def read_all(C, folder, text, streams, options):
    """For each stream: the sequences' values, how many sequences and samples, shape."""
    source = source_of(C, write(folder, text), streams, options, randomize=False, max_sweeps=1)
    batch = source.next_minibatch(100)
    result = {}
    for name, size, kind in streams:
        data = batch[source.streams[name]]
        if kind == 'sparse':
            values = [
                s.toarray().tolist()
                for s in data.as_sequences(C.sequence.input_variable(size, is_sparse=True))
            ]
        else:
            values = [s.tolist() for s in data.as_sequences()]
        result[name] = [values, data.num_sequences, data.num_samples, list(data.shape), data.end_of_sweep]
    return result


def sequences(lengths):
    return ''.join('{} |a {:02d}\n'.format(i, i) for i, n in enumerate(lengths) for _ in range(n))


def samples(lengths):
    return ''.join('|a {:02d}\n'.format(i) for i in range(len(lengths)))


def order(C, folder, lengths, chunk, size, count, arguments):
    """The sequences of each minibatch, its samples, whether a sweep ends, the position."""
    path = write(folder, samples(lengths) if lengths is ONES else sequences(lengths))
    source = source_of(
        C, path, [('a', 1, 'dense')], {'chunkSizeInBytes': chunk} if chunk else {}, **arguments
    )
    result = []
    for _ in range(count):
        batch = source.next_minibatch(size)
        if not batch:
            result.append(None)
            break
        data = batch[source.streams.a]
        result.append(
            [
                [int(s[0][0]) for s in data.as_sequences()],
                data.num_samples,
                data.end_of_sweep,
                dict(source.current_position.items())['minibatchSourcePosition'],
            ]
        )
    return result


def positions(C, folder, randomize):
    source = source_of(
        C,
        write(folder, sequences(LENGTHS)),
        [('a', 1, 'dense')],
        {'chunkSizeInBytes': 60},
        randomization_window_in_chunks=3 if randomize else 0,
    )
    result = []
    for position in POSITIONS:
        source.current_position = {'minibatchSourcePosition': position}
        data = source.next_minibatch(7)[source.streams.a]
        result.append([[int(s[0][0]) for s in data.as_sequences()], data.num_samples, data.end_of_sweep])
    return result


def shares(C, folder, lengths, size, rank, sweeps, **arguments):
    source = source_of(
        C,
        write(folder, sequences(lengths)),
        [('a', 1, 'dense')],
        {'chunkSizeInBytes': 60},
        max_sweeps=sweeps,
        **arguments,
    )
    result = []
    for _ in range(100):
        batch = source.next_minibatch(size, num_data_partitions=2, partition_index=rank)
        if not batch:
            break
        data = batch[source.streams.a]
        result.append([[int(s[0][0]) for s in data.as_sequences()], data.num_samples, data.end_of_sweep])
    return result


def joined(C, folder, first, second, size, counted):
    paths = [write(folder, text) for text in (first, second)]
    source = C.io.MinibatchSource(
        [
            C.io.CTFDeserializer(paths[0], C.io.StreamDefs(a=C.io.StreamDef('a', 1))),
            C.io.CTFDeserializer(
                paths[1], C.io.StreamDefs(b=C.io.StreamDef('b', 1, defines_mb_size=counted))
            ),
        ],
        randomize=False,
        max_sweeps=1,
    )
    result = []
    while True:
        batch = source.next_minibatch(size)
        if not batch:
            return result
        result.append(
            [
                [
                    [s.tolist() for s in batch[source.streams[n]].as_sequences()],
                    batch[source.streams[n]].num_samples,
                ]
                for n in 'ab'
            ]
        )


JOINED = [
    ('0 |a 1\n0 |a 2\n1 |a 3\n2 |a 4\n', '2 |b 4\n1 |b 3\n0 |b 1\n', 4, False),
    ('0 |a 1\n0 |a 2\n1 |a 3\n2 |a 4\n', '2 |b 4\n1 |b 3\n0 |b 1\n', 2, True),
    ('0 |a 1\n0 |a 2\n1 |a 3\n2 |a 4\n', '2 |b 4\n0 |b 1\n', 4, False),
    ('0 |a 1\n0 |a 2\n1 |a 3\n2 |a 4\n', '2 |b 4\n0 |b 1\n0 |b 1\n0 |b 1\n1 |b 3\n', 4, False),
    ('0 |a 1\n', '2 |b 4\n', 4, False),
    ('0 |a 1\n1 |a 2\n0 |a 3\n', '0 |b 4\n1 |b 5\n', 4, False),
    ('0 |a 1\n1 |a 2\n', '0 |b 4\n1 |b 5\n0 |b 6\n', 4, False),
    ('|a 1\n|a 2\n', '|b 4\n|b 5\n', 4, False),
]


def truncated(C, folder, size, length, arguments, steps_of):
    """Sequences, samples, whether a sweep ends, and each step with how many steps of its part come from it
    on."""
    text = ''.join(
        '{} |a {}\n'.format(i, ' '.join('1' if q == 10 * i + t else '0' for q in range(60)))
        for i, n in enumerate(LONG)
        for t in range(n)
    )
    arguments = dict(dict(randomize=False), **arguments)
    if 'max_samples' not in arguments:
        arguments.setdefault('max_sweeps', 1)
    source = source_of(C, write(folder, text), [('a', 60, 'dense')], truncation_length=length, **arguments)
    result = []
    while True:
        batch = source.next_minibatch(size)
        if not batch:
            return result
        data = batch[source.streams.a]
        result.append([data.num_sequences, data.num_samples, data.end_of_sweep, steps_of(data)])


def run(C, folder, steps_of):
    return {
        'texts': {name: attempt(lambda: read_all(C, folder, *case)) for name, case in TEXTS.items()},
        'orders': {name: attempt(lambda: order(C, folder, *case)) for name, case in ORDERS.items()},
        'positions': [attempt(lambda: positions(C, folder, randomize)) for randomize in (False, True)],
        'shares': [
            attempt(lambda: shares(C, folder, LENGTHS, 14, rank, 1, **k))
            for rank in (0, 1)
            for k in (dict(randomize=False), dict(randomization_window_in_chunks=3))
        ]
        + [
            attempt(lambda: shares(C, folder, lengths, size, rank, 2, randomize=False))
            for lengths in ([1, 20] * 10, [1, 2] * 10, [1] * 7)
            for size in (14, 7, 3)
            for rank in (0, 1)
        ],
        'joined': [attempt(lambda: joined(C, folder, *case)) for case in JOINED],
        'truncated': [attempt(lambda: truncated(C, folder, *case, steps_of=steps_of)) for case in TRUNCATED],
    }


def atis(C, folder):
    """Two sweeps of the ATIS training words: of each minibatch the sequences, the words, and sums over their
    indices and tags."""
    import gzip

    data = os.path.join(
        os.path.dirname(os.path.abspath(__file__)),
        '..',
        '..',
        'examples',
        'data',
        'atis',
        'atis.train.ctf.gz',
    )
    with gzip.open(data) as f:
        path = write(folder, f.read().decode('utf-8'))
    result = {}
    for name, arguments in (('random', dict(max_sweeps=2)), ('file', dict(max_sweeps=1, randomize=False))):
        source = source_of(
            C, path, [('S0', 943, 'sparse'), ('S1', 26, 'sparse'), ('S2', 129, 'sparse')], **arguments
        )
        result[name] = []
        while True:
            batch = source.next_minibatch(1000)
            if not batch:
                break
            row = [
                batch[source.streams['S0']].num_sequences,
                batch[source.streams['S0']].num_samples,
                batch[source.streams['S0']].end_of_sweep,
            ]
            for stream, size in (('S0', 943), ('S1', 26), ('S2', 129)):
                words = [
                    s.indices
                    for s in batch[source.streams[stream]].as_sequences(
                        C.sequence.input_variable(size, is_sparse=True)
                    )
                ]
                row.append(int(sum((1 + i) * int(w.sum()) for i, w in enumerate(words))))
            result[name].append(row)
    return result


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

    result = run(C, tempfile.mkdtemp(), steps_of)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ctf_cntk.json'), 'w') as f:
        f.write(
            '{\n'
            + ',\n'.join(
                '{}: {}'.format(json.dumps(k), json.dumps(v, sort_keys=True))
                for k, v in sorted(result.items())
            )
            + '\n}\n'
        )


def main_atis():
    import cntk as C

    result = atis(C, tempfile.mkdtemp())
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ctf_atis.json'), 'w') as f:
        f.write(
            '{\n'
            + ',\n'.join(
                '{}: [\n{}]'.format(json.dumps(k), ',\n'.join(map(json.dumps, v)))
                for k, v in sorted(result.items())
            )
            + '\n}\n'
        )


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    main_atis() if sys.argv[1:] == ['atis'] else main()
