"""gemm_peak in PyTorch (MKL, oneDNN) and NumPy: one product into memory that is there; GFLOP/s."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, np, rate, wanted

args = arguments()
import torch

torch.set_num_threads(args.threads)
rs = np.random.RandomState(0)
with torch.inference_mode():
    for m, k, n in ((1024, 1024, 1024), (2048, 2048, 2048), (256, 576, 96), (32, 256, 1024), (1, 256, 1024)):
        a, b = rs.randn(m, k).astype(np.float32), rs.randn(k, n).astype(np.float32)
        left, right, turned = (
            torch.from_numpy(a),
            torch.from_numpy(b),
            torch.from_numpy(np.ascontiguousarray(b.T)),
        )
        out, array = torch.empty(m, n), np.empty((m, n), np.float32)
        calls = dict(
            mm=lambda: torch.mm(left, right, out=out),
            linear=lambda: torch.nn.functional.linear(left, turned),
            numpy=lambda: np.matmul(a, b, out=array),
        )
        for name, call in calls.items():
            if wanted(args, name):
                rate('gemm_peak', '%s_%dx%dx%d' % (name, m, k, n), 'GFLOP/s', call, 2e-9 * m * k * n, args)
