"""What CNTK 2.7 reads from files in its binary format: values, names, orders, minibatches, positions.

    CNTK's python tests/golden/cbf_cntk.py          # writes cbf_cntk.json beside it

tests/python/test_binary_format.py runs the same cases on Cantik (run(cantik, folder, steps_of)) and
compares. An error is written down as such: the texts are our own.
"""

import json
import os
import struct
import tempfile

import numpy as np

MAGIC = 0x636E746B5F62696E

# name, sparse, of doubles, dim
XY = [('x', False, False, 2), ('y', True, False, 5)]


def write(path, streams, chunks):
    """A file with these chunks: lists of sequences. A sequence has for each stream its samples: lists of
    numbers, or of pairs (column, number)."""
    out, table = bytearray(struct.pack('<QI', MAGIC, 1)), []
    for chunk in chunks:
        begin, lengths = len(out), [max(map(len, sequence)) for sequence in chunk]
        out += struct.pack('<{}I'.format(len(lengths)), *lengths)
        for k, (_, sparse, double, _) in enumerate(streams):
            for sequence in chunk:
                samples = sequence[k]
                out += struct.pack('<I', len(samples))
                numbers = [v for sample in samples for v in sample]
                if sparse:
                    out += struct.pack('<i', len(numbers))
                    numbers, columns = [v for _, v in numbers], [i for i, _ in numbers]
                out += struct.pack('<{}{}'.format(len(numbers), 'd' if double else 'f'), *numbers)
                if sparse:
                    out += struct.pack('<{}i'.format(len(columns)), *columns)
                    out += struct.pack('<{}i'.format(len(samples)), *map(len, samples))
        table.append((begin, len(lengths), sum(lengths)))
    header = len(out)
    out += struct.pack('<QII', MAGIC, len(chunks), len(streams))
    for name, sparse, double, dim in streams:
        out += (
            struct.pack('<BI', sparse, len(name.encode())) + name.encode() + struct.pack('<BI', double, dim)
        )
    for chunk in table:
        out += struct.pack('<qII', *chunk)
    with open(path, 'wb') as f:
        f.write(out + struct.pack('<q', header))


def sequence(n, steps, sparse_steps=None):
    """Sequence n: its dense samples are [n, step]."""
    return [
        [[n, t] for t in range(steps)],
        [[((n + t) % 5, n + 1.0)] if (n + t) % 3 else [] for t in range(sparse_steps or steps)],
    ]


LENGTHS = [4, 5, 1, 2, 4, 1, 1, 2, 5, 5, 2, 3, 5, 3, 5, 4, 5, 3, 5, 3, 5, 2, 2, 1, 2, 2, 2, 2, 1, 5]


def in_chunks(lengths, size):
    numbers = list(range(len(lengths)))
    return [[sequence(n, lengths[n]) for n in numbers[i : i + size]] for i in range(0, len(numbers), size)]


EVEN, UNEVEN = in_chunks([1] * 24, 4), in_chunks(LENGTHS, 7)
ORDER = dict(randomize=False, max_sweeps=1)

# name: (streams of the file, chunks, described streams, options of the source)
CASES = {
    'in order': (XY, UNEVEN, {}, ORDER),
    'in order, two sweeps': (XY, UNEVEN, {}, dict(randomize=False, max_sweeps=2)),
    'one stream named': (XY, EVEN, {'x': 'x'}, ORDER),
    'another name': (XY, EVEN, {'features': 'x', 'y': 'y'}, ORDER),
    'names changed': (XY, EVEN, {'x': 'y', 'y': 'x'}, ORDER),
    'lengths differ': (XY, [[sequence(1, 3, 1), sequence(2, 2, 4), sequence(3, 1, 4)]], {}, ORDER),
    'columns fall': (XY, [[[[[1, 2]], [[(3, 1.5), (1, 2.5), (4, 1)]]]]], {}, ORDER),
    'no numbers': (XY, [[[[[1, 2]], [[]]], [[[3, 4], [5, 6]], [[], []]]]], {}, ORDER),
    'no samples': (XY, [[sequence(1, 1), [[[1, 2]], []]]], {}, ORDER),
    'no stream': ([], [], {}, ORDER),
    'doubles': ([('x', False, True, 2)], [[[[[1, 2]]]]], {}, ORDER),
    'frames': (XY, EVEN, {}, dict(frame_mode=True, max_sweeps=1)),
    'no frames': (XY, UNEVEN, {}, dict(frame_mode=True, max_sweeps=1)),
    'most samples': (XY, UNEVEN, {}, dict(max_samples=70)),
    'most samples, in order': (XY, UNEVEN, {}, dict(max_samples=70, randomize=False)),
}
for window in (1, 2, 3, 128):
    for seed in (0, 7):
        CASES['window {}, seed {}'.format(window, seed)] = (
            XY,
            UNEVEN,
            {},
            dict(randomization_window_in_chunks=window, randomization_seed=seed, max_sweeps=2),
        )
for window in (1, 8, 40, 1000):
    CASES['window of samples {}'.format(window)] = (
        XY,
        UNEVEN,
        {},
        dict(randomization_window_in_chunks=0, randomization_window_in_samples=window, max_sweeps=2),
    )


