"""jpeg_decode: JPEG files in the page cache to [3, 224, 224] of float32, linear, minibatches of 50.

In images a second. `large`: 200 times a picture of 500 x 375 pixels (smooth noise, 4:2:0, quality 90)."""

import tempfile
from pathlib import Path

from timing import arguments, cantik_with, rate, wanted

args = arguments(pictures=200, minibatch=50)
C = cantik_with(args.threads)
picture = Path(__file__).resolve().parents[1] / 'data' / 'noise_500x375.jpg'
scaled = C.io.transforms.scale(width=224, height=224, channels=3, interpolations='linear')


def sweep(path):
    streams = C.io.StreamDefs(
        features=C.io.StreamDef(field='image', transforms=[scaled]),
        labels=C.io.StreamDef(field='label', shape=2),
    )
    source = C.io.MinibatchSource(C.io.ImageDeserializer(path, streams), randomize=False, max_sweeps=1)
    while source.next_minibatch(args.minibatch):
        pass


with tempfile.TemporaryDirectory() as folder:
    path = str(Path(folder) / 'list.txt')
    Path(path).write_text(f'{picture}\t0\n' * args.pictures)
    if wanted(args, 'large'):
        rate('jpeg_decode', 'large', 'images/s', lambda: sweep(path), args.pictures, args, warmup=1)
