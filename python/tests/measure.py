"""How long fit takes outside the program: python measure.py ROWS EDGES [RECIPE EPOCHS]."""

import sys
import time

import numpy as np
import pandas as pd

import bloomgml
from bloomgml import program


def main(rows: int, edges: int, recipe: str | None = None, epochs: str = "") -> None:
    draw = np.random.default_rng(0)
    kind = draw.integers(0, 2, rows)
    nodes = pd.DataFrame({"id": np.arange(rows), "amount": draw.normal(size=rows) + 0.3 * kind,
                          "city": draw.choice(["Ulm", "Jena", "Bern"], rows), "fraud": kind})
    ends = pd.DataFrame(draw.integers(0, rows, (edges, 2)), columns=["source", "target"])
    inside, plain = [], program.run

    def run(*args: object, verbose: bool = False) -> bytes:
        began = time.perf_counter()
        try:
            return plain(*args, verbose=verbose)
        finally:
            inside.append(time.perf_counter() - began)

    program.run = run
    began = time.perf_counter()
    model = bloomgml.fit(nodes, ends, "fraud", recipe=recipe, settings={"train.epochs": epochs} if epochs else {})
    total, spent = time.perf_counter() - began, sum(inside)
    print(f"fit: {total:.1f} s, in bloom {spent:.1f} s, outside {total - spent:.2f} s, {1 - spent / total:.1%}")
    inside.clear()
    began = time.perf_counter()
    model.predict()
    total, spent = time.perf_counter() - began, sum(inside)
    print(f"predict: {total:.1f} s, in bloom {spent:.1f} s, outside {total - spent:.2f} s")


main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
