"""htk_reader in CNTK 2.7."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, rate, wanted

args = arguments(minibatch=1024)
import cntk as C
from files import SPEECH, speech, speech_files, sweep

C.try_set_default_device(C.cpu())
C.cntk_py.set_max_num_cputhreads(args.threads)
speech_files()
for name, options in SPEECH.items():
    if wanted(args, name):
        rate(
            'htk_reader',
            name,
            'frames/s',
            lambda o=options: sweep(C, speech(C), args.minibatch, **o),
            600000,
            args,
            warmup=0,
            seconds=0,
        )
