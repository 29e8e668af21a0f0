"""Files that are whole or not there."""

import os


def write_whole(path, content):
    """Writes beside the file first, then takes its place."""
    path = os.fspath(path)
    beside = path + '.part'
    with open(beside, 'wb') as f:
        f.write(content)
        f.flush()
        os.fsync(f.fileno())
    os.replace(beside, path)
