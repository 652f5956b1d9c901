# Writes the notebook of the ten jobs, whose one text is docs/python.md.
"""usage: python3 examples/python/make_notebook.py [--check]     --check: only compares the notebook with the text"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NOTEBOOK = os.path.join(HERE, "ten_jobs.ipynb")
DOCUMENT = os.path.join(HERE, "..", "..", "docs", "python.md")


def jobs():
    """The titles and the code of the ten jobs."""
    with open(DOCUMENT, encoding="utf-8") as document:
        return re.findall(r"^### (\d+\. [^\n]*)\n\n```python\n(.*?)```$", document.read(), re.M | re.S)


def notebook():
    """The text of the notebook."""
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# Roost from Python: ten jobs"]}]
    for title, code in jobs():
        cells.append({"cell_type": "markdown", "metadata": {}, "source": ["## " + title]})
        cells.append({"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": code.rstrip("\n").splitlines(True)})
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        with open(NOTEBOOK, encoding="utf-8") as file:
            sys.exit(None if file.read() == notebook() else f"{NOTEBOOK} is not of docs/python.md: run make_notebook.py")
    with open(NOTEBOOK, "w", encoding="utf-8") as file:
        file.write(notebook())
