"""Which version this is: it is named on dead letters, and on signals that we send."""

from importlib.metadata import version

VERSION = version("streamgauge")
