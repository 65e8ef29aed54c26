"""Processes of their own, first on Hilo, then on XLA:CPU."""

import json
import os
import pathlib
import subprocess
import sys


def sides(plugin):
    """Names and plug-ins, in the order in which they take turns."""
    return ("hilo", plugin), ("xla", None)


def measure(script, arguments, plugin):
    """What a script says in its last line, as JSON, run with this plug-in in the place of `cpu`."""
    environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    environment.pop("PJRT_NAMES_AND_LIBRARY_PATHS", None)
    if plugin:
        environment["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"cpu:{pathlib.Path(plugin).resolve()}"
    done = subprocess.run([sys.executable, script, *arguments], env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])
