"""A tagger of short texts whose words and tags lie in memory as two lists of sequences, one of them sparse:
what a source gives minibatch by minibatch, up to a number of words; the words as the network hands them on;
tags of short texts padded to the length of longer ones with a token; and operators under the names of the
binding."""

import numpy as np
import scipy.sparse as sp

import cntk as C
from cntk.cntk_py import classification_error, cross_entropy_with_softmax, squared_error
from cntk.layers.typing import Sequence, SparseTensor, Tensor

WORDS, TAGS = 12, 3

C.cntk_py.set_fixed_random_seed(6)
rng = np.random.RandomState(4)
lengths = rng.randint(2, 7, size=24)
texts = [rng.randint(WORDS, size=n) for n in lengths]
words = [sp.csr_matrix(np.eye(WORDS, dtype=np.float32)[t]) for t in texts]
tags = [np.eye(TAGS, dtype=np.float32)[t % TAGS] for t in texts]

x = C.sequence.input_variable(WORDS, is_sparse=True, name='x')
y = C.sequence.input_variable(TAGS, name='y')
handed_on = C.alias(x, name='words')
z = C.layers.Sequential(
    [
        C.layers.Embedding(6, init=C.glorot_uniform()),
        C.layers.Recurrence(C.layers.GRU(8, init=C.glorot_uniform())),
        C.layers.Dense(TAGS, init=C.glorot_uniform()),
    ]
)(handed_on)
print(handed_on, x.is_sparse, handed_on.output.is_sparse, C.sequence.last(x))
loss, wrong, apart = (
    C.as_composite(f(z, y)) for f in (cross_entropy_with_softmax, classification_error, squared_error)
)
print(loss, wrong, apart)

streams = dict(x=(words, Sequence[SparseTensor[WORDS]]), y=(tags, Sequence[Tensor[TAGS]]))
total = int(lengths.sum())
source = C.io.MinibatchSourceFromData(streams, max_samples=2 * total)
learner = C.momentum_sgd(
    z.parameters, C.learning_parameter_schedule_per_sample(0.2), C.momentum_schedule(0.5)
)
trainer = C.Trainer(z, (loss, wrong), [learner])
while True:
    minibatch = source.next_minibatch(20)
    if not minibatch:
        break
    given = {x: minibatch[source.streams.x], y: minibatch[source.streams.y]}
    trainer.train_minibatch(given)
    print(
        [(d.num_sequences, d.num_samples, d.end_of_sweep) for d in given.values()],
        '%.5f' % trainer.previous_minibatch_loss_average,
    )
print(
    trainer.total_number_of_samples_seen == 2 * total,
    sorted(source.get_checkpoint_state().items())[1][1] == 2 * total,
)

for rows, text in zip(handed_on.eval({x: words[:3]}), texts):
    print(type(rows).__name__, rows.shape, (rows.indices == text).all())
for rows in C.sequence.last(x).eval({x: words[:3]}):
    print(rows.indices)
both = C.combine([handed_on, z]).eval({x: words[:1]})
print(sorted((f.name, type(v[0]).__name__) for f, v in both.items() if f.name))

longer, shorter = C.Axis.new_unique_dynamic_axis('longer'), C.Axis.new_unique_dynamic_axis('shorter')
a = C.sequence.input_variable(1, sequence_axis=longer, name='a')
b = C.sequence.input_variable(TAGS, sequence_axis=shorter, name='b')
ones = C.sequence.broadcast_as(1, b)
place = C.layers.Recurrence(C.plus)(C.sequence.broadcast_as(1, a))
there = C.less_equal(place, C.sequence.broadcast_as(C.sequence.reduce_sum(ones), place))
padded = C.sequence.scatter(b, there)
token = C.sequence.broadcast_as(C.constant([0.0, 0.0, 9.0]), padded)
padded = C.element_select(there, padded, token)
A = [np.zeros((n, 1), np.float32) for n in (3, 5)]
for found in padded.eval({a: A, b: [tags[0][:2], tags[1][:2]]}):
    print(found.tolist())
time = C.Axis('time')
for shape, axes in (((), [time, C.Axis.default_batch_axis()]), (None, [time]), ((2,), [])):
    options = {} if shape is None else {'shape': shape}
    print(C.relu(C.placeholder(dynamic_axes=axes, **options)))
