"""What is each word of a sentence about? A bidirectional LSTM reads requests of air travellers and names their slots.

    python examples/atis_tagging.py [--sweeps 8] [--words 70]

"show flights from boston to new york on friday": from-city, to-city, day. The sentences come from a text file as sequences of their
own lengths: nothing is padded, sorted or bucketed, here or inside. Written with CNTK v2's names.
"""
import argparse
import gzip
import shutil
import tempfile
from pathlib import Path

import numpy as np

import cantik as C

HERE = Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--sweeps', type=int, default=8, help='how often the network sees all sentences')
parser.add_argument('--words', type=int, default=70, help='words in a minibatch, in whole sentences')
parser.add_argument('--data', type=Path, default=HERE / 'data' / 'atis')
parser.add_argument('--model', type=Path, default=Path('atis.model'), help='where the trained network is saved')
options = parser.parse_args()

words = (options.data / 'query.wl').read_text().split()
slots = (options.data / 'slots.wl').read_text().split()


def sentences(name, folder, **more):
    """A source of minibatches: the file has a line for each word, with its number and its slot's."""
    path = Path(folder) / name
    with gzip.open(options.data / (name + '.gz')) as packed, open(path, 'wb') as plain:
        shutil.copyfileobj(packed, plain)
    streams = C.io.StreamDefs(query=C.io.StreamDef(field='S0', shape=len(words), is_sparse=True), slots=C.io.StreamDef(field='S2', shape=len(slots), is_sparse=True))
    return C.io.MinibatchSource(C.io.CTFDeserializer(str(path), streams), **more)


# ---- The network is a function from sentences to scores for each word.
model = C.layers.Sequential([
    C.layers.Embedding(150),
    (C.layers.Recurrence(C.layers.LSTM(150)), C.layers.Recurrence(C.layers.LSTM(150), go_backwards=True)),  # both ways, side by side
    C.splice,
    C.layers.Dense(len(slots)),
])

query = C.sequence.input_variable(len(words), is_sparse=True, name='query')
slot = C.sequence.input_variable(len(slots), is_sparse=True, name='slot')
scores = model(query)
loss, error = C.cross_entropy_with_softmax(scores, slot), C.classification_error(scores, slot)
learner = C.adam(scores.parameters, C.learning_parameter_schedule_per_sample([0.003] * 4 + [0.0015] * 3 + [0.0003], epoch_size=70000), C.momentum_schedule(0.9),
                 gradient_clipping_threshold_per_sample=15)

with tempfile.TemporaryDirectory() as folder:
    trainer = C.Trainer(scores, (loss, error), [learner], [C.logging.ProgressPrinter(tag='Training', num_epochs=options.sweeps)])
    training = sentences('atis.train.ctf', folder, max_sweeps=options.sweeps)
    streams = {query: training.streams.query, slot: training.streams.slots}
    while minibatch := training.next_minibatch(options.words, streams):
        trainer.train_minibatch(minibatch)
        if minibatch[query].end_of_sweep:
            trainer.summarize_training_progress()

    testing = sentences('atis.test.ctf', folder, max_sweeps=1, randomize=False)
    streams = {query: testing.streams.query, slot: testing.streams.slots}
    while minibatch := testing.next_minibatch(1000, streams):
        trainer.test_minibatch(minibatch)
    trainer.summarize_test_progress()

# ---- Saved, loaded, asked.
scores.save(str(options.model))
again = C.load_model(str(options.model))
sentence = 'BOS flights from boston to new york on friday EOS'.split()
ask = C.Value.one_hot([[words.index(w) for w in sentence]], len(words))
for word, best in zip(sentence, again.eval({again.arguments[0]: ask})[0].argmax(axis=1)):
    print('{:>10}  {}'.format(word, slots[best]))
