"""XLA as an ordinary library: runs HLO and StableHLO programs on numpy arrays.

    >>> import hilo, numpy
    >>> hilo.run('''
    ... HloModule twice
    ... ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }''', numpy.float32([1, 2]))
    array([2., 4.], dtype=float32)

JAX runs on it as soon as this package is installed; see jax_plugins.hilo.
"""

import importlib.metadata
import os
import pathlib
import sys

from hilo._pjrt import Executable, HiloError
from hilo import _pjrt

__all__ = ["Executable", "HiloError", "compile", "library_path", "run", "trim_memory", "version"]


def version():
    return importlib.metadata.version("hilo")


def library_path():
    """Where the PJRT plug-in lies, for frameworks that load one by its path."""
    return pathlib.Path(__file__).parent / "libhilo_pjrt.so"


def compile(program):
    """Compiles a program: HLO text, StableHLO text (str), or StableHLO bytecode (bytes).

    The result is called with one array for each parameter. It gives an array, or a tuple of arrays
    where the program has several results. HiloError says what is wrong with a program.
    """
    return _pjrt.client(library_path()).compile(program)


def run(program, *arrays):
    """Compiles and runs a program once: compile(program)(*arrays)."""
    return compile(program)(*arrays)


def trim_memory():
    """Gives memory that is kept for the next run back to the system; how many bytes it was."""
    return _pjrt.client(library_path()).api.trim_memory()


def main():
    """The command hilo."""
    command = pathlib.Path(__file__).parent / "bin" / "hilo"
    os.execv(command, [str(command), *sys.argv[1:]])
