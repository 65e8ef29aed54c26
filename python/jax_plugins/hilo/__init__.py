"""Makes Hilo the device that JAX runs programs on.

JAX finds this by itself. It is the default device; JAX's own CPU client stays there under the name
"cpu" unless JAX_PLATFORMS leaves it out. Options of the client are taken from HILO_FLAGS, for
example HILO_FLAGS="cpu_device_count=8".
"""

import os


def _options():
    options = {}
    for entry in os.environ.get("HILO_FLAGS", "").split():
        name, equals, value = entry.lstrip("-").partition("=")
        if not equals:
            raise ValueError(f"HILO_FLAGS: {entry} has no value; it should look like name=value")
        options[name] = int(value) if value.lstrip("-").isdigit() else value
    return options


def initialize():
    import hilo
    from jax._src import xla_bridge

    names = os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "")
    if "libhilo_pjrt" in names:
        return  # under a name of the user's choice
    if hasattr(xla_bridge, "_nonexperimental_plugins"):
        xla_bridge._nonexperimental_plugins.add("hilo")
    xla_bridge.register_plugin(
        "hilo", priority=500, library_path=str(hilo.library_path()), options=_options()
    )
