"""Machine reading: attention between the words of a question and those of a paragraph finds where the answer
begins and ends. Two sequence axes; the question's steps become an axis of each step of the paragraph."""

import numpy as np
import scipy.sparse as sparse

import cntk as C

WORDS, EMBEDDED, HIDDEN = 30, 8, 6
rng = np.random.RandomState(3)
batch = C.Axis.default_batch_axis()
paragraph_axis, question_axis = C.Axis.new_unique_dynamic_axis('p'), C.Axis.new_unique_dynamic_axis('q')
paragraph = C.input_variable(WORDS, dynamic_axes=[batch, paragraph_axis], is_sparse=True)
question = C.input_variable(WORDS, dynamic_axes=[batch, question_axis], is_sparse=True)
begins = C.input_variable(1, dynamic_axes=[batch, paragraph_axis])
ends = C.input_variable(1, dynamic_axes=[batch, paragraph_axis])


def drawn(*shape, scale=0.2):
    return C.parameter(shape, init=(rng.randn(*shape) * scale).astype(np.float32))


def both_directions(x, seed):
    forward = C.layers.Recurrence(C.layers.LSTM(HIDDEN, init=C.normal(0.1, seed=seed)))
    backward = C.layers.Recurrence(
        C.layers.LSTM(HIDDEN, init=C.normal(0.1, seed=seed + 1)), go_backwards=True
    )
    return C.splice(forward(x), backward(x))


def highway(x, gate=drawn(EMBEDDED, EMBEDDED), weights=drawn(EMBEDDED, EMBEDDED)):
    g = C.sigmoid(C.times(x, gate) - 1)
    return g * C.relu(C.times(x, weights)) + (1 - g) * x


embedding = drawn(WORDS, EMBEDDED, scale=0.3)
p = both_directions(highway(C.times(paragraph, embedding)), 1)
q = both_directions(highway(C.times(question, embedding)), 3)

words, there = C.sequence.unpack(q, 0).outputs
words, there = C.sequence.broadcast_as(words, p), C.sequence.broadcast_as(there, p)
alike = C.reduce_sum(words * C.sequence.broadcast_as(drawn(1, 2 * HIDDEN), p) * p, axis=1)
scores = C.times(p, drawn(2 * HIDDEN, 1)) + C.reshape(C.times(words, drawn(2 * HIDDEN, 1)), (-1,))
scores = C.element_select(there, scores + C.reshape(alike, (-1,)), C.constant(-1e30))
weights = C.reshape(C.softmax(scores, axis=0), (C.FreeDimension, 1))
asked = C.reshape(C.reduce_sum(weights * words, axis=0), (2 * HIDDEN,))
important = C.sequence.softmax(C.reduce_max(scores))
gist = C.sequence.broadcast_as(C.sequence.reduce_sum(important * p), p)
read = C.splice(p, asked, p * asked, p * gist)

modelled = both_directions(read, 5)
begin = C.layers.Dense(1, init=C.normal(0.2, seed=9))(C.splice(modelled, read))
end = C.layers.Dense(1, init=C.normal(0.2, seed=10))(C.splice(both_directions(modelled, 7), read))


def missed(scores, place):
    return C.sequence.reduce_sum(-place * C.log(C.sequence.softmax(scores) + 1e-20))


loss = missed(begin, begins) + missed(end, ends)
best = C.equal(begin, C.sequence.broadcast_as(C.sequence.reduce_max(begin), begin))
wrong = 1 - C.greater(C.sequence.reduce_sum(begins * best), 0)
print(loss.shape, loss.dynamic_axes, scores.shape, asked.shape)
learner = C.momentum_sgd(
    loss.parameters, C.learning_parameter_schedule_per_sample(0.02), C.momentum_schedule(0.9)
)
trainer = C.Trainer(loss, (loss, wrong), [learner])


def one_hot(ids):
    n = len(ids)
    return sparse.csr_matrix((np.ones(n, np.float32), ids, np.arange(n + 1)), shape=(n, WORDS))


for _ in range(12):
    data = {paragraph: [], question: [], begins: [], ends: []}
    for _ in range(5):
        text = rng.randint(0, WORDS, rng.randint(4, 12))
        answer = rng.randint(0, len(text))
        data[paragraph].append(one_hot(text))
        data[question].append(one_hot(np.append(text[answer], rng.randint(0, WORDS, rng.randint(1, 4)))))
        place = np.zeros((len(text), 1), np.float32)
        place[answer] = 1
        data[begins].append(place)
        data[ends].append(place)
    trainer.train_minibatch(data)
    print(
        '%.4f %.4f' % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
    )
