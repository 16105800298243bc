"""fit and the model that it returns."""

from __future__ import annotations

import html
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from . import plots, program, tables

Tables: TypeAlias = pd.DataFrame | Mapping[str, pd.DataFrame]


def fit(nodes: Tables | None = None, edges: Tables | None = None, label: str | None = None, *, id: str | None = None,
        source: str | None = None, target: str | None = None, weight: str | None = None, directed: bool | None = None,
        kinds: Mapping[str, str] | None = None, task: str | None = None, recipe: str | None = None,
        budget: float | str | None = None, candidates: Sequence[str] | None = None, seed: int = 0,
        holdout: float | None = None, split: str | None = None, settings: Mapping[str, object] | None = None,
        out: str | os.PathLike[str] | None = None, import_options: Sequence[str] = (), verbose: bool = True) -> Model:
    """Trains on a frame of nodes and a frame of edges.

    label is the column to predict; rows without a value are predicted only. Without it, or with task="links", links are
    predicted. id, source and target name the columns of ids and ends of edges; ids are the index if no column says so.
    Frames by name, as {"film": films}, are node types and relations ("user:likes:film").

    Without a recipe, models are compared for about budget (seconds, or text as "2m"), or those that candidates names,
    and the best is kept. settings are keys of docs/config.md, as {"train.epochs": 50}; kinds overrule what a column is
    taken for; holdout is the share of rows that are kept for a test. out is a folder to keep, for load; without it a
    temporary one lasts as long as the model. import_options are further flags of bloom data import. verbose prints what
    the program says to sys.stderr.
    """
    folder = _Folder(out)
    args = _flags(label=label, split=split, seed=seed,
                  task=None if task == "links" else task, out=folder.path / "data.bloom")
    if directed is not None:
        args.append("--directed" if directed else "--undirected")
    for name, kind in (kinds or {}).items():
        args += ["--kind", f"{name}={kind}"]
    index = ids = None
    if isinstance(nodes, pd.DataFrame):
        index = nodes.index
        nodes, id = tables.with_ids(nodes, id)
        ids = tables.column_named(nodes, id)
    with tempfile.TemporaryDirectory(prefix="bloomgml-") as work:
        args += _files("nodes", nodes, Path(work)) + _flags(id=id)
        if joined := _files("edges", edges, Path(work)):
            args += joined + _flags(source=source, target=target, weight=weight)
        told = json.loads(program.run("data", "import", "--json", *args, *import_options, verbose=verbose))
    args = _flags(data=folder.path / "data.bloom", out=folder.path / "run", seed=seed, recipe=recipe, holdout=holdout,
                  budget=f"{budget:g}s" if isinstance(budget, (int, float)) else budget,
                  candidates=None if candidates is None else ",".join(candidates),
                  task=task if task == "links" else None)
    for key, value in (settings or {}).items():
        args += ["--set", f"{key}={value}"]
    result = json.loads(program.run("train", "--json", *args, verbose=verbose))
    names = {c["name"] for c in told.get("class_sizes") or ()}
    return Model(folder, folder.path / "run", result, index, ids, _classes(nodes, label, names), id)


def _flags(**values: object) -> list[object]:
    """The flags that have a value."""
    return [x for name, value in values.items() if value is not None for x in (f"--{name}", value)]


def _classes(nodes: Tables | None, label: str | None, names: set[str]) -> dict[str, Any]:
    """The values of a column of labels by what bloom calls them."""
    frames = [nodes] if isinstance(nodes, pd.DataFrame) else list((nodes or {}).values())
    columns = [f[label].dropna() for f in frames if label in f] if names else []
    try:
        return {text: v for c in columns for v in c.unique().tolist() if (text := tables.text_of(v)) in names}
    except TypeError:  # lists: classes are what they hold
        return {}


