"""index_open: a source over ATIS's sentences 320 times over, a text file of 1 GB in the page cache, until it
is open; milliseconds. `first`: the index is made; `second`: it is taken from the file beside the text."""

import os

from files import large_text, text_streams
from timing import arguments, cantik_with, cost, wanted

args = arguments()
C = cantik_with(args.threads)
path = large_text()


def opened(cache_index):
    C.io.MinibatchSource(C.io.CTFDeserializer(path, text_streams(C, 'atis'), cache_index=cache_index))


opened(True)
for name in ('first', 'second'):
    if wanted(args, name):
        cost('index_open', name, 'ms', lambda n=name: opened(n == 'second'), 1e3, args, warmup=0, seconds=0)
os.remove(path)