def attempt(run):
    """What it gives, or 'error'. CNTK now and then fails by chance: an error is one that comes twice."""
    for _ in range(2):
        try:
            return run()
        except Exception:
            result = 'error'
    return result


def file_of(folder, streams, chunks):
    """A file of its own for every case: CNTK reads on in the background."""
    path = os.path.join(folder, 'case{}.cbf'.format(len(os.listdir(folder))))
    write(path, streams, chunks)
    return path


def values(C, source, streams, names, batch):
    """Of each stream: its sequences, and whether a sweep ends."""
    found = {}
    for field, sparse, _, dim in streams:
        name = names.get(field, field)
        data = batch[source.streams[name]]
        if sparse:
            rows = data.as_sequences(C.sequence.input_variable(dim, is_sparse=True))
            found[name] = [s.toarray().tolist() for s in rows]
        else:
            found[name] = [s.tolist() for s in data.as_sequences(C.sequence.input_variable(dim))]
    return [found, data.end_of_sweep]


def minibatches(C, folder, streams, chunks, described, options, size=7, **request):
    path = file_of(folder, streams, chunks)
    defs = {name: C.io.StreamDef(field, 1) for name, field in described.items()}
    source = C.io.MinibatchSource(C.io.CBFDeserializer(path, C.io.StreamDefs(**defs)), **options)
    names = {field: name for name, field in described.items()}
    result = []
    while True:
        batch = source.next_minibatch(size, **request)
        if not batch:
            return result
        position = dict(source.current_position.items())['minibatchSourcePosition']
        result.append(values(C, source, streams, names, batch) + [position])
        batch = None  # CNTK uses its memory again


def joined(C, folder, options):
    """With a text file that lacks some of the sequences: they are numbered through."""
    text = os.path.join(folder, 'text{}.ctf'.format(len(os.listdir(folder))))
    with open(text, 'w') as f:
        f.write(''.join('{} |z {}\n'.format(i, i) for i in range(len(LENGTHS) - 1, -1, -1) if i % 5))
    source = C.io.MinibatchSource(
        [
            C.io.CBFDeserializer(file_of(folder, XY, UNEVEN)),
            C.io.CTFDeserializer(text, C.io.StreamDefs(z=C.io.StreamDef('z', 1))),
        ],
        **options,
    )
    result = []
    while True:
        batch = source.next_minibatch(9)
        if not batch:
            return result
        result.append(values(C, source, XY + [('z', False, False, 1)], {}, batch))
        batch = None


# (samples of a minibatch, truncation length, options)
TRUNCATED = [(4, 2, ORDER), (12, 3, ORDER), (12, 3, dict(max_sweeps=2))]


def truncated(C, folder, size, length, options, steps_of):
    """Sequences, samples, whether a sweep ends, and each step with how many steps of its part come from it
    on."""
    chunks = [
        [[[[10 * n + t == q for q in range(310)] for t in range(LENGTHS[n])]] for n in numbers]
        for numbers in (range(5), range(5, 11), range(11, 14))
    ]
    path = file_of(folder, [('x', False, False, 310)], chunks)
    source = C.io.MinibatchSource(C.io.CBFDeserializer(path), truncation_length=length, **options)
    result = []
    while True:
        batch = source.next_minibatch(size)
        if not batch:
            return result
        data = batch[source.streams.x]
        result.append([data.num_sequences, data.num_samples, data.end_of_sweep, steps_of(data)])


def run(C, folder, steps_of):
    return {
        'files': {name: attempt(lambda: minibatches(C, folder, *case)) for name, case in CASES.items()},
        'shares': [
            attempt(
                lambda: minibatches(
                    C, folder, XY, UNEVEN, {}, options, 14, num_data_partitions=2, partition_index=rank
                )
            )
            for rank in (0, 1)
            for options in (ORDER, dict(max_sweeps=2, randomization_window_in_chunks=2))
        ],
        'joined': [attempt(lambda: joined(C, folder, options)) for options in (ORDER, dict(max_sweeps=2))],
        'truncated': [attempt(lambda: truncated(C, folder, *case, steps_of=steps_of)) for case in TRUNCATED],
    }


def main():
    """CNTK shows no truncated minibatch; how often each step counts in the gradient of a running sum says
    where it is."""
    import cntk as C

    x, w, before = C.sequence.input_variable(310), C.parameter((310, 1), init=0.0), C.placeholder()
    total = C.times(x, w) + C.sequence.past_value(before)
    loss = C.reduce_sum(total.replace_placeholder(total), axis=C.Axis.all_axes())
    trainer = C.Trainer(None, loss, [C.sgd([w], C.learning_parameter_schedule_per_sample(1.0))])

    def steps_of(data):
        w.value = np.zeros((310, 1), np.float32)
        trainer.train_minibatch({x: data})
        return [[int(i), int(round(-w.value[i, 0]))] for i in np.nonzero(w.value.ravel())[0]]

    found = run(C, tempfile.mkdtemp(), steps_of)
    with open(os.path.splitext(os.path.abspath(__file__))[0] + '.json', 'w') as f:
        json.dump(found, f, separators=(',', ':'), sort_keys=True)
        f.write('\n')


if __name__ == '__main__':
    main()
