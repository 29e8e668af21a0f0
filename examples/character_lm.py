"""A network reads a text letter by letter, learns what comes next, and writes on by itself.

    python examples/character_lm.py [--text shakespeare.txt] [--sweeps 5] [--say 400]

The text is cut into streams that are read side by side, some letters at a time: truncated back-propagation.
The states of the LSTM go on from one minibatch to the next, gradients stay inside. What it writes comes from
a session, letter by letter. Without --text it learns from Cantik's own documentation. Written with CNTK v2's
names.
"""

import argparse
from pathlib import Path

import numpy as np

import cantik as C

HERE = Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument(
    '--text',
    type=Path,
    nargs='*',
    default=[HERE.parent / 'README.md', *sorted((HERE.parent / 'docs').glob('**/*.md'))],
    help='files to learn from',
)
parser.add_argument('--sweeps', type=int, default=10, help='how often the network sees the text')
parser.add_argument('--letters', type=int, default=10**9, help='read no more than that')
parser.add_argument('--streams', type=int, default=32, help='places in the text that are read side by side')
parser.add_argument(
    '--steps', type=int, default=50, help='letters of each in a minibatch: gradients look back no further'
)
parser.add_argument('--hidden', type=int, default=256)
parser.add_argument('--say', type=int, default=400, help='letters to write in the end')
parser.add_argument('--beginning', default='The ', help='what to go on from')
parser.add_argument('--temperature', type=float, default=0.7, help='below 1: surer letters')
options = parser.parse_args()

text = '\n'.join(path.read_text() for path in options.text)[: options.letters]
letters = sorted(set(text) | set(options.beginning))
number = {letter: i for i, letter in enumerate(letters)}
streams = np.array([number[c] for c in text], np.float32)
length = (len(streams) - 1) // options.streams
now, then = (
    streams[i : i + options.streams * length].reshape(options.streams, length, 1) for i in (0, 1)
)  # [streams, letters, 1], and what follows
print(f'{len(text)} letters, {len(letters)} different ones, read in {options.streams} streams')

# ---- The network: from a letter's number to scores for the next one. Every sequence goes on where the last
# minibatch stopped.
letter, follower = C.sequence.input_variable(1, name='letter'), C.sequence.input_variable(1, name='follower')


def one_hot(x):
    return C.reshape(C.one_hot(x, len(letters)), len(letters))


scores = C.layers.Sequential(
    [
        one_hot,
        C.layers.Recurrence(C.layers.LSTM(options.hidden)),
        C.layers.Dense(len(letters)),
    ]
)(letter)
loss, error = (
    C.cross_entropy_with_softmax(scores, one_hot(follower)),
    C.classification_error(scores, one_hot(follower)),
)

minibatches = range(0, length - options.steps + 1, options.steps)
samples = len(minibatches) * options.steps * options.streams
learner = C.adam(
    scores.parameters,
    C.learning_parameter_schedule_per_sample(0.003),
    C.momentum_schedule(0.9),
    gradient_clipping_threshold_per_sample=5,
)
trainer = C.Trainer(
    scores, (loss, error), [learner], [C.logging.ProgressBar(samples=samples, epochs=options.sweeps)]
)
for sweep in range(options.sweeps):
    losses = []
    for at in minibatches:
        begins = [at == 0] * options.streams
        trainer.train_minibatch(
            ({letter: now[:, at : at + options.steps], follower: then[:, at : at + options.steps]}, begins)
        )
        losses.append(trainer.previous_minibatch_loss_average)
    trainer.summarize_training_progress()
    print(f'sweep {sweep + 1}: {np.mean(losses) / np.log(2):.2f} bits a letter')

# ---- It writes: each letter is drawn from the scores, and read as the next step of the session.
writer, draw = scores.session(), np.random.RandomState(1)
said = options.beginning
for c in said[:-1]:
    writer.step([number[c]])
s = writer.step([number[said[-1]]])
for _ in range(options.say):
    p = np.exp((s - s.max()) / options.temperature)
    c = draw.choice(len(letters), p=p / p.sum())
    said += letters[c]
    s = writer.step([c])
print(said)
