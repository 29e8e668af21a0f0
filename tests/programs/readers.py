"""Text files read in every way: windows of randomization, limits, joined files, partitions, checkpoints,
lines that are wrong."""

import os
import numpy as np
import cntk as C
from cntk.io import *

C.cntk_py.set_fixed_random_seed(32)
rng = np.random.RandomState(8)
with open('a.ctf', 'w') as f:
    for i in range(60):
        f.write(
            '%d |feat %s |lab %d:1 |w %.1f |# line %d\n'
            % (i, ' '.join(('%.3f' % v for v in rng.randn(3))), i % 4, 1 + i % 3, i)
        )
with open('s.ctf', 'w') as f:
    for i in range(20):
        for j in range(1 + i % 4):
            f.write(
                '%d |tok %d:1 %d:2.5' % (i, rng.randint(0, 5), 5 + rng.randint(0, 5))
                + (' |cls %d:1' % (i % 3) if j == 0 else '')
                + '\n'
            )
with open('m1.ctf', 'w') as f:
    for i in range(12):
        f.write('%d |p %d %d\n' % (i, i, -i))
with open('m2.ctf', 'w') as f:
    for i in range(12):
        f.write('%d |q %d\n' % (i, 10 * i))


def dense(mb, s):
    return mb[s].asarray()


src = MinibatchSource(
    CTFDeserializer(
        'a.ctf',
        StreamDefs(
            f=StreamDef(field='feat', shape=3),
            l=StreamDef(field='lab', shape=4, is_sparse=True),
            w=StreamDef(field='w', shape=1),
        ),
    ),
    randomize=False,
    max_sweeps=1,
)
for s in sorted(src.stream_infos(), key=lambda s: s.m_name):
    print(s.m_name, s.m_sample_layout.dimensions(), s.m_storage_format, s.m_is_binary, s.m_element_type)
mb = src.next_minibatch(5)
print(
    sorted((s.m_name for s in mb)),
    dense(mb, src.streams.f).shape,
    np.round(dense(mb, src['f'])[1].ravel(), 3),
    mb[src.streams.l].data.is_sparse,
)
v = mb[src.streams.l]
print(
    v.num_samples,
    v.num_sequences,
    v.end_of_sweep,
    v.shape,
    '',
    [m.toarray().tolist() for m in v.as_sequences(C.input_variable(4, is_sparse=True))][:2],
)
x, l, w = (C.input_variable(3), C.input_variable(4, is_sparse=True), C.input_variable(1))
z = C.layers.Dense(4)(x)
loss = C.cross_entropy_with_softmax(z, l) * w
t = C.Trainer(z, (loss, C.classification_error(z, l)), C.sgd(z.parameters, 0.1))
for mode in (
    dict(randomize=True),
    dict(randomize=True, randomization_seed=3),
    dict(randomize=False),
    dict(randomization_window_in_chunks=1, randomize=True),
    dict(randomization_window_in_samples=10, randomization_window_in_chunks=0, randomize=True),
    dict(randomize=True, multithreaded_deserializer=False),
    dict(randomize=True, max_samples=50),
    dict(randomize=False, max_samples=70),
    dict(randomize=True, max_sweeps=2),
):
    kw = dict(mode)
    if 'max_samples' not in kw and 'max_sweeps' not in kw:
        kw['max_sweeps'] = 1
    s = MinibatchSource(
        CTFDeserializer(
            'a.ctf', StreamDefs(f=StreamDef('feat', 3), l=StreamDef('lab', 4, True), w=StreamDef('w', 1))
        ),
        **kw,
    )
    seen = []
    while True:
        mb = s.next_minibatch(16, input_map={x: s.streams.f, l: s.streams.l, w: s.streams.w})
        if not mb:
            break
        t.train_minibatch(mb)
        seen.append((mb[x].num_samples, mb[x].end_of_sweep))
    print(sorted(mode.items()), seen, '%.5f' % t.previous_minibatch_loss_average)
