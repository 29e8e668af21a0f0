"""ctf_reader: a text file in the page cache to the last minibatch (1,024 samples) of one sweep with a new
source, its index included, on one core (two with --threads 2); MB of text a second."""

import os

from files import sweep, text_file, text_streams
from timing import arguments, cantik_with, rate, wanted

args = arguments(minibatch=1024)
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])
C = cantik_with(args.threads)
for name in ('dense', 'int', 'atis'):
    if wanted(args, name):
        path = text_file(name)

        def once(path=path, name=name):
            sweep(C, C.io.CTFDeserializer(path, text_streams(C, name)), args.minibatch, randomize=False)

        rate('ctf_reader', name, 'MB/s', once, os.path.getsize(path) / 1e6, args, warmup=1)
