"""Pictures from a map file with transforms, joined with a text file of labels, trained by a session."""

import os, zlib, struct
import numpy as np
import cntk as C
import cntk.io.transforms as xforms

C.cntk_py.set_fixed_random_seed(1)
rng = np.random.RandomState(0)


def png(path, a):
    h, w, _ = a.shape
    raw = b''.join((b'\x00' + a[i].tobytes() for i in range(h)))

    def chunk(t, d):
        return struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d) & 4294967295)

    with open(path, 'wb') as f:
        f.write(
            b'\x89PNG\r\n\x1a\n'
            + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(raw))
            + chunk(b'IEND', b'')
        )


os.makedirs('im', exist_ok=True)
with open('map.txt', 'w') as m, open('reg.ctf', 'w') as r:
    for i in range(20):
        k = i % 3
        a = (rng.rand(12, 10 + i % 4, 3) * 100 + 50 * k).astype(np.uint8)
        png('im/%d.png' % i, a)
        m.write('%s\t%d\n' % (os.path.abspath('im/%d.png' % i), k))
        r.write('%d |v %.3f %.3f\n' % (i, k, 1 - k))

tr = (
    [xforms.scale(width=8, height=8, channels=3, interpolations='linear'), xforms.mean('mean.xml')]
    if os.path.exists('mean.xml')
    else [
        xforms.crop(crop_type='center', side_ratio=0.9),
        xforms.scale(width=8, height=8, channels=3, interpolations='linear', scale_mode='fill'),
    ]
)
img = C.io.ImageDeserializer(
    'map.txt',
    C.io.StreamDefs(
        features=C.io.StreamDef(field='image', transforms=tr), labels=C.io.StreamDef(field='label', shape=3)
    ),
)
ctf = C.io.CTFDeserializer('reg.ctf', C.io.StreamDefs(v=C.io.StreamDef('v', 2)))
src = C.io.MinibatchSource([img, ctf], randomize=False, max_sweeps=2)
print([s.m_name for s in src.stream_infos()] and sorted((s.m_name for s in src.stream_infos())))
x, y, v = (C.input_variable((3, 8, 8)), C.input_variable(3), C.input_variable(2))
z = C.layers.Sequential(
    [C.layers.Convolution2D((3, 3), 4, C.relu), C.layers.MaxPooling((2, 2), 2), C.layers.Dense(6, C.relu)]
)(x / 255)
o, r = (C.layers.Dense(3)(z), C.layers.Dense(2)(z))
loss = C.cross_entropy_with_softmax(o, y) + 0.5 * C.squared_error(r, v)
err = C.classification_error(o, y)
t = C.Trainer(
    C.combine([o, r]),
    (loss, err),
    [C.momentum_sgd(loss.parameters, 0.05, 0.9)],
    [C.logging.ProgressPrinter(freq=2, tag='im')],
)
C.training_session(
    trainer=t,
    mb_source=src,
    mb_size=5,
    model_inputs_to_streams={x: src.streams.features, y: src.streams.labels, v: src.streams.v},
    progress_frequency=20,
).train()
src2 = C.io.MinibatchSource(
    C.io.ImageDeserializer(
        'map.txt',
        C.io.StreamDefs(
            f=C.io.StreamDef(field='image', transforms=tr), l=C.io.StreamDef(field='label', shape=3)
        ),
    ),
    randomize=False,
    max_samples=7,
)
mb = src2.next_minibatch(7)
a = mb[src2.streams.f].asarray()
print(
    a.shape,
    '%.3f %.3f' % (a.sum() / 10000.0, a[0, 0].ravel()[3]),
    mb[src2.streams.f].num_samples,
    mb[src2.streams.l].data.is_sparse,
    mb[src2.streams.l].end_of_sweep,
)
