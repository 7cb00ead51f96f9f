// Eigen's sparse kernels on arrays of NumPy, for benchmarks/eigen.py.

#include <Eigen/Sparse>

using Eigen::ColMajor, Eigen::Dynamic, Eigen::RowMajor;

template <int Order> using Sparse = Eigen::SparseMatrix<double, Order, int>;
template <int Order> using Dense = Eigen::Matrix<double, Dynamic, Dynamic, Order>;

// The arrays of SciPy's csr or csc.
struct Stored {
  long rows, columns;
  const int *positions, *coordinates;
  const double *values;
};

// The arrays of a result, and the matrix that they belong to.
struct Made {
  long entries;
  const int *positions, *coordinates;
  const double *values;
  Sparse<RowMajor> *owner;
};

template <int Order> Eigen::Map<const Sparse<Order>> view(const Stored &a) {
  long outer = Order == RowMajor ? a.rows : a.columns;
  return {a.rows, a.columns, a.positions[outer], a.positions, a.coordinates, a.values};
}

template <int Order> void product_with_vector(const Stored *a, const double *x, double *y) {
  Eigen::Map<const Eigen::VectorXd> read(x, a->columns);
  Eigen::Map<Eigen::VectorXd>(y, a->rows).noalias() = view<Order>(*a) * read;
}

template <class Expression> void hand_over(const Expression &expression, Made *made) {
  auto *result = new Sparse<RowMajor>(expression);
  result->makeCompressed();
  *made = {result->nonZeros(), result->outerIndexPtr(), result->innerIndexPtr(), result->valuePtr(), result};
}

template <int Order> void sampled(const Stored *a, const double *c, const double *d, long depth, Made *made) {
  Eigen::Map<const Dense<RowMajor>> left(c, a->rows, depth);
  Eigen::Map<const Dense<Order>> right(d, depth, a->columns);
  // Computes the products that the entries of `a` ask for, and no others.
  hand_over(view<RowMajor>(*a).cwiseProduct(left.lazyProduct(right)), made);
}

extern "C" {

int version() { return 10000 * EIGEN_WORLD_VERSION + 100 * EIGEN_MAJOR_VERSION + EIGEN_MINOR_VERSION; }

void csr_with_vector(const Stored *a, const double *x, double *y) { product_with_vector<RowMajor>(a, x, y); }

void csc_with_vector(const Stored *a, const double *x, double *y) { product_with_vector<ColMajor>(a, x, y); }

void csr_with_matrix(const Stored *a, const double *b, double *c, long width) {
  Eigen::Map<const Dense<RowMajor>> read(b, a->columns, width);
  Eigen::Map<Dense<RowMajor>>(c, a->rows, width).noalias() = view<RowMajor>(*a) * read;
}

void sum(const Stored *a, const Stored *b, Made *made) {
  hand_over(view<RowMajor>(*a) + view<RowMajor>(*b), made);
}

void elementwise_product(const Stored *a, const Stored *b, Made *made) {
  hand_over(view<RowMajor>(*a).cwiseProduct(view<RowMajor>(*b)), made);
}

void product(const Stored *a, const Stored *b, Made *made) {
  hand_over(view<RowMajor>(*a) * view<RowMajor>(*b), made);
}

void sampled_by_columns(const Stored *a, const double *c, const double *d, long depth, Made *made) {
  sampled<ColMajor>(a, c, d, depth, made);
}

void sampled_by_rows(const Stored *a, const double *c, const double *d, long depth, Made *made) {
  sampled<RowMajor>(a, c, d, depth, made);
}

void release(Sparse<RowMajor> *owner) { delete owner; }
}
