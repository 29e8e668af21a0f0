"""One embedding and one encoder serve three heads: tags of words, intents, how alike two sentences are."""

import numpy as np

import cntk as C
from cntk.layers import Dense, Embedding, Fold, GRU, RNNStep, Recurrence, Sequential

WORDS, EMBED, STATE = 20, 6, 8
C.cntk_py.set_fixed_random_seed(6)

embed = Embedding(EMBED, name='words')
encode = Fold(GRU(STATE), go_backwards=False)
tagger = Sequential([embed, Recurrence(RNNStep(STATE, activation=C.tanh)), Dense(3)])
classifier = Sequential([embed, encode, Dense(2)])


@C.Function
def similarity(a, b):
    return C.cosine_distance(encode(embed(a)), encode(embed(b)))


words = C.sequence.input_variable(WORDS, is_sparse=True, name='words')
others = C.sequence.input_variable(WORDS, is_sparse=True, sequence_axis=C.Axis('second'), name='others')
tags = C.sequence.input_variable(3, name='tags')
goal, alike = C.input_variable(2, name='goal'), C.input_variable(1, name='alike')

tagged, intent, similar = tagger(words), classifier(words), similarity(words, others)
for f in (tagged, intent, similar):
    print(f, len(f.parameters))
print(len(C.combine([tagged, intent]).parameters), embed.E.shape)
print(set(tagged.parameters) & set(intent.parameters) == {embed.E})

losses = [
    C.cross_entropy_with_softmax(tagged, tags),
    C.cross_entropy_with_softmax(intent, goal),
    C.squared_error(similar, alike),
]
trainers = [
    C.Trainer(f, (loss,), [C.sgd(loss.parameters, C.learning_parameter_schedule(0.3))])
    for f, loss in zip((tagged, intent, similar), losses)
]
rng = np.random.RandomState(8)


def sentences(count, longest):
    return [rng.randint(0, WORDS, rng.randint(2, longest)).tolist() for _ in range(count)]


def batch(count):
    first, second = sentences(count, 7), sentences(count, 5)
    tag = [np.eye(3, dtype=np.float32)[[w % 3 for w in s]] for s in first]
    kind = np.array([[sum(s) % 2, 1 - sum(s) % 2] for s in first], np.float32)
    longer = np.array([[float(len(p) > len(q))] for p, q in zip(first, second)], np.float32)
    return C.Value.one_hot(first, WORDS), C.Value.one_hot(second, WORDS), tag, kind, longer


for step in range(8):
    first, second, tag, kind, longer = batch(6)
    trainers[0].train_minibatch({words: first, tags: tag})
    trainers[1].train_minibatch({words: first, goal: kind})
    trainers[2].train_minibatch({words: first, others: second, alike: longer})
    print(
        step,
        ' '.join(
            '%.5f/%d' % (t.previous_minibatch_loss_average, t.previous_minibatch_sample_count)
            for t in trainers
        ),
    )
print(embed.E.value.sum(axis=1)[:5].round(5))
first, second, _, _, _ = batch(3)
print(similar.eval({words: first, others: second}).round(5).ravel())
print([v.shape for v in tagged.eval({words: first})])
