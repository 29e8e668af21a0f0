"""cbf_reader: a file in CNTK's binary format in the page cache, 190 MB, to the last minibatch (1,024 samples)
of one sweep with a new source; MB a second. `copy`: the same bytes from memory to memory."""

import os

from files import READERS, binary_file, sweep
from timing import arguments, cantik_with, np, rate, wanted

args = arguments(minibatch=1024)
C = cantik_with(args.threads)
path = binary_file()
size = os.path.getsize(path) / 1e6
given = np.fromfile(path, np.uint8)
other = np.empty_like(given)


def copy():
    other[:] = given


calls = {
    name: lambda o=o: sweep(C, C.io.CBFDeserializer(path), args.minibatch, **o) for name, o in READERS.items()
}
for name, call in dict(calls, copy=copy).items():
    if wanted(args, name):
        rate('cbf_reader', name, 'MB/s', call, size, args)
