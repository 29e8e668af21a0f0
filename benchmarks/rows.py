"""The rows of the table: which figure of ours stands against which figures of the peers, and what has to be
reached."""

from collections import namedtuple

# variant: (workload, variant) of ours. peers: {peer: regular expression of "workload/variant"}; cantik among
# them: another figure of ours. must, goal: ratios, above 1 where Cantik is better.
Row = namedtuple('Row', 'workload variant metric peers must goal higher')


def row(workload, variant, metric, must, goal, higher=True, **peers):
    return Row(
        workload,
        variant,
        metric,
        {name: '^(%s)$' % pattern for name, pattern in peers.items()},
        must,
        goal,
        higher,
    )


ROWS = [
    row(
        'lr_tour',
        'loop',
        'steps/s',
        1.2,
        2.5,
        torch='lr_tour/.*',
        jax='lr_tour/jax_jit_step',
        cntk='lr_tour/loop_.*',
    ),
    row('lr_tour', 'train', 'steps/s', 0.4, 1.3, jax='lr_tour/jax_scan_sweep', cntk='lr_tour/train_tour'),
    row(
        'mnist_convnet',
        'loop',
        'samples/s',
        1.25,
        1.6,
        torch='mnist_convnet/.*',
        jax='mnist_convnet/.*',
        cntk='mnist_convnet/.*',
    ),
    row(
        'resnet20_cifar',
        'train',
        'samples/s',
        1.0,
        1.15,
        torch='resnet20_cifar/.*',
        cntk='resnet20_cifar/batch_norm',
    ),
    *(
        row(
            'resnet20_infer',
            b,
            'samples/s',
            0.9,
            1.0,
            onnxruntime='resnet20_infer/ort_' + b,
            openvino='resnet20_infer/ov_.*_' + b,
            torch='resnet20_infer/.*_' + b,
            cntk='resnet20_infer/.*_' + b,
        )
        for b in ('b64', 'b1')
    ),
    row(
        'eval_latency',
        'mlp_eval',
        'us p50',
        1.0,
        1.7,
        higher=False,
        onnxruntime='eval_latency/mlp_.*',
        openvino='eval_latency/mlp_ov_.*',
        torch='eval_latency/mlp_.*',
        cntk='eval_latency/mlp_.*',
    ),
    row(
        'eval_latency',
        'convnet_eval',
        'us p50',
        1.0,
        1.1,
        higher=False,
        onnxruntime='eval_latency/convnet_.*',
        openvino='eval_latency/convnet_ov_.*',
        torch='eval_latency/convnet_.*',
        cntk='eval_latency/convnet_.*',
    ),
    row(
        'tiny_step',
        'grad',
        'us/node',
        4,
        11,
        higher=False,
        torch='tiny_step/(?!.*forward_only).*',
        jax='tiny_step/.*',
        cntk='tiny_step/(forward_backward|grad|train_minibatch)',
    ),
    row(
        'user_function',
        'arrays_forward',
        'us/call',
        3.5,
        8,
        higher=False,
        torch='user_function/autograd_function_numpy_forward',
        cntk='user_function/user_function_forward',
    ),
    row(
        'user_function',
        'arrays_both',
        'us/call',
        3.5,
        8,
        higher=False,
        torch='user_function/autograd_function_numpy_both',
        cntk='user_function/user_function_both',
    ),
    *(
        row(
            'adam_1m',
            '%s_%s' % (learner, layout),
            'ms/step',
            1.0,
            1.2,
            higher=False,
            torch='adam_1m/%s_%s_.*' % (learner, layout),
        )
        for learner in ('sgd', 'momentum', 'adam')
        for layout in ('split', 'single')
    ),
    *(
        row(
            'gemm_peak',
            size,
            'GFLOP/s',
            must,
            must,
            torch='gemm_peak/.*_%s' % size,
            cntk='gemm_peak/gemm%s' % size.split('x')[0] if size.startswith(('1024', '2048')) else 'none',
        )
        for size, must in (
            ('1024x1024x1024', 1.0),
            ('2048x2048x2048', 1.0),
            ('256x576x96', 1.0),
            ('32x256x1024', 1.5),
            ('1x256x1024', 1.5),
        )
    ),
    *(
        row('binary_conv', '%s%s_b%d' % (isa, bits, b), 'GFLOP/s', must, goal, torch='binary_conv/.*_b%d' % b)
        for isa, bits, must, goal in (
            ('', 'bits1', 6, 10),
            ('', 'bits2', 3, 5),
            ('', 'bits4', 1.5, 2.5),
            ('avx2_', 'bits1', 2.5, 4),
        )
        for b in (1, 16)
    ),
    row('lstm_skewed', 'train', 'frames/s', 2.2, 3, torch='lstm_skewed/padded(?!_bucketed).*'),
    row('lstm_skewed', 'train', 'frames/s', 2, 2.7, torch='lstm_skewed/packed'),
    row('lstm_skewed', 'train', 'frames/s', 0.95, 1.2, torch='lstm_skewed/.*_bucketed'),
    row('lstm_skewed', 'train', 'frames/s', 1.7, 2.2, cntk='lstm_skewed/.*'),
    row('lstm_equal', 'train', 'frames/s', 1, 1.1, torch='lstm_equal/.*', cntk='lstm_equal/.*'),
    row('gru_skewed', 'train', 'frames/s', 1.6, 2.2, torch='gru_skewed/packed', cntk='gru_skewed/.*'),
    row(
        'custom_cell',
        'train',
        'frames/s',
        1.5,
        2.2,
        torch='custom_cell/.*',
        jax='custom_cell/.*',
        cntk='custom_cell/.*',
    ),
    row(
        'lstm_small',
        'train',
        'frames/s',
        2.5,
        6,
        torch='lstm_small/(?!.*_bucketed).*',
        jax='lstm_small/(?!.*_bucketed).*',
        cntk='lstm_small/(?!.*_bucketed).*',
    ),
    row(
        'lstm_small',
        'train',
        'frames/s',
        2.5,
        6,
        torch='lstm_small/.*_bucketed',
        jax='lstm_small/.*_bucketed',
        cntk='lstm_small/.*_bucketed',
    ),
    row(
        'custom_cell_small',
        'train',
        'frames/s',
        2.5,
        6,
        torch='custom_cell_small/.*',
        jax='custom_cell_small/(?!.*_bucketed).*',
        cntk='custom_cell_small/(?!.*_bucketed).*',
    ),
    row(
        'custom_cell_small',
        'train',
        'frames/s',
        2.5,
        6,
        jax='custom_cell_small/.*_bucketed',
        cntk='custom_cell_small/.*_bucketed',
    ),
    row('atis_tagging', 'mb70', 'words/s', 1.8, 2.3, cntk='atis_tagging/mb70'),
    row('atis_tagging', 'mb1000', 'words/s', 1.6, 2, cntk='atis_tagging/mb1000'),
    row(
        'lstm_stream',
        'session',
        'us p50',
        1.5,
        3,
        higher=False,
        torch='lstm_stream/.*',
        onnxruntime='lstm_stream/.*',
        cntk='lstm_stream/.*',
    ),
    row('user_learner', 'views', 'ms/step', 3, 5, higher=False, cntk='user_learner/numpy'),
    row(
        'user_learner',
        'universal',
        'ms/step',
        1.0,
        1.0,
        higher=False,
        cantik='user_learner/builtin_sgd',
        cntk='user_learner/(graph|fast)',
    ),
    row('user_source', 'session', 'samples/s', 0.97, 1.0, cantik='user_source/arrays'),
    row('user_source', 'ahead', 'samples/s', 0.97, 1.0, cantik='user_source/arrays'),
    *(
        row('ctf_reader', kind, 'MB/s', must, goal, cntk='ctf_reader/' + kind)
        for kind, must, goal in (('dense', 3.5, 5), ('int', 3, 4.5), ('atis', 4.5, 8))
    ),
    row('index_open', 'second', 'ms', 20, 100, higher=False, cntk='index_open/open'),
    *(
        row('data_memory', kind, 'MB', 1, 1, higher=False, cantik='data_memory/%s_window_and_64' % kind)
        for kind in ('pixels_in_order', 'pixels_random', 'words_in_order', 'words_random', 'pictures_random')
    ),
    *(
        row('npy_reader', order, 'MB/s', 0.5, 0.8, cantik='npy_reader/copy')
        for order in ('in_order', 'random')
    ),
    *(
        row(
            'file_training',
            name,
            'samples/s',
            0.95,
            0.99,
            cantik='file_training/%s_memory' % name.split('_')[0],
        )
        for name in ('mnist_ctf', 'cifar_jpeg', 'atis_ctf')
    ),
    *(
        row('checkpoint', which, 'ms', 1 / 0.2, 1 / 0.05, higher=False, cantik='checkpoint/write')
        for which in ('first', 'later')
    ),
    row('progress', 'told', 'samples/s', 1 / 1.02, 1 / 1.005, cantik='progress/silent'),
    row('cbf_reader', 'in_order', 'MB/s', 0.5, 0.8, cantik='cbf_reader/copy'),
    row('cbf_reader', 'random', 'MB/s', 3, 8, cntk='cbf_reader/random'),
    *(
        row('htk_reader', order, 'frames/s', 3, 8, cntk='htk_reader/' + order)
        for order in ('in_order', 'random', 'frames')
    ),
    row(
        'jpeg_decode',
        'large',
        'images/s',
        1.0,
        1.5,
        misc='jpeg_decode/large_(simplejpeg_cv2|opencv|pillow)',
    ),
    *(
        row('model_load', form, 'ms', 1 / 1.5, 1 / 1.1, higher=False, cantik='model_load/copy')
        for form in ('v2', 'onnx')
    ),
    row('model_load', 'onnx', 'ms', 1, 2, higher=False, onnxruntime='model_load/.*'),
    *(
        row('model_load', form + '_memory', 'MB', 1, 1, higher=False, cantik='model_load/file_and_16')
        for form in ('v2', 'onnx')
    ),
    row('step_memory', 'loop', 'MB', 1 / 0.8, 1 / 0.5, higher=False, torch='step_memory/.*'),
    row('plugin_op', 'forward', 'us/call', 10, 53, higher=False, torch='plugin_op/forward'),
    row('plugin_op', 'both', 'us/call', 10, 53, higher=False, torch='plugin_op/both'),
    *(
        row(
            'custom_op',
            '%s_%s' % (body, what),
            'us/call',
            10,
            25,
            higher=False,
            mxnet='custom_op/%s_%s' % (body, what),
        )
        for body in ('empty', 'numpy')
        for what in ('forward', 'both')
    ),
    row(
        'cold_start',
        'cantik',
        'ms',
        1.0,
        1.0,
        higher=False,
        torch='cold_start/torch',
        onnxruntime='cold_start/onnxruntime',
        cntk='cold_start/import',
    ),
]

