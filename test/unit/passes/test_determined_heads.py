"""Costs of tensors in which some modes have one coordinate, or none, for those of others."""

from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.task_sets import TaskSets, text_of


def test_a_head_that_others_determine_is_not_a_task_more():
    """P has at most one j for each i: a row of a permutation."""
    sets = TaskSets(Predicates(), {}, {"P": {1: frozenset({0})}})
    entry, exists = sets.predicates.atom("P", "ij"), sets.predicates.exists
    assert sets.tasks("ij", entry) == sets.tasks("i", exists(entry, "j"))
    both = sets.predicates.conjoin(sets.predicates.atom("A", "ik"), sets.predicates.atom("P", "kj"))
    assert sets.tasks("ijk", both) == sets.tasks("ik", exists(both, "j"))
    # One whose i is not among the heads is not determined, nor is one of another tensor.
    assert text_of(sets.tasks("j", exists(entry, "i"))) == "{j | exists k P_kj}"
    assert text_of(sets.tasks("ij", sets.predicates.atom("A", "ij"))) == "{ij | A_ij}"
