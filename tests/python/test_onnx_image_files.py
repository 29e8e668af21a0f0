"""Pictures out of the bytes of their files, as ONNX's ImageDecoder says."""

import io
import pathlib

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
Image = pytest.importorskip('PIL.Image', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper

from onnx_models import info

FOLDER = pathlib.Path(__file__).resolve().parent.parent / 'golden' / 'images'


def decoder(pixel_format='RGB'):
    node = helper.make_node('ImageDecoder', ['x'], ['y'], pixel_format=pixel_format)
    inputs, outputs = [info('x', [None], TensorProto.UINT8)], [info('y', None, TensorProto.UINT8)]
    graph = helper.make_graph([node], 'g', inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 20)], ir_version=9)
    return C.load_model(model.SerializeToString())


def decoded(network, content):
    return np.asarray(
        network.eval({network.arguments[0]: np.frombuffer(content, np.uint8).astype(np.float32)})
    )


@pytest.mark.parametrize(
    'name', ['full_colour.jpg', 'half_colour.jpg', 'grey.jpg', 'palette.png', 'grey.png']
)
@pytest.mark.parametrize('pixel_format', ['RGB', 'BGR', 'Grayscale'])
def test_pictures_are_those_of_pillow(name, pixel_format):
    content = (FOLDER / name).read_bytes()
    due = Image.open(io.BytesIO(content)).convert('RGB')
    due = np.asarray(due.convert('L'))[..., None] if pixel_format == 'Grayscale' else np.asarray(due)
    y = decoded(decoder(pixel_format), content)
    np.testing.assert_array_equal(y, due[..., ::-1] if pixel_format == 'BGR' else due)


WRONG = {
    'nothing': (b'', 'decoded'),
    'noise': (bytes(range(200)), 'decoded'),
    'a BMP': (b'BM' + bytes(60), 'BMP'),
    'a TIFF': (b'II*\0' + bytes(60), 'TIFF'),
    'a WebP': (b'RIFF' + bytes(60), 'WebP'),
    'a PNM': (b'P6 1 1 255 ' + bytes(3), 'PNM'),
    'a cut JPEG': ((FOLDER / 'full_colour.jpg').read_bytes()[:200], 'decoded: Premature end'),
}


@pytest.mark.parametrize('name', WRONG)
def test_what_is_no_picture_is_refused(name):
    content, text = WRONG[name]
    with pytest.raises((ValueError, RuntimeError, NotImplementedError), match=text):
        decoded(decoder(), content)


def test_a_pixel_format_that_is_not_there():
    with pytest.raises(ValueError, match='CMYK'):
        decoder('CMYK')
