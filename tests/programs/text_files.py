"""Text files in all forms: sparse and dense, missing streams, comments, ids, orders; positions saved and
restored; parts of several workers."""

import numpy as np
import cntk as C
from cntk.io import MinibatchSource, CTFDeserializer, StreamDef, StreamDefs, INFINITELY_REPEAT


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


def show(name, text, defs, sizes=(3, 3, 3), **kw):
    open('d.ctf', 'w').write(text)
    try:
        s = MinibatchSource(CTFDeserializer('d.ctf', StreamDefs(**defs)), **kw)
        for n in sizes:
            mb = s.next_minibatch(n)
            if not mb:
                print(name, 'end')
                break
            line = []
            for k in sorted(defs):
                d = mb[s.streams[k]]
                v = d.asarray() if not d.is_sparse else None
                line.append(
                    (
                        k,
                        d.num_sequences,
                        d.num_samples,
                        d.end_of_sweep,
                        [
                            text(np.asarray(q.todense() if hasattr(q, 'todense') else q))
                            for q in d.as_sequences(
                                C.sequence.input_variable(
                                    defs[k]['dim'] if isinstance(defs[k], dict) else shapes[k],
                                    is_sparse=d.is_sparse,
                                )
                            )
                        ],
                    )
                )
            print(name, line)
    except Exception as e:
        print(name, type(e).__name__)


shapes = dict(a=2, b=4)
D, S = (
    dict(a=StreamDef('x', 2), b=StreamDef('y', 4)),
    dict(a=StreamDef('x', 2), b=StreamDef('y', 4, is_sparse=True)),
)
show(
    'plain',
    '|x 1 2 |y 1 0 0 0\n|x 3 4 |y 0 1 0 0\n|x 5 6 |y 0 0 1 0\n|x 7 8 |y 0 0 0 1\n',
    D,
    randomize=False,
    max_sweeps=1,
    sizes=(2,) * 3,
)
show(
    'sparse',
    '|x 1 2 |y 0:1\n|x 3 4 |y 1:2.5 3:1\n|x 5 6 |y\n|x 7 8 |y 3:-1\n',
    S,
    randomize=False,
    max_sweeps=1,
)
show(
    'ids',
    '0 |x 1 2 |y 0:1\n0 |x 3 4\n1 |y 2:1 |x 5 6\n1 |x 7 8\n1 |x 9 9 \n7 |x 0 0 |y 3:1\n',
    S,
    randomize=False,
    max_sweeps=1,
)
show(
    'comments',
    '|# a comment |x 1 2 |y 0 0 0 1 |z 3 4 5\n|x 3 4 |# other | # here |y 1 0 0 0\n',
    D,
    randomize=False,
    max_sweeps=1,
)
show('tabs', '0\t|x 1\t2\t|y 0 1 0 0\r\n1\t|x +3 -4e-1\t|y 0.5 .5 0 0\r\n', D, randomize=False, max_sweeps=1)
show('few', '|x 1 |y 1 0 0 0\n|x 3 4 |y 0 1 0 0\n', D, randomize=False, max_sweeps=1)
show('many', '|x 1 2 3 |y 1 0 0 0\n|x 3 4 |y 0 1 0 0\n', D, randomize=False, max_sweeps=1)
show('text', '|x 1 a |y 1 0 0 0\n|x 3 4 |y 0 1 0 0\n', D, randomize=False, max_sweeps=1)
show('index', '|x 1 2 |y 9:1\n|x 3 4 |y 0:1\n', S, randomize=False, max_sweeps=1)
show('empty', '', D, randomize=False, max_sweeps=1)
show('nothing', '|z 1\n', D, randomize=False, max_sweeps=1)
show(
    'random',
    ''.join(('|x %d %d |y %d:1\n' % (i, i, i % 4) for i in range(9))),
    S,
    randomize=True,
    max_sweeps=2,
    sizes=(4,) * 6,
)
show(
    'random seq',
    ''.join(('%d |x %d %d |y %d:1\n' % (i // 2, i, i, i % 4) for i in range(12))),
    S,
    randomize=True,
    max_sweeps=1,
    sizes=(4,) * 6,
)
show(
    'samples',
    ''.join(('|x %d %d |y %d:1\n' % (i, i, i % 4) for i in range(9))),
    S,
    randomize=False,
    max_samples=7,
    sizes=(4,) * 3,
)
show(
    'frames',
    ''.join(('%d |x %d %d |y %d:1\n' % (i // 3, i, i, i % 4) for i in range(9))),
    S,
    randomize=False,
    max_sweeps=1,
    frame_mode=True,
    sizes=(4,) * 3,
)
open('d.ctf', 'w').write(''.join(('|x %d %d |y %d:1\n' % (i, i, i % 4) for i in range(10))))


def src():
    return MinibatchSource(
        CTFDeserializer('d.ctf', StreamDefs(**S)), randomize=True, max_sweeps=INFINITELY_REPEAT
    )


s = src()
[s.next_minibatch(3) for _ in range(2)]
state = s.get_checkpoint_state()
a = [s.next_minibatch(3)[s.streams.a].asarray().ravel().tolist() for _ in range(4)]
r = src()
r.restore_from_checkpoint(state)
b = [r.next_minibatch(3)[r.streams.a].asarray().ravel().tolist() for _ in range(4)]
print(a == b, a[0])
x, y = (C.input_variable(2), C.input_variable(4, is_sparse=True))
s = src()
mb = s.next_minibatch(2, {x: s.streams.a, y: s.streams.b})
print(
    sorted((v.num_samples for v in mb.values())),
    (x * 2).eval({x: mb[x]}).tolist(),
    C.times(y, C.constant(np.arange(4).reshape(4, 1))).eval({y: mb[y]}).ravel().tolist(),
)
print(s.is_infinite(), len(s.stream_infos()), s.stream_info('a').m_name)
