"""How is a word pronounced? An encoder reads its letters, a decoder writes phonemes and looks back at the
letters it needs.

    python examples/grapheme_to_phoneme.py [--sweeps 12] [--words 100]

PHOENIX: F IY N IH K S. Letters and phonemes are sequences on two axes; attention (Bahdanau et al. 2015) is
the bridge between them. One step function serves learning (a recurrence over the right phonemes) and
speaking: greedily as a network of its own, by beam search. Learns from a part of the CMU Pronouncing
Dictionary; --data takes the whole one. Written with CNTK v2's names.
"""

import argparse
import gzip
import time
from pathlib import Path

import numpy as np

import cantik as C

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--sweeps', type=int, default=12, help='how often the network sees all words')
parser.add_argument('--words', type=int, default=100, help='words in a minibatch')
parser.add_argument(
    '--states', type=int, default=256, help='of the decoder; the encoder has half as many each way'
)
parser.add_argument('--most', type=int, default=None, help='learn from so many words only')
parser.add_argument('--test', type=int, default=None, help='test with so many words only')
parser.add_argument(
    '--data', type=Path, default=Path(__file__).resolve().parent / 'data' / 'cmudict' / 'cmudict.gz'
)
parser.add_argument(
    '--model', type=Path, default=Path('phonemes.model'), help='where the network that speaks is saved'
)
options = parser.parse_args()

# ---- Data: words and their phonemes, without stress, as numbers. Every twentieth word is kept for the test.
with gzip.open(options.data, 'rt', encoding='latin-1') as file:
    entries = [
        line.split()
        for line in file
        if line[0] in "ABCDEFGHIJKLMNOPQRSTUVWXYZ'" and '(' not in line.split()[0]
    ]
spelled = [(word, [p.rstrip('012') for p in phonemes]) for word, *phonemes in entries]
letters = sorted({c for word, _ in spelled for c in word})
phonemes = ['<start>', '<end>'] + sorted({p for _, spoken in spelled for p in spoken})
START, END = 0, 1
pairs = [([letters.index(c) for c in word], [phonemes.index(p) for p in spoken]) for word, spoken in spelled]
testing, training = (
    pairs[::20][: options.test],
    [pair for i, pair in enumerate(pairs) if i % 20][: options.most],
)
print(
    f'{len(training)} words to learn, {len(testing)} to be tested with, '
    f'{len(letters)} letters, {len(phonemes)} phonemes',
    flush=True,
)


def one_hot(sequences, symbols):
    return C.Value.one_hot(sequences, len(symbols))


# ---- The network.
encoder = C.layers.Sequential(
    [
        C.layers.Embedding(64),
        (
            C.layers.Recurrence(C.layers.GRU(options.states // 2)),
            C.layers.Recurrence(C.layers.GRU(options.states // 2), go_backwards=True),
        ),
        C.splice,
    ]
)
attention, embed = C.layers.AttentionModel(128), C.layers.Embedding(64)
cell, score = C.layers.GRU(options.states), C.layers.Dense(len(phonemes))


def step(h, symbol, encoded):
    """The next state, from the last symbol and from what stands where to look in the word."""
    return cell(h, C.splice(embed(symbol), attention(encoded, h)))


@C.Function
def model(history, word):
    """Scores for each next symbol, given those before and the word."""
    encoded = encoder(word)
    return score(C.layers.Recurrence(lambda h, symbol: step(h, symbol, encoded))(history))


word = C.sequence.input_variable(len(letters), is_sparse=True, sequence_axis=C.Axis('letters'), name='word')
history, spoken = (
    C.sequence.input_variable(len(phonemes), is_sparse=True, sequence_axis=C.Axis('phonemes'), name=name)
    for name in ('history', 'spoken')
)
scores = model(history, word)
loss, error = C.cross_entropy_with_softmax(scores, spoken), C.classification_error(scores, spoken)

# ---- Learning: the decoder sees the right symbols before the one it has to find.
symbols = sum(len(said) + 1 for _, said in training)  # of a sweep
rates = C.learning_parameter_schedule_per_sample(
    [0.002] * 6 + [0.001] * 3 + [0.0005] * 2 + [0.0002], epoch_size=symbols
)
learner = C.adam(scores.parameters, rates, C.momentum_schedule(0.9), gradient_clipping_threshold_per_sample=2)
bar = C.logging.ProgressBar(samples=symbols, epochs=options.sweeps)  # nothing where that is no terminal
writers = [C.logging.ProgressPrinter(tag='Training', num_epochs=options.sweeps), bar]
trainer, random = C.Trainer(scores, (loss, error), [learner], writers), np.random.RandomState(1)
for _sweep in range(options.sweeps):
    order = random.permutation(len(training))
    for first in range(0, len(order), options.words):
        written, said = zip(*(training[i] for i in order[first : first + options.words]))
        trainer.train_minibatch(
            {
                word: one_hot(written, letters),
                history: one_hot([[START] + s for s in said], phonemes),
                spoken: one_hot([s + [END] for s in said], phonemes),
            }
        )
    trainer.summarize_training_progress()


# ---- Speaking, as a network: each symbol is the history of the next one, until the word ends.
@C.Function
def speak(word):
    start = C.constant(np.eye(len(phonemes), dtype=np.float32)[START])
    return C.layers.UnfoldFrom(
        lambda history: C.hardmax(model(history, word)),
        until_predicate=lambda symbol: C.slice(symbol, 0, END, END + 1),
        length_increase=3,
    )(start, word)


speak(word).save(str(options.model))
network = C.load_model(str(options.model))


def greedily(words):
    return [
        symbols.argmax(axis=1).tolist()
        for symbols in network.eval({network.arguments[0]: one_hot(words, letters)})
    ]


def scored_step(h, symbol, encoded):
    h = step(h, symbol, encoded)
    return score(h), h


def by_beam_search(words):
    encoded = encoder(word).eval({word: one_hot(words, letters)})
    states = np.zeros((len(words), options.states), np.float32)
    found = C.decoding.beam_search(
        scored_step, [states], len(phonemes), START, END, [encoded], max_length=40, beam=4
    )
    return [best[0][0] for best in found]


def distance(a, b):
    """How many symbols have to be put in, left out or changed (Levenshtein 1966)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


for name, said_by in (('greedily', greedily), ('by a beam of 4', by_beam_search)):
    begin, wrong, wrong_words = time.perf_counter(), 0, 0
    for first in range(0, len(testing), 200):
        written, said = zip(*testing[first : first + 200])
        errors = [
            distance([s for s in found if s != END], right)
            for found, right in zip(said_by(list(written)), said)
        ]
        wrong, wrong_words = wrong + sum(errors), wrong_words + sum(e > 0 for e in errors)
    print(
        f'{name:<15} phoneme error {100 * wrong / sum(len(said) for _, said in testing):.1f} %, '
        f'words with an error {100 * wrong_words / len(testing):.1f} %, '
        f'{len(testing) / (time.perf_counter() - begin):.0f} words a second'
    )

for text in ('PHOENIX', 'KNOWLEDGE', 'RHYTHM', 'CANTIK'):
    print(
        '{:<10} {}'.format(
            text, ' '.join(phonemes[s] for s in by_beam_search([[letters.index(c) for c in text]])[0])
        )
    )
