"""Prints figures: the rows of a run, or two runs side by side."""

import json
import pathlib

COLUMNS = [("per_second", "per s", "{:,.0f}"), ("cpu_us", "CPU µs", "{:.2f}"),
           ("cpu_us_answering", "before drain", "{:.2f}"),
           ("p50_ms", "p50 ms", "{:.2f}"), ("p99_ms", "p99 ms", "{:.2f}"),
           ("p999_ms", "p99.9 ms", "{:.2f}"),
           ("resident_mib", "MiB", "{:.0f}")]

KNOWN = {key for key, _, _ in COLUMNS} | {
    "answered", "seconds", "status", "status_errors", "failed", "sent",
    "unanswered", "max_ms"}


def print_rows(rows):
    table = [["", *(title for _, title, _ in COLUMNS)]]
    for row in rows:
        figures = row["figures"]
        table.append([f"{row['part']}: {row['name']}", *(
            form.format(figures[key]) if key in figures else ""
            for key, _, form in COLUMNS)])
    widths = [max(len(line[i]) for line in table)
              for i in range(len(table[0]))]
    for line, row in zip(table, [None, *rows]):
        print("  ".join(
            [line[0].ljust(widths[0]),
             *(x.rjust(w) for x, w in zip(line[1:], widths[1:]))]).rstrip())
        if row is None:
            continue
        more = {k: v for k, v in row["figures"].items() if k not in KNOWN}
        if more:
            print("    " + ", ".join(f"{k} {v:,.2f}" for k, v in more.items()))
        if row["bar"]:
            print(f"    bar: {row['bar']}: "
                  + ("holds" if row["holds"] else "MISSED"))


def compare(old_path, new_path):
    old, new = (json.loads(pathlib.Path(p).read_text())
                for p in (old_path, new_path))
    before = {(x["part"], x["name"]): x["figures"] for x in old["rows"]}
    print(f"{old['date']} {old['commit']} -> {new['date']} {new['commit']}; "
          "ratios are new to old")
    for row in new["rows"]:
        was = before.get((row["part"], row["name"]))
        if was is None:
            continue
        print(f"{row['part']}: {row['name']}")
        for key, value in row["figures"].items():
            if isinstance(value, (int, float)) and was.get(key):
                print(f"    {key:20} {was[key]:14,.2f} {value:14,.2f} "
                      f"{value / was[key]:8.3f}")
