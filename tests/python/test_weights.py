"""Weights in files that other programs read."""

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
