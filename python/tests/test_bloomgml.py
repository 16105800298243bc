"""Tests of the package on small frames: python -m unittest discover python/tests, with the wheel installed."""

import contextlib
import io
import os
import pickle
import signal
import tempfile
import threading
import unittest
import urllib.request
from unittest import mock
from xml.etree import ElementTree

import numpy as np
import pandas as pd

import bloomgml
from bloomgml import program, tables


def shop(n: int = 200, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Accounts whose class is that of most of their neighbours and hardly shows in their own column. The last quarter
    has no label; the index is not that of positions."""
    draw = np.random.default_rng(seed)
    bad = draw.integers(0, 2, n)
    names = np.array([f"k{i}" for i in range(n)])
    nodes = pd.DataFrame({"id": names, "amount": draw.normal(size=n) + 0.2 * bad, "city": draw.choice(["Ulm", "Jena"],
                          n), "fraud": bad.astype(object)}, index=np.arange(n) * 3 + 7)
    nodes.iloc[3 * n // 4:, 3] = None
    source, other = draw.integers(0, n, 8 * n), draw.integers(0, n, 8 * n)
    like = np.array([draw.choice(np.flatnonzero(bad == bad[s])) for s in source])
    target = np.where(draw.random(8 * n) < 0.85, like, other)
    return nodes, pd.DataFrame({"source": names[source], "target": names[target]})


class Fit(unittest.TestCase):
    """One model for all questions."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.nodes, cls.edges = shop()
        cls.model = bloomgml.fit(nodes=cls.nodes, edges=cls.edges, label="fraud", recipe="closed", verbose=False)

    def test_predictions_stand_beside_the_index(self) -> None:
        out = self.model.predict()
        self.assertTrue(out.index.equals(self.nodes.index))
        truth = self.nodes["fraud"].dropna()
        self.assertTrue((out["label"].dropna() == truth).all())
        self.assertEqual(out["label"].notna().sum(), len(truth))
        self.assertEqual(set(out["prediction"]), {0, 1})  # numbers, as in the frame
        share = (out["prediction"][truth.index] == truth).mean()
        self.assertGreater(share, 0.9)  # neighbours tell; the column alone is right in about 0.55

    def test_probabilities(self) -> None:
        p, out = self.model.predict_proba(), self.model.predict()
        self.assertEqual(list(p.columns), [0, 1])
        self.assertTrue(p.index.equals(self.nodes.index))
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
        np.testing.assert_allclose(p.max(axis=1), out["probability"], atol=1e-6)

    def test_kept_predictions_are_those_of_the_program(self) -> None:
        self.assertEqual(self.model._kept(), program.run("predict", self.model.run))

    def test_coverage(self) -> None:
        self.assertTrue(self.model.predict(coverage=0.9)["set"].isin(["0", "1", "0;1"]).all())

    def test_explain(self) -> None:
        why = self.model.explain("k3", top=0)
        self.assertAlmostEqual(why["share"].sum(), why.attrs["sum"], places=4)
        self.assertTrue({"amount", "city=Ulm"} <= set(why["name"]))
        self.assertEqual(int(why.attrs["class"]), self.model.predict().loc[16, "prediction"])

    def test_plot_has_a_bar_for_every_share(self) -> None:
        why, drawn = self.model.explain("k3"), self.model.plot("k3")._repr_svg_()
        widths = [float(bar.get("width")) for bar in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect")]
        share = why["share"].dropna().abs()
        np.testing.assert_allclose(widths, 140 * share / share.max(), atol=0.06)
        self.assertIn("city=Ulm", drawn)

    def test_audit_finds_a_wrong_label(self) -> None:
        nodes, edges = shop(80)
        truth = nodes.loc[16, "fraud"]
        nodes.loc[16, "fraud"] = 1 - truth
        found = bloomgml.fit(nodes, edges, "fraud", recipe="closed", verbose=False).audit()
        self.assertIn(16, found.labels.index[:5])
        self.assertEqual(found.labels.loc[16, "id"], "k3")
        self.assertEqual(found.labels.loc[16, "proposed"], truth)
        self.assertEqual(len(found.nodes), len(nodes))
        self.assertTrue({"source", "target", "probability"} <= set(found.edges.columns))
        self.assertIn("<table", found._repr_html_())

    def test_new_nodes(self) -> None:
        new = pd.DataFrame({"id": ["a", "b"], "amount": [0.1, 1], "city": ["Ulm", "Jena"]}, index=["x", "y"])
        kind = self.nodes.set_index("id")["fraud"].dropna()
        ends = [("a", k) for k in kind[kind == 0].index[:9]] + [("b", k) for k in kind[kind == 1].index[:9]]
        edges = pd.DataFrame(ends, columns=["source", "target"])
        out = self.model.predict(new, edges)
        self.assertEqual(out["prediction"].to_dict(), {"x": 0, "y": 1})
        np.testing.assert_allclose(self.model.predict_proba(new, edges).max(axis=1), out["probability"], atol=1e-5)
        more = self.model.add(new, edges)
        self.assertEqual(list(more.predict().index), [*self.nodes.index, "x", "y"])
        self.assertEqual(list(more.predict()["prediction"][-2:]), [0, 1])
        self.assertEqual(len(self.model.predict()), len(self.nodes))

    def test_pickle_save_load(self) -> None:
        want = self.model.predict()
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(self.model)).predict(), want)
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(os.path.join(folder, "kept"))
            out = bloomgml.load(os.path.join(folder, "kept")).predict()
        self.assertEqual(list(out.index), list(self.nodes["id"]))
        self.assertEqual(list(out["prediction"].astype(int)), list(want["prediction"]))
        with self.assertRaises(bloomgml.BloomError):
            bloomgml.load(folder)

    def test_report_and_server(self) -> None:
        page = self.model.report()._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc=") and "&lt;html" in page.lower())
        with self.model.serve() as server:
            with urllib.request.urlopen(server.url + "/v2/health/ready") as answer:
                self.assertEqual(answer.status, 200)
        with self.assertRaises(OSError):
            urllib.request.urlopen(server.url + "/v2/health/ready", timeout=2)
        with self.assertRaisesRegex(bloomgml.BloomError, "--never"):
            self.model.serve(options=["--never"])

    def test_errors_are_sentences(self) -> None:
        with self.assertRaises(bloomgml.BloomError) as caught:
            self.model.explain("nobody")
        self.assertEqual(str(caught.exception), 'no node "nobody"')
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(bloomgml.BloomError, 'there is no column "frau"'):
            bloomgml.fit(self.nodes, self.edges, "frau", verbose=False)
        with self.assertRaisesRegex(ValueError, "no column 'name'"):
            bloomgml.fit(self.nodes, self.edges, "fraud", id="name", verbose=False)

    def test_progress(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            bloomgml.fit(self.nodes, self.edges, "fraud", recipe="closed", verbose=True)
        self.assertIn("closed on data", said.getvalue())

    def test_interrupt(self) -> None:
        # A job in the background of a shell begins with the signal ignored.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        children, plain = [], program.start

        def start(*args):
            children.append(plain(*args))
            return children[-1]

        with mock.patch.object(program, "start", start), self.assertRaises(KeyboardInterrupt):
            threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            bloomgml.fit(self.nodes, self.edges, "fraud", recipe="base", settings={"train.epochs": 10**6,
                         "train.patience": 0}, verbose=False)
        self.assertIsNotNone(children[-1][0].poll())


class Frames(unittest.TestCase):
    """What frames hold."""

    def test_ids(self) -> None:
        x = pd.DataFrame({"a": [1.0, 2.0]})
        for frame, id, want in (
            (x.assign(key=["p", "q"]), "key", ["p", "q"]),
            (x.assign(ID=["p", "q"]), None, ["p", "q"]),
            (x.set_axis(["p", "q"]), None, ["p", "q"]),
            (x.assign(id=[1, 2]).set_axis(["p", "q"]), None, ["p", "q"]),
            (x.rename_axis("key"), None, [0, 1]),
            (x.rename_axis("key"), "key", [0, 1]),
            (x.set_axis([5, 6]), None, [5, 6]),
        ):
            out, name = tables.with_ids(frame, id)
            self.assertEqual(tables.column_named(out, name).tolist(), want)
        self.assertEqual(list(x.columns), ["a"])

    def test_kinds_of_columns(self) -> None:
        n = 60
        draw = np.random.default_rng(0)
        frame = pd.DataFrame({
            "when": pd.date_range("2024-01-01", periods=n, tz="UTC"), "kind": pd.Categorical(["u", "v"] * (n // 2)),
            "maybe": pd.array([None if i % 3 else i for i in range(n)], dtype="Int64"),
            "vector": list(draw.normal(size=(n, 3))),
            "dirty": [i if i % 2 else f"{i} EUR" for i in range(n)], 7: draw.normal(size=n),
            "period": pd.period_range("2020-01", periods=n, freq="M"), "y": np.arange(n) % 2 == 0})
        model = bloomgml.fit(frame, label="y", recipe="trees", verbose=False)
        self.assertEqual(model.predict()["prediction"].dtype, bool)
        self.assertEqual(list(model.predict_proba().columns), [False, True])

    def test_numbers_and_sets(self) -> None:
        nodes, edges = shop()
        nodes["price"] = 3 * nodes["amount"] + 1
        model = bloomgml.fit(nodes.drop(columns="fraud"), edges, "price", recipe="closed", verbose=False)
        out = model.predict(coverage=0.8)
        np.testing.assert_allclose(out["label"], nodes["price"], rtol=1e-5)
        self.assertTrue((out["low"] < out["high"]).all())
        with self.assertRaisesRegex(bloomgml.BloomError, "no probabilities"):
            model.predict_proba()
        nodes["tags"] = [["a", "b"] if x else ["a"] for x in nodes["fraud"].fillna(0)]
        sets = bloomgml.fit(nodes.drop(columns="fraud"), edges, "tags", recipe="trees", verbose=False)
        self.assertEqual(list(sets.predict_proba().columns), ["a", "b"])

    def test_links(self) -> None:
        nodes, edges = shop()
        nodes = nodes.drop(columns="fraud")
        model = bloomgml.fit(nodes, edges, task="links", recipe="base", settings={"train.epochs": 3}, verbose=False)
        self.assertEqual(len(model.predict(node="k3", top=4)), 4)

    def test_rows_that_cannot_be_used_have_no_answer(self) -> None:
        nodes, edges = shop()
        double = pd.concat([nodes, nodes.iloc[:1].assign(id="")])
        out = bloomgml.fit(double, edges, "fraud", recipe="closed", verbose=False).predict()
        self.assertTrue(out.index.equals(double.index))
        self.assertTrue(out["prediction"].isna().to_list() == [False] * len(nodes) + [True])


if __name__ == "__main__":
    unittest.main()
