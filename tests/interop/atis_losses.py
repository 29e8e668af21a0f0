#!/usr/bin/env python3
"""The first minibatches of ATIS in CNTK 2.7 and in Cantik: the same initial values, the same minibatches,
plain SGD; losses side by side.

    PYTHON tests/interop/atis_losses.py run FOLDER            # under each of the two, with a folder of its
    own PYTHON tests/interop/atis_losses.py compare FOLDER FOLDER

Embedding 150, LSTM 300, dense, about 70 words a minibatch, as each toolkit reads them from the file at
random: the words are compared, too. Relative difference of each of 20 losses at most 1e-4.
"""

import gzip
import os
import sys
import warnings

import numpy as np

warnings.simplefilter('ignore')
import cntk as C

MINIBATCHES, WORDS = 20, 70
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'examples', 'data', 'atis')


def run(folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, 'atis.train.ctf')
    with gzip.open(os.path.join(DATA, 'atis.train.ctf.gz')) as packed, open(path, 'wb') as plain:
        plain.write(packed.read())
    source = C.io.MinibatchSource(
        C.io.CTFDeserializer(
            path,
            C.io.StreamDefs(
                query=C.io.StreamDef(field='S0', shape=943, is_sparse=True),
                slots=C.io.StreamDef(field='S2', shape=129, is_sparse=True),
            ),
        ),
        randomize=True,
    )
    x, y = C.sequence.input_variable(943, is_sparse=True), C.sequence.input_variable(129, is_sparse=True)
    z = C.layers.Sequential(
        [C.layers.Embedding(150), C.layers.Recurrence(C.layers.LSTM(300)), C.layers.Dense(129)]
    )(x)
    rs = np.random.RandomState(1)
    for p in z.parameters:
        p.value = (rs.randn(*p.shape) / np.sqrt(max(1, np.prod(p.shape[1:])))).astype(np.float32)
    trainer = C.Trainer(
        z,
        C.cross_entropy_with_softmax(z, y),
        [C.sgd(z.parameters, C.learning_parameter_schedule_per_sample(0.003))],
    )
    streams, losses, words = {x: source.streams.query, y: source.streams.slots}, [], []
    for _ in range(MINIBATCHES):
        minibatch = source.next_minibatch(WORDS, streams)
        sequences = minibatch[x].as_sequences(x)
        words.append(
            np.concatenate(
                [
                    np.asarray(s.todense() if hasattr(s, 'todense') else s).argmax(axis=1).ravel()
                    for s in sequences
                ]
            )
        )
        trainer.train_minibatch(minibatch)
        losses.append(trainer.previous_minibatch_loss_average)
    np.savez(
        os.path.join(folder, 'losses.npz'),
        losses=losses,
        parameters=np.array([float(np.abs(p.value).sum()) for p in z.parameters]),
        shapes=np.array([str(p.shape) for p in z.parameters]),
        lengths=[len(w) for w in words],
        words=np.concatenate(words),
    )


def compare(ours, theirs):
    a, b = (np.load(os.path.join(folder, 'losses.npz')) for folder in (ours, theirs))
    same = all(np.array_equal(a[key], b[key]) for key in ('shapes', 'lengths', 'words'))
    apart = np.abs(a['losses'] - b['losses']) / np.abs(b['losses'])
    for ours, theirs, difference in zip(a['losses'], b['losses'], apart):
        print('%.7f  %.7f  %.1e' % (ours, theirs, difference))
    print(
        'the minibatches are %s; the greatest relative difference is %.1e'
        % ('the same' if same else 'NOT THE SAME', apart.max())
    )
    return 0 if same and apart.max() <= 1e-4 else 1


if __name__ == '__main__':
    sys.exit(run(sys.argv[2]) if sys.argv[1] == 'run' else compare(sys.argv[2], sys.argv[3]))
