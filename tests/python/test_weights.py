"""Weights in files that other programs read."""

import json

import numpy as np
import pytest

import cantik as C

GOLDEN = __import__('pathlib').Path(__file__).parent.parent / 'golden' / 'weights.safetensors'


def network():
    return C.layers.Sequential(
        [C.layers.Dense(4, name='hidden'), C.layers.BatchNormalization(), C.layers.Dense(2)]
    )(C.input_variable(3))


def test_weights_of_a_network(tmp_path):
    a, b = network(), network()
    path = str(tmp_path / 'weights.safetensors')
    C.save_weights(a, path, {'epoch': '3'})
    found = C.load_weights(path, b)
    assert list(found) == list(a.state_dict())
    for name, value in a.state_dict().items():
        np.testing.assert_array_equal(found[name], value)
        np.testing.assert_array_equal(b.state_dict()[name], value)
        assert found[name].dtype == value.dtype


def test_files_of_other_programs():
    found = C.load_weights(GOLDEN)
    np.testing.assert_array_equal(found['hidden.W'], np.arange(6, dtype=np.float32).reshape(2, 3) / 4)
    kinds = {name: str(array.dtype) for name, array in found.items()}
    assert kinds['half'] == 'float16' and kinds['short'] == 'int16' and found['short'].shape == ()
    assert found['empty'].shape == (0, 4)


def test_arrays_of_all_kinds(tmp_path):
    path = tmp_path / 'w.safetensors'
    arrays = {
        str(kind): np.arange(6).reshape(2, 3).astype(kind)[:, ::-1]
        for kind in (np.float16, np.float32, np.float64, np.int8, np.int16)
    }
    C.save_weights(arrays, path)
    for name, array in C.load_weights(path).items():
        np.testing.assert_array_equal(array, arrays[name])
        assert array.dtype == arrays[name].dtype
    back = C.load_weights(path)[str(np.float32)]
    back += 1  # it is the caller's own


def test_wrong_use(tmp_path):
    path = str(tmp_path / 'w.safetensors')
    z = network()
    with pytest.raises((TypeError, ValueError), match='weights'):
        C.save_weights(3, path)
    for wrong in ('text', np.array(['a']), np.array([1j]), np.array([1, 2**40])):
        with pytest.raises((TypeError, ValueError), match=r"weights\['w'\] must be an array of float32"):
            C.save_weights({'w': wrong}, path)
    with pytest.raises((TypeError, ValueError), match="metadata"):
        C.save_weights(z, path, {'epoch': 3})
    with pytest.raises(RuntimeError, match='cannot be read'):
        C.load_weights(path)
    C.save_weights({'hidden.W': np.zeros((3, 4))}, path)
    with pytest.raises(ValueError, match='missing'):
        C.load_weights(path, z)
    tensor = b'{"\xff":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}'
    for header in (tensor, b'{"__metadata__":{"a":"\xc3("}}'):
        (tmp_path / 'w.safetensors').write_bytes(len(header).to_bytes(8, 'little') + header)
        with pytest.raises(RuntimeError, match='(?s)header is not UTF-8.*w.safetensors'):
            C.load_weights(path)
    (tmp_path / 'w.safetensors').write_bytes(b'{"a": 1}' * 3)
    with pytest.raises(RuntimeError, match='safetensors file is damaged'):
        C.load_weights(path)


def file_of(path, **tensors):
    """A file of (dtype as the format spells it, array)."""
    header, data = {}, b''
    for name, (kind, array) in tensors.items():
        begin, data = len(data), data + np.ascontiguousarray(array).tobytes()
        header[name] = {'dtype': kind, 'shape': list(np.shape(array)), 'data_offsets': [begin, len(data)]}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, 'little') + text + data)
    return path


def test_whole_numbers_of_other_types(tmp_path):
    given = {
        'count': ('I64', np.array(2**40)),
        'mask': ('BOOL', np.array([[True, False]])),
        'bytes': ('U8', np.array([0, 255], np.uint8)),
        'u16': ('U16', np.array([65535], np.uint16)),
        'u32': ('U32', np.array([2**32 - 1], np.uint32)),
        'u64': ('U64', np.array([2**64 - 1], np.uint64)),
        'empty': ('I64', np.zeros((0, 3), np.int64)),
        'w': ('F32', np.ones((2, 3), np.float32)),
    }
    found = C.load_weights(file_of(tmp_path / 'w.safetensors', **given))
    assert set(found) == set(given) and next(iter(found)) == 'w'
    for name, (_, array) in given.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype and found[name].shape == array.shape


def test_names_that_are_asked_for(tmp_path):
    z = C.layers.Dense(2)(C.input_variable(3))
    W, others = ('F32', np.ones((3, 2), np.float32)), ('F8_E5M2', np.zeros(4, np.uint8))
    path = file_of(
        tmp_path / 'w.safetensors', **{'Dense.W': W, 'steps': ('I64', np.array(3)), 'scale': others}
    )
    with pytest.raises(ValueError, match='(?s)missing  Dense.b.*unknown  steps, scale.*strict=False'):
        C.load_weights(path, z)
    assert not (z.W.value == 1).all()
    assert list(C.load_weights(path, z, strict=False)) == ['Dense.W']
    assert (z.W.value == 1).all()
    with pytest.raises(NotImplementedError, match="'scale' has the element type F8_E5M2"):
        C.load_weights(path)
    path = file_of(tmp_path / 'w.safetensors', **{'Dense.W': W, 'Dense.b': others})
    with pytest.raises(NotImplementedError, match="'Dense.b' has the element type F8_E5M2"):
        C.load_weights(path, z, strict=False)
    path = file_of(tmp_path / 'w.safetensors', weight=W)
    with pytest.raises(ValueError, match='the names do not fit the model'):
        C.load_weights(path, z, strict=False)
    z.load_state_dict({'Dense.b': [5, 6], 'other': 'what is not asked for'}, strict=False)
    assert z.b.value.tolist() == [5, 6]
    with pytest.raises(ValueError, match='another shape'):
        z.load_state_dict({'Dense.b': [5, 6, 7]}, strict=False)
