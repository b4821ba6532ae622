"""The examples of the pages: the blocks of docs/python.md, and the notebook, whose outputs are those of its cells."""

import contextlib
import io
import json
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_the_root_folder():
    before = os.getcwd()
    os.chdir(ROOT)
    yield
    os.chdir(before)


def test_blocks_of_the_page():
    page = (ROOT / "docs/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(blocks) >= 2
    names = {}
    for block in blocks:
        expected = re.findall(r"^print\(.*\)\s+# (.*)$", block, re.M)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(block, names)
        shown = out.getvalue().splitlines()
        assert expected and all(line in shown for line in expected), (shown, expected)


def test_the_notebook_shows_what_its_cells_give():
    notebook = json.loads((ROOT / "docs/tour.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    names = {}
    for cell in cells:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec("".join(cell["source"]), names)
        shown = "".join("".join(output["text"]) for output in cell["outputs"])
        assert out.getvalue() == shown, "".join(cell["source"])
