"""Sequence to sequence by the graph API: LSTMs by placeholders, a thought vector, greedy decoding by
feedback."""

import numpy as np

import cntk as C
from cntk import Axis, Trainer
from cntk.layers import Dense, LSTM, Stabilizer
from cntk.ops import element_select, hardmax
from cntk.ops.sequence import broadcast_as, first, future_value, is_first, past_value

INPUTS, LABELS, HIDDEN = 10, 8, 12
START, END = 6, 7
C.cntk_py.set_fixed_random_seed(2)
raw_input = C.sequence.input_variable(shape=INPUTS, sequence_axis=Axis('inputAxis'), name='raw_input')
raw_labels = C.sequence.input_variable(shape=LABELS, sequence_axis=Axis('labelAxis'), name='raw_labels')


def LSTM_layer(operand, output_dim, recurrence_hook_h=past_value, recurrence_hook_c=past_value):
    dh = C.placeholder(shape=output_dim, dynamic_axes=operand.dynamic_axes)
    dc = C.placeholder(shape=output_dim, dynamic_axes=operand.dynamic_axes)
    cell = LSTM(output_dim)(dh, dc, operand)
    h, c = recurrence_hook_h(cell.outputs[0]), recurrence_hook_c(cell.outputs[1])
    cell.replace_placeholders({dh: h.output, dc: c.output})
    return C.combine([cell.outputs[0]]), C.combine([cell.outputs[1]])


label_sequence = C.sequence.slice(raw_labels, 1, 0)  # <s> A B C </s> --> A B C </s>
sentence_start = first(raw_labels)
is_first_label = is_first(label_sequence)
start_scattered = C.sequence.scatter(sentence_start, is_first_label)

encoder, _ = LSTM_layer(Stabilizer()(raw_input), HIDDEN)
encoder, encoder_c = LSTM_layer(encoder.output, HIDDEN, future_value, future_value)
thought_h = broadcast_as(first(encoder), label_sequence)
thought_c = broadcast_as(first(encoder_c), label_sequence)

history = C.alias(label_sequence, name='history')
decoder_input = element_select(is_first_label, start_scattered, past_value(history))
decoder, _ = LSTM_layer(
    decoder_input.output,
    HIDDEN,
    lambda v: element_select(is_first_label, thought_h, past_value(v)),
    lambda v: element_select(is_first_label, thought_c, past_value(v)),
)
z = Dense(LABELS, init=C.glorot_uniform())(decoder)
ce, errs = C.cross_entropy_with_softmax(z, label_sequence), C.classification_error(z, label_sequence)
best = hardmax(z)
decoding = z.clone(C.CloneMethod.share, {history.output: best.output})  # its own last word, not the label
print([a.name for a in z.arguments], [a.name for a in decoding.arguments], len(z.parameters))

learner = C.momentum_sgd(
    z.parameters,
    C.learning_rate_schedule(0.05, C.UnitType.sample),
    C.momentum_as_time_constant_schedule(50),
    gradient_clipping_threshold_per_sample=2.3,
    gradient_clipping_with_truncation=True,
)
trainer = Trainer(z, (ce, errs), learner)
rng = np.random.RandomState(1)


def one_hot(words, count):
    return np.eye(count, dtype=np.float32)[words]


def batch(count):
    words = [rng.randint(0, 6, rng.randint(2, 5)) for _ in range(count)]
    labels = [np.concatenate([[START], w[::-1], [END]]) for w in words]
    return [one_hot(w, INPUTS) for w in words], [one_hot(w, LABELS) for w in labels]


for _ in range(30):
    inputs, labels = batch(8)
    trainer.train_minibatch({raw_input: inputs, raw_labels: labels})
    print(
        '%.6f %.4f %d'
        % (
            trainer.previous_minibatch_loss_average,
            trainer.previous_minibatch_evaluation_average,
            trainer.previous_minibatch_sample_count,
        )
    )
inputs, labels = batch(3)
arguments = {a.name: a for a in decoding.arguments}
for scores in decoding.eval({arguments['raw_input']: inputs, arguments['raw_labels']: labels}):
    print(np.argmax(scores, 1), scores.sum(0).round(4))
