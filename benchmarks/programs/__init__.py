"""Whole programs, as users write them, beside the libraries that they would take otherwise: a file for each."""

# The modules, by what they are about.
PROGRAMS = {
    "graphs": (
        "page_rank", "breadth_first", "bellman_ford", "all_pairs", "connected_components", "transitive_closure",
        "k_truss", "clustering_coefficient", "jaccard", "betweenness", "markov_clustering", "automaton",
    ),
    "factors": ("implicit_als", "nmf", "nmf_kullback_leibler", "cp_als", "tucker"),
    "learning": (
        "graph_convolution", "graph_attention", "block_attention", "block_attention_bcsr", "logistic_regression",
        "k_means", "tf_idf", "contingency_table",
    ),
    "physics": ("conjugate_gradient", "galerkin", "finite_volumes", "ising_gates"),
}  # fmt: skip
