"""The passes of irtensor: names and lazy factories; nothing is imported before a pass is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irtensor.passes.pass_base import TensorPass

# Command-line name, module of this package, class: the same words three times, one line per pass, grouped by stage.
PASSES: tuple[tuple[str, str, str], ...] = (
    ("verify-dominance", "verify_dominance", "VerifyDominancePass"),
    ("keep-order-of-sums", "keep_order_of_sums", "KeepOrderOfSumsPass"),
    # index_notation
    ("expand-regions", "index_notation.expand_regions", "ExpandRegionsPass"),
    ("narrow-sums", "index_notation.narrow_sums", "NarrowSumsPass"),
    ("separate-terms", "index_notation.separate_terms", "SeparateTermsPass"),
    ("share-equal-sums", "index_notation.share_equal_sums", "ShareEqualSumsPass"),
    ("concretize", "index_notation.concretize", "ConcretizePass"),
    # concrete_index
    ("reorder", "concrete_index.reorder", "ReorderPass"),
    ("split", "concrete_index.split", "SplitPass"),
    ("divide", "concrete_index.divide", "DividePass"),
    ("fuse", "concrete_index.fuse", "FusePass"),
    ("pos", "concrete_index.pos", "PosPass"),
    ("coord", "concrete_index.coord", "CoordPass"),
    ("bound", "concrete_index.bound", "BoundPass"),
    ("unroll", "concrete_index.unroll", "UnrollPass"),
    ("vectorize", "concrete_index.vectorize", "VectorizePass"),
    ("merge", "concrete_index.merge", "MergePass"),
    ("assemble", "concrete_index.assemble", "AssemblePass"),
    ("autoschedule", "concrete_index.autoschedule", "AutoschedulePass"),
    ("asymptotic-cost", "concrete_index.asymptotic_cost", "AsymptoticCostPass"),
    ("precompute", "concrete_index.precompute", "PrecomputePass"),
    ("warn-of-full-results", "concrete_index.warn_of_full_results", "WarnOfFullResultsPass"),
    ("match-diagonals", "concrete_index.match_diagonals", "MatchDiagonalsPass"),
    ("split-diagonals", "concrete_index.split_diagonals", "SplitDiagonalsPass"),
    ("match-blocks", "concrete_index.match_blocks", "MatchBlocksPass"),
    ("split-blocked-dimensions", "concrete_index.split_blocked_dimensions", "SplitBlockedDimensionsPass"),
    ("support-protocols", "concrete_index.support_protocols", "SupportProtocolsPass"),
    ("expand-temporaries", "concrete_index.expand_temporaries", "ExpandTemporariesPass"),
    ("order-tables", "concrete_index.order_tables", "OrderTablesPass"),
    ("insert-conversions", "concrete_index.insert_conversions", "InsertConversionsPass"),
    ("insert-workspaces", "concrete_index.insert_workspaces", "InsertWorkspacesPass"),
    ("choose-loop-order", "concrete_index.choose_loop_order", "ChooseLoopOrderPass"),
    ("hoist-producers", "concrete_index.hoist_producers", "HoistProducersPass"),
    ("look-up-repeated-fibers", "concrete_index.look_up_repeated_fibers", "LookUpRepeatedFibersPass"),
    ("tighten-ranges", "concrete_index.tighten_ranges", "TightenRangesPass"),
    ("accumulate-wide-unions", "concrete_index.accumulate_wide_unions", "AccumulateWideUnionsPass"),
    ("accumulate-into-results", "concrete_index.accumulate_into_results", "AccumulateIntoResultsPass"),
    ("scalarize-reductions", "concrete_index.scalarize_reductions", "ScalarizeReductionsPass"),
    ("parallelize", "concrete_index.parallelize", "ParallelizePass"),
    ("parallelize-outermost", "concrete_index.parallelize_outermost", "ParallelizeOutermostPass"),
    ("concordize", "concrete_index.concordize", "ConcordizePass"),
    ("ask-workspaces", "concrete_index.ask_workspaces", "AskWorkspacesPass"),
    ("leave-maps-unsorted", "concrete_index.leave_maps_unsorted", "LeaveMapsUnsortedPass"),
    ("map-wide-workspaces", "concrete_index.map_wide_workspaces", "MapWideWorkspacesPass"),
    ("annihilate-by-value", "concrete_index.annihilate_by_value", "AnnihilateByValuePass"),
    ("sort-operands", "concrete_index.sort_operands", "SortOperandsPass"),
    ("regroup-factors", "concrete_index.regroup_factors", "RegroupFactorsPass"),
    ("tabulate-sums", "concrete_index.tabulate_sums", "TabulateSumsPass"),
    ("merge-dense-dimensions", "concrete_index.merge_dense_dimensions", "MergeDenseDimensionsPass"),
    (
        "lower-concrete-index-to-iteration-lattice",
        "concrete_index.lower_concrete_index_to_iteration_lattice",
        "LowerConcreteIndexToIterationLatticePass",
    ),
    # iteration_lattice
    ("divide-merges", "iteration_lattice.divide_merges", "DivideMergesPass"),
    ("unfurl", "iteration_lattice.unfurl", "UnfurlPass"),
    ("lower-thunk", "iteration_lattice.lower_thunk", "LowerThunkPass"),
    ("lower-entry", "iteration_lattice.lower_entry", "LowerEntryPass"),
    ("lower-run", "iteration_lattice.lower_run", "LowerRunPass"),
    ("lower-switch", "iteration_lattice.lower_switch", "LowerSwitchPass"),
    ("lower-sequence", "iteration_lattice.lower_sequence", "LowerSequencePass"),
    ("lower-jumper", "iteration_lattice.lower_jumper", "LowerJumperPass"),
    ("lower-stepper", "iteration_lattice.lower_stepper", "LowerStepperPass"),
    ("lower-spike", "iteration_lattice.lower_spike", "LowerSpikePass"),
    ("lower-lookup", "iteration_lattice.lower_lookup", "LowerLookupPass"),
    ("walk-equal-lists", "iteration_lattice.walk_equal_lists", "WalkEqualListsPass"),
    ("lower-looplets", "iteration_lattice.lower_looplets", "LowerLoopletsPass"),
    (
        "lower-iteration-lattice-to-loop",
        "iteration_lattice.lower_iteration_lattice_to_loop",
        "LowerIterationLatticeToLoopPass",
    ),
    # loop
    ("fuse-equal-loops", "loop.fuse_equal_loops", "FuseEqualLoopsPass"),
    ("count-entries", "loop.count_entries", "CountEntriesPass"),
    ("divide-appending-loops", "loop.divide_appending_loops", "DivideAppendingLoopsPass"),
    ("remove-unread-memory", "loop.remove_unread_memory", "RemoveUnreadMemoryPass"),
    ("keep-functions", "loop.keep_functions", "KeepFunctionsPass"),
    ("sum-each-iteration", "loop.sum_each_iteration", "SumEachIterationPass"),
    ("batch-functions", "loop.batch_functions", "BatchFunctionsPass"),
    ("batch-sums", "loop.batch_sums", "BatchSumsPass"),
    ("split-off-functions", "loop.split_off_functions", "SplitOffFunctionsPass"),
    ("pack-strided-reads", "loop.pack_strided_reads", "PackStridedReadsPass"),
    ("lower-storage", "loop.lower_storage", "LowerStoragePass"),
    ("simplify-loops", "loop.simplify_loops", "SimplifyLoopsPass"),
    ("join-gaps", "loop.join_gaps", "JoinGapsPass"),
    ("fold-repetitions", "loop.fold_repetitions", "FoldRepetitionsPass"),
    ("note-repetitions", "loop.note_repetitions", "NoteRepetitionsPass"),
    ("divide-fills", "loop.divide_fills", "DivideFillsPass"),
    ("divide-parallel-loops", "loop.divide_parallel_loops", "DivideParallelLoopsPass"),
    ("lower-private", "loop.lower_private", "LowerPrivatePass"),
    ("lower-algebra-to-arith", "loop.lower_algebra_to_arith", "LowerAlgebraToArithPass"),
    ("append-at-once", "loop.append_at_once", "AppendAtOncePass"),
    ("sink-sets", "loop.sink_sets", "SinkSetsPass"),
    ("hoist-invariants", "loop.hoist_invariants", "HoistInvariantsPass"),
    ("append-without-branch", "loop.append_without_branch", "AppendWithoutBranchPass"),
    ("lower-assembly", "loop.lower_assembly", "LowerAssemblyPass"),
    ("empty-sets-by-entries", "loop.empty_sets_by_entries", "EmptySetsByEntriesPass"),
    ("join-alike-branches", "loop.join_alike_branches", "JoinAlikeBranchesPass"),
    ("separate-full-blocks", "loop.separate_full_blocks", "SeparateFullBlocksPass"),
    ("sum-blocks-in-registers", "loop.sum_blocks_in_registers", "SumBlocksInRegistersPass"),
    ("tile-for-registers", "loop.tile_for_registers", "TileForRegistersPass"),
    ("accumulate-in-registers", "loop.accumulate_in_registers", "AccumulateInRegistersPass"),
    ("keep-repeated-elements", "loop.keep_repeated_elements", "KeepRepeatedElementsPass"),
    ("prefetch-gathers", "loop.prefetch_gathers", "PrefetchGathersPass"),
    ("prefetch-rows", "loop.prefetch_rows", "PrefetchRowsPass"),
    ("sum-in-lanes", "loop.sum_in_lanes", "SumInLanesPass"),
    ("mask-remainders", "loop.mask_remainders", "MaskRemaindersPass"),
    ("multiply-powers", "loop.multiply_powers", "MultiplyPowersPass"),
    ("allow-vector-functions", "loop.allow_vector_functions", "AllowVectorFunctionsPass"),
    ("carry-elements", "loop.carry_elements", "CarryElementsPass"),
    ("load-invariants", "loop.load_invariants", "LoadInvariantsPass"),
    ("hint-loops", "loop.hint_loops", "HintLoopsPass"),
    ("poll-interrupts", "loop.poll_interrupts", "PollInterruptsPass"),
    ("list-busy-iterations", "loop.list_busy_iterations", "ListBusyIterationsPass"),
    ("skip-unread-sums", "loop.skip_unread_sums", "SkipUnreadSumsPass"),
    ("skip-annihilated-loops", "loop.skip_annihilated_loops", "SkipAnnihilatedLoopsPass"),
    ("skip-idle-loops", "loop.skip_idle_loops", "SkipIdleLoopsPass"),
    ("drain-sets", "loop.drain_sets", "DrainSetsPass"),
    ("visit-drained-sets", "loop.visit_drained_sets", "VisitDrainedSetsPass"),
    ("accumulate-unconditionally", "loop.accumulate_unconditionally", "AccumulateUnconditionallyPass"),
    ("split-long-sums", "loop.split_long_sums", "SplitLongSumsPass"),
    ("lower-prefix-sums", "loop.lower_prefix_sums", "LowerPrefixSumsPass"),
    ("unspread-loops", "loop.unspread_loops", "UnspreadLoopsPass"),
    ("remove-overwritten-fills", "loop.remove_overwritten_fills", "RemoveOverwrittenFillsPass"),
    # nvvm
    ("count-all-entries", "nvvm.count_all_entries", "CountAllEntriesPass"),
    ("spread-loops", "nvvm.spread_loops", "SpreadLoopsPass"),
    ("place-barriers", "nvvm.place_barriers", "PlaceBarriersPass"),
    ("spread-prefix-sums", "nvvm.spread_prefix_sums", "SpreadPrefixSumsPass"),
    ("bound-maps", "nvvm.bound_maps", "BoundMapsPass"),
    ("fold-fills", "nvvm.fold_fills", "FoldFillsPass"),
    ("place-memory", "nvvm.place_memory", "PlaceMemoryPass"),
    ("outline-launches", "nvvm.outline_launches", "OutlineLaunchesPass"),
    ("lower-loop-to-nvvm", "nvvm.lower_loop_to_nvvm", "LowerLoopToNvvmPass"),
    # llvm
    ("lower-loop-to-llvm", "llvm.lower_loop_to_llvm", "LowerLoopToLlvmPass"),
)


def _load(module: str, name: str) -> type[TensorPass]:
    return getattr(import_module(f"irtensor.passes.{module}"), name)


def get_all_passes() -> dict[str, Callable[[], type[TensorPass]]]:
    """Every pass of irtensor: command-line name -> factory that imports its module when called."""
    return {name: partial(_load, module, cls) for name, module, cls in PASSES}
