"""htk_reader: 600,000 frames of 40 numbers with five on each side, and their labels, from files in the page
cache to the last minibatch (1,024 frames) of one sweep with a new source; frames a second. `frames`: in frame
mode, at random."""

from files import SPEECH, speech, speech_files, sweep
from timing import arguments, cantik_with, rate, wanted

args = arguments(minibatch=1024)
C = cantik_with(args.threads)
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
