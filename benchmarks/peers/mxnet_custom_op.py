"""custom_op in MXNet 1.9.1."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments

args = arguments()
os.environ['OMP_NUM_THREADS'] = str(args.threads)
import mxnet as mx

from custom_op_calls import measure

measure(mx, args)
