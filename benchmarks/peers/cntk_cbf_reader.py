"""cbf_reader in CNTK 2.7."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, rate, wanted

args = arguments(minibatch=1024)
import cntk as C
from files import READERS, binary_file, sweep

C.try_set_default_device(C.cpu())
C.cntk_py.set_max_num_cputhreads(args.threads)
path = binary_file()
size = os.path.getsize(path) / 1e6
for name, options in READERS.items():
    if wanted(args, name):
        rate(
            'cbf_reader',
            name,
            'MB/s',
            lambda o=options: sweep(C, C.io.CBFDeserializer(path), args.minibatch, **o),
            size,
            args,
        )
