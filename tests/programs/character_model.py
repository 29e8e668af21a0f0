"""A character model learns a rhyme letter by letter, is saved and loaded, and writes some text of its own."""

import os
import tempfile

import numpy as np

import cntk as C
from cntk import Axis, Trainer, sequence
from cntk.layers import Dense, For, LSTM, Recurrence, Sequential, Stabilizer
from cntk.learners import UnitType, learning_rate_schedule, momentum_as_time_constant_schedule, momentum_sgd
from cntk.logging import ProgressPrinter

TEXT = (
    """one for the rain that falls on the hill, two for the wheel that turns the mill,
three for the boat that waits by the shore, four for the key that opens the door. """
    * 6
)
LENGTH, EPOCHS = 40, 2


def load_data_and_vocab(text):
    chars = sorted(set(text))
    char_to_ix = {ch: i for i, ch in enumerate(chars)}
    ix_to_char = {i: ch for i, ch in enumerate(chars)}
    return [char_to_ix[c] for c in text], char_to_ix, ix_to_char


def get_data(p, length, data, vocab_dim):
    one_hot = np.eye(vocab_dim, dtype=np.float32)
    inputs, following = data[p : p + length], data[p + 1 : p + length + 1]
    return [np.array([one_hot[i] for i in inputs])], [np.array([one_hot[i] for i in following])]


def create_model(output_dim):
    return Sequential(
        [
            For(range(2), lambda: Sequential([Stabilizer(), Recurrence(LSTM(20), go_backwards=False)])),
            Dense(output_dim),
        ]
    )


def sample(root, ix_to_char, vocab_dim, prime, length, temperature, seed):
    """Draws letter after letter; all of the text goes through the network each time."""
    rng = np.random.RandomState(seed)
    text = list(prime)
    for _ in range(length):
        arguments = {root.arguments[0]: [np.eye(vocab_dim, dtype=np.float32)[text]]}
        scores = root.eval(arguments)[0][-1].astype(np.float64) / temperature
        p = np.exp(scores - scores.max())
        text.append(int(np.searchsorted(np.cumsum(p / p.sum()), rng.rand())))
    return ''.join(ix_to_char[c] for c in text)


def train():
    data, char_to_ix, ix_to_char = load_data_and_vocab(TEXT)
    vocab_dim = len(char_to_ix)
    print('letters', vocab_dim, 'text', len(data))
    input_seq_axis = Axis('inputAxis')
    x = sequence.input_variable(shape=vocab_dim, sequence_axis=input_seq_axis, name='x')
    y = sequence.input_variable(shape=vocab_dim, sequence_axis=input_seq_axis, name='y')
    z = create_model(vocab_dim)(x)
    print(z)
    ce, errs = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
    learner = momentum_sgd(
        z.parameters,
        learning_rate_schedule(0.02, UnitType.sample),
        momentum_as_time_constant_schedule(400),
        gradient_clipping_threshold_per_sample=5.0,
        gradient_clipping_with_truncation=True,
    )
    trainer = Trainer(z, (ce, errs), learner, ProgressPrinter(freq=5, tag='Training'))
    for _ in range(EPOCHS):
        for p in range(0, len(data) - LENGTH - 1, LENGTH):
            inputs, labels = get_data(p, LENGTH, data, vocab_dim)
            trainer.train_minibatch({x: inputs, y: labels})
        trainer.summarize_training_progress()

    print(repr(sample(z, ix_to_char, vocab_dim, [char_to_ix[c] for c in 'one'], 20, 0.8, seed=3)))
    filename = os.path.join(tempfile.mkdtemp(), 'letters.dnn')
    z.save(filename)
    again = C.load_model(filename)
    print(again.arguments, [o.shape for o in again.outputs])
    inputs, _ = get_data(5, 10, data, vocab_dim)
    print(np.abs(again.eval({again.arguments[0]: inputs})[0] - z.eval({x: inputs})[0]).max())


if __name__ == '__main__':
    C.cntk_py.set_fixed_random_seed(13)
    train()
