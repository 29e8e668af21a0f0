"""ctf_reader in CNTK 2.7."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, rate, wanted

args = arguments(minibatch=1024)
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])
import cntk as C
from files import sweep, text_file, text_streams

C.try_set_default_device(C.cpu())
C.cntk_py.set_max_num_cputhreads(args.threads)
for name in ('dense', 'int', 'atis'):
    if wanted(args, name):
        path = text_file(name)

        def once(path=path, name=name):
            sweep(C, C.io.CTFDeserializer(path, text_streams(C, name)), args.minibatch, randomize=False)

        rate('ctf_reader', name, 'MB/s', once, os.path.getsize(path) / 1e6, args, warmup=0)
