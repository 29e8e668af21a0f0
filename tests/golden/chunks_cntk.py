"""The order in which CNTK 2.7 brings the sequences of a UserDeserializer.

    CNTK's python tests/golden/chunks_cntk.py       # writes chunks_cntk.json beside it

tests/python/test_chunks.py runs the same cases on Cantik (run(cantik)) and compares. Where a
sweep ends is not compared: CNTK tells it with the minibatch after, if the sweep ends with a minibatch.
"""

import json
import os

import numpy as np

# name: (chunks, sequences of each, of several steps, options of the source, options of a request)
CASES = {
    'in order': (3, 4, False, dict(randomize=False, max_sweeps=2), {}),
    'in order, sequences': (3, 6, True, dict(randomize=False, max_sweeps=1), {}),
    'in order, half': (
        5,
        3,
        False,
        dict(randomize=False, max_sweeps=2),
        dict(num_data_partitions=2, partition_index=0),
    ),
    'in order, other half': (
        5,
        3,
        False,
        dict(randomize=False, max_sweeps=2),
        dict(num_data_partitions=2, partition_index=1),
    ),
    'in order, most samples': (3, 4, False, dict(randomize=False, max_samples=14), {}),
    'window of 1': (7, 5, False, dict(randomization_window_in_chunks=1, max_sweeps=3), {}),
    'window of 2': (5, 4, False, dict(randomization_window_in_chunks=2, max_sweeps=4), {}),
    'window of 3': (7, 5, False, dict(randomization_window_in_chunks=3, max_sweeps=4), {}),
    'window of 3, seed 5': (
        7,
        5,
        False,
        dict(randomization_window_in_chunks=3, max_sweeps=2, randomization_seed=5),
        {},
    ),
    'window beyond the sweep': (2, 3, False, dict(randomization_window_in_chunks=5, max_sweeps=4), {}),
    'sequences at random': (4, 6, True, dict(randomization_window_in_chunks=2, max_sweeps=2), {}),
    'window of 6 samples': (
        7,
        3,
        False,
        dict(randomization_window_in_chunks=0, randomization_window_in_samples=6, max_sweeps=2),
        {},
    ),
    'most samples at random': (3, 4, False, dict(randomization_window_in_chunks=1, max_samples=14), {}),
    'random half': (
        5,
        3,
        False,
        dict(randomization_window_in_chunks=2, max_sweeps=2),
        dict(num_data_partitions=2, partition_index=0),
    ),
}


def run(C):
    """The numbers in the minibatches of each case."""

    class Chunks(C.io.UserDeserializer):
        def __init__(self, chunks, sequences, steps):
            super(Chunks, self).__init__()
            self.chunks, self.sequences, self.steps = chunks, sequences, steps
            self.infos = [C.io.StreamInformation('x', 0, 'dense', np.float32, (1,))]

        def stream_infos(self):
            return self.infos

        def num_chunks(self):
            return self.chunks

        def get_chunk(self, chunk_id):
            numbers = [100 * chunk_id + i for i in range(self.sequences)]
            if self.steps:
                return {'x': [np.full((n % 3 + 1, 1), n, np.float32) for n in numbers]}
            return {'x': np.array(numbers, np.float32).reshape(-1, 1)}

    found = {}
    for name, (chunks, sequences, steps, options, request) in CASES.items():
        source = C.io.MinibatchSource([Chunks(chunks, sequences, steps)], **options)
        found[name] = []
        for batch in iter(lambda: source.next_minibatch(5, **request), {}):
            data = batch[source.streams.x].as_sequences(C.sequence.input_variable(1))
            found[name].append(np.concatenate([np.ravel(s) for s in data]).astype(int).tolist())
    return found


if __name__ == '__main__':
    import cntk

    with open(os.path.splitext(os.path.abspath(__file__))[0] + '.json', 'w') as f:
        f.write('{\n')
        f.write(',\n'.join(f'{json.dumps(name)}: {json.dumps(b)}' for name, b in run(cntk).items()))
        f.write('\n}\n')
