"""irtensor-autoschedule: what is counted, what is shown, and what is refused."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from irtensor.tools import irtensor_autoschedule

PRODUCT = "A[i,j] += B[i,k] * C[j,k]"


def printed(capsys, *arguments):
    assert irtensor_autoschedule.main(arguments) == 0
    return capsys.readouterr().out


def test_counts_of_all_stages(capsys):
    found = json.loads(printed(capsys, PRODUCT, "--json"))
    costs = found.pop("costs")
    assert found.pop("seconds") >= 0
    assert found == {
        "ordered_trees": 2,
        "trees": 1,
        "groupings_raw": 1,
        "groupings": 1,
        "pushed": 1,
        "permuted": 6,
        "depths": {"3": 6},
        "min_depth": 6,
        "universe": 96,
        "distinct_costs": 38,
        "compared": 96,
        "complete": True,
        "frontier": 12,
        "classes": 1,
    }
    (one,) = costs
    assert one["cost"] == "{ijk | B_ik, C_jk} U {ik | B_ik}"
    assert len(one["programs"]) == 12
    assert "forall ikj: A[i,j] += B[s(i),s(k)] * C[s(j),l(k)]" in one["programs"]


@pytest.mark.parametrize(
    ("arguments", "universe", "frontier"),
    [
        (["--taco"], 240, 4),
        (["--taco", "--compat", "pldi2022"], 144, 4),
        (["--taco", "--compat", "preprint"], 336, 4),
    ],
)
def test_searches_that_were_published(capsys, arguments, universe, frontier):
    found = json.loads(printed(capsys, "A[i,j] += B[i,k] * C[j,k] * D[j,k]", "--json", *arguments))
    assert (found["universe"], found["frontier"]) == (universe, frontier)


def test_a_report_of_one_stage(capsys):
    text = printed(capsys, "a[i] += B[i,j] * C[j,k] * d[k]", "--dense", "a,d", "--stage", "groupings")
    assert text.splitlines() == [
        "trees of the expression, arguments in any order        12   ordered_trees",
        "trees of the expression                                 3   trees",
        "groupings into workspaces, with duplicates              9   groupings_raw",
        "groupings into workspaces                               7   groupings",
        "",
        "  a[i] += B[i,j] * C[j,k] * d[k]",
        "  (a[i] += d[k] * w) where (w = B[i,j] * C[j,k])",
        "  (a[i] += d[k] * w) where (w += B[i,j] * C[j,k])",
        "  (a[i] += B[i,j] * w) where (w = C[j,k] * d[k])",
        "  (a[i] += B[i,j] * w) where (w += C[j,k] * d[k])",
        "  (a[i] += C[j,k] * w) where (w = B[i,j] * d[k])",
        "  (a[i] += C[j,k] * w) where (w += B[i,j] * d[k])",
    ]


def test_a_report_of_the_whole_search(capsys):
    """A sum that is part of a value stays in a loop of its own; long lists are cut."""
    text = printed(capsys, "a[i] = B[i,j] * x[j] + c[i]", "--dense", "x", "--dense", "c")
    assert text.splitlines()[-15:-8] == [
        "different costs                                         4   distinct_costs",
        "programs of least cost                                 10   frontier",
        "least costs, which are incomparable                     1   classes",
        "",
        "cost 1: {ij | B_ij} U {i}",
        "  forall i: ((a[i] = c[i] + w) where (forall j: w += B[s(i),s(j)] * x[j]))",
        "  forall i: ((a[i] = c[i] + w) where (forall j: w += B[l(i),s(j)] * x[j]))",
    ]
    text = printed(capsys, PRODUCT)
    assert text.endswith("* C[s(j),l(k)]\n  ... and 2 more\n")


def test_a_search_that_is_not_complete(capsys):
    product = "A[i,j] += B[i,k] * C[k,l] * D[j,l]"
    text = printed(capsys, product, "--budget", "100")
    assert "\nFound by branch and bound with 101 costs: all programs are more than the budget.\n" in text
    assert "\nThe budget ended the search, so that others may cost less: --budget N computes more costs.\n" in text
    found = json.loads(printed(capsys, product, "--budget", "100", "--json"))
    assert (found["compared"], found["complete"], found["universe"]) == (101, False, 20736)
    assert "distinct_costs" not in found


def test_programs_that_are_too_many_to_compare_all(capsys):
    found = json.loads(printed(capsys, "A[i,j] += B[i,k] * C[k,l] * D[j,l]", "--budget", "2000", "--json"))
    assert (found["complete"], found["frontier"], found["classes"], found["universe"]) == (True, 8, 2, 20736)
    assert found["compared"] < 1000


def test_a_sum_is_only_computed_where_it_is_used(capsys):
    text = printed(capsys, "A[i,j] = D[i,j] * sqrt(sum(k, B[i,k] * C[k,j]))", "--dense", "B,C")
    assert "cost 1: {ijk | D_ij}\n  forall ij: ((A[i,j] = D[s(i),s(j)] * sqrt(w)) where (forall k: w += " in text


def test_a_sum_is_pulled_out_of_a_product(capsys):
    pulled = printed(capsys, "A[i,j] = D[i,j] * sum(k, B[i,k] * C[k,j])", "--dense", "B,C")
    assert "cost 1: {ijk | D_ij}\n  forall ijk: A[i,j] += B[i,k] * C[k,j] * D[s(i),s(j)]\n" in pulled


def test_names_that_are_used_twice_are_told_apart(capsys):
    """The two sums go over variables of their own, which run over the same coordinates where a tensor says so."""
    text = printed(capsys, "a[i] = sum(j, B[i,j] * x[j]) * sum(j, C[i,j] * x[j])", "--stage", "min_depth")
    assert "w1 += C[i,j_1] * x[j_1]" in text


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("file", "start"), [("costs.png", b"\x89PNG"), ("costs.SVG", b"<?xml"), ("costs.pdf", b"%PDF")]
)
def test_pictures(capsys, tmp_path, file, start):
    """The same picture is the same file."""
    pytest.importorskip("matplotlib")
    path, again = tmp_path / file, tmp_path / f"again_{file}"
    text = printed(capsys, PRODUCT, "--picture", str(path))
    assert text.startswith("trees of the expression") and text == printed(capsys, PRODUCT, "--picture", str(again))
    assert path.read_bytes().startswith(start) and path.read_bytes() == again.read_bytes()


def shown(path: Path) -> list[str]:
    """The texts of a picture."""
    return [text.text or "" for text in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_what_a_picture_shows(capsys, tmp_path):
    """Every cost has a box with its number and how many programs have it, and a line of the key."""
    pytest.importorskip("matplotlib")
    path = tmp_path / "costs.svg"
    found: dict[str, Any] = json.loads(printed(capsys, PRODUCT, "--json", "--picture", str(path)))
    texts = shown(path)
    boxes = [text for text in texts if text.startswith("×")]
    assert len(boxes) == found["distinct_costs"] == 38 and boxes[0] == "×12"
    assert sum(int(text[1:]) for text in boxes) == found["universe"]
    assert texts[0] == PRODUCT
    least = found["costs"][0]
    key = [text for text in texts[texts.index(boxes[-1]) + 1 :] if text]
    assert key[:5] == ["1", least["cost"], least["programs"][0], "2", key[4]] and key[-2:] == ["38", "{ijk}"]
    assert "omitted" not in "".join(texts)


def test_a_picture_of_some_costs(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "costs.svg"
    product = "A[i,j] += B[i,k] * C[k,l] * D[j,l]"
    printed(capsys, product, "--budget", "2000", "--picture", str(path))
    texts = shown(path)
    assert "Found by branch and bound: only the least costs are known." in texts
    assert [text for text in texts if text.startswith("×")] == ["×4", "×4"]
    printed(capsys, product, "--budget", "100", "--picture", str(path))
    assert "The budget ended the search: others may cost less." in shown(path)
    printed(capsys, product, "--picture", str(path))
    assert "The lowest 40 of 2,506 costs are drawn; 2,466 are omitted." in shown(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [PRODUCT, "--stage", "groupings", "--picture", "costs.svg"],
            "error: [bad-option] --picture draws costs, which are not known after --stage groupings\n",
        ),
        (
            ["a[i] = B[i,j] * x["],
            "<notation>:1:17: error: [syntax-error] ",
        ),
        (
            [PRODUCT, "--dense", "B,q"],
            "error: [bad-option] --dense names 'q', which is not a tensor\nhelp: tensors are B, C, A\n",
        ),
        ([PRODUCT, "--budget", "0"], "error: [bad-option] --budget takes a positive number of programs, not 0\n"),
        (
            ["a = B[i] * C[i] * D[i] * E[i] * F[i] * G[i]"],
            "error: [no-asymptotic-cost] 6 operands are read in 1 loops, more than are searched for (5 and 6)\n",
        ),
        ([PRODUCT, "--stage", "q"], "error: [bad-option] argument --stage: invalid choice: 'q'"),
        ([PRODUCT, "--compat", "2021"], "error: [bad-option] argument --compat: invalid choice: '2021'"),
    ],
)
def test_mistakes(capsys, arguments, message):
    assert irtensor_autoschedule.main(arguments) == 1
    assert message[:30] in capsys.readouterr().err
