"""binary_conv: a convolution on bits, 3 x 3, 256 to 256 channels on 14 x 14, padded, float32 in and out;
GFLOP/s of the convolution it stands for.

Weights of one level; activations of one, two or four, packed in each call. `avx2_...` is the same on that
instruction set, in a process of its own.
"""

import os
import subprocess
import sys

from timing import arguments, cantik_with, np, rate, wanted

args = arguments()
if args.variant == 'all' or 'avx2_' in args.variant:
    names = ['avx2_bits1_b%d' % b for b in (1, 16) if wanted(args, 'avx2_bits1_b%d' % b)]
    if names and os.environ.get('CANTIK_ISA') != 'avx2':
        subprocess.run(
            [
                sys.executable,
                sys.argv[0],
                '--threads',
                str(args.threads),
                '--reps',
                str(args.reps),
                '--seconds',
                str(args.seconds),
                '--variant',
                ','.join(names),
            ],
            check=True,
            env=dict(os.environ, CANTIK_ISA='avx2'),
        )
prefix = 'avx2_' if os.environ.get('CANTIK_ISA') == 'avx2' else ''
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
for bits in (1, 2, 4):
    for b in (1, 16):
        name = '%sbits%d_b%d' % (prefix, bits, b)
        if wanted(args, name):
            x, W = (
                C.input_variable((256, 14, 14)),
                C.parameter((256, 256, 3, 3), init=rs.randn(256, 256, 3, 3).astype(np.float32)),
            )
            y, images = (
                C.binary_convolve(W, x, bits=bits, auto_padding=[False, True, True]),
                rs.randn(b, 256, 14, 14).astype(np.float32),
            )
            rate(
                'binary_conv',
                name,
                'GFLOP/s',
                lambda: y.eval({x: images}, as_numpy=False),
                2e-9 * 256 * 256 * 9 * 196 * b,
                args,
            )