s = MinibatchSource(
    CTFDeserializer('s.ctf', StreamDefs(t=StreamDef('tok', 10, True), c=StreamDef('cls', 3, True))),
    randomize=False,
    max_sweeps=1,
)
q, c = (C.sequence.input_variable(10, is_sparse=True), C.input_variable(3, is_sparse=True))
o = C.layers.Dense(3)(C.layers.Fold(C.layers.GRU(4))(C.layers.Embedding(3)(q)))
while True:
    mb = s.next_minibatch(9, {q: s.streams.t, c: s.streams.c})
    if not mb:
        break
    print(
        mb[q].num_sequences,
        mb[q].num_samples,
        mb[c].num_samples,
        [a.shape for a in mb[q].as_sequences(q)],
        '%.5f' % C.cross_entropy_with_softmax(o, c).eval(mb).sum(),
        end='; ',
    )
print()
j = MinibatchSource(
    [
        CTFDeserializer('m1.ctf', StreamDefs(p=StreamDef('p', 2))),
        CTFDeserializer('m2.ctf', StreamDefs(q=StreamDef('q', 1))),
    ],
    randomize=True,
    max_sweeps=1,
)
mb = j.next_minibatch(6)
a, b = (dense(mb, j.streams.p).reshape(-1, 2), dense(mb, j.streams.q).ravel())
print((a[:, 0] * 10 == b).all(), a[:, 0].astype(int).tolist())
for n in (1, 2, 3):
    got = []
    for r in range(n):
        p = MinibatchSource(
            CTFDeserializer('m2.ctf', StreamDefs(q=StreamDef('q', 1))), randomize=False, max_sweeps=1
        )
        mine = []
        while True:
            mb = p.next_minibatch(6, num_data_partitions=n, partition_index=r)
            if not mb:
                break
            mine.append(
                dense(mb, p.streams.q).ravel().astype(int).tolist() if mb[p.streams.q].num_samples else []
            )
        got.append(mine)
    print(n, got)
p = MinibatchSource(CTFDeserializer('m2.ctf', StreamDefs(q=StreamDef('q', 1))), randomize=True)
a = [dense(p.next_minibatch(5), p.streams.q).ravel().astype(int).tolist() for _ in range(4)]
st = p.get_checkpoint_state()
b = [dense(p.next_minibatch(5), p.streams.q).ravel().astype(int).tolist() for _ in range(3)]
p2 = MinibatchSource(CTFDeserializer('m2.ctf', StreamDefs(q=StreamDef('q', 1))), randomize=True)
p2.restore_from_checkpoint(st)
print(
    a,
    b == [dense(p2.next_minibatch(5), p2.streams.q).ravel().astype(int).tolist() for _ in range(3)],
    p.is_infinite(),
    p.current_position,
)
print(
    sequence_to_cntk_text_format(3, dict(a=np.array([[1, 2], [3, 4]], 'f'), b=np.array([[5]], 'f'))),
    C.io.DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
)
for bad in ('|feat 1 2\n', '|feat 1 2 3 4\n', '|feat a b c\n', '0 |lab 9:1 |feat 1 2 3\n', ''):
    open('bad.ctf', 'w').write(bad)
    try:
        r = MinibatchSource(
            CTFDeserializer('bad.ctf', StreamDefs(f=StreamDef('feat', 3), l=StreamDef('lab', 4, True))),
            max_sweeps=1,
            randomize=False,
        ).next_minibatch(2)
        print('read', len(r))
    except Exception as e:
        print(type(e).__name__)
for f in (
    lambda: CTFDeserializer('nofile.ctf', StreamDefs(f=StreamDef('x', 1))),
    lambda: MinibatchSource(CTFDeserializer('nofile.ctf', StreamDefs(f=StreamDef('x', 1)))),
    lambda: MinibatchSource([], max_sweeps=1),
    lambda: MinibatchSource(
        CTFDeserializer('m1.ctf', StreamDefs(f=StreamDef('p', 2))), max_sweeps=1, max_samples=3
    ),
    lambda: StreamDefs(),
    lambda: src.streams.nothing,
):
    try:
        f()
        print('fine')
    except Exception as e:
        print(type(e).__name__)
