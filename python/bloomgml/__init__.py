"""bloom from Python: graph learning on pandas frames.

    model = bloomgml.fit(nodes=accounts, edges=transfers, label="fraud")
    model.predict()                 # a row for every account, with the index of the frame
    model.explain("ann")            # why
    model.audit().labels            # labels that are probably wrong

The program bloom, which is in the wheel, does the work. BloomClassifier and BloomRegressor need scikit-learn.
"""

from importlib import metadata
from typing import Any

from .model import Audit, Model, Report, Server, fit, load
from .plots import Plot
from .program import BloomError

try:
    __version__ = metadata.version("bloomgml")
except metadata.PackageNotFoundError:  # a checkout
    __version__ = "0"

__all__ = ["Audit", "BloomClassifier", "BloomError", "BloomRegressor", "Model", "Plot", "Report", "Server", "fit",
           "load"]


def __getattr__(name: str) -> Any:
    if name in ("BloomClassifier", "BloomRegressor"):
        from . import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'bloomgml' has no attribute {name!r}")
