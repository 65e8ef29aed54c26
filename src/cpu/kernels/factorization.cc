// The custom calls that factorise matrices, for batches of matrices in the last two dimensions.
// They are computed in double.
#include <algorithm>
#include <complex>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "cpu/kernels/kernels.h"
#include "data/literal_convert.h"
#include "linalg/factorizations.h"
#include "linalg/matrix_shape.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// The matrices of an operand, one after the other.
struct Matrices {
  explicit Matrices(const runtime::LibraryCall& call)
      : type(call.operands[0].element_type()),
        rows(call.operands[0].dimensions(call.operands[0].dimensions_size() - 2)),
        columns(call.operands[0].dimensions().back()) {
    const auto sizes = call.operands[0].dimensions();
    for (int64_t size : sizes.first(sizes.size() - 2)) count *= size;
  }
  int64_t elements() const { return rows * columns; }
  int64_t small() const { return std::min(rows, columns); }

  PrimitiveType type;
  int64_t count = 1, rows, columns;
};

// Elements [i * count, (i + 1) * count) of an array as Wide, and back.
template <typename Wide>
std::vector<Wide> LoadPart(PrimitiveType type, const void* array, int64_t i, int64_t count) {
  std::vector<Wide> part(count);
  ConvertElements(type,
                  static_cast<const char*>(array) + i * count * primitive_util::ByteWidth(type),
                  primitive_util::NativeToPrimitiveType<Wide>(), part.data(), count);
  return part;
}

template <typename Wide>
void StorePart(const std::vector<Wide>& part, PrimitiveType type, void* array, int64_t i) {
  const int64_t count = static_cast<int64_t>(part.size());
  ConvertElements(primitive_util::NativeToPrimitiveType<Wide>(), part.data(), type,
                  static_cast<char*>(array) + i * count * primitive_util::ByteWidth(type), count);
}

// What is done with matrix number i, given the arrays of the call.
using Factorize = void (*)(const Matrices& matrices, const runtime::LibraryCall& call, int64_t i,
                           void* const* arrays);

template <typename Wide>
void Qr(const Matrices& m, const runtime::LibraryCall&, int64_t i, void* const* arrays) {
  std::vector<Wide> a = LoadPart<Wide>(m.type, arrays[0], i, m.elements());
  std::vector<Wide> taus(m.small());
  linalg::HouseholderQr(a.data(), taus.data(), m.rows, m.columns);
  StorePart(a, m.type, arrays[1], i);
  StorePart(taus, m.type, arrays[2], i);
}

template <typename Wide>
void Reflections(const Matrices& m, const runtime::LibraryCall& call, int64_t i,
                 void* const* arrays) {
  const int64_t count = call.operands[1].dimensions().back();
  std::vector<Wide> a = LoadPart<Wide>(m.type, arrays[0], i, m.elements());
  const std::vector<Wide> taus = LoadPart<Wide>(m.type, arrays[1], i, count);
  linalg::ProductOfReflections(a.data(), taus.data(), m.rows, m.columns, count);
  StorePart(a, m.type, arrays[2], i);
}

template <typename Wide>
void Lu(const Matrices& m, const runtime::LibraryCall&, int64_t i, void* const* arrays) {
  std::vector<Wide> a = LoadPart<Wide>(m.type, arrays[0], i, m.elements());
  linalg::LuDecomposition(a.data(), static_cast<int32_t*>(arrays[2]) + i * m.small(),
                          static_cast<int32_t*>(arrays[3]) + i * m.rows, m.rows, m.columns);
  StorePart(a, m.type, arrays[1], i);
}

// The configuration of Eigh is "lower,sort,iterations,tolerance"; the result is always as exact as
// the type allows.
bool ParseEigh(absl::string_view config, bool& lower, bool& sort) {
  const std::vector<absl::string_view> fields = absl::StrSplit(config, ',');
  int numbers[2];
  if (fields.size() != 4 || !absl::SimpleAtoi(fields[0], &numbers[0]) ||
      !absl::SimpleAtoi(fields[1], &numbers[1])) {
    return false;
  }
  lower = numbers[0] != 0, sort = numbers[1] != 0;
  return true;
}

