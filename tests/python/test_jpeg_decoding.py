"""JPEG files of all sizes, at a part of their size by the DCT, and in parts: the pixels of libjpeg."""

import io

import numpy as np
import pytest
from PIL import Image

import cantik as C
import cantik.io.transforms as xforms


def jpeg(width, height, subsampling, seed=0, **options):
    pixels = np.random.RandomState(seed).randint(0, 256, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, 'JPEG', quality=90, subsampling=subsampling, **options)
    return file.getvalue()


def of_pillow(file, reduced=1):
    """Its pixels, [height, width, channels], blue first, at a part of its size."""
    picture = Image.open(io.BytesIO(file))
    if reduced > 1:
        picture.draft('RGB', (picture.width // reduced, picture.height // reduced))
    return np.asarray(picture.convert('RGB'))[:, :, ::-1]


@pytest.mark.parametrize('subsampling', ['4:4:4', '4:2:2', '4:2:0'])
@pytest.mark.parametrize('progressive', [False, True])
def test_jpegs_of_all_sizes_have_the_pixels_of_libjpeg(subsampling, progressive):
    sides = [*range(1, 20), 31, 32, 33, 47, 64, 65, 100]
    for width, height in zip(sides * 3, sides[5:] + sides[::-1] + sides[11:] + sides):
        file = jpeg(width, height, subsampling, progressive=progressive)
        found = C.io.decode_image(file)
        np.testing.assert_array_equal(found, of_pillow(file), err_msg=f'{width} x {height}')


def read_all(tmp_path, files, transforms, **options):
    """The pictures of a sweep, [n, channels, height, width]."""
    with open(tmp_path / 'list.txt', 'w') as listing:
        for i, file in enumerate(files):
            (tmp_path / f'{i}.jpg').write_bytes(file)
            listing.write(f'{tmp_path}/{i}.jpg\t0\n')
    streams = C.io.StreamDefs(x=C.io.StreamDef(field='image', transforms=transforms))
    data = C.io.ImageDeserializer(tmp_path / 'list.txt', streams, **options)
    (batch,) = C.io.MinibatchSource(data, randomize=False).batches(len(files))
    return batch['x']


@pytest.mark.parametrize(
    ('size', 'reduced'), [(60, 1), (50, 2), (49, 2), (26, 2), (25, 4), (13, 4), (12, 8), (3, 8)]
)
def test_reduced_pictures_are_decoded_by_the_dct(tmp_path, size, reduced):
    file = jpeg(120, 101, '4:2:0')
    found = read_all(tmp_path, [file], [xforms.scale(size, size, 3)], reduced=True)
    small = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(of_pillow(file, reduced)[:, :, ::-1])).save(small, 'PNG')
    (tmp_path / 'png').mkdir()
    expected = read_all(tmp_path / 'png', [small.getvalue()], [xforms.scale(size, size, 3)])
    np.testing.assert_array_equal(found, expected)
    assert np.any(found != read_all(tmp_path, [file], [xforms.scale(size, size, 3)])) == (reduced > 1)


def test_reduced_parts_are_the_same_parts(tmp_path):
    ramp = np.linspace(0, 255, 160).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(
        np.stack(
            [np.tile(ramp, (160, 1)), np.tile(ramp[:, None], (1, 160)), np.full((160, 160), 9, np.uint8)], 2
        )
    ).save(file, 'JPEG', quality=95)
    cut = [xforms.crop(crop_type='randomside', side_ratio=0.5), xforms.scale(20, 20, 3)]
    pictures = [file.getvalue()] * 20
    fast, slow = read_all(tmp_path, pictures, cut, reduced=True), read_all(tmp_path, pictures, cut)
    assert np.abs(fast - slow).max() < 8 and np.abs(fast[0] - fast[1]).max() > 8
    # a part in pixels is one of the picture itself
    cut[0] = xforms.crop(crop_type='center', crop_size=80)
    np.testing.assert_array_equal(
        read_all(tmp_path, pictures, cut, reduced=True), read_all(tmp_path, pictures, cut)
    )


@pytest.mark.parametrize('more', [{}, {'reduced': True}])
def test_a_part_alone_has_the_same_pixels(tmp_path, more):
    files = [jpeg(50 + i, 90 - i, kind, seed=i) for i, kind in enumerate(['4:2:0', '4:2:2', '4:4:4'] * 10)]
    cut = [
        xforms.crop(crop_type='randomside', side_ratio=(0.1, 0.6), jitter_type='uniratio'),
        xforms.scale(9, 7, 3),
    ]
    np.testing.assert_array_equal(
        read_all(tmp_path, files, cut, crop_alone=True, **more), read_all(tmp_path, files, cut, **more)
    )


def test_damage_below_a_part_is_noticed_unless_the_part_is_read_alone(tmp_path):
    whole = jpeg(64, 256, '4:2:0')
    short = whole[: len(whole) * 2 // 3]
    cut = [xforms.crop(crop_type='center', crop_size=(64, 32)), xforms.scale(16, 16, 3)]
    with pytest.raises(RuntimeError, match='Premature end'):
        read_all(tmp_path, [short], cut)
    found = read_all(tmp_path, [short], cut, crop_alone=True)
    np.testing.assert_array_equal(found, read_all(tmp_path, [whole], cut))
    with pytest.raises(RuntimeError, match='Premature end'):
        read_all(tmp_path, [whole[: len(whole) // 3]], cut, crop_alone=True)
