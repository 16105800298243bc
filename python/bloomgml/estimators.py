"""Estimators with the conventions of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from .model import Model, fit

Array: TypeAlias = np.ndarray[Any, Any]
ID, LABEL = "id of bloomgml", "label of bloomgml"


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What both have in common.

    X is a frame, of any columns, or an array of numbers. Its index holds the ids that edges join. edges, of fit or of
    the constructor, may join rows of a later X too: predict takes those that lead to its rows. Where there are edges,
    rows of the X of fit are predicted in their place in the graph; all others, and all rows where there are none, as
    new nodes.

    Candidates are compared by cross-validation, and the best learns from all rows. They are models that take new nodes;
    of those that bloomgml.fit compares, gcn and mlp do not. A recipe is trained without comparison, on six rows of ten.
    """

    def __init__(self, edges: pd.DataFrame | None = None, *, source: str = "source", target: str = "target",
                 recipe: str | None = None, candidates: Sequence[str] = ("closed", "trees"),
                 random_state: int | None = None, settings: Mapping[str, object] | None = None,
                 verbose: bool = False) -> None:
        self.edges = edges
        self.source = source
        self.target = target
        self.recipe = recipe
        self.candidates = candidates
        self.random_state = random_state
        self.settings = settings
        self.verbose = verbose

    def _fit(self, frame: pd.DataFrame, y: Any, edges: pd.DataFrame | None, task: str) -> None:
        if len(frame) != len(y):
            raise ValueError(f"X has {len(frame)} rows and y {len(y)} values")
        frame = frame.assign(**{LABEL: y})
        self.edges_ = self.edges if edges is None else edges
        inside = None
        if self.edges_ is None:
            frame.index = pd.RangeIndex(len(frame), name=ID)
        elif not frame.index.is_unique:
            raise ValueError("two rows of X have the same index: edges cannot tell them apart")
        else:
            leads = [self.edges_[c].isin(frame.index) for c in (self.source, self.target)]
            inside = self.edges_[leads[0] & leads[1]]
        self.model_: Model = fit(
            frame, inside, LABEL, id=ID, task=task, recipe=self.recipe, settings=self.settings,
            source=self.source, target=self.target, candidates=None if self.recipe else self.candidates,
            seed=self.random_state or 0, import_options=("--merge", "none", "--ids", "exact"), verbose=self.verbose)

    def _frame(self, X: Any, reset: bool = False) -> pd.DataFrame:
        """X with ids as its index, named ID."""
        if isinstance(X, pd.DataFrame):
            validate_data(self, X, reset=reset, skip_check_array=True)
            if len(X) < 1 + reset or not X.shape[1]:
                raise ValueError(f"Found a frame with {len(X)} sample(s) and {X.shape[1]} feature(s)")
            return X.rename_axis(ID)
        array = validate_data(self, X, reset=reset, ensure_min_samples=1 + reset, ensure_all_finite="allow-nan")
        if np.isinf(array).any():
            raise ValueError("X contains inf, which cannot be a value of a column")
        return pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])]).rename_axis(ID)

    def _ask(self, X: Any, edges: pd.DataFrame | None, method: str) -> pd.DataFrame:
        """The rows of X as predict or predict_proba of the model answers them."""
        check_is_fitted(self)
        frame, ask = self._frame(X), getattr(self.model_, method)
        edges = self.edges_ if edges is None else edges
        known = frame.index.isin(self.model_.index) if edges is not None else np.zeros(len(frame), bool)
        parts = [ask().loc[frame.index[known]]] if known.any() else []
        if not known.all():
            new = frame[~known]
            if edges is None:  # whatever the index says, they are new
                new = new.set_axis(pd.Index([f"new {i}" for i in range(len(new))], name=ID))
            else:
                source, target = edges[self.source], edges[self.target]
                there = new.index.append(self.model_.index)
                leads = source.isin(new.index) | target.isin(new.index)
                edges = edges[leads & source.isin(there) & target.isin(there)]
            parts.append(ask(new, edges))
        order = np.argsort(np.concatenate([np.flatnonzero(known), np.flatnonzero(~known)]))
        return pd.concat(parts).iloc[order]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class BloomClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    __doc__ = "Predicts classes.\n\n    " + (_Estimator.__doc__ or "").partition("\n\n    ")[2]

    def fit(self, X: Any, y: Any, edges: pd.DataFrame | None = None) -> BloomClassifier:
        frame, y = self._frame(X, reset=True), targets(self, y)
        check_classification_targets(y)
        self.classes_ = unique_labels(y)
        if len(self.classes_) < 2:
            raise ValueError(f"there is one class only, {self.classes_[0]!r}; two are needed")
        codes = np.searchsorted(self.classes_, y)
        self._fit(frame, pd.Categorical.from_codes(codes, [f"c{i}" for i in range(len(self.classes_))]), edges, "class")
        return self

    def predict(self, X: Any, edges: pd.DataFrame | None = None) -> Array:
        answers = self._ask(X, edges, "predict")["prediction"]
        out: Array = self.classes_[answers.str[1:].astype(int).to_numpy()]
        return out

    def predict_proba(self, X: Any, edges: pd.DataFrame | None = None) -> Array:
        out = self._ask(X, edges, "predict_proba")
        return np.asarray(out.reindex(columns=[f"c{i}" for i in range(len(self.classes_))], fill_value=0.0))


class BloomRegressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    __doc__ = "Predicts numbers.\n\n    " + (_Estimator.__doc__ or "").partition("\n\n    ")[2]

    def fit(self, X: Any, y: Any, edges: pd.DataFrame | None = None) -> BloomRegressor:
        self._fit(self._frame(X, reset=True), targets(self, y).astype(float), edges, "regression")
        return self

    def predict(self, X: Any, edges: pd.DataFrame | None = None) -> Array:
        return np.asarray(self._ask(X, edges, "predict")["prediction"], float)


def targets(estimator: BaseEstimator, y: Any) -> Array:
    """y as an array of one dimension without missing values."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    out: Array = column_or_1d(y, warn=True)
    if pd.isna(out).any() or (out.dtype.kind == "f" and np.isinf(out).any()):
        raise ValueError("y contains NaN or infinity; bloomgml.fit takes rows without a label, fit(X, y) does not")
    return out
