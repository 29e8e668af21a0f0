"""Networks of Caffe: files, layers (against Caffe's formulas written out, and CNTK 2.7's results), and files
that are no such thing."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import cntk as C
from caffe_files import caffemodel, close, convolved, field, layer, net, numbers, pooled, varint
from cantik.contrib.crosstalkcaffe.adapter.bvlccaffe import prototxt, weights
from cntk.contrib.crosstalkcaffe import CaffeConverter, utils
from cntk.contrib.crosstalkcaffe.adapter import ADAPTER_DICT
from cntk.contrib.crosstalkcaffe.adapter.baseadapter import Adapter
from cntk.contrib.crosstalkcaffe.unimodel import cntkmodel
from cntk.contrib.crosstalkcaffe.unimodel.cntkinstance import ApiSetup, BlockApiSetup, CntkApiInstance
from cntk.contrib.crosstalkcaffe.utils import globalconf
from cntk.contrib.crosstalkcaffe.validation.validcore import Validator

GOLDEN = Path(__file__).resolve().parents[1] / 'golden' / 'caffemodel'


@pytest.fixture
def convert(tmp_path):
    """A network of a prototxt and arrays."""

    def made(text, arrays=None, source=None, model=None, **options):
        (tmp_path / 'net.prototxt').write_text(text)
        (tmp_path / 'net.caffemodel').write_bytes(caffemodel(arrays or {}, **options))
        source = dict(
            {
                'Source': 'Caffe',
                'ModelPath': str(tmp_path / 'net.prototxt'),
                'WeightsPath': str(tmp_path / 'net.caffemodel'),
            },
            **source or {},
        )
        (tmp_path / 'net.json').write_text(json.dumps({'SourceSolver': source, 'ModelSolver': model or {}}))
        return CaffeConverter.from_model(str(tmp_path / 'net.json'))

    return made


class TestLayers:
    X = numbers((3, 7, 8), 0)

    @pytest.mark.parametrize(
        'kernel, stride, pad, dilation, group',
        [
            ((3, 3), (1, 1), (0, 0), (1, 1), 1),
            ((3, 3), (1, 1), (1, 1), (1, 1), 1),
            ((3, 5), (2, 1), (1, 2), (1, 1), 1),
            ((2, 4), (2, 3), (1, 3), (1, 1), 1),
            ((3, 3), (2, 2), (1, 1), (1, 1), 3),
            ((3, 2), (1, 2), (2, 1), (2, 3), 1),
            ((1, 1), (1, 1), (0, 0), (1, 1), 3),
            ((7, 8), (1, 1), (0, 0), (1, 1), 1),
            ((3, 3), (1, 1), (2, 2), (2, 2), 3),
        ],
    )
    @pytest.mark.parametrize('bias', [True, False])
    def test_convolution(self, convert, kernel, stride, pad, dilation, group, bias):
        W, b = numbers((6, 3 // group, *kernel), 1), numbers((6,), 2) if bias else np.zeros(6)
        options = (
            'num_output: 6 kernel_h: {} kernel_w: {} stride_h: {} stride_w: {} pad_h: {} pad_w: {} '
            'dilation: {} dilation: {} group: {} bias_term: {}'
        ).format(*kernel, *stride, *pad, *dilation, group, str(bias).lower())
        z = convert(net(layer('Convolution', options)), {'y': [W, b] if bias else [W]})
        close(z, self.X, convolved(self.X, W, b, stride, pad, dilation, group))

    @pytest.mark.parametrize('kind', ['MAX', 'AVE'])
    @pytest.mark.parametrize(
        'kernel, stride, pad',
        [
            ((2, 2), (2, 2), (0, 0)),
            ((3, 3), (2, 2), (0, 0)),
            ((3, 3), (2, 2), (1, 1)),
            ((3, 2), (1, 3), (2, 1)),
            ((3, 3), (1, 1), (1, 1)),
            ((5, 4), (3, 3), (2, 0)),
            ((2, 2), (3, 3), (1, 1)),
            ((7, 8), (1, 1), (0, 0)),
        ],
    )
    def test_pooling(self, convert, kind, kernel, stride, pad):
        options = 'pool: {} kernel_h: {} kernel_w: {} stride_h: {} stride_w: {} pad_h: {} pad_w: {}'.format(
            kind, *kernel, *stride, *pad
        )
        for x in (self.X, self.X - 5):  # the padding is no number of a maximum
            z = convert(net(layer('Pooling', options)))
            close(z, x, pooled(x, kind, kernel, stride, pad))

    def test_fields_for_both_axes(self, convert):
        options = 'num_output: 2 kernel_size: 3 kernel_size: 2 stride: 2 pad: 1'
        W, b = numbers((2, 3, 3, 2), 0), np.zeros(2)
        z = convert(net(layer('Convolution', options)), {'y': [W, b]})
        close(z, self.X, convolved(self.X, W, b, (2, 2), (1, 1), (1, 1), 1))
        close(
            convert(net(layer('Pooling', 'kernel_size: 3 stride: 2'))),
            self.X,
            pooled(self.X, 'MAX', (3, 3), (2, 2), (0, 0)),
        )
        close(
            convert(net(layer('Pooling', 'pool: AVE global_pooling: true'))),
            self.X,
            self.X.mean((1, 2), keepdims=True),
        )

    def test_batch_normalization(self, convert):
        mean, variance = numbers((3,), 1), numbers((3,), 2) ** 2 + 1
        for factor in (1, 4, 0):
            by = 1 / factor if factor else 0
            y = (self.X - by * mean[:, None, None]) / np.sqrt(by * variance[:, None, None] + 1e-5)
            z = convert(net(layer('BatchNorm')), {'y': [mean, variance, [factor]]})
            close(z, self.X, y)
            scale, bias = numbers((3,), 3), numbers((3,), 4)
            both = net(layer('BatchNorm', 'eps: 0.1') + layer('Scale', 'bias_term: true', 'y', 's'))
            z = convert(both, {'y': [mean, variance, [factor]], 's': [scale, bias]})
            y = (self.X - by * mean[:, None, None]) / np.sqrt(by * variance[:, None, None] + 0.1)
            close(z, self.X, y * scale[:, None, None] + bias[:, None, None])
            assert z.find_by_name('y') is not None and z.find_by_name('s') is None  # one operator for both

    def test_a_factor_for_each_channel(self, convert):
        scale, bias = numbers((3,), 3), numbers((3,), 4)
        y = self.X * scale[:, None, None]
        close(convert(net(layer('Scale')), {'y': [scale]}), self.X, y)
        close(
            convert(net(layer('Scale', 'bias_term: true')), {'y': [scale, bias]}),
            self.X,
            y + bias[:, None, None],
        )

    def test_a_normalization_that_others_read_stays_unscaled(self, convert):
        mean, variance, scale = numbers((3,), 1), numbers((3,), 2) ** 2 + 1, numbers((3,), 3)
        text = net(layer('BatchNorm') + layer('Scale', '', 'y', 's') + layer('Eltwise', '', 'y s', 'sum'))
        y = (self.X - mean[:, None, None]) / np.sqrt(variance[:, None, None] + 1e-5)
        close(
            convert(text, {'y': [mean, variance, [1]], 's': [scale]}), self.X, y * (1 + scale[:, None, None])
        )

    @pytest.mark.parametrize('size', [1, 3, 5, 7])
    def test_neighbouring_channels(self, convert, size):
        x = numbers((6, 2, 3), 0)
        near = np.pad(x**2, ((size // 2,) * 2, (0, 0), (0, 0)))
        sums = sum(near[i : i + 6] for i in range(size))
        z = convert(net(layer('LRN', f'local_size: {size} alpha: 0.5 beta: 0.6 k: 2'), (6, 2, 3)))
        close(z, x, x / (2 + 0.5 / size * sums) ** 0.6)

    def test_products(self, convert):
        W, b = numbers((4, 168), 0), numbers((4,), 1)
        flat = self.X.ravel()
        z = convert(net(layer('InnerProduct', 'num_output: 4')), {'y': [W, b]})
        close(z, self.X, W @ flat + b)
        z = convert(
            net(layer('InnerProduct', 'num_output: 4 bias_term: false transpose: true')), {'y': [W.T]}
        )
        close(z, self.X, W @ flat)

    def test_of_each_number(self, convert):
        close(convert(net(layer('ReLU'))), self.X, np.maximum(self.X, 0))
        close(
            convert(net(layer('ReLU', 'negative_slope: 0.25'))),
            self.X,
            np.where(self.X > 0, self.X, self.X / 4),
        )
        close(convert(net(layer('Dropout', 'dropout_ratio: 0.3'))), self.X, self.X)
        e = np.exp(self.X)
        close(convert(net(layer('Softmax'))), self.X, e / e.sum(0))

    def test_of_several(self, convert):
        relu = layer('ReLU', name='r')
        positive = np.maximum(self.X, 0)
        close(
            convert(net(relu + layer('Eltwise', 'operation: SUM', 'data r r'))), self.X, self.X + 2 * positive
        )
        for axis in (1, 2, 3, -1):
            z = convert(net(relu + layer('Concat', f'axis: {axis}', 'data r')))
            close(z, self.X, np.concatenate([self.X, positive], axis - 1 if axis > 0 else axis))


class TestNetworks:
    @pytest.fixture
    def golden(self):
        return json.loads((GOLDEN / 'outputs.json').read_text())

    def _converted(self, tmp_path):
        source = {
            'Source': 'Caffe',
            'ModelPath': str(GOLDEN / 'small.prototxt'),
            'Phase': 0,
            'WeightsPath': str(GOLDEN / 'small.caffemodel'),
        }
        path = tmp_path / 'small.json'
        model = {'CntkModelPath': str(tmp_path / 'small.model')}
        path.write_text(json.dumps({'SourceSolver': source, 'ModelSolver': model}))
        CaffeConverter.from_model(str(path))
        return C.load_model(model['CntkModelPath'])

    def test_as_cntk(self, tmp_path, golden):
        z = self._converted(tmp_path)
        assert (
            z.name == 'outputs'
            and [v.name for v in z.arguments] == ['data']
            and [v.name for v in z.outputs] == ['prob']
        )
        assert {p.name: list(p.shape) for p in z.parameters} == golden['parameters']
        for name, expected in golden['outputs'].items():
            found = C.combine(z.find_by_name(name)).eval({z.arguments[0]: numbers((2, 3, 8, 9), 0)})
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=name)

    def test_it_learns_on(self, tmp_path):
        z = self._converted(tmp_path)
        logits, labels = C.combine(z.find_by_name('fc')), C.input_variable(5)
        x, y = numbers((20, 3, 8, 9), 0), np.eye(5, dtype=np.float32)[np.arange(20) % 5]
        loss = C.cross_entropy_with_softmax(logits, labels)
        trainer = C.Trainer(z, loss, C.adam(z.parameters, 0.05, 0.9))
        losses = []
        for _ in range(60):
            trainer.train_minibatch(
                {loss.arguments[0]: x, labels: y}
                if loss.arguments[0] != labels
                else {loss.arguments[1]: x, labels: y}
            )
            losses.append(trainer.previous_minibatch_loss_average)
        assert losses[-1] < 0.5 * losses[0]

    def test_old_files(self, convert):
        W, b = numbers((2, 3, 3, 3), 0), numbers((2,), 1)
        text = '''name: "old" input: "data" input_dim: 10 input_dim: 3 input_dim: 7 input_dim: 8
            layers { name: "y" type: CONVOLUTION bottom: "data" top: "y" blobs_lr: 1 blobs_lr: 2
                     convolution_param { num_output: 2 kernel_size: 3 } }
            layers { name: "r" type: RELU bottom: "y" top: "y" }'''
        expected = np.maximum(convolved(TestLayers.X, W, b, (1, 1), (0, 0), (1, 1), 1), 0)
        for options in (
            dict(old=True),
            dict(old=True, packed=False),
            {},
            dict(doubles=True),
            dict(doubles=True, packed=False),
        ):
            close(convert(text, {'y': [W, b]}, **options), TestLayers.X, expected)

    def test_layers_in_place(self, convert):
        text = net(
            layer('InnerProduct', 'num_output: 2', name='a').replace('top: "a"', 'top: "h"')
            + 'layer { name: "b" type: "ReLU" bottom: "h" top: "h" }'
            + 'layer { name: "c" type: "ReLU" bottom: "h" top: "h" }'
            + layer('Eltwise', '', 'h h', 's'),
            (2,),
        )
        z = convert(text, {'a': [np.eye(2), [0, -1]]})
        close(z, np.array([3, -4], np.float32), [6, 0])
        assert [v.name for v in z.outputs] == ['s']

    def test_all_ends_are_outputs(self, convert):
        z = convert(net(layer('ReLU', name='a') + layer('ReLU', 'negative_slope: 1', name='b'), (2,)))
        assert [v.name for v in z.outputs] == ['a', 'b']

    TRAINED = '''
        layer {
          name: "d" type: "Data" top: "data" top: "label"
          include { phase: TRAIN } data_param { batch_size: 4 }
        }
        layer {
          name: "d" type: "Data" top: "data" top: "label"
          include { phase: TEST } data_param { batch_size: 9 }
        }
        layer {
          name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
          inner_product_param { num_output: 2 }
        }
        layer {
          name: "accuracy" type: "Accuracy" bottom: "fc" bottom: "label" top: "accuracy"
          include { phase: TEST }
        }
        layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'''

    def test_of_a_network_for_training_what_is_for_use(self, convert):
        arrays = {'fc': [np.eye(2), [0, 1]]}
        for phase, names in ((None, ['accuracy', 'loss']), (1, ['accuracy', 'loss']), (0, ['loss'])):
            with pytest.warns(UserWarning) as told:
                z = convert(self.TRAINED, arrays, source={'Tensor': {'data': [2]}, 'Phase': phase})
            assert [str(w.message).split()[1] for w in told if 'left out' in str(w.message)] == names
            close(z, np.array([3, 4], np.float32), [3, 5])
            assert [v.name for v in z.arguments] == ['data']

    def test_a_shape_that_is_not_told(self, convert):
        with pytest.raises(
            ValueError, match="layer 'fc' of the kind InnerProduct: .*shape of its input data"
        ):
            convert(self.TRAINED, {'fc': [np.eye(2), [0, 1]]})

    def test_phases(self, convert):
        rules = {
            'a': 'include { phase: TRAIN }',
            'b': 'include { phase: TEST }',
            'c': 'exclude { phase: TEST }',
            'd': 'include { phase: TRAIN } include { phase: TEST }',
            'e': 'include { stage: "deploy" }',
        }
        text = net(
            ''.join(
                'layer {{ name: "{0}" type: "ReLU" bottom: "data" top: "{0}" {1} }}'.format(*i)
                for i in rules.items()
            ),
            (2,),
        )
        assert [v.name for v in convert(text).outputs] == ['b', 'd']
        assert [v.name for v in convert(text, source={'Phase': 0}).outputs] == ['a', 'c', 'd']

    def test_another_shape(self, convert):
        z = convert(net(layer('ReLU')), model={'CntkTensor': {'data': [3, 20, 20]}})
        assert z.shape == (3, 20, 20)

    def test_what_is_written(self, convert, tmp_path):
        z = convert(net(layer('ReLU'), (2,)), model={'CntkModelPath': str(tmp_path / 'm')})
        close(
            C.load_model(str(tmp_path / 'm')),
            np.array([-1, 2], np.float32),
            z(np.array([[-1, 2]], np.float32))[0],
        )

    def test_nothing_is_printed(self, convert, capfd):
        convert(net(layer('ReLU')))
        assert capfd.readouterr() == ('', '')


class TestWhatIsWrong:
    @pytest.mark.parametrize(
        'text, error, told',
        [
            (
                net(layer('ReLU').replace('ReLU', 'Sigmoid')),
                NotImplementedError,
                "layer 'y' of the kind Sigmoid: Sigmoid is unknown",
            ),
            (
                net(layer('Eltwise', 'operation: PROD', 'data data')),
                NotImplementedError,
                'Eltwise_PROD is unknown',
            ),
            (net(layer('Eltwise', 'coeff: 1 coeff: -1', 'data data')), NotImplementedError, 'coefficients'),
            (net(layer('Eltwise')), ValueError, 'a sum needs at least two operands, and has 1'),
            (net(layer('Softmax', 'axis: 2')), NotImplementedError, 'axis'),
            (net(layer('InnerProduct', 'num_output: 2 axis: 2')), NotImplementedError, 'axis'),
            (net(layer('LRN', 'norm_region: WITHIN_CHANNEL')), NotImplementedError, 'within channels'),
            (net(layer('Pooling', 'pool: STOCHASTIC kernel_size: 2')), NotImplementedError, 'STOCHASTIC'),
            (
                net(layer('Pooling', 'kernel_size: 2 pad: 2')),
                ValueError,
                'the padding must be smaller than the window of 2, and is 2',
            ),
            (net(layer('Pooling', 'kernel_size: 20')), ValueError, 'does not fit'),
            (net(layer('Convolution', 'num_output: 2 kernel_size: 20')), ValueError, 'does not fit'),
            (net(layer('Convolution', 'num_output: 2')), ValueError, 'kernel_size has to be a whole number'),
            (net(layer('Convolution', 'num_output: 2 kernel_size: 0')), ValueError, 'at least 1'),
            (net(layer('Convolution', 'num_output: 2 kernel_size: 1.5')), ValueError, 'whole number'),
            (net(layer('Convolution', 'num_output: 2 kernel_size: "3"')), ValueError, 'whole number'),
            (net(layer('Convolution', 'num_output: true kernel_size: 3')), ValueError, 'whole number'),
            (
                net(layer('Convolution', 'num_output: 2 kernel_size: 1 kernel_size: 1 kernel_size: 1')),
                ValueError,
                'two axes',
            ),
            (
                net(layer('Convolution', 'num_output: 2 kernel_size: 3'), (3,)),
                ValueError,
                'channels, height, width',
            ),
            (net(layer('LRN', 'local_size: 4')), ValueError, 'odd'),
            (net(layer('ReLU', bottom='nothing')), ValueError, 'no layer before it makes nothing'),
            (net(layer('ReLU') + layer('ReLU')), ValueError, 'two layers'),
            (net('layer { name: "y" type: "ReLU" bottom: "data" top: "y" top: "z" }'), ValueError, 'tops'),
            (net('layer { name: "y" type: "ReLU" top: "y" }'), ValueError, 'bottoms'),
            (net(layer('Concat', 'axis: 9', 'data data')), ValueError, 'cannot be joined'),
            (net(layer('Concat', 'axis: 0', 'data data')), ValueError, 'cannot be joined'),
            (
                net(layer('Pooling', 'kernel_size: 2', name='p') + layer('Eltwise', '', 'data p')),
                ValueError,
                'one shape',
            ),
            (net(''), ValueError, 'no layers'),
            ('', ValueError, 'no layers'),
            (net(layer('Convolution', 'num_output: 2 kernel_size: 3 group: 2')), ValueError, 'groups'),
            (net(layer('Convolution', 'num_output: 2 kernel_size: 3')), ValueError, 'has 0 arrays'),
            (net(layer('InnerProduct', 'num_output: 1000000000000')), ValueError, 'whole number'),
            (net(layer('BatchNorm')), ValueError, 'has 0 arrays'),
            (net(layer('Scale')), ValueError, 'no numbers'),
            ('layer: 3', ValueError, 'has to be a message'),
            ('layer { name: 3 }', ValueError, 'name'),
            ('input: "x" input_dim: 1 input_dim: -3 input_dim: 2 input_dim: 2', ValueError, 'at least 1'),
        ],
    )
    def test_networks(self, convert, text, error, told):
        with pytest.raises(error, match=told):
            convert(text)

    def test_arrays_that_do_not_fit(self, convert):
        text = net(layer('Convolution', 'num_output: 2 kernel_size: 3'))
        for arrays, told in (
            ([np.ones(5)], 'has 5 numbers where the shape'),
            ([np.ones((2, 3, 3, 3))], 'has 1 arrays'),
            ([np.ones((2, 3, 3, 3)), np.ones(3)], 'has 3 numbers'),
        ):
            with pytest.raises(ValueError, match=told):
                convert(text, {'y': arrays})

    @pytest.mark.parametrize(
        'text',
        [
            '{',
            '}',
            'layer {',
            'layer { name: "a" ',
            'name "x" "y"',
            'name: ',
            'name:: 3',
            'a: [1, 2',
            'x: "un',
            'x: \x00',
            '3: 4',
            'a { b: 1 >',
            'a ' * 100,
            'a {' * 1000,
            'a: -',
            'a: [',
            'a: @',
            'a: "\\',
            ': 3',
        ],
    )
    def test_texts(self, text):
        with pytest.raises(ValueError, match='prototxt'):
            prototxt.parsed(text)

    def test_bytes(self):
        good = caffemodel({'y': [numbers((2, 3), 0), numbers((2,), 1)], 'z': []})
        found = weights.weights_of(good)
        assert (
            sorted(found) == ['y', 'z']
            and [a.shape for a in found['y']] == [(2, 3), (2,)]
            and found['z'] == []
        )
        np.testing.assert_array_equal(found['y'][0], numbers((2, 3), 0))
        for end in range(len(good)):  # each cut either ends between two fields or is told
            try:
                weights.weights_of(good[:end])
            except ValueError as error:
                assert 'not a caffemodel' in str(error)
        random = np.random.RandomState(0)
        for _ in range(3000):
            broken = bytearray(good)
            for at in random.randint(0, len(good), 3):
                broken[at] = random.randint(256)
            try:
                weights.weights_of(bytes(broken))
            except ValueError as error:
                assert 'not a caffemodel' in str(error)

    @pytest.mark.parametrize(
        'content',
        [
            field(100, field(1, b'y') + field(7, field(7, field(1, varint(2**62) + varint(2**62))))),
            field(
                100,
                field(1, b'y') + field(7, field(7, field(1, varint(0) + varint(2**62))) + field(5, b'abc')),
            ),
            field(
                100,
                field(1, b'y')
                + field(
                    7, field(7, b''.join(varint(8) + varint(1) for _ in range(99))) + field(5, b'\0' * 4)
                ),
            ),
            field(100, field(1, b'y') + field(7, field(5, b'abc'))),
            varint(100 << 3 | 2) + varint(2**40),
            b'\xff' * 20,
            field(100, field(1, b'\xff\xfe')),
            b'\x03',
            b'a model of something else',
        ],
    )
    def test_files_that_claim_much(self, content):
        with pytest.raises(ValueError, match='not a caffemodel'):
            weights.weights_of(content)

    def test_networks_with_words_in_wrong_places(self, tmp_path):
        text = re.sub('#.*', '', (GOLDEN / 'small.prototxt').read_text()).replace("'", '"')
        words = re.findall(r'"[^"]*"|[\w.-]+|[{}:]', text)
        others = words + ['-1', '0', '1e9', '1.5', 'true', '"x"', '[', 'TEST', '9' * 20, 'inf']
        random, kinds = np.random.RandomState(0), set()
        configuration = globalconf.GlobalConf()
        configuration.source_solver.model_path = str(tmp_path / 'n.prototxt')
        configuration.source_solver.weights_path = str(GOLDEN / 'small.caffemodel')
        for _ in range(400):
            changed, at = list(words), random.randint(len(words))
            changed[at : at + random.randint(2)] = [others[random.randint(len(others))]] * random.randint(2)
            (tmp_path / 'n.prototxt').write_text(' '.join(changed))
            try:
                CntkApiInstance(ADAPTER_DICT['Caffe'].load_model(configuration), configuration)
                kinds.add('made')
            except (ValueError, NotImplementedError) as error:
                kinds.add(type(error).__name__)
        assert kinds == {'made', 'ValueError', 'NotImplementedError'}

    def test_a_text_is_nothing_but_data(self, convert, tmp_path):
        text = net(layer('ReLU')).replace(
            'name: "n"', 'name: "__import__(\'os\').mkdir(\'{}\')"'.format(tmp_path / 'made')
        )
        convert(text)
        assert not (tmp_path / 'made').exists()

    def test_configurations(self, tmp_path, convert):
        path = tmp_path / 'c.json'
        for content, told in (
            ({'SourceSolver': {'Source': 'Torch'}}, "'Torch' is unknown"),
            ({'Other': {}}, 'no part Other'),
            ({'SourceSolver': {'Sauce': 1}}, 'no entry Sauce'),
            ({'SourceSolver': 3}, 'object of JSON'),
            ([], 'not an object'),
            ({'SourceSolver': {'Source': 'Caffe'}}, 'no ModelPath'),
        ):
            path.write_text(json.dumps(content))
            with pytest.raises(ValueError, match=told):
                CaffeConverter.from_model(str(path))
        (tmp_path / 'n.prototxt').write_text(net(layer('ReLU')))
        source = {'Source': 'Caffe', 'ModelPath': str(tmp_path / 'n.prototxt')}
        path.write_text(
            json.dumps({'SourceSolver': source, 'ValidSolver': {'SavePath': 'there', 'ValNodes': ['y']}})
        )
        with pytest.raises(NotImplementedError, match='Caffe is not run here'):
            CaffeConverter.from_model(str(path))
        with pytest.raises(NotImplementedError, match='load_model'):
            Adapter().load_model(None)
        configuration = globalconf.GlobalConf()
        assert Validator(configuration, {}).val_network() is False
        with pytest.raises(ValueError, match='CntkModelPath'):
            self._instance(configuration).export_model()

    @staticmethod
    def _instance(configuration):
        model, x, y = (
            cntkmodel.CntkModelDescription(),
            cntkmodel.CntkLayersDefinition(),
            cntkmodel.CntkLayersDefinition(),
        )
        x.op_name, x.tensor, y.op_name, y.inputs, y.op_type = (
            'x',
            [2],
            'y',
            ['x'],
            cntkmodel.CntkLayerType.relu,
        )
        model.data_provider, model.cntk_layers, model.cntk_sorted_layers = [x], {'y': y}, ['y']
        return CntkApiInstance(model, configuration)

    def test_a_network_of_the_programs_own(self):
        instance = self._instance(globalconf.GlobalConf())
        assert list(instance.get_functions()) == ['x', 'y'] and instance.get_model()([[-1, 2]]).tolist() == [
            [0, 2]
        ]

    def test_regions_have_no_operator(self, convert):
        text = net(
            'layer { name: "y" type: "PSROIPooling" bottom: "data" bottom: "data" top: "y" '
            'psroi_pooling_param { group_size: 2 output_dim: 3 } }'
        )
        with pytest.raises(NotImplementedError, match='layer y is psroi_pooling'):
            convert(text)


class TestDefinitions:
    """The classes that other readers fill in, as CNTK's own tests use them."""

    def _layer(self, kind, options, arrays):
        definition = cntkmodel.CntkLayersDefinition()
        definition.parameters = getattr(cntkmodel, f'Cntk{kind}Parameters')()
        for name, value in options.items():
            assert hasattr(definition.parameters, name)
            setattr(definition.parameters, name, value)
        name = utils.format.camel_to_snake(kind)
        definition.op_type, definition.op_name = getattr(cntkmodel.CntkLayerType, name), 'test'
        for array in arrays:
            tensor = cntkmodel.CntkTensorDefinition()
            tensor.tensor, tensor.data = np.shape(array), array
            definition.parameter_tensor.append(tensor)
        return getattr(ApiSetup, name), definition

    def _run(self, kind, options, arrays, x):
        make, definition = self._layer(kind, options, arrays)
        x = np.asarray(x, np.float32)
        return make(definition, [C.input_variable(x.shape)])(x[None])[0]

    def test_convolution(self):
        W = np.arange(1, 19).reshape(2, 1, 3, 3)
        options = dict(output=2, stride=[2, 2], kernel=[3, 3], auto_pad=False, need_bias=True, group=1)
        found = self._run('Convolution', options, [W, [[1, 2]]], np.arange(1, 10).reshape(1, 3, 3))
        assert found.ravel().tolist() == [286, 692]
        same = dict(options, stride=[1, 1], auto_pad=True)
        assert self._run('Convolution', same, [W, [[1, 2]]], np.ones((1, 3, 3))).shape == (2, 3, 3)

    def test_batch_normalization(self):
        found = self._run(
            'BatchNorm',
            dict(epsilon=0),
            [[[1, 1]], [[2, 2]], [1], [[0.5, 0.5]], [[1, 1]]],
            np.arange(1, 9).reshape(2, 2, 2),
        )
        np.testing.assert_allclose(found.ravel(), (np.arange(8) / np.sqrt(2)) / 2 + 1, rtol=1e-5)

    def test_dense(self):
        assert self._run('Dense', dict(num_output=2), [[[1], [2]], [[1]]], [[[1]]]).ravel().tolist() == [2, 3]
        W = np.arange(6).reshape(2, 3)
        x = np.array([1, 10, 100])
        assert self._run('Dense', dict(num_output=2, transpose=True), [W], x).tolist() == (W @ x).tolist()
        assert self._run('Dense', dict(num_output=2), [W.T], x).tolist() == (W @ x).tolist()

    def test_pooling(self):
        x = np.arange(1, 17).reshape(1, 4, 4)
        options = dict(stride=[2, 2], kernel=[2, 2], auto_pad=False, pooling_type=0)
        assert self._run('Pooling', options, [], x).tolist() == [[[6, 8], [14, 16]]]
        options = dict(stride=[2, 2], kernel=[3, 3], auto_pad=True, pooling_type=1)
        assert self._run('Pooling', options, [], x).shape == (1, 2, 2)

    def test_neighbouring_channels(self):
        x = np.array([[[1, 2]], [[2, 3]], [[3, 4]], [[4, 5]]])
        found = self._run('LRN', dict(kernel_size=2), [], x)
        expected = [
            0.00741577,
            0.000463486,
            0.000342288,
            2.17259e-05,
            2.17259e-05,
            2.32427e-06,
            5.64776e-05,
            7.36738e-06,
        ]
        np.testing.assert_allclose(found.ravel(), expected, rtol=1e-4)

    def test_blocks(self):
        x = C.input_variable((2, 8, 9))
        W, b = numbers((4, 2, 3, 5), 0), numbers((4,), 1)
        for pad, shape in ((True, (4, 4, 9)), (False, (4, 3, 5)), ([1, 0], (4, 4, 5))):
            z = BlockApiSetup.convolution(4, [3, 5], [2, 1], pad, W, b, 1, [1, 1], 'n')(x)
            assert (
                z.shape == shape and z.name == 'n' and sorted(p.name for p in z.parameters) == ['n.W', 'n.b']
            )
        z = BlockApiSetup.linear((3,), (2, 8, 9), numbers((2, 8, 9, 3), 0), np.zeros(3), 'l')(x)
        assert z.shape == (3,) and sorted(p.name for p in z.parameters) == ['l.b', 'l.sc']

    def test_linear_layers_take_sizes_and_begin_at_zero(self):
        x, W = C.input_variable(4), numbers((4, 3), 0)
        for output, operand in ((3, 4), ((3,), (4,)), ([3], [4])):
            z = BlockApiSetup.linear(output, operand, W, None, 'l')(x)
            assert sorted((p.name, p.shape) for p in z.parameters) == [('l.b', (3,)), ('l.sc', (4, 3))]
            np.testing.assert_allclose(z.eval({x: np.ones((1, 4))}), [W.sum(axis=0)], rtol=1e-6)
        z = BlockApiSetup.linear(3, 4, None, np.arange(3), 'l')(x)
        np.testing.assert_array_equal(z.eval({x: np.ones((1, 4))}), [[0, 1, 2]])
        with pytest.raises(ValueError, match='invalid shape'):
            BlockApiSetup.linear(-4, 4, None, None, 'l')
        with pytest.raises(TypeError):
            BlockApiSetup.linear('three', 4, None, None, 'l')

    def test_names(self):
        names = {
            'BatchNorm': 'batch_norm',
            'Dense': 'dense',
            'LRN': 'lrn',
            'Convolution': 'convolution',
            'ModelPath': 'model_path',
            'PSROIPooling': 'psroi_pooling',
            'Val2Nodes': 'val_2_nodes',
        }
        assert {name: utils.format.camel_to_snake(name) for name in names} == names
