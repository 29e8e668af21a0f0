"""plugin_op in PyTorch: y = 2x + 1 in C++ with its gradient, as an autograd function of an extension, in a
chain of 20 on a 1 x 10 tensor, beyond the same chain of a built-in operator of one kernel; microseconds a
call."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, emit, seconds_per_call, wanted

import torch
from torch.utils.cpp_extension import load_inline

CHAIN = 20
args = arguments()
torch.set_num_threads(args.threads)
extension = load_inline(
    'bench_affine',
    cpp_sources=r'''
struct Affine : torch::autograd::Function<Affine> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, torch::Tensor x) {
    torch::Tensor y = torch::empty_like(x);
    const float* from = x.data_ptr<float>();
    float* to = y.data_ptr<float>();
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = 2 * from[i] + 1;
    return y;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext*,
                                               torch::autograd::tensor_list g) {
    torch::Tensor dx = torch::empty_like(g[0]);
    const float* from = g[0].data_ptr<float>();
    float* to = dx.data_ptr<float>();
    for (int64_t i = 0; i < dx.numel(); ++i) to[i] = 2 * from[i];
    return {dx};
  }
};
torch::Tensor affine(torch::Tensor x) { return Affine::apply(x.contiguous()); }
''',
    functions=['affine'],
    extra_cflags=['-O2'],
)
x = torch.linspace(0, 1, 10)[None].requires_grad_()
w = torch.linspace(-1, 1, 10)


def calls(f, length):
    def forward():
        v = x * w
        for _ in range(length):
            v = f(v)
        return v.sum()

    def both():
        x.grad = None
        forward().backward()

    return {'forward': forward, 'both': both}


def per_call(what):
    theirs, none = calls(extension.affine, CHAIN), calls(extension.affine, 0)
    differences = []
    for _ in range(max(args.reps, 3)):
        a, b = (min(seconds_per_call(c[what], args, warmup=200, seconds=0.1)[0]) for c in (theirs, none))
        differences.append((a - b) / CHAIN * 1e6)
    return sorted(differences)


for what in ('forward', 'both'):
    if wanted(args, what):
        emit('plugin_op', what, 'us/call', per_call(what), args.threads)
