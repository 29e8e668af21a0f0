"""gemm_peak: products of float32 matrices through the whole library; GFLOP/s."""

from timing import arguments, cantik_with, np, rate, wanted

args = arguments()
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
for m, k, n in ((1024, 1024, 1024), (2048, 2048, 2048), (256, 576, 96), (32, 256, 1024), (1, 256, 1024)):
    name = '%dx%dx%d' % (m, k, n)
    if wanted(args, name):
        x, W = C.input_variable(k), C.parameter((k, n), init=rs.randn(k, n).astype(np.float32))
        product, rows = C.times(x, W), rs.randn(m, k).astype(np.float32)
        rate(
            'gemm_peak',
            name,
            'GFLOP/s',
            lambda: product.eval({x: rows}, as_numpy=False),
            2e-9 * m * k * n,
            args,
        )
