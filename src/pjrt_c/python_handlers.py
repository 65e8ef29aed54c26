"""Hands jaxlib's handlers of custom calls to the plug-in, and those that are registered later; passes too.

Run once, before JAX makes a callback or a program with custom calls is compiled, in a namespace of its own that holds
the addresses of C functions: register_handler(name, stage, function), register_call(name, function) and
register_type(name, type_id, type_info), which return null or an error; set_converter(function) and
take_bytes(out, bytes, size). Until then start/python_start.py has watched what is registered.
"""

import ctypes
import warnings


def _function(address, arguments):
    return ctypes.CFUNCTYPE(ctypes.c_void_p, *arguments)(address)


_register_handler = _function(register_handler, [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p])
_register_call = _function(register_call, [ctypes.c_char_p, ctypes.c_void_p])
_register_type = _function(register_type, [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p])

_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

# The order in which handlers run; the plug-in wants the one for execution last.
_STAGES = ("instantiate", "prepare", "initialize", "execute")


def _pointer(capsule):
    return _capsule_pointer(capsule, _capsule_name(capsule))


def _check(error, name):
    if error:
        raise ValueError(f"the plug-in does not take the custom call or type {name}")


def _text(name):
    return name if isinstance(name, bytes) else name.encode()


def _add_target(name, function, platform="cpu", api_version=1, traits=None):
    if api_version == 0:
        _check(_register_call(_text(name), _pointer(function)), name)
        return
    stages = function if isinstance(function, dict) else {"execute": function}
    for stage in _STAGES:
        if stages.get(stage) is not None:
            _check(_register_handler(_text(name), stage.encode(), _pointer(stages[stage])), name)


def _add_type(name, registration):
    if not isinstance(registration, dict):
        registration = {"type_id": registration}
    info = registration.get("type_info")
    info = None if info is None else _pointer(info)
    _check(_register_type(_text(name), _pointer(registration["type_id"]), info), name)


def _row_major(array):
    """The array with its elements in row-major order, and strides that say just that."""
    import numpy

    strides = []
    step = array.itemsize
    for size in reversed(array.shape):
        strides.append(step)
        step *= size
    strides = tuple(reversed(strides))
    if array.strides == strides:
        return array
    # Where sizes are 0 or 1, numpy gives other strides to arrays that are in this order.
    array = numpy.ascontiguousarray(array)
    return numpy.lib.stride_tricks.as_strided(array, strides=strides)


def _return_row_major(mlir):
    """Callbacks may return arrays in any order; jaxlib's handler wants to move elements then."""
    import numpy

    add_host_callback = mlir.ModuleContext.add_host_callback

    def add(self, callback):
        if callable(callback):
            inner = callback

            def callback(*arguments):
                results = inner(*arguments)
                return tuple(
                    _row_major(result) if isinstance(result, numpy.ndarray) else result
                    for result in results
                )

        return add_host_callback(self, callback)

    mlir.ModuleContext.add_host_callback = add


def _follow_transforms(xla, xla_bridge):
    """JAX takes the client called `cpu` for jaxlib's own. It gives it a pass as that, as one plug-in
    of many, or both, and takes it back from jaxlib's own only. Here each goes to the plug-in once."""
    register, clear = xla.register_xla_transform, xla.clear_xla_transform
    register_at, clear_at = xla.register_xla_transform_c_api, xla.clear_xla_transform_c_api
    known = []

    def client():
        return xla_bridge._backends.get("cpu")

    def add(*transform):
        register(*transform)
        if client() is not None:
            add_at(client(), *transform)

    def add_at(to, *transform):
        if to is client():
            if transform in known:
                return
            known.append(transform)
        register_at(to, *transform)

    def remove(name, stage):
        is_cleared = clear(name, stage)
        if client() is None:
            return is_cleared
        known[:] = [transform for transform in known if transform[:2] != (name, stage)]
        return clear_at(client(), name, stage) or is_cleared

    xla.register_xla_transform, xla.clear_xla_transform = add, remove
    xla.register_xla_transform_c_api = add_at


_take_bytes = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)(take_bytes)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
def _convert(program, size, out):
    """Partitioners of custom calls give programs as jaxlib's own client reads them. Here they become portable."""
    from jaxlib.mlir.dialects import stablehlo

    try:
        portable = stablehlo.serialize_portable_artifact_str(
            ctypes.string_at(program, size), stablehlo.get_current_version()
        )
    except Exception as error:
        warnings.warn(f"a program cannot be made portable: {error}")
    else:
        _take_bytes(out, portable, len(portable))


def _connect():
    try:
        import _hilo_start
        from jax._src.interpreters import mlir
        from jaxlib import xla_client
    except ImportError:
        return
    _hilo_start.restore()
    for name, stages in xla_client.custom_call_targets("cpu").items():
        _add_target(name, stages)
    _hilo_start.take_over({"target": _add_target, "type": _add_type})
    _return_row_major(mlir)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(set_converter)(ctypes.cast(_convert, ctypes.c_void_p))
    try:
        from jax._src import xla_bridge
        from jaxlib import _xla
    except ImportError:
        return
    _follow_transforms(_xla, xla_bridge)


try:
    _connect()
except Exception as error:  # An unknown version of jaxlib: programs without callbacks still run.
    warnings.warn(f"Python callbacks and FFI handlers are not available: {error}")
