import numpy as np

import cntk as C

# A decoder looks back at its own steps and at those of an encoder. Its parts are blocks of the program's own:
# each states its placeholders, and hands on the placeholders of the block around it.

C.cntk_py.set_fixed_random_seed(1)
np.random.seed(2)
WIDTH, HEADS, SYMBOLS = 6, 2, 5
BATCH = C.Axis.default_batch_axis()
SOURCE, TARGET, ANY = C.Axis('source'), C.Axis('target'), C.Axis('any')


def place(name, axis=ANY):
    return C.placeholder(WIDTH, dynamic_axes=[BATCH, axis], name=name)


def positions():
    """1, 2, 3, ... along a sequence."""
    x = place('x')
    one = C.ones_like(x[0:1])
    count = C.layers.Recurrence(C.plus, return_full_state=True)(one)
    return C.as_block(count, [(x, x)], 'Positions', 'positions')


def earlier_steps(x):
    """[steps, steps]: 0 where a step may look, and very little where it may not."""
    at = C.sequence.unpack(positions()(x), 0, True)
    later = C.greater(C.transpose(at, (1, 0)), at)
    return C.stop_gradient(-1e9 * later)


def attention(query, memory, only_earlier=False):
    q, m = place('q', TARGET), place('m', SOURCE)
    heads = []
    for _ in range(HEADS):
        asked = C.sequence.unpack(C.layers.Dense(WIDTH // HEADS)(q), 0, True)
        keys = C.sequence.unpack(C.layers.Dense(WIDTH // HEADS)(m), 0, True)
        values = C.sequence.unpack(C.layers.Dense(WIDTH // HEADS)(m), 0, True)
        scores = C.times_transpose(asked, keys) / np.sqrt(WIDTH // HEADS)
        if only_earlier:
            scores = scores + C.as_block(earlier_steps(q), [(q, q)], 'Mask', 'mask')
        heads.append(C.to_sequence_like(C.times(C.softmax(scores), values), q))
    joined = C.layers.Dense(WIDTH, name='joined')(C.splice(*heads))
    return C.as_block(joined, [(q, query), (m, memory)], 'Attention', 'attention')


def normalized(x):
    v = C.placeholder(x.shape, dynamic_axes=[BATCH, ANY], name='v')
    middle = v - C.reduce_mean(v)
    scale = C.parameter(x.shape, init=1, name='scale')
    result = scale * middle / C.sqrt(C.reduce_mean(C.square(middle)) + 1e-5)
    return C.as_block(result, [(v, v)], 'Normalized')(x)


def decoder_layer(steps, memory):
    s, m = place('s', TARGET), place('m', SOURCE)
    own = normalized(s + attention(s, s, only_earlier=True))
    read = normalized(own + attention(own, m))
    result = normalized(read + C.layers.Dense(WIDTH)(C.layers.Dense(2 * WIDTH, C.relu)(read)))
    return C.as_block(result, [(s, steps), (m, memory)], 'DecoderLayer', 'layer')


def batch(count):
    """Targets are the sources without their first symbol, twice as long at most."""
    eye = np.eye(SYMBOLS, dtype=np.float32)
    sources = [np.random.randint(SYMBOLS, size=np.random.randint(2, 6)) for _ in range(count)]
    targets = [np.concatenate([s[1:], s[: len(s) // 2]]) for s in sources]
    return [eye[s] for s in sources], [eye[t] for t in targets]


source = C.sequence.input_variable(SYMBOLS, sequence_axis=SOURCE, name='source')
target = C.sequence.input_variable(SYMBOLS, sequence_axis=TARGET, name='target')
embedded = C.layers.Embedding(WIDTH, name='embed')
memory = C.layers.Recurrence(C.layers.GRU(WIDTH))(embedded(source))
steps = C.layers.Delay()(embedded(target))
for _ in range(2):
    steps = decoder_layer(steps, memory)
z = C.layers.Dense(SYMBOLS, name='symbols')(steps)
print(z)
print(positions())
print(len(z.parameters), sorted({p.name for p in z.parameters}))

loss = C.cross_entropy_with_softmax(z, target)
error = C.classification_error(z, target)
rate = C.learning_parameter_schedule_per_sample(0.01)
learner = C.adam(z.parameters, rate, C.momentum_schedule(0.9))
trainer = C.Trainer(z, (loss, error), [learner])
for i in range(12):
    sources, targets = batch(8)
    trainer.train_minibatch({source: sources, target: targets})
    print(
        '%2d  loss %.5f  error %.4f  steps %d'
        % (
            i,
            trainer.previous_minibatch_loss_average,
            trainer.previous_minibatch_evaluation_average,
            trainer.previous_minibatch_sample_count,
        )
    )

z.save('decoder.model')
loaded = C.load_model('decoder.model')
feeds = {v: {'source': sources, 'target': targets}[v.name] for v in loaded.arguments}
same = zip(loaded.eval(feeds), z.eval({source: sources, target: targets}))
print(all(np.allclose(a, b, atol=1e-6) for a, b in same))
layers = z.find_all_with_name('layer')
print([(f.op_name, f.output.shape, [a.name for a in f.output.dynamic_axes]) for f in layers])

# what stands in for a placeholder has a type of its own
v = place('v')
doubled = C.as_block(2 * v, [(v, v)], 'Doubled', 'doubled')
for wide in (C.input_variable(4), C.sequence.input_variable((2, 3), sequence_axis=SOURCE)):
    put_in = C.as_block(doubled(v), [(v, wide)], 'Around', 'around')
    print(put_in.shape, [a.name for a in put_in.dynamic_axes])