# Each program: who it belongs to, its file, further arguments. Peers' programs lie in the folder of peers.
OURS = [
    'lr_tour',
    'mnist_convnet',
    'resnet20',
    'eval_latency',
    'tiny_step',
    'user_function',
    'adam_1m',
    'gemm_peak',
    'binary_conv',
    'lstm_skewed',
    'lstm_equal',
    'gru_skewed',
    'custom_cell',
    'lstm_small',
    'custom_cell_small',
    'atis_tagging',
    'new_length',
    'lstm_stream',
    'user_learner',
    'user_source',
    'ctf_reader',
    'index_open',
    'data_memory',
    'npy_reader',
    'file_training',
    'checkpoint',
    'progress',
    'cbf_reader',
    'htk_reader',
    'jpeg_decode',
    'model_load',
    'step_memory',
    'plugin_op',
    'custom_op',
    'cold_start',
    'compile',
]
ALONE = (  # one thread says it all
    'new_length',
    'index_open',
    'data_memory',
    'checkpoint',
    'model_load',
    'step_memory',
    'cold_start',
    'compile',
)
PEERS = {
    'torch': [
        ('lr_tour', []),
        (
            'mnist_convnet',
            ['--variant', 'eager,eager_channels_last,eager_fused_sgd,compile,compile_channels_last'],
        ),
        ('resnet20', []),
        ('eval_latency', []),
        ('tiny_step', []),
        ('adam_1m', []),
        ('gemm_peak', []),
        ('binary_conv', ['--variant', 'eager,eager_channels_last,jit_frozen']),
        ('step_memory', []),
        ('plugin_op', []),
        ('user_function', ['--variant', 'autograd_function,autograd_function_numpy']),
    ],
    'jax': [
        ('lr_tour', ['--workload', 'lr_tour']),
        ('tiny_step', ['--workload', 'tiny_step']),
        ('mnist_convnet', []),
    ],
    'onnxruntime': [('eval_latency', []), ('model_load', [])],
    'openvino': [('eval_latency', [])],
    'cntk': [
        ('lr_tour', []),
        ('mnist_convnet', ['--minibatches', '20']),
        ('resnet20', ['--variant', 'batch_norm,infer_batch_norm']),
        ('eval_latency', []),
        ('tiny_step', []),
        ('user_function', ['--variant', 'user_function,user_function_values']),
        ('cold_start', ['--variant', 'cold_start']),
        ('gemm_peak', ['--variant', 'gemm1024,gemm2048']),
        ('ctf_reader', []),
        ('index_open', []),
        ('cbf_reader', []),
        ('htk_reader', []),
    ],
    'misc': [('cold_start', []), ('jpeg_decode', [])],
    'mxnet': [('custom_op', [])],
}
# Workloads that one program of ours measures: its file, its arguments.
PROGRAMS = {
    name: ('recurrent', ['--workload', name])
    for name in ('lstm_skewed', 'lstm_equal', 'gru_skewed', 'custom_cell', 'lstm_small', 'custom_cell_small')
}
# Compiled recurrences of PyTorch take minutes and are slower than these.
_TORCH = {
    'lstm_skewed': 'padded,padded_time_major,packed,padded_bucketed,packed_bucketed',
    'lstm_equal': 'padded,padded_time_major,packed',
    'gru_skewed': 'padded_time_major,packed',
    'custom_cell': 'eager_by_hand,jit_script',
    'lstm_small': 'padded,padded_time_major,packed,padded_bucketed,packed_bucketed',
    'custom_cell_small': 'eager_by_hand,jit_script,compile_cell',
}
for _name in PROGRAMS:
    PEERS['torch'].append((_name, ['--workload', _name, '--variant', _TORCH[_name]]))
    PEERS['cntk'].append((_name, ['--workload', _name]))
