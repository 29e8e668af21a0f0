"""Sequence to sequence with attention: numbers are spelled backwards, trained on the axis of the outputs."""

import numpy as np

import cntk as C
from cntk.layers import *
from cntk.layers.models.attention import AttentionModel
from cntk.layers.typing import *

VOCAB, START, END = 12, 10, 11  # ten digits, <s>, </s>
HIDDEN, EMBED, ATTENTION = 16, 8, 10

C.cntk_py.set_fixed_random_seed(3)
inputAxis, labelAxis = C.Axis('inputAxis'), C.Axis('labelAxis')
InputSequence, LabelSequence = SequenceOver[inputAxis], SequenceOver[labelAxis]
sentence_start = C.Constant(np.eye(VOCAB, dtype=np.float32)[START])


def pairs(count, seed):
    rng = np.random.RandomState(seed)
    words = [[int(d) for d in rng.randint(0, 10, rng.randint(2, 6))] for _ in range(count)]
    return [(word, [START] + word[::-1] + [END]) for word in words]


def hot(sequences):
    return C.Value.one_hot(sequences, VOCAB)


def create_model():
    embed = Embedding(EMBED, name='embed')
    with default_options(enable_self_stabilization=True):
        encoder = Sequential(
            [
                embed,
                Stabilizer(),
                (Recurrence(LSTM(HIDDEN // 2)), Recurrence(LSTM(HIDDEN // 2), go_backwards=True)),
                splice,
            ]
        )
        cell = LSTM(HIDDEN)
    attention = AttentionModel(ATTENTION, name='attention')
    out = Dense(VOCAB, name='out')

    @C.Function
    def decode(history, source):
        states = encoder(source)

        @C.Function
        def step(h, c, x):
            return cell(h, c, splice(x, attention(states, h)))

        return out(Recurrence(step)(embed(history)))

    return decode


decode = create_model()


@C.Function
@Signature(InputSequence[Tensor[VOCAB]], LabelSequence[Tensor[VOCAB]])
def criterion(source, target):
    labels = C.sequence.slice(target, 1, 0)  # <s> A B C </s> --> A B C </s>
    past = C.sequence.delay(labels, initial_state=sentence_start)
    z = decode(past, source)
    return C.cross_entropy_with_softmax(z, labels), C.classification_error(z, labels)


print([(a.name, a.shape, len(a.dynamic_axes)) for a in criterion.arguments])
print(len(criterion.parameters), sorted(str(p.shape) for p in criterion.parameters))

rates = C.learning_parameter_schedule_per_sample([0.02] * 2 + [0.01], epoch_size=400)
learner = C.fsadagrad(
    criterion.parameters,
    lr=rates,
    momentum=C.momentum_schedule(0.9),
    gradient_clipping_threshold_per_sample=2.3,
    gradient_clipping_with_truncation=True,
)
trainer = C.Trainer(None, criterion, [learner])
data = pairs(64, 1)
for epoch in range(4):
    for k in range(0, len(data), 16):
        part = data[k : k + 16]
        trainer.train_minibatch(
            {
                criterion.arguments[0]: hot([s for s, _ in part]),
                criterion.arguments[1]: hot([t for _, t in part]),
            }
        )
        print(
            '%d %2d loss %.5f error %.4f over %d'
            % (
                epoch,
                k,
                trainer.previous_minibatch_loss_average,
                trainer.previous_minibatch_evaluation_average,
                trainer.previous_minibatch_sample_count,
            )
        )


@C.Function
@Signature(InputSequence[Tensor[VOCAB]])
def greedy(source):
    unfold = UnfoldFrom(
        lambda history: C.hardmax(decode(history, source)),
        until_predicate=lambda word: word[..., END],
        length_increase=1.5,
    )
    return unfold(sentence_start, source)


for source, target in pairs(5, 2):
    words = greedy(hot([source]))
    print(source, [int(i) for i in np.argmax(words[0], axis=-1)])
