"""Frames to Parquet files that bloom reads, and its tables back to frames."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet


def write(frame: pd.DataFrame, path: Path) -> None:
    """Writes the columns of a frame, without its index. Columns of mixed values are written as text."""
    names = [str(c) for c in frame.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"the frame has two columns with the same name: {sorted(names)}")
    arrays = [column(frame.iloc[:, i]) for i in range(len(names))]
    table = pa.Table.from_arrays(arrays, names=names)
    text = [f.name for f in table.schema if not pa.types.is_integer(f.type) and not pa.types.is_floating(f.type)]
    pyarrow.parquet.write_table(table, path, use_dictionary=text, compression="snappy", write_statistics=False)


def column(values: pd.Series[Any]) -> Any:
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array(values.astype(object).where(values.isna(), values.astype(str)).where(values.notna(), None))


def with_ids(frame: pd.DataFrame, id: str | None) -> tuple[pd.DataFrame, str]:
    """The frame with a column of ids, and the name of the column: the one that id names; else an index that has a name
    or is of text; else a column called id; else the index."""
    by_name = [c for c in frame.columns if str(c).lower() == "id"]
    index = frame.index
    if isinstance(index, pd.MultiIndex):
        raise ValueError("the index of nodes has several levels; reset_index() and name the column of ids by id=")
    if id is not None and id in frame.columns:
        return frame, str(id)
    if id is not None and id != index.name:
        raise ValueError(f"nodes have no column {id!r}; columns are {', '.join(map(str, frame.columns))}")
    telling = index.name is not None or not pd.api.types.is_numeric_dtype(index.dtype)
    if id is None and by_name and not telling:
        return frame, str(by_name[0])
    name = str(index.name) if index.name is not None else "id"
    while name in frame.columns:
        name += "_"
    out = frame.copy(deep=False)
    out.insert(0, name, index)
    return out, name


def column_named(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    return frame.iloc[:, [str(c) for c in frame.columns].index(name)]


def read(text: bytes) -> pd.DataFrame:
    """A table that bloom printed. Names stay text; an empty number is NaN."""
    head = pyarrow.csv.read_csv(io.BytesIO(text[: text.index(b"\n") + 1])).column_names
    kinds = {n: pa.string() if n in TEXT else pa.float64() for n in head if n in TEXT or n.startswith("p:")}
    kinds |= {n: pa.float64() for n in ("value", "probability", "residual", "energy", "low", "high") if n in head}
    table = pyarrow.csv.read_csv(
        io.BytesIO(text), parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(column_types=kinds, null_values=["", "NaN"]))
    return table.to_pandas()


TEXT = {"id", "type", "class", "classes", "label", "split", "set", "source", "target", "node"}


def text_of(value: object) -> str:
    """A label as bloom prints it."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
