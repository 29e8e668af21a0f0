"""Captions of pictures: features of a picture begin the state of a decoder, which is told the word before;
greedy captions afterwards."""

from __future__ import print_function
import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(11)
WORDS, FEATURES, HIDDEN, EMBEDDED = (12, 9, 10, 6)
START, END = (0, 1)
rng = np.random.RandomState(5)
picture = C.input_variable((3, 12, 12), name='picture')
words = C.sequence.input_variable(WORDS, name='words')
with C.default_options(activation=C.relu, pad=True):
    encoder = Sequential(
        [
            Convolution2D((3, 3), 4, name='conv1'),
            MaxPooling((2, 2), strides=2),
            Convolution2D((3, 3), 6),
            GlobalAveragePooling(),
            Dense(FEATURES, activation=None, name='features'),
        ]
    )

encoded = encoder(picture)
embed = Embedding(EMBEDDED, name='embed')
shift = C.sequence.slice(words, 0, -1)
target = C.sequence.slice(words, 1, 0)
step = LSTM(HIDDEN)
project_h, project_c = (Dense(HIDDEN, activation=C.tanh), Dense(HIDDEN, activation=C.tanh))
readout = Dense(WORDS, name='readout')
axis_like = C.sequence.is_first(shift)


@C.Function
def decoder(history, features):
    h0, c0 = (project_h(features), project_c(features))
    rnn = RecurrenceFrom(step)
    h = rnn(h0, c0, embed(history)).outputs[0]
    return readout(C.splice(h, C.sequence.broadcast_as(features, h)))


scores = C.reconcile_dynamic_axes(decoder(shift, encoded), target)
loss = C.cross_entropy_with_softmax(scores, target)
errors = C.classification_error(scores, target)
print(scores.shape, [a.name for a in loss.arguments], len(loss.parameters))
learner = C.adam(loss.parameters, C.learning_parameter_schedule_per_sample(0.01), C.momentum_schedule(0.9))
trainer = C.Trainer(scores, (loss, errors), [learner])


def captions(n):
    pictures, texts = ([], [])
    for _ in range(n):
        kind = rng.randint(0, 4)
        pictures.append(rng.rand(3, 12, 12).astype(np.float32) * 0.3 + kind * 0.3)
        body = [2 + kind] * (1 + kind) + [6 + kind] * rng.randint(1, 3)
        texts.append([START] + body + [END])
    return (np.array(pictures), texts)


for i in range(25):
    pictures, texts = captions(8)
    trainer.train_minibatch({picture: pictures, words: C.Value.one_hot(texts, WORDS)})
    if i % 4 == 0:
        print(
            '%d %.4f %.4f %d'
            % (
                i,
                trainer.previous_minibatch_loss_average,
                trainer.previous_minibatch_evaluation_average,
                trainer.previous_minibatch_sample_count,
            )
        )

h = C.sequence.input_variable(WORDS)
f = C.input_variable(FEATURES)
one = C.sequence.last(decoder(h, f))
pictures, texts = captions(3)
features = encoded.eval({picture: pictures})
print(features.shape)
for k in range(3):
    said = [START]
    while said[-1] != END and len(said) < 9:
        p = one.eval({h: C.Value.one_hot([said], WORDS), f: features[k : k + 1]})
        said.append(int(np.argmax(p)))
    print(said, '%.4f' % np.max(p))
