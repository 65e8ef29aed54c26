"""Makes Hilo the device that JAX runs programs on.

JAX finds this by itself. It is the default device; JAX's own CPU client stays there under the name
"cpu" unless JAX_PLATFORMS leaves it out. The library reads its options from HILO_FLAGS, for example
HILO_FLAGS="cpu_device_count=8 log=compile".
"""

import os


def initialize():
    import hilo
    from jax._src import xla_bridge

    names = os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "")
    if "libhilo_pjrt" in names:
        return  # under a name of the user's choice
    if hasattr(xla_bridge, "_nonexperimental_plugins"):
        xla_bridge._nonexperimental_plugins.add("hilo")
    xla_bridge.register_plugin("hilo", priority=500, library_path=str(hilo.library_path()))
