"""A tagger that reads both ways, with dropout in sequences of unlike lengths: from arrays, from files and in
parts."""

import numpy as np

import cntk as C
from cntk.io import CTFDeserializer, MinibatchSource, StreamDef, StreamDefs
from cntk.layers import GRU, LSTM, Dense, Dropout, Embedding, LayerNormalization, Recurrence, Sequential

WORDS, TAGS = 30, 4
rng = np.random.RandomState(3)
vectors = rng.randn(WORDS, 8).astype(np.float32)


def both_ways(forward, backward):
    there, back = Recurrence(forward), Recurrence(backward, go_backwards=True)

    @C.Function
    def both(x):
        return C.splice(there(x), back(x))

    return both


def sentences(count):
    words = [rng.randint(WORDS, size=rng.randint(1, 9)) for _ in range(count)]
    return words, [np.cumsum(w) % TAGS for w in words]


def one_hot(lists, classes):
    return C.Value.one_hot([list(map(int, each)) for each in lists], classes)


def trainer_of(z, y, learner):
    criterion = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
    return C.Trainer(z, criterion, [learner], [C.logging.ProgressPrinter(5)])


x = C.sequence.input_variable(WORDS, is_sparse=True)
y = C.sequence.input_variable(TAGS, is_sparse=True)

# ---- whole sentences, from arrays
C.cntk_py.set_fixed_random_seed(5)
tagger = Sequential(
    [
        Embedding(weights=vectors),
        Dropout(0.3),
        both_ways(LSTM(10), GRU(10)),
        LayerNormalization(),
        Dropout(0.2),
        Dense(TAGS),
    ]
)
z = tagger(x)
learner = C.fsadagrad(
    z.parameters,
    C.learning_parameter_schedule([0.05] * 2 + [0.02], minibatch_size=10, epoch_size=300),
    C.momentum_schedule(0.9, minibatch_size=10),
    gradient_clipping_threshold_per_sample=15,
    gradient_clipping_with_truncation=True,
)
trainer = trainer_of(z, y, learner)
for _ in range(15):
    words, tags = sentences(6)
    trainer.train_minibatch({x: one_hot(words, WORDS), y: one_hot(tags, TAGS)})
trainer.summarize_training_progress()
words, tags = sentences(3)
print(np.round(z.eval({x: one_hot(words, WORDS)})[0][0], 3))

# ---- the same words from a file: in CNTK's random order, in the file's, and in parts of three words
words, tags = sentences(40)
with open('words.ctf', 'w') as f:
    for s, pair in enumerate(zip(words, tags)):
        for word, tag in zip(*pair):
            f.write('{} |word {}:1 |tag {}:1\n'.format(s, word, tag))
streams = StreamDefs(
    word=StreamDef('word', WORDS, is_sparse=True), tag=StreamDef('tag', TAGS, is_sparse=True)
)
for options in ({}, {'randomize': False}, {'truncation_length': 3}):
    C.cntk_py.set_fixed_random_seed(3)
    source = MinibatchSource(CTFDeserializer('words.ctf', streams), **options)
    z = Sequential([Embedding(5), Dropout(0.4), Recurrence(GRU(6)), Dropout(0.3), Dense(TAGS)])(x)
    trainer = trainer_of(z, y, C.sgd(z.parameters, C.learning_parameter_schedule(0.1)))
    for _ in range(10):
        minibatch = source.next_minibatch(18, input_map={x: source.streams.word, y: source.streams.tag})
        trainer.train_minibatch(minibatch)
    trainer.summarize_training_progress()

# ---- random numbers beside the words
noise = C.random.normal_like(z) + C.random.uniform_like(z)
words, _ = sentences(4)
print([np.round(each[:, 0], 4).tolist() for each in noise.eval({x: one_hot(words, WORDS)})])
