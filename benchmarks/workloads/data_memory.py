"""data_memory: how much more memory a sweep over data on the disk needs than the process had before.

In megabytes. `pixels` and `words`: text files of 4 GB, of dense rows and of short sequences of sparse rows,
in chunks of 32 MB, in order and at random in a window of 4 chunks; `pictures`: a folder of 100,000 small
ones, at random in a window of 128. Beside each the window (in order it is one chunk) and 64 MB.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import zlib

from files import path_of
from timing import arguments, emit, np, wanted

args = arguments(gigabytes=4.0, pictures=100000)
PIXELS, SIDE = 784, 32
CHUNK = 32 << 20  # bytes of text

SWEEP = """
import json, sys
import cantik as C

kind, path, random = sys.argv[1], sys.argv[2], sys.argv[3] == 'random'
stream, streams = C.io.StreamDef, C.io.StreamDefs
if kind == 'pixels':
    data = C.io.CTFDeserializer(path, streams(x=stream('pixels', 784), y=stream('label', 10, True)))
elif kind == 'words':
    data = C.io.CTFDeserializer(path, streams(x=stream('word', 943, True), y=stream('slot', 129, True)))
else:
    scaled = C.io.transforms.scale(width=32, height=32, channels=3)
    data = C.io.ImageFolderDeserializer(path, streams(x=stream('image', transforms=[scaled])))

def high():
    with open('/proc/self/status') as file:
        return next(int(line.split()[1]) for line in file if line.startswith('VmHWM')) / 1024

with open('/proc/self/clear_refs', 'w') as file:
    file.write('5')  # the peak is counted from now on
before = high()
window = 128 if kind == 'pictures' else 4
source = C.io.MinibatchSource(data, randomize=random, max_sweeps=1, randomization_window_in_chunks=window)
samples = 0
for batch in iter(lambda: source.next_minibatch(1024), {}):
    samples += batch[source.streams.x].num_samples
print(json.dumps([high() - before, samples]))
"""


def pixels():
    rs = np.random.RandomState(0)
    return [
        '|label %d:1 |pixels %s\n' % (i % 10, ' '.join('%.6f' % x for x in rs.randn(PIXELS)))
        for i in range(1000)
    ]


def words():
    """Sequences of 3 to 40 steps; a line without a number goes on with the sequence."""
    rs, lines = np.random.RandomState(0), []
    for _ in range(20000):
        for step in range(rs.randint(3, 41)):
            number = '{number}' if step == 0 else ''
            lines.append('%s |word %d:1 |slot %d:1\n' % (number, rs.randint(943), rs.randint(129)))
    return lines


def text(name, lines):
    """The path of a file of so many gigabytes, in which the lines come again and again under new numbers."""
    path, size, number = path_of(name), 0, 0
    numbered = ''.join(lines).split('{number}')
    with open(path, 'w') as file:
        while size < args.gigabytes * 1e9:
            parts = [numbered[0]]
            for part in numbered[1:]:
                parts += (str(number), part)
                number += 1
            size += file.write(''.join(parts))
    return path


def write_png(path, pixels):
    def part(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    size = struct.pack('>IIBBBBB', pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    rows = b''.join(b'\0' + row.tobytes() for row in pixels)
    with open(path, 'wb') as f:
        f.write(
            b'\x89PNG\r\n\x1a\n'
            + part(b'IHDR', size)
            + part(b'IDAT', zlib.compress(rows))
            + part(b'IEND', b'')
        )


def folder():
    """Ten classes; all pictures of a class are one file under many names."""
    path, rs = path_of('pictures'), np.random.RandomState(0)
    for kind in range(10):
        of_kind = os.path.join(path, str(kind))
        os.makedirs(of_kind)
        first = os.path.join(of_kind, '0.png')
        write_png(first, rs.randint(0, 256, (SIDE, SIDE, 3)).astype(np.uint8))
        for i in range(1, args.pictures // 10):
            os.link(first, os.path.join(of_kind, '%d.png' % i))
    return path


def peaks(kind, path, order):
    command = [sys.executable, '-c', SWEEP, kind, path, order]
    return [json.loads(subprocess.check_output(command))[0] for _ in range(args.reps)]


# Numbers of a chunk of text, in MB: dense ones take four bytes each, sparse rows with a one 12 bytes.
def bytes_of_chunk(lines, per_line):
    text = sum(map(len, lines))
    return CHUNK / text * len(lines) * per_line / 2**20


MADE = {
    'pixels': lambda: (pixels(), 4 * PIXELS + 12),
    'words': lambda: (words(), 2 * 12),
}
for kind, make in MADE.items():
    if not wanted(args, kind):
        continue
    lines, per_line = make()
    path, chunk = text(kind + '.ctf', lines), bytes_of_chunk(lines, per_line)
    for order, chunks in (('in_order', 1), ('random', 4)):
        emit('data_memory', kind + '_' + order, 'MB', peaks(kind, path, order), args.threads, chunk=chunk)
        emit('data_memory', '%s_%s_window_and_64' % (kind, order), 'MB', [chunks * chunk + 64], args.threads)
    os.remove(path)
if wanted(args, 'pictures'):
    path = folder()
    emit('data_memory', 'pictures_random', 'MB', peaks('pictures', path, 'random'), args.threads)
    window = 128 * 3 * SIDE * SIDE * 4 / 2**20
    emit('data_memory', 'pictures_random_window_and_64', 'MB', [window + 64], args.threads)
    shutil.rmtree(path)
