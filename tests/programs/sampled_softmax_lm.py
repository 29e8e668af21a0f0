"""A language model over a made-up grammar; its loss looks at a sample of the words."""

import math

import numpy as np

import cntk as C
from cntk.layers import Embedding, LSTM, Recurrence, Sequential
from cntk.ops import (
    log,
    log_add_exp,
    random_sample,
    random_sample_inclusion_frequency,
    reduce_log_sum_exp,
    reshape,
    times,
    times_transpose,
)
from cntk.ops.sequence import input_variable

VOCAB, HIDDEN, EMBED, SAMPLES = 60, 24, 16, 12
LENGTH, BATCH = 10, 8


def corpus(count, seed):
    rng = np.random.RandomState(seed)
    text, word = [], 1
    for _ in range(count):
        text.append(word)
        word = (word * 7 + rng.choice([1, 2, 5], p=[0.7, 0.2, 0.1])) % VOCAB
    return np.array(text)


def minibatches(text):
    for k in range((len(text) - 1) // (LENGTH * BATCH)):
        starts = [(k * BATCH + i) * LENGTH for i in range(BATCH)]
        yield (
            [text[a : a + LENGTH].tolist() for a in starts],
            [text[a + 1 : a + 1 + LENGTH].tolist() for a in starts],
        )


def cross_entropy_with_sampled_softmax(target, h, weights):
    """Of the true word and of some that are drawn, each corrected by how often it is drawn."""
    W = C.parameter((VOCAB, HIDDEN), init=C.glorot_uniform(), name='W')
    b = C.parameter((VOCAB, 1), init=0, name='b')
    sample = random_sample(weights, SAMPLES, True, seed=5, name='sample')
    log_prior = log(random_sample_inclusion_frequency(weights, SAMPLES, True, seed=5))
    drawn = times_transpose(times(sample, W), h) + times(sample, b) - times_transpose(sample, log_prior)
    true = times_transpose(times(target, W), h) + times(target, b) - times_transpose(target, log_prior)
    loss = log_add_exp(reduce_log_sum_exp(drawn), true) - true
    z = reshape(times_transpose(W, h) + b, (VOCAB,))
    return z, loss


C.cntk_py.set_fixed_random_seed(11)
train, valid = corpus(2400, 5), corpus(400, 6)
counts = np.bincount(train, minlength=VOCAB).astype(np.float32) + 1
weights = np.power(counts / counts.sum(), 0.75).reshape(1, VOCAB)
x = input_variable(VOCAB, is_sparse=True, name='x')
y = input_variable(VOCAB, is_sparse=True, name='y')
h = Sequential([Embedding(EMBED, init=C.normal(1)), Recurrence(LSTM(HIDDEN))])(x)
z, loss = cross_entropy_with_sampled_softmax(y, h, weights)
full = C.cross_entropy_with_softmax(z, y)
print('loss', loss.shape, 'z', z.shape, 'sample', loss.find_by_name('sample').shape)

learner = C.momentum_sgd(
    loss.parameters,
    C.learning_rate_schedule(0.05, C.UnitType.sample),
    C.momentum_as_time_constant_schedule(100),
    gradient_clipping_threshold_per_sample=5.0,
    gradient_clipping_with_truncation=True,
)
printer = C.logging.ProgressPrinter(10, metric_is_pct=False)
trainer = C.Trainer(z, (loss, full), [learner], printer)
for epoch in range(2):
    for k, (words, following) in enumerate(minibatches(train)):
        trainer.train_minibatch({x: C.Value.one_hot(words, VOCAB), y: C.Value.one_hot(following, VOCAB)})
        if k < 8:
            print(
                '%.6f %.6f'
                % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
            )
    trainer.summarize_training_progress()

total = count = 0
for words, following in minibatches(valid):
    entropies = full.eval({x: C.Value.one_hot(words, VOCAB), y: C.Value.one_hot(following, VOCAB)})
    total += np.concatenate(entropies).sum()
    count += sum(len(e) for e in entropies)
print('perplexity %.3f of %d words' % (math.exp(total / count), count))
print([p.name for p in loss.parameters])
