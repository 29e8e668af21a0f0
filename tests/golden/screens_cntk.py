#!/usr/bin/env python3
"""Pictures that CNTK 2.7 (with Pillow) makes of two drawn screens: sums of their rows.

    screens_cntk.py screens_cntk.json

tests/python/test_deeprl.py makes the same pictures and compares.
"""

import json
import sys
from pathlib import Path

import numpy as np


def pictures(kind):
    """The window after two screens."""
    random, view = np.random.RandomState(0), kind((210, 160, 3), 2)
    for _ in range(2):
        found = view.preprocess(random.randint(0, 256, (210, 160, 3)).astype(np.uint8))
    return found


if __name__ == '__main__':
    from cntk.contrib.deeprl.agent.shared.preprocessing import AtariPreprocessing

    made = pictures(AtariPreprocessing)
    Path(sys.argv[1]).write_text(
        json.dumps(
            {'rows': made.sum(axis=2).astype(int).tolist(), 'corner': made[:, :4, :6].astype(int).tolist()}
        )
        + '\n'
    )
