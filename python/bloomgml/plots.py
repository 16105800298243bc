"""What a notebook draws of an explanation."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

import pandas as pd

# Widths of the names, the bars and the figures, and the height of a row, in pixels.
NAMES, BARS, FIGURES, ROW = 260, 280, 60, 22


@dataclass
class Plot:
    """A drawing: svg is its text."""

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg


def bars(why: pd.DataFrame) -> Plot:
    """A bar for every row of Model.explain: right of the middle if it raises the sum, left if it lowers it."""
    rows = [(_name(row), float(row["share"])) for row in why.to_dict("records") if pd.notna(row["share"])]
    longest = max((abs(share) for _, share in rows), default=0) or 1
    middle = NAMES + BARS / 2
    parts = []
    for i, (name, share) in enumerate(rows):
        width, y = BARS / 2 * abs(share) / longest, ROW * (i + 1)
        parts.append(
            f'<text x="{NAMES - 8}" y="{y + 15}" text-anchor="end">{html.escape(name)}</text>'
            f'<rect x="{middle - (width if share < 0 else 0):.1f}" y="{y + 4}" width="{width:.1f}" height="{ROW - 8}" '
            f'fill="{"#c0504d" if share < 0 else "#4f81bd"}"/>'
            f'<text x="{NAMES + BARS + 8}" y="{y + 15}">{share:+.3f}</text>')
    title = html.escape(f"{why.attrs.get('of') or 'sum'}: {why.attrs.get('sum') or 0:.3g}")
    return Plot(f'<svg xmlns="http://www.w3.org/2000/svg" width="{NAMES + BARS + FIGURES}" height="{ROW * (len(rows) + 1) + 8}" '
                f'font-family="sans-serif" font-size="12"><text x="4" y="15">{title}</text>{"".join(parts)}</svg>')


def _name(row: dict[str, object]) -> str:
    """The column with its value, or the neighbour."""
    name = str(row["name"])[:34]
    value = row["value"]
    if pd.isna(value) or "=" in name:
        return name
    return f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {str(value)[:12]}"
