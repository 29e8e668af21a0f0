"""Sequence training of an acoustic model over lattices, after training frame by frame.

    python examples/sequence_training.py [--utterances 120] [--sweeps 4]

The speech is made up: words of two phones, phones of two states, frames around a mean of their state, with so
much noise that neighbouring words are confused. Features are HTK's, labels of frames a master label file,
lattices have all words side by side at each place, with the score of a language model that knows which word
follows which. First the cross entropy of frames is trained, then the minimum Bayes risk of states.

This shows how it is done, not what it gains: so little speech is learnt as well by more sweeps frame by
frame.
"""

import argparse
import os
import struct
import tempfile

import numpy as np

import cantik as C

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--utterances', type=int, default=120)
parser.add_argument('--sweeps', type=int, default=4, help='of either training')
options = parser.parse_args()

PHONES = ['a', 'b', 'c', 'd']
WORDS = ['ab', 'ac', 'bd', 'cd', 'da', 'cb']
STATES = ['sil1'] + [f'{phone}{k}' for phone in PHONES for k in (1, 2)]
FEATURES, NOISE = 6, 1.6
rs = np.random.RandomState(0)
MEANS = rs.randn(len(STATES), FEATURES)
FOLLOWS = rs.dirichlet(np.full(len(WORDS), 0.5), len(WORDS))  # the language model
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def write(name, lines):
    with open(path(name), 'w') as file:
        file.write(''.join(line + '\n' for line in lines))
    return path(name)


def lattice(times, arcs):
    """The bytes of a lattice: times of its nodes; arcs (from, to, score, [(unit, frames), ...])."""
    packed, words = [], []
    for begin, end, score, units in arcs:
        words.append(struct.pack('<f', score))
        packed.append(struct.pack('<Q', begin | end << 20 | len(words) << 40))
        for k, (unit, frames) in enumerate(units):
            words.append(struct.pack('<I', unit | frames << 19 | (k == len(units) - 1) << 31))
    no_pause = 0x7FFFFFFF << 32
    parts = [
        b'LAT ' + struct.pack('<i', 2),
        struct.pack('<IIffdQ', len(times), len(arcs), 1, 0, 0.01, times[-1] | no_pause),
        b'NODS' + struct.pack('<i', len(times)) + np.array(times, '<u2').tobytes(),
        b'EDGS' + struct.pack('<i', len(arcs)) + b''.join(packed),
        b'ALNS' + struct.pack('<i', len(words)) + b''.join(words) + b'END ',
    ]
    return b''.join(parts)


def utterance():
    """Features, labels with their frames, a lattice."""
    frames, labels, times, arcs, before = [], [], [0], [], None

    def speak(state, count):
        frames.append(MEANS[STATES.index(state)] + NOISE * rs.randn(count, FEATURES))
        labels.append((state, count))

    def silence():
        count = rs.randint(3, 7)
        speak('sil1', count)
        times.append(times[-1] + count)
        arcs.append((len(times) - 2, len(times) - 1, 0.0, [(len(PHONES), count)]))

    silence()
    for _ in range(6):
        odds = FOLLOWS[before] if before is not None else np.full(len(WORDS), 1 / len(WORDS))
        word = rs.choice(len(WORDS), p=odds)
        counts = [rs.randint(2, 5, 2) for _ in WORDS[word]]
        for phone, count in zip(WORDS[word], counts):
            for k, n in enumerate(count):
                speak(f'{phone}{k + 1}', n)
        first, second = (int(count.sum()) for count in counts)
        times.append(times[-1] + first + second)
        for other, score in zip(WORDS, odds):
            units = [(PHONES.index(phone), n) for phone, n in zip(other, (first, second))]
            arcs.append((len(times) - 2, len(times) - 1, float(np.log(score + 1e-4)), units))
        before = word
    silence()
    return np.concatenate(frames), labels, lattice(times, arcs)


