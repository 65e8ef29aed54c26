// The functions whose accuracy is measured, each with a reference that computes in a wider type.
#ifndef HILO_BENCH_ACCURACY_FUNCTIONS_H_
#define HILO_BENCH_ACCURACY_FUNCTIONS_H_

#include <complex>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla::accuracy {

using ComplexReference = std::complex<long double>;

struct Function {
  std::string name;   // as in HLO text; of the builder's library as in C++
  int operand_count;  // 1 or 2
  XlaOp (*build)(absl::Span<const XlaOp> operands);
  // The exact result, as near as a double and a long double can be: the first is there because it
  // is fast, the second is what MPFR gives. Null for functions of complex numbers.
  double (*narrow)(const double* operands);
  long double (*wide)(const long double* operands);
  // By the C library, or made of functions that it has. Null for functions of real numbers.
  ComplexReference (*complex)(const ComplexReference* operands);
  // Whether the reference knows the result for these operands; null if it always does.
  bool (*knows)(const ComplexReference* operands) = nullptr;
};

const std::vector<Function>& RealOperations();
const std::vector<Function>& ComplexOperations();
// Functions of real numbers in xla/hlo/builder/lib/math.h, which are made of several operations.
const std::vector<Function>& LibraryFunctions();

}  // namespace xla::accuracy

#endif  // HILO_BENCH_ACCURACY_FUNCTIONS_H_
