"""The PJRT C interface of libhilo_pjrt.so, as far as it takes to run programs on numpy arrays.

Functions are called by their place in the table of PJRT 0.112; the structs are those of
xla/pjrt/c/pjrt_c_api.h up to the last field that is used here.
"""

import ctypes
import functools

import numpy

_P, _Z, _I64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64

# The places of functions behind the head of the table, which is 40 bytes.
_HEAD = 40
_ERROR_DESTROY, _ERROR_MESSAGE = 0, 1
_PLUGIN_INITIALIZE = 3
_EVENT_DESTROY, _EVENT_AWAIT = 5, 8
_CLIENT_CREATE, _CLIENT_DEVICES, _CLIENT_COMPILE = 10, 16, 20
_BUFFER_FROM_HOST = 22
_EXECUTABLE_DESTROY, _NUM_OUTPUTS = 40, 44
_LOADED_DESTROY, _GET_EXECUTABLE, _EXECUTE = 50, 51, 55
_BUFFER_DESTROY, _BUFFER_TYPE, _BUFFER_DIMENSIONS, _TO_HOST = 58, 59, 60, 70

# PJRT_Buffer_Type. The types of ml_dtypes are there when that package is.
_TYPES = {
    "bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7,
    "uint32": 8, "uint64": 9, "float16": 10, "float32": 11, "float64": 12, "bfloat16": 13,
    "complex64": 14, "complex128": 15, "float8_e5m2": 16, "float8_e4m3fn": 17,
    "float8_e4m3b11fnuz": 18, "float8_e5m2fnuz": 19, "float8_e4m3fnuz": 20, "int4": 21,
    "uint4": 22, "int2": 24, "uint2": 25, "float8_e4m3": 26, "float8_e3m4": 27,
    "float8_e8m0fnu": 28, "float4_e2m1fn": 29,
}  # fmt: skip


class HiloError(RuntimeError):
    """What is wrong with a program, or why it could not run."""


def _struct(*fields):
    class Arguments(ctypes.Structure):
        _fields_ = [("struct_size", _Z), ("extension_start", _P)] + [
            (name, kind) for name, kind in fields
        ]

    last = getattr(Arguments, Arguments._fields_[-1][0])
    size = last.offset + last.size
    return lambda **values: Arguments(struct_size=size, **values)


_Program = _struct(("code", ctypes.c_char_p), ("code_size", _Z), ("format", ctypes.c_char_p), ("format_size", _Z))
_Layout = _struct(
    ("tiled_size", _Z), ("tiled_extension", _P), ("minor_to_major", _P), ("minor_to_major_size", _Z),
    ("tile_dims", _P), ("tile_dim_sizes", _P), ("num_tiles", _Z), ("type", ctypes.c_int))  # fmt: skip
_Options = _struct(
    ("send_callbacks", _P), ("recv_callbacks", _P), ("num_send_ops", _Z), ("num_recv_ops", _Z),
    ("launch_id", ctypes.c_int), ("non_donatable", _P), ("num_non_donatable", _Z))  # fmt: skip


def _numpy_type(number):
    name = next((name for name, value in _TYPES.items() if value == number), None)
    if name is None:
        raise HiloError(f"results of PJRT's type {number} have no numpy type")
    try:
        return numpy.dtype(name)
    except TypeError:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, name))


class _Api:
    def __init__(self, path):
        self._library = ctypes.CDLL(str(path))
        self._library.GetPjrtApi.restype = _P
        self._library.Hilo_TrimMemory.restype = _I64
        self._table = self._library.GetPjrtApi()
        self.call(_PLUGIN_INITIALIZE, _struct()())

    @functools.cache
    def _function(self, place):
        address = _P.from_address(self._table + _HEAD + 8 * place).value
        return ctypes.CFUNCTYPE(_P, _P)(address)

    def call(self, place, arguments):
        error = self._function(place)(ctypes.byref(arguments))
        if error:
            text = _struct(("error", _P), ("message", _P), ("size", _Z))(error=error)
            self._function(_ERROR_MESSAGE)(ctypes.byref(text))
            message = ctypes.string_at(text.message, text.size).decode(errors="replace")
            self._function(_ERROR_DESTROY)(ctypes.byref(_struct(("error", _P))(error=error)))
            raise HiloError(message)
        return arguments

    def trim_memory(self):
        return self._library.Hilo_TrimMemory()

    def destroy(self, place, thing):
        self.call(place, _struct(("thing", _P))(thing=thing))

    def wait(self, event):
        try:
            self.call(_EVENT_AWAIT, _struct(("event", _P))(event=event))
        finally:
            self.destroy(_EVENT_DESTROY, event)