def write_speech(name, count):
    script, labels, contents, features, lattices, at, byte = [], ['#!MLF!#'], [], [], b'', 0, 0
    for k in range(count):
        spoken, states, packed = utterance()
        script.append(f'{name}{k}.mfc={path(name)}.arc[{at},{at + len(spoken) - 1}]')
        labels.append(f'"{name}{k}.lab"')
        begin = 0
        for state, frames in states:
            labels.append(f'{begin * 100000} {(begin + frames) * 100000} {state}')
            begin += frames
        labels.append('.')
        contents.append(f'{name}{k}={path(name)}.lats[{byte}]')
        features.append(spoken)
        lattices += packed
        at += len(spoken)
        byte += len(packed)
    data = np.concatenate(features).astype('>f4')
    with open(path(name + '.arc'), 'wb') as file:
        file.write(struct.pack('>iihh', len(data), 100000, 4 * FEATURES, 9) + data.tobytes())
    with open(path(name + '.lats'), 'wb') as file:
        file.write(lattices)
    write(name + '.scp', script)
    write(name + '.mlf', labels)
    write(name + '.toc', contents)
    write(name + '.index', [path(name + '.toc')])


def source(name):
    stream, streams = C.io.StreamDef, C.io.StreamDefs
    deserializers = [
        C.io.HTKFeatureDeserializer(streams(features=stream(shape=FEATURES, scp=path(name + '.scp')))),
        C.io.HTKMLFDeserializer(
            path('states'), streams(labels=stream(shape=len(STATES), mlf=path(name + '.mlf')))
        ),
        C.io.LatticeDeserializer(path(name + '.index'), streams(lattice=stream())),
    ]
    return C.io.MinibatchSource(deserializers, max_sweeps=1, randomize=name == 'train')


# the units of lattices: a real recognizer, with phones in context, has thousands of lines of them
write('symbols', [*PHONES, 'sil'])
write('phones', [f'{p} T2 {p}1 {p}2' for p in PHONES] + ['sil T1 sil1'])
write('states', STATES)
write('transitions', ['T2 2 1 0 0 .65 .35 0 0 .65 .35', 'T1 1 1 0 .8 .2'])
write_speech('train', options.utterances)
write_speech('test', 40)

x = C.sequence.input_variable(FEATURES)
states = C.sequence.input_variable(len(STATES), is_sparse=True)
lattices = C.sequence.input_variable(1, sequence_axis=C.Axis.new_unique_dynamic_axis('lattice'))
model = C.layers.Sequential(
    [C.layers.Recurrence(C.layers.LSTM(24)), C.layers.Dense(len(STATES))],
)(x)
log_priors = C.constant(np.log(np.full(len(STATES), 1 / len(STATES), np.float32)))
by_frame = C.cross_entropy_with_softmax(model, states)
error = C.classification_error(model, states)
risk = C.lattice_sequence_with_softmax(
    states,
    model,
    model - log_priors,
    lattices,
    symListPath=path('symbols'),
    phonePath=path('phones'),
    stateListPath=path('states'),
    transProbPath=path('transitions'),
    seqGammarUsesMBR=True,
    seqGammarAMF=2.0,
    seqGammarLMF=2.0,
)


def score():
    """Of the test data: the error of frames; frames in their state, expected over the lattices."""
    speech, wrong, correct, frames = source('test'), 0.0, 0.0, 0
    while batch := speech.next_minibatch(2000):
        given = {
            x: batch[speech.streams.features],
            states: batch[speech.streams.labels],
            lattices: batch[speech.streams.lattice],
        }
        spoken = C.reduce_sum(C.element_times(states, model - log_priors)) / 2.0
        said = C.combine([error, spoken, risk]).eval(given)
        rows = [np.concatenate([s.ravel() for s in said[f.output]]) for f in (error, spoken)]
        wrong += rows[0].sum()
        correct += rows[1].sum() - float(said[risk.output])
        frames += len(rows[0])
    return wrong / frames, correct / frames


def train(loss, rate):
    learner = C.adam(
        model.parameters, C.learning_parameter_schedule_per_sample(rate), C.momentum_schedule(0.9)
    )
    trainer = C.Trainer(model, (loss, error), [learner])
    for _ in range(options.sweeps):
        speech = source('train')
        streams = speech.streams
        given = {x: streams.features, states: streams.labels, lattices: streams.lattice}
        while batch := speech.next_minibatch(3000):
            trainer.train_minibatch({v: batch[s] for v, s in given.items() if v in loss.arguments})


print(f'{"":28} {"wrong frames":>14} {"correct over the lattices":>26}')
for name, loss, rate in (('cross entropy', by_frame, 0.002), ('minimum Bayes risk', risk, 0.0005)):
    train(loss, rate)
    wrong, correct = score()
    print(f'{name:28} {wrong:14.1%} {correct:26.1%}')
folder.cleanup()
