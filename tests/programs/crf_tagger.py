"""A tagger whose tags depend on one another (a conditional random field): the sum over all sequences of
tags is a recurrence over the words, the best tags are found along its scores; words come from two
directions of a GRU."""

import numpy as np

import cntk as C

WORDS, TAGS, WIDTH = 12, 4, 6

C.cntk_py.set_fixed_random_seed(5)
x = C.sequence.input_variable(WORDS, is_sparse=True, name='words')
y = C.sequence.input_variable(TAGS, name='tags')

embedded = C.layers.Embedding(WIDTH, init=C.glorot_uniform())(x)
ahead = C.layers.Recurrence(C.layers.GRU(WIDTH, init=C.glorot_uniform()))(embedded)
back = C.layers.Recurrence(C.layers.GRU(WIDTH, init=C.glorot_uniform()), go_backwards=True)(embedded)
emission = C.layers.Dense(TAGS, init=C.glorot_uniform(), name='emission')(C.splice(ahead, back))
transition = C.parameter((TAGS, TAGS), init=C.glorot_uniform(seed=9), name='transition')  # from row to column


def follows(before, scores):
    """log of the sum over all tags in front, for each tag."""
    paths = C.reshape(before, (TAGS, 1)) + transition
    return C.reshape(C.reduce_log_sum_exp(paths, axis=0), TAGS) + scores


is_first = C.sequence.is_first(x)
alpha = C.placeholder(shape=(TAGS,), dynamic_axes=emission.dynamic_axes)
sums = C.element_select(is_first, emission, follows(C.sequence.past_value(alpha), emission))
sums.replace_placeholders({alpha: sums.output})
everything = C.reduce_log_sum_exp(C.sequence.last(sums), axis=0)

moves = C.reduce_sum(C.times(C.sequence.past_value(y), transition) * y)
moved = C.element_select(is_first, C.constant(0.0), moves)
right = C.sequence.reduce_sum(C.reduce_sum(emission * y) + moved)
loss = everything - right
z = C.combine([emission])
wrong = C.classification_error(emission, y)
print(len(loss.parameters), [p.shape for p in loss.parameters])

rng = np.random.RandomState(3)


def sentences(count):
    """The tag of a word says what the next tag may be."""
    X, Y = [], []
    for _ in range(count):
        n = rng.randint(1, 8)
        words = rng.randint(WORDS, size=n)
        tags = [0]
        for w in words:
            tags.append((tags[-1] + w % 2) % TAGS)
        X.append(words)
        Y.append(np.eye(TAGS, dtype=np.float32)[tags[1:]])
    return [C.Value.one_hot([list(map(int, w)) for w in X], WORDS), Y]


learner = C.momentum_sgd(
    loss.parameters, C.learning_parameter_schedule_per_sample(0.02), C.momentum_schedule(0.8)
)
trainer = C.Trainer(z, (loss, wrong), learner)
for step in range(12):
    X, Y = sentences(16)
    trainer.train_minibatch({x: X, y: Y})
    print('%.5f' % trainer.previous_minibatch_loss_average)

X, Y = sentences(3)
for s, t in zip(emission.eval({x: X}), Y):
    scores, steps = s[0], []
    for e in s[1:]:
        paths = scores[:, None] + transition.value
        steps.append(paths.argmax(axis=0))
        scores = paths.max(axis=0) + e
    path = [int(scores.argmax())]
    for back_step in reversed(steps):
        path.insert(0, int(back_step[path[0]]))
    print(path, t.argmax(axis=1).tolist(), '%.4f' % scores.max())
print(everything.eval({x: X}).round(4).ravel())
