"""Where a save fails, the file that was there stays; where its folder is missing, it is made."""

import os
import resource

import pytest

import cantik as C


def test_a_full_disk_and_folders(tmp_path):
    x = C.input_variable(200)
    z = C.layers.Dense(200)(x)
    y = C.input_variable(200)
    trainer = C.Trainer(z, (C.squared_error(z, y),), [C.sgd(z.parameters, 0.1)])
    path = str(tmp_path / 'a' / 'b' / 'model')
    z.save(path)
    checkpoint = str(tmp_path / 'c' / 'd' / 'checkpoint')
    trainer.save_checkpoint(checkpoint)
    printer = C.logging.ProgressPrinter(1, log_to_file=str(tmp_path / 'e' / 'f' / 'log'))
    printer.update_training(10, 1.0, 1.0)
    assert 'loss = ' in (tmp_path / 'e' / 'f' / 'log').read_text()
    saved = {p: open(p, 'rb').read() for p in (path, checkpoint, checkpoint + '.ckp')}
    z.parameters[0].value = z.parameters[0].value + 1
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, limits[1]))
    try:
        with pytest.raises(RuntimeError, match='(?s)cannot be written: File too large.*has not changed'):
            z.save(path)
        with pytest.raises(
            RuntimeError,
            match='(?s)' + checkpoint + ' cannot be written.*' + checkpoint + '.ckp are both as before',
        ):
            trainer.save_checkpoint(checkpoint)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    for p, contents in saved.items():
        assert open(p, 'rb').read() == contents
    assert (
        sorted(os.listdir(os.path.dirname(path))) == ['model']
        and len(os.listdir(os.path.dirname(checkpoint))) == 2
    )
    os.remove(checkpoint + '.ckp')
    os.mkdir(checkpoint + '.ckp')
    with pytest.raises(
        RuntimeError,
        match='(?s)' + checkpoint + '.ckp cannot be written.*' + checkpoint + ' is written and complete',
    ):
        trainer.save_checkpoint(checkpoint)
    trainer.restore_from_checkpoint(checkpoint)