template <typename Wide>
void Eigh(const Matrices& m, const runtime::LibraryCall& call, int64_t i, void* const* arrays) {
  bool lower = false, sort = false;
  ParseEigh(call.instruction.backend_config(), lower, sort);
  std::vector<Wide> a = LoadPart<Wide>(m.type, arrays[0], i, m.elements());
  std::vector<double> values(m.columns);
  linalg::HermitianEigen(a.data(), values.data(), m.columns, lower, sort);
  StorePart(a, m.type, arrays[1], i);
  StorePart(values, call.results[1].element_type(), arrays[2], i);
}

class Factorization : public runtime::LibraryKernel {
 public:
  Factorization(const runtime::LibraryCall& call, Factorize factorize)
      : call_(call), matrices_(call), factorize_(factorize) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    runtime::ParallelFor(matrices_.count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) factorize_(matrices_, call_, i, arrays);
    });
    return absl::OkStatus();
  }

 private:
  const runtime::LibraryCall call_;
  const Matrices matrices_;
  const Factorize factorize_;
};

bool AreCompatible(const std::vector<Shape>& shapes, std::initializer_list<Shape> wanted) {
  return std::equal(shapes.begin(), shapes.end(), wanted.begin(), wanted.end(),
                    [](const Shape& x, const Shape& y) { return ShapeUtil::Compatible(x, y); });
}

struct Target {
  absl::string_view name;
  Factorize real, complex;
};

constexpr Target kTargets[] = {
    {"Qr", Qr<double>, Qr<std::complex<double>>},
    {"ProductOfElementaryHouseholderReflectors", Reflections<double>,
     Reflections<std::complex<double>>},
    {"LuDecomposition", Lu<double>, Lu<std::complex<double>>},
    {"Eigh", Eigh<double>, Eigh<std::complex<double>>},
};

bool HasShapesOf(absl::string_view target, const runtime::LibraryCall& call) {
  const size_t operands = target == "ProductOfElementaryHouseholderReflectors" ? 2 : 1;
  if (call.operands.size() != operands || call.operands[0].dimensions_size() < 2) return false;
  const Shape& a = call.operands[0];
  const PrimitiveType type = a.element_type();
  const Matrices m(call);
  if (target == "Qr")
    return AreCompatible(call.results, {a, linalg::InPlaceOfMatrix(a, type, {m.small()})});
  if (target == "LuDecomposition") {
    return AreCompatible(call.results, {a, linalg::InPlaceOfMatrix(a, S32, {m.small()}),
                                        linalg::InPlaceOfMatrix(a, S32, {m.rows})});
  }
  if (target == "Eigh") {
    bool lower, sort;
    const PrimitiveType real =
        primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
    return m.rows == m.columns && ParseEigh(call.instruction.backend_config(), lower, sort) &&
           AreCompatible(call.results, {a, linalg::InPlaceOfMatrix(a, real, {m.columns})});
  }
  const Shape& taus = call.operands[1];
  if (taus.dimensions_size() + 1 != a.dimensions_size()) return false;
  const int64_t reflections = taus.dimensions().back();
  return ShapeUtil::Compatible(taus, linalg::InPlaceOfMatrix(a, type, {reflections})) &&
         reflections <= m.columns && m.columns <= m.rows && AreCompatible(call.results, {a});
}

}  // namespace

KernelOrStatus MakeFactorization(const runtime::LibraryCall& call) {
  const absl::string_view name = call.instruction.custom_call_target();
  for (const Target& target : kTargets) {
    if (target.name != name) continue;
    if (call.operands.empty()) break;
    const PrimitiveType type = call.operands[0].element_type();
    const bool is_complex = primitive_util::IsComplexType(type);
    if (!HasShapesOf(name, call) || (!is_complex && !primitive_util::IsFloatingPointType(type)))
      break;
    return std::make_unique<Factorization>(call, is_complex ? target.complex : target.real);
  }
  return InvalidArgument("custom-call %s: \"%s\" has no operands or results like these",
                         call.instruction.name(), name);
}

}  // namespace xla::cpu
