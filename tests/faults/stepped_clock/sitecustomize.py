"""Python imports this at its start when the folder is on PYTHONPATH: time.time() is then off by what a file says.

The file holds one double, seconds, and may be changed while processes run: the clock steps for all of them at once.
"""

import mmap
import os
import struct
import time

_path = os.environ.get("STEPPED_CLOCK")
if _path:
    with open(_path, "r+b") as _file:
        _offset = mmap.mmap(_file.fileno(), 8)
    _time, _read = time.time, struct.Struct("d").unpack_from
    time.time = lambda: _time() + _read(_offset)[0]
    time.time_ns = lambda: int(time.time() * 1e9)
