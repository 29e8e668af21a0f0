"""npy_reader: a file of NumPy's, 60,000 rows of 784 numbers in the page cache, 188 MB, to the last minibatch
(1,024 rows) of one sweep with a new source; MB a second. `copy`: the same bytes from memory to memory."""

from files import READERS, path_of, sweep
from timing import arguments, cantik_with, np, rate, wanted

args = arguments(minibatch=1024)
C = cantik_with(args.threads)
rows = np.random.RandomState(0).rand(60000, 784).astype(np.float32)
path, other = path_of('rows.npy'), np.empty_like(rows)
np.save(path, rows)


def copy():
    other[:] = rows


calls = {
    name: lambda o=o: sweep(C, C.io.NpyDeserializer({'x': path}), args.minibatch, **o)
    for name, o in READERS.items()
}
for name, call in dict(calls, copy=copy).items():
    if wanted(args, name):
        rate('npy_reader', name, 'MB/s', call, rows.nbytes / 1e6, args)
