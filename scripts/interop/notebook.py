"""Runs the cells of a notebook in order, as a reader would: python notebook.py docs/notebooks/scenarios.ipynb

Without a kernel, so that nothing but the packages of the notebook is needed. The last expression of a cell is
printed, as notebooks do. A cell that fails ends it with its number and source.
"""
import ast
import json
import sys
from pathlib import Path


def run_cell(source, names):
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    if value is not None:
        print(value)


def main(path):
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    names = {"__name__": "__main__"}
    ran = 0
    for number, cell in enumerate(cells, start=1):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        try:
            run_cell(source, names)
        except Exception:
            print(f"{path}: cell {number} failed:\n{source}", file=sys.stderr)
            raise
        ran += 1
    print(f"{path}: {ran} cells ran")


main(sys.argv[1])
