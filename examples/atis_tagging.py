"""What is each word of a sentence about? A bidirectional LSTM reads requests of air travellers and names
their slots, or their intent.

    python examples/atis_tagging.py [--intent] [--one-way] [--sweeps 8] [--words 70] [--backend naive.so]

"show flights from boston to new york on friday": from-city, to-city, day; intent: flight. The sentences come
from a text file as sequences of their own lengths: nothing is padded, sorted or bucketed, here or inside.
Written with CNTK v2's names.
"""

import argparse
import gzip
import shutil
import tempfile
from pathlib import Path


import cantik as C

HERE = Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument(
    '--intent', action='store_true', help='one answer for the sentence instead of one for each word'
)
parser.add_argument(
    '--one-way',
    action='store_true',
    help='one LSTM of 300 states that reads forwards, instead of two of 150 for both ways',
)
parser.add_argument('--sweeps', type=int, default=8, help='how often the network sees all sentences')
parser.add_argument('--words', type=int, default=70, help='words in a minibatch, in whole sentences')
parser.add_argument('--data', type=Path, default=HERE / 'data' / 'atis')
parser.add_argument(
    '--model', type=Path, default=Path('atis.model'), help='where the trained network is saved'
)
parser.add_argument('--backend', type=Path, help='a library with a device, on which everything runs then')
options = parser.parse_args()
if options.backend:
    C.try_set_default_device(C.device.load_backend(options.backend)[0])

words = (options.data / 'query.wl').read_text().split()
answers = (options.data / ('intent.wl' if options.intent else 'slots.wl')).read_text().split()


def sentences(name, folder, **more):
    """A source of minibatches: the file has a line for each word with its number and its slot's, the first of
    a sentence with its intent's."""
    path = Path(folder) / name
    with gzip.open(options.data / (name + '.gz')) as packed, open(path, 'wb') as plain:
        shutil.copyfileobj(packed, plain)
    streams = C.io.StreamDefs(
        query=C.io.StreamDef(field='S0', shape=len(words), is_sparse=True),
        answer=C.io.StreamDef(field='S1' if options.intent else 'S2', shape=len(answers), is_sparse=True),
    )
    return C.io.MinibatchSource(C.io.CTFDeserializer(str(path), streams), **more)


# ---- The network is a function: from sentences to scores for each word, or for the sentence, where only the
# last states count (a fold).
along = C.layers.Fold if options.intent else C.layers.Recurrence
both_ways = [
    (along(C.layers.LSTM(150)), along(C.layers.LSTM(150), go_backwards=True)),
    C.splice,
]  # side by side
model = C.layers.Sequential(
    [
        C.layers.Embedding(150),
        *([along(C.layers.LSTM(300))] if options.one_way else both_ways),
        C.layers.Dense(len(answers)),
    ]
)

query = C.sequence.input_variable(len(words), is_sparse=True, name='query')
answer = (C.input_variable if options.intent else C.sequence.input_variable)(
    len(answers), is_sparse=True, name='answer'
)
scores = model(query)
loss, error = C.cross_entropy_with_softmax(scores, answer), C.classification_error(scores, answer)

# ---- Rates are for one sample, a word with its slot (of which a sentence has 13) or a sentence with its
# intent. An entry is a sweep.
rates = [0.001] * 4 + [0.0005] * 3 + [0.0001] if options.intent else [0.003] * 4 + [0.0015] * 3 + [0.0003]
learner = C.adam(
    scores.parameters,
    C.learning_parameter_schedule_per_sample(rates),
    C.momentum_schedule(0.9),
    gradient_clipping_threshold_per_sample=15,
)
samples = 4978 if options.intent else 66547
bar = C.logging.ProgressBar(samples=samples, epochs=options.sweeps)  # nothing where that is no terminal
writers = [C.logging.ProgressPrinter(tag='Training', num_epochs=options.sweeps), bar]

with tempfile.TemporaryDirectory() as folder:
    trainer = C.Trainer(scores, (loss, error), [learner], writers)
    training = sentences('atis.train.ctf', folder, max_sweeps=options.sweeps)
    streams = {query: training.streams.query, answer: training.streams.answer}
    while minibatch := training.next_minibatch(options.words, streams):
        trainer.train_minibatch(minibatch)
        if minibatch[query].end_of_sweep:
            trainer.summarize_training_progress()

    testing = sentences('atis.test.ctf', folder, max_sweeps=1, randomize=False)
    streams = {query: testing.streams.query, answer: testing.streams.answer}
    while minibatch := testing.next_minibatch(1000, streams):
        trainer.test_minibatch(minibatch)
    trainer.summarize_test_progress()

# ---- Saved, loaded, asked.
scores.save(str(options.model))
again = C.load_model(str(options.model))
sentence = 'BOS flights from boston to new york on friday EOS'.split()
ask = C.Value.one_hot([[words.index(w) for w in sentence]], len(words))
found = again.eval({again.arguments[0]: ask})[0]
if options.intent:
    print(' '.join(sentence), '\n  ', answers[found.argmax()])
else:
    for word, best in zip(sentence, found.argmax(axis=1)):
        print(f'{word:>10}  {answers[best]}')
