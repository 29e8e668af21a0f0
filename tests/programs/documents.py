"""Documents of sentences: a recurrence over words, gathered where sentences end, and a recurrence over
sentences; attention over both."""

import numpy as np

import cntk as C

WORDS = 20
rng = np.random.RandomState(2)
words, ends = C.sequence.input_variable(WORDS), C.sequence.input_variable(1)
label = C.input_variable(3)


def attended(x, seed):
    u = C.layers.Dense(4, activation=C.tanh, init=C.normal(0.5, seed=seed))(x)
    return C.sequence.reduce_sum(
        C.sequence.softmax(C.times(u, C.parameter((4, 1), init=C.normal(0.5, seed=seed + 1)))) * x
    )


embedded = C.layers.Embedding(6, init=C.normal(0.3, seed=1))(words)
read = C.layers.Recurrence(C.layers.GRU(6, init=C.normal(0.3, seed=2)))(embedded)
sentences = C.sequence.gather(read, ends)
print(sentences.dynamic_axes[1] == read.dynamic_axes[1], sentences.shape)
told = C.layers.Recurrence(C.layers.GRU(5, init=C.normal(0.3, seed=3)))(sentences)
z = C.layers.Dense(3, init=C.normal(0.3, seed=5))(C.splice(attended(told, 10), attended(read, 20)))
loss, error = C.cross_entropy_with_softmax(z, label), C.classification_error(z, label)
trainer = C.Trainer(z, (loss, error), [C.adam(z.parameters, 0.02, 0.9)])
for _ in range(10):
    data = {words: [], ends: [], label: []}
    for _ in range(6):
        ids = rng.randint(0, WORDS, rng.randint(2, 15))
        marks = (rng.rand(len(ids), 1) < 0.3).astype(np.float32)
        marks[-1] = 1
        data[words].append(np.eye(WORDS, dtype=np.float32)[ids])
        data[ends].append(marks)
        data[label].append(np.eye(3, dtype=np.float32)[ids[0] % 3])
    trainer.train_minibatch({**data, label: np.array(data[label])})
    print(
        '%.5f %.4f' % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
    )
first = {words: data[words][:2], ends: data[ends][:2]}
for value in sentences.eval(first):
    print(value.shape, np.round(value[-1], 4))
print([v.shape for v in C.sequence.scatter(sentences, ends).eval(first)])
