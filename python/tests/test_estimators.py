"""Tests of the estimators, where there is scikit-learn."""

import unittest
import warnings

import numpy as np
import pandas as pd

import bloomgml
from test_bloomgml import shop

try:
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.utils.estimator_checks import estimator_checks_generator
except ImportError:
    raise unittest.SkipTest("there is no scikit-learn") from None

# Checks that do not apply, with the reason.
NOT = {
    "check_methods_subset_invariance": "new rows are predicted together, as nodes of one graph, so that the "
    "closed form, alone or as a column of the trees, depends on all of them",
}


def checks(estimator):
    """Runs scikit-learn's checks, but those of NOT; returns how many passed, and what those that failed say."""
    passed, failed = 0, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if name in NOT:
                continue
            try:
                check(one)
                passed += 1
            except unittest.SkipTest:
                pass
            except Exception as error:
                failed[name] = repr(error)
    return passed, failed


class Estimators(unittest.TestCase):
    def test_params_and_clone(self) -> None:
        one = bloomgml.BloomClassifier(recipe="trees", random_state=3, settings={"train.epochs": 5})
        two = clone(one)
        self.assertEqual(two.get_params(), one.get_params())
        self.assertEqual(two.set_params(recipe="closed").recipe, "closed")
        self.assertEqual(one.recipe, "trees")

    def test_edges_reach_rows_that_come_later(self) -> None:
        nodes, edges = shop()
        nodes = nodes[nodes["fraud"].notna()].set_index("id")
        X, y = nodes[["amount", "city"]], nodes["fraud"].astype(int)
        with_edges = cross_val_score(bloomgml.BloomClassifier(edges, recipe="closed"), X, y, cv=2).mean()
        without = cross_val_score(bloomgml.BloomClassifier(recipe="closed"), X, y, cv=2).mean()
        self.assertGreater(with_edges, 0.8)
        self.assertLess(without, 0.7)

    def test_fitted_rows_keep_their_place(self) -> None:
        nodes, edges = shop()
        nodes = nodes[nodes["fraud"].notna()].set_index("id")
        X, y = nodes[["amount", "city"]], np.where(nodes["fraud"] == 1, "bad", "good")
        one = bloomgml.BloomClassifier(recipe="closed").fit(X, y, edges=edges)
        self.assertEqual(list(one.classes_), ["bad", "good"])
        self.assertGreater(one.score(X, y), 0.9)
        half = X.iloc[::-2]
        np.testing.assert_array_equal(one.predict_proba(half), one.predict_proba(X)[::-1][::2])

    def test_rows_with_the_same_index(self) -> None:
        X = pd.DataFrame({"a": np.arange(40.0)}, index=[0, 1] * 20)
        y = (X["a"] > 20).astype(int).to_numpy()
        self.assertEqual(len(bloomgml.BloomClassifier(recipe="closed").fit(X, y).predict(X)), 40)
        with self.assertRaisesRegex(ValueError, "same index"):
            bloomgml.BloomClassifier(pd.DataFrame({"source": [0], "target": [1]})).fit(X, y)

    def test_regressor(self) -> None:
        draw = np.random.default_rng(0)
        X = draw.normal(size=(120, 3))
        one = bloomgml.BloomRegressor().fit(X[:100], 2 * X[:100, 0] + 1)
        self.assertGreater(one.score(X[100:], 2 * X[100:, 0] + 1), 0.8)
        self.assertEqual(set(one.model_.candidates["name"]), {"closed", "trees"})

    def test_what_is_refused(self) -> None:
        X = pd.DataFrame({"a": [1.0, 2, 3, 4]})
        for y, text in (([1, 1, 1, 1], "one class"), ([1, 0, np.nan, 1], "NaN"), ([1, 0], "4 rows and y 2"),
                        (None, "y to be passed")):
            with self.assertRaisesRegex(ValueError, text):
                bloomgml.BloomClassifier().fit(X, y)

    @unittest.skipUnless(__name__ == "__main__", "takes a minute: python python/tests/test_estimators.py")
    def test_conventions(self) -> None:
        for one in (bloomgml.BloomClassifier(recipe="trees"), bloomgml.BloomRegressor(recipe="trees")):
            passed, failed = checks(one)
            print(type(one).__name__, "passes", passed)
            self.assertEqual(failed, {})


if __name__ == "__main__":
    unittest.main()
