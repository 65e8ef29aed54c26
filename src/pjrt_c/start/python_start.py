"""Watches what JAX registers, and runs python_handlers.py when that is first needed.

Run by the plug-in when it is initialized, in a namespace that holds `connect`, the address of a C function that runs
python_handlers.py, which takes over from here.
"""

import ctypes
import warnings

_waiting = []  # what was registered before: its kind, and the arguments
_functions = {}  # of each kind, once they are there
_watched = []  # functions that need the handlers: whose, their names, what they were


def _follow(xla_client, kind, handlers, register):
    """Hears of all that is and will be registered, beside jaxlib's own client if there is one."""
    is_known = True

    def add(*arguments):
        if is_known:
            _waiting.append((kind, arguments))
            return
        restore()
        _connect()
        if kind in _functions:
            _functions[kind](*arguments)

    platform = xla_client.xla_platform_names["cpu"]
    known = handlers.get(platform)
    if known is None:
        register("cpu", add)
        is_known = False
        return
    is_known = False

    def both(*arguments):
        known(*arguments)
        add(*arguments)

    handlers[platform] = both


def _watch(owner, name):
    def first(*arguments):
        restore()
        _connect()
        return getattr(owner, name)(*arguments)

    _watched.append((owner, name, getattr(owner, name)))
    setattr(owner, name, first)


def restore():
    """The functions of JAX are as they were."""
    while _watched:
        owner, name, known = _watched.pop()
        setattr(owner, name, known)


def take_over(functions):
    """From now on these take what is registered, of each kind one."""
    _functions.update(functions)
    while _waiting:
        kind, arguments = _waiting.pop(0)
        functions[kind](*arguments)


def _start():
    try:
        from jax._src.interpreters import mlir
        from jaxlib import _xla, xla_client
    except ImportError:
        return
    _follow(xla_client, "target", xla_client._custom_callback_handler, xla_client.register_custom_call_handler)
    _follow(xla_client, "type", xla_client._custom_type_id_handler, xla_client.register_custom_type_handler)
    _watch(mlir.ModuleContext, "add_host_callback")
    for name in ("register", "clear"):
        _watch(_xla, f"{name}_xla_transform")
        _watch(_xla, f"{name}_xla_transform_c_api")


_connect = ctypes.CFUNCTYPE(None)(connect)
try:
    _start()
except Exception as error:  # An unknown version of jaxlib: programs without callbacks still run.
    warnings.warn(f"Python callbacks and FFI handlers are not available: {error}")