for _name in ('custom_cell', 'lstm_small', 'custom_cell_small'):
    PEERS['jax'].append((_name, ['--workload', _name]))
for _peer in ('torch', 'jax', 'cntk'):
    PEERS[_peer].append(('new_length', []))
for _peer in ('torch', 'onnxruntime', 'cntk'):
    PEERS[_peer].append(('lstm_stream', []))
PEERS['cntk'].append(('atis_tagging', []))
PEERS['cntk'].append(('user_learner', ['--variant', 'builtin_sgd,numpy,graph,fast']))
# Where a peer's program has another name than the workload.
FILES = {
    ('jax', 'lr_tour'): 'jax/small.py',
    ('jax', 'tiny_step'): 'jax/small.py',
    ('jax', 'mnist_convnet'): 'jax/convnet.py',
    ('cntk', 'cold_start'): 'cntk/small.py',
    ('cntk', 'gemm_peak'): 'cntk/small.py',
}
for _name in PROGRAMS:
    _file = (
        'recurrent_small' if _name.endswith('small') else 'custom_cell' if _name == 'custom_cell' else 'lstm'
    )
    FILES.update(
        {
            ('torch', _name): 'torch/%s.py' % _file,
            ('jax', _name): 'jax/recurrent_small.py' if _name.endswith('small') else 'jax/recurrent.py',
            ('cntk', _name): 'cntk/recurrent_small.py' if _name.endswith('small') else 'cntk/lstm.py',
        }
    )
