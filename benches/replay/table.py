"""Rows of the table: a measure, what it came to, and its bar."""
from __future__ import annotations

import dataclasses
import statistics
from typing import Callable

from measuring import Run

# A round: what each contender took, by its name.
Round = dict[str, Run]
Figure = Callable[[Round], float]


@dataclasses.dataclass
class Measure:
    """A row: two figures, and the ratio that the bar is about. Under `least_baseline` the machine had too little to
    spare, and there is no verdict."""

    name: str
    needs: list[str]
    ours: Figure
    baseline: Figure
    ratio: Figure
    form: str
    bar: float
    at_least: bool = False
    least_baseline: float = 0


def row(measure: Measure, rounds: list[Round], missing: dict[str, str]) -> list[str]:
    """The cells of a measure: medians of the rounds, and the smallest and largest ratio."""
    absent = [f"{name}: {missing[name]}" for name in measure.needs if name in missing]
    if absent:
        return [measure.name, "-", "-", "-", "-", bar_text(measure), absent[0]]
    ratios = sorted(measure.ratio(taken) for taken in rounds)
    ratio = statistics.median(ratios)
    busy = statistics.median(measure.baseline(taken) for taken in rounds) < measure.least_baseline
    return [
        measure.name,
        median_text(measure.ours, measure.form, rounds),
        median_text(measure.baseline, measure.form, rounds),
        f"{ratio:.2f}",
        f"{ratios[0]:.2f}-{ratios[-1]:.2f}",
        bar_text(measure),
        "busy" if busy else verdict(measure, ratio),
    ]


def median_text(figure: Figure, form: str, rounds: list[Round]) -> str:
    """A figure's median in its unit."""
    return form.format(statistics.median(figure(taken) for taken in rounds))


def bar_text(measure: Measure) -> str:
    """A bar as people read it."""
    return f"{'>=' if measure.at_least else '<='} {measure.bar:g}"


def verdict(measure: Measure, ratio: float) -> str:
    """`ok` or `MISS`."""
    return "ok" if (ratio >= measure.bar if measure.at_least else ratio <= measure.bar) else "MISS"


def contender_rows(rounds: list[Round], sizes: dict[str, tuple[float, float]]) -> list[list[str]]:
    """What each contender took: `sizes` has the millions of events and of bytes that it reads."""
    rows = [["contender", "seconds", "spread", "CPU s", "peak MB", "M events/s", "MB/s"]]
    for name in rounds[0]:
        runs = [taken[name] for taken in rounds]
        seconds = sorted(run.seconds for run in runs)
        median = statistics.median(seconds)
        events, size = sizes[name]
        rows.append([name, f"{median:.3f}", f"{seconds[0]:.3f}-{seconds[-1]:.3f}",
                     f"{statistics.median(run.cpu_seconds for run in runs):.2f}",
                     f"{max(run.peak_bytes for run in runs) / 1e6:.0f}",
                     f"{events / median:.2f}", f"{size / median:.0f}"])
    return rows


def show(rows: list[list[str]]) -> None:
    """Prints rows in columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for cells in rows:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths)]
        print("  ".join([*padded, cells[-1]]).rstrip())