class _Client:
    def __init__(self, path):
        self.api = _Api(path)
        created = self.api.call(
            _CLIENT_CREATE,
            _struct(
                ("create_options", _P), ("num_options", _Z), ("kv_get", _P), ("kv_get_arg", _P),
                ("kv_put", _P), ("kv_put_arg", _P), ("client", _P))(),
        )  # fmt: skip
        self.pointer = created.client
        devices = self.api.call(
            _CLIENT_DEVICES,
            _struct(("client", _P), ("devices", ctypes.POINTER(_P)), ("count", _Z))(client=self.pointer),
        )
        self.device = devices.devices[0]

    def compile(self, program):
        is_text = isinstance(program, str)
        code = program.encode() if is_text else bytes(program)
        is_hlo = is_text and program.lstrip().startswith("HloModule")
        form = b"hlo_text" if is_hlo else b"mlir"
        description = _Program(code=code, code_size=len(code), format=form, format_size=len(form))
        compiled = self.api.call(
            _CLIENT_COMPILE,
            _struct(
                ("client", _P), ("program", _P), ("options", ctypes.c_char_p), ("options_size", _Z),
                ("executable", _P))(
                client=self.pointer, program=ctypes.addressof(description), options=b"", options_size=0),
        )  # fmt: skip
        return Executable(self, compiled.executable)

    def to_device(self, array):
        array = numpy.asarray(array)
        kind = _TYPES.get(array.dtype.name)
        if kind is None:
            raise HiloError(f"arrays of type {array.dtype} cannot be arguments")
        dimensions = (_I64 * array.ndim)(*array.shape)
        strides = (_I64 * array.ndim)(*array.strides)
        made = self.api.call(
            _BUFFER_FROM_HOST,
            _struct(
                ("client", _P), ("data", _P), ("type", ctypes.c_int), ("dims", _P), ("num_dims", _Z),
                ("byte_strides", _P), ("num_byte_strides", _Z), ("semantics", ctypes.c_int),
                ("device", _P), ("memory", _P), ("layout", _P), ("done", _P), ("buffer", _P))(
                client=self.pointer, data=array.ctypes.data, type=kind,
                dims=ctypes.addressof(dimensions), num_dims=array.ndim,
                byte_strides=ctypes.addressof(strides), num_byte_strides=array.ndim,
                semantics=1, device=self.device),
        )  # fmt: skip
        self.api.wait(made.done)
        return made.buffer

    def to_host(self, buffer):
        api = self.api
        number = api.call(_BUFFER_TYPE, _struct(("buffer", _P), ("type", ctypes.c_int))(buffer=buffer)).type
        sizes = api.call(
            _BUFFER_DIMENSIONS,
            _struct(("buffer", _P), ("dims", ctypes.POINTER(_I64)), ("count", _Z))(buffer=buffer),
        )
        array = numpy.empty([sizes.dims[i] for i in range(sizes.count)], _numpy_type(number))
        order = (_I64 * array.ndim)(*reversed(range(array.ndim)))
        layout = _Layout(tiled_size=56, minor_to_major=ctypes.addressof(order), minor_to_major_size=array.ndim)
        copied = api.call(
            _TO_HOST,
            _struct(("src", _P), ("layout", _P), ("dst", _P), ("size", _Z), ("event", _P))(
                src=buffer, layout=ctypes.addressof(layout), dst=array.ctypes.data, size=array.nbytes),
        )  # fmt: skip
        api.wait(copied.event)
        return array


class Executable:
    """A compiled program; call it with one array for each parameter."""

    def __init__(self, client, pointer):
        self._client, self._pointer = client, pointer
        api = client.api
        pair = _struct(("loaded", _P), ("executable", _P))(loaded=pointer)
        executable = api.call(_GET_EXECUTABLE, pair).executable
        outputs = _struct(("executable", _P), ("count", _Z))(executable=executable)
        self._outputs = api.call(_NUM_OUTPUTS, outputs).count
        api.destroy(_EXECUTABLE_DESTROY, executable)

    def __del__(self):
        self._client.api.destroy(_LOADED_DESTROY, self._pointer)

    def __call__(self, *arrays):
        client, api = self._client, self._client.api
        arguments = []
        results = (_P * self._outputs)()
        try:
            for array in arrays:
                arguments.append(client.to_device(array))
            self._execute(arguments, results)
            values = tuple(client.to_host(result) for result in results)
        finally:
            for buffer in [*arguments, *filter(None, results)]:
                api.destroy(_BUFFER_DESTROY, buffer)
        return values[0] if len(values) == 1 else values

    def _execute(self, arguments, results):
        list_of_arguments = (_P * len(arguments))(*arguments)
        argument_lists = (_P * 1)(ctypes.addressof(list_of_arguments))
        output_lists = (_P * 1)(ctypes.addressof(results))
        options = _Options()
        self._client.api.call(
            _EXECUTE,
            _struct(
                ("executable", _P), ("options", _P), ("argument_lists", _P), ("num_devices", _Z),
                ("num_args", _Z), ("output_lists", _P), ("complete", _P), ("device", _P))(
                executable=self._pointer, options=ctypes.addressof(options),
                argument_lists=ctypes.addressof(argument_lists), num_devices=1,
                num_args=len(arguments), output_lists=ctypes.addressof(output_lists)),
        )  # fmt: skip


@functools.cache
def client(path):
    return _Client(path)