def load(folder: str | os.PathLike[str]) -> Model:
    """The model in a folder that fit(out=…) or bloom train wrote. Its frames have ids as their index."""
    at = Path(folder).absolute()
    run = at / "run" if (at / "run").is_dir() else at
    if not (run / "result.json").exists():
        raise program.BloomError(f"{folder} is not the folder of a model or a run", 3)
    return Model(_Folder(at), run, json.loads((run / "result.json").read_bytes()))


def _files(flag: str, frames: Tables | None, work: Path) -> list[object]:
    """Writes tables and returns the flags that name them. A table without rows says nothing."""
    args: list[object] = []
    named = {"": frames} if isinstance(frames, pd.DataFrame) else frames or {}
    for i, (name, frame) in enumerate(named.items()):
        if len(frame):
            path = work / (f"{flag}{i or ''}.parquet")
            tables.write(frame, path)
            args += [f"--{flag}", f"{name}={path}" if name else path]
    return args


class _Folder:
    """The folder of a model: a given one, or a temporary one that is removed with the last model that uses it."""

    def __init__(self, out: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bloomgml-") if out is None else out).absolute()
        self.path.mkdir(parents=True, exist_ok=True)
        if out is None:
            weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass
class Model:
    """A trained model. Frames that it returns have the index of the frame of nodes."""

    _folder: _Folder = field(repr=False)
    run: Path  # the run folder, for the program itself
    result: dict[str, Any] = field(repr=False)  # what bloom train --json printed: scores, candidates, seconds
    index: pd.Index[Any] | None = field(default=None, repr=False)
    ids: pd.Series[Any] | None = field(default=None, repr=False)  # of the rows of index
    classes: dict[str, Any] = field(default_factory=dict, repr=False)  # labels by what bloom calls them
    id: str | None = None  # the column of ids

    def predict(self, nodes: pd.DataFrame | None = None, edges: pd.DataFrame | None = None, *,
                coverage: float | None = None, node: object = None, top: int = 10) -> pd.DataFrame:
        """A row for every node: prediction, its probability, and what else bloom knows of it.

        nodes are predicted instead if given: new rows, joined by edges with old ones or each other; nothing of them is
        kept. coverage=0.9 adds sets of classes, or intervals, that hold the truth nine times out of ten. Of links:
        the top nodes that node is most probably joined with; without node the pairs that were held out.
        """
        raw, index = self._answers(nodes, edges, coverage, node, top)
        out = raw.drop(columns=[c for c in raw.columns if c.startswith("p:")])
        for column in {"label", "split"} & set(out.columns):
            out[column] = out[column].where(raw[column] != "", None)
        if "value" in out and "label" in out:
            out["label"] = pd.to_numeric(out["label"])
        for column in {"class", "label"} & set(out.columns):
            out[column] = self._values(out[column])
        out = out.rename(columns={"class": "prediction", "classes": "prediction", "value": "prediction"})
        return self._indexed(out, index)

    def predict_proba(self, nodes: pd.DataFrame | None = None, edges: pd.DataFrame | None = None) -> pd.DataFrame:
        """The probability of every class, a column each; of classes that exclude each other they sum to 1."""
        raw, index = self._answers(nodes, edges, None, None, 10)
        names = [c for c in raw.columns if c.startswith("p:")]
        if not names:
            raise program.BloomError("there are no probabilities: the model does not predict classes")
        if "class" in raw.columns:  # printed to seven digits
            raw[names] = raw[names].div(raw[names].sum(axis=1), axis=0)
        out = self._indexed(raw[["id", *names]], index)
        return out.set_axis([self.classes.get(n[2:], n[2:]) for n in names], axis=1)

    def explain(self, id: object, *, label: object = None, top: int = 10) -> pd.DataFrame:
        """Why a node is predicted as it is: what each column and neighbour contributes to the sum that attrs names, the
        log-odds of two classes or the predicted number. share adds up to attrs["sum"] if top is 0, for all."""
        args = ["--node", tables.text_of(id), "--top", top, "--json"]
        if label is not None:
            args += ["--label", tables.text_of(label)]
        answer = json.loads(self._run("explain", *args))
        told = answer.get("breakdown") or {}
        rows = [{"group": "base", "name": "base", "share": told.get("prior")}]
        for group in told.get("groups", ()):
            rows += [{"group": group["name"], **part} for part in group["parts"]]
        rows.append({"group": "rest", "name": "rest", "share": told.get("rest")})
        out = pd.DataFrame(rows, columns=["group", "name", "value", "usual", "class", "share"])
        out.attrs = {k: v for k, v in answer.items() if not isinstance(v, (list, dict))}
        out.attrs |= {"of": told.get("of"), "sum": told.get("sum")}
        return out

    def plot(self, id: object, *, label: object = None, top: int = 10) -> plots.Plot:
        """The rows of explain as bars, which a notebook draws."""
        return plots.bars(self.explain(id, label=label, top=top))

    def audit(self, *, verbose: bool = False) -> Audit:
        """The rows, labels and edges that are probably wrong, the most suspicious first."""
        told = json.loads(self._run("audit", "--json", verbose=verbose))
        nodes, labels, edges = (pd.DataFrame(told.get(k) or []) for k in ("nodes", "labels", "edges"))
        for column in ("given", "proposed"):
            if column in labels:
                labels[column] = self._values(labels[column])
        return Audit(self._ranked(nodes), self._ranked(labels), edges, told.get("advice") or {})

    def certify(self, budget: int = 1) -> pd.DataFrame:
        """Which predictions no change of that many edges can overturn; attrs["certified"] is their share."""
        told = json.loads(self._run("certify", "--budget", budget, "--json"))
        out = self._ranked(pd.DataFrame(told["nodes"]))
        out["class"] = self._values(out["class"])
        out.attrs["certified"] = told["certified"]
        return out

    def add(self, nodes: pd.DataFrame, edges: pd.DataFrame | None = None, *, verbose: bool = False) -> Model:
        """A model with new nodes in its graph, by the same parameters; this one stays as it is."""
        folder = _Folder()
        frame, id = self._with_ids(nodes)
        with tempfile.TemporaryDirectory(prefix="bloomgml-") as work:
            files = _files("nodes", frame, Path(work)) + _files("edges", edges, Path(work))
            self._run("add", *files, "--save", folder.path / "run", verbose=verbose)
        index, ids = self.index, self.ids
        if index is not None and ids is not None:
            index, ids = index.append(nodes.index), pd.concat([ids, tables.column_named(frame, id)])
        return Model(folder, folder.path / "run", self.result, index, ids, self.classes, self.id)

    def report(self) -> Report:
        """The page about the run, which a notebook shows."""
        path = Path(self._run("report").decode().strip())
        return Report(path, path.read_text("utf-8"))

    def serve(self, port: int = 0, host: str = "127.0.0.1", options: Sequence[str] = ()) -> Server:
        """Starts a server for the model; port 0 is a free one. options are further flags of bloom serve."""
        return Server([str(self.run), "--addr", f"{host}:{port}", *options])

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Copies the run and its data to a folder, for load."""
        shutil.copytree(self._folder.path, folder)

    @property
    def candidates(self) -> pd.DataFrame:
        """The models that were compared, with their scores and seconds."""
        return pd.DataFrame(self.result.get("candidates") or [], columns=["name", "score", "error", "folds", "seconds"])

    def _run(self, command: str, *args: object, verbose: bool = False) -> bytes:
        return program.run(command, self.run, *args, verbose=verbose)

    def _with_ids(self, nodes: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        """New nodes with the column of ids that the nodes of fit had, which may have been their index."""
        named = self.id in nodes.columns or self.id == nodes.index.name
        frame, id = tables.with_ids(nodes, self.id if named else None)
        return (frame, id) if self.id is None else (frame.rename(columns={id: self.id}), self.id)

    def _answers(self, nodes: pd.DataFrame | None, edges: pd.DataFrame | None, coverage: float | None, node: object,
                 top: int) -> tuple[pd.DataFrame, tuple[pd.Index[Any], pd.Series[Any]] | None]:
        """What bloom predict prints, and the index and ids of the rows that were asked about, if they are known."""
        args: list[object] = [] if coverage is None else ["--coverage", coverage]
        if node is not None:
            return tables.read(self._run("predict", *args, "--node", tables.text_of(node), "--top", top)), None
        if nodes is None:
            known, kept = None if self.index is None or self.ids is None else (self.index, self.ids), self._kept()
            return tables.read(self._run("predict", *args) if args or kept is None else kept), known
        frame, id = self._with_ids(nodes)
        with tempfile.TemporaryDirectory(prefix="bloomgml-") as work:
            files = _files("nodes", frame, Path(work)) + _files("edges", edges, Path(work))
            return tables.read(self._run("predict", *args, *files)), (nodes.index, tables.column_named(frame, id))

    def _kept(self) -> bytes | None:
        """What bloom predict printed at the end of training, which is in the run folder."""
        path = self.run / "predictions.csv"
        return path.read_bytes() if path.exists() else None

    def _values(self, texts: pd.Series[Any]) -> pd.Series[Any]:
        """Labels as they were in the frame."""
        if not self.classes:
            return texts
        return texts.map(lambda t: self.classes.get(t, t), na_action="ignore").infer_objects()

    def _indexed(self, out: pd.DataFrame, known: tuple[pd.Index[Any], pd.Series[Any]] | None) -> pd.DataFrame:
        """Rows in the order of the frame; a row that bloom could not use has no answer."""
        if "id" not in out:
            return out
        if known is None:
            return out.set_index("id")
        index, ids = known
        if len(out) != len(ids):
            out = out.drop_duplicates("id").set_index("id").reindex([tables.text_of(v) for v in ids.tolist()])
        return out.drop(columns="id", errors="ignore").set_axis(index, axis=0)

    def _ranked(self, out: pd.DataFrame) -> pd.DataFrame:
        """Rows in their own order, under the labels of the index."""
        if self.index is None or self.ids is None or "id" not in out:
            return out
        places: dict[str, int] = {}
        for i, value in enumerate(self.ids.tolist()):
            places.setdefault(tables.text_of(value), i)
        at = [places.get(text, -1) for text in out["id"]]
        return out if -1 in at else out.set_axis(self.index.take(at), axis=0)

    def __getstate__(self) -> dict[str, Any]:
        """A pickle carries the folder."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(self._folder.path, ".")
        return {**self.__dict__, "_folder": packed.getvalue(), "run": str(self.run.relative_to(self._folder.path))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._folder = _Folder()
        with tarfile.open(fileobj=io.BytesIO(state["_folder"])) as tar:
            tar.extractall(self._folder.path, filter="data")
        self.run = self._folder.path / state["run"]


@dataclass
class Audit:
    """What is probably wrong in the data."""

    nodes: pd.DataFrame
    labels: pd.DataFrame
    edges: pd.DataFrame
    advice: dict[str, Any]

    def _repr_html_(self) -> str:
        parts = (("rows", self.nodes), ("labels", self.labels), ("edges", self.edges))
        return "".join(f"<h4>{name}</h4>{frame.head(10).to_html()}" for name, frame in parts if len(frame))


@dataclass
class Report:
    """The page about a run: one HTML file."""

    path: Path
    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="720" style="border:0"></iframe>'


class Server:
    """A running bloom serve, at url; stop() or the end of a with block ends it."""

    def __init__(self, args: list[str]) -> None:
        self._child, lines = program.start(["serve", *args], subprocess.DEVNULL)
        said: list[str] = []
        while (line := program.take(lines)) is not None:
            said.append(line)
            if line.startswith("The page is at "):
                break
        else:
            raise program.BloomError(program.sentence(said), self._child.wait())
        self.url = said[-1].removeprefix("The page is at ").rstrip("/")
        self.stop = weakref.finalize(self, program.stop, self._child)
        threading.Thread(target=lambda: all(iter(lines.get, None)), daemon=True).start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
