"""One worker of benchmarks/distributed/bench.py: `worker.py CASE SIDE`. The first prints a line of JSON."""

import json
import sys

if __name__ == '__main__':
    case, side = sys.argv[1:3]
    if side == 'torch':
        from torch_side import Torch

        program = Torch()
    else:
        from cntk_side import Cntk

        program = Cntk(side)
    found = getattr(program, case)()
    if program.rank == 0:
        print(json.dumps(found), flush=True)
    program.finish()
