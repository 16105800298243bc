"""Executes the notebook of the documents: by nbclient where there is one, else its code cells one after the other."""

import json
import unittest
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


class Notebook(unittest.TestCase):
    def test_runs(self) -> None:
        try:
            import ipykernel  # noqa: F401
            import nbclient
            import nbformat
        except ImportError:
            return self.by_cells()
        book = nbformat.read(NOTEBOOK, as_version=4)
        nbclient.NotebookClient(book, timeout=300).execute()
        shown = [o for o in book.cells[-1].outputs if "data" in o]
        self.assertIn("<iframe", shown[0]["data"]["text/html"])

    def by_cells(self) -> None:
        names: dict[str, object] = {}
        cells = [c for c in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
        self.assertGreater(len(cells), 5)
        for i, cell in enumerate(cells):
            exec(compile("".join(cell["source"]), f"notebook.ipynb, code cell {i + 1}", "exec"), names)


if __name__ == "__main__":
    unittest.main()
