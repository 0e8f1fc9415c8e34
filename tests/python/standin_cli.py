"""The command line with the stand-in core, as a program of its own that a test can kill."""

import sys

import standin

sys.modules["anechoic._core"] = standin.module()
sys.modules["anechoic.report"] = standin.report()

from anechoic.cli import main  # noqa: E402

main()
