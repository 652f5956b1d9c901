# The ten jobs of docs/python.md, the notebook of them, and the examples: run as a reader would.
import json
import os
import runpy
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples", "python")
made = runpy.run_path(os.path.join(EXAMPLES, "make_notebook.py"))
JOBS = made["jobs"]()


def need(code):
    for name in ("pandas", "polars", "pyarrow", "duckdb", "torch", "cupy"):
        if f"import {name}" in code or f", {name}" in code.splitlines()[0]:
            pytest.importorskip(name)


def test_there_are_ten_jobs_of_at_most_five_lines():
    assert [title.partition(".")[0] for title, _ in JOBS] == [str(i) for i in range(1, 11)]
    assert max(len(code.splitlines()) for _, code in JOBS) <= 5


def test_the_readme_begins_as_the_first_job():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        code = file.read().partition("```python\n")[2].partition("```")[0]
    assert code and JOBS[0][1].startswith(code)


@pytest.mark.parametrize("title,code", JOBS, ids=[title for title, _ in JOBS])
def test_each_job_runs_in_a_fresh_interpreter(title, code, tmp_path):
    need(code)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0 and ran.stdout, ran.stderr


def test_the_notebook_is_the_same_text_and_runs(tmp_path, monkeypatch, capsys):
    with open(made["NOTEBOOK"], encoding="utf-8") as file:
        text = file.read()
    assert text == made["notebook"](), "examples/python/make_notebook.py writes it"
    monkeypatch.chdir(tmp_path)
    names, skipped = {}, []
    for cell in json.loads(text)["cells"]:
        code = "".join(cell["source"])
        if cell["cell_type"] == "code":
            try:
                need(code)
            except pytest.skip.Exception as reason:
                skipped.append(str(reason))
                continue
            exec(compile(code, "cell", "exec"), names)
    assert len(skipped) <= 3


def example(name, *arguments, cwd=None):
    return subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *map(str, arguments)], capture_output=True, text=True, cwd=cwd)


def test_dedup_frame():
    pytest.importorskip("pandas")
    ran = example("dedup_frame.py")
    assert ran.returncode == 0 and "as pandas does" in ran.stdout, ran.stderr


def test_count_kmers(tmp_path):
    reads = ["ACGTACGTAA", "TTACGTNACG", "ACG"]
    (tmp_path / "r.fastq").write_text("".join(f"@r{i}\n{read}\n+\n{'I' * len(read)}\n" for i, read in enumerate(reads)))
    ran = example("count_kmers.py", tmp_path / "r.fastq", "4")
    assert ran.returncode == 0, ran.stderr
    expected = {}
    for read in reads:
        for i in range(len(read) - 3):
            kmer = read[i:i + 4]
            other = kmer[::-1].translate(str.maketrans("ACGT", "TGCA"))
            if "N" not in kmer:
                expected[min(kmer, other)] = expected.get(min(kmer, other), 0) + 1
    assert {line.split()[0]: int(line.split()[1]) for line in ran.stdout.splitlines()} == expected


@pytest.mark.parametrize("name,module", [("embedding.py", "torch"), ("join_cupy.py", "cupy")])
def test_examples_of_gpus(name, module):
    pytest.importorskip(module)
    ran = example(name)
    assert ran.returncode == 0 and "right" in ran.stdout, ran.stderr


def test_numpy_is_enough(tmp_path):
    """The first seven jobs where no other package can be imported."""
    others = ("pandas", "polars", "pyarrow", "duckdb", "torch", "cupy", "jax")
    block = f"import sys\nsys.modules.update(dict.fromkeys({others}))\n"
    for title, code in JOBS[:7]:
        ran = subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True, cwd=tmp_path)
        assert ran.returncode == 0, (title, ran.stderr)
