"""index_open in CNTK 2.7, which makes the index each time."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, cost

args = arguments()
import cntk as C
from files import large_text, text_streams

C.try_set_default_device(C.cpu())
C.cntk_py.set_max_num_cputhreads(args.threads)
path = large_text()
cost(
    'index_open',
    'open',
    'ms',
    lambda: C.io.MinibatchSource(C.io.CTFDeserializer(path, text_streams(C, 'atis'))),
    1e3,
    args,
    warmup=0,
    seconds=0,
)
os.remove(path)
