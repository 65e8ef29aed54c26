#include "bench/accuracy/measure.h"

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "bench/accuracy/inputs.h"
#include "bench/accuracy/ulp.h"
#include "codegen/target.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::accuracy {
namespace {

constexpr int64_t kBatch = 1 << 16;

// More than the double reference can be wrong, in units of f32: 512 units of the double.
constexpr double kSlack = 0x1p-20;
// Inputs between those at which the double reference is compared with the wider one.
constexpr int64_t kReferenceStride = 1024;

absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(const Function& function,
                                                        PrimitiveType type,
                                                        ExecutionBackend& backend) {
  XlaBuilder b(function.name);
  const Shape shape = ShapeUtil::MakeShape(type, {kBatch});
  std::vector<XlaOp> operands;
  for (int i = 0; i < function.operand_count; ++i)
    operands.push_back(Parameter(&b, i, shape, absl::StrCat("x", i)));
  const XlaOp result = function.build(operands);
  HILO_ASSIGN_OR_RETURN(const Shape result_shape, b.GetShape(result));
  if (result_shape.element_type() != type) ConvertElementType(result, type);
  HILO_ASSIGN_OR_RETURN(const XlaComputation computation, b.Build());
  DebugOptions options;
  (*options.mutable_xla_backend_extra_options())[codegen::kSubnormalsOption] = "kept";
  HILO_ASSIGN_OR_RETURN(const HloModuleConfig config, HloModule::CreateModuleConfigFromProto(
                                                          computation.proto(), options));
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                        HloModule::CreateFromProto(computation.proto(), config));
  return backend.Compile(std::move(module));
}

template <typename T>
std::string TextOf(T value) {
  constexpr int kDigits = std::numeric_limits<T>::max_digits10;
  return absl::StrFormat("%.*g", kDigits, static_cast<double>(value));
}
template <typename T>
std::string TextOf(std::complex<T> value) {
  return absl::StrCat("(", TextOf(value.real()), ", ", TextOf(value.imag()), ")");
}

template <typename T>
void FillInputs(const Function& function, const Sampling& sampling, int64_t first, int64_t count,
                const std::array<T*, 2>& operands) {
  if constexpr (is_complex_v<T>) {
    for (int64_t i = 0; i < count; ++i) {
      typename T::value_type parts[4];
      Sample(first + i, 2 * function.operand_count, parts);
      for (int k = 0; k < function.operand_count; ++k)
        operands[k][i] = T(parts[2 * k], parts[2 * k + 1]);
    }
  } else if (function.operand_count == 1 && sizeof(T) <= 4) {
    const int64_t stride = sizeof(T) == 4 ? sampling.stride : 1;
    for (int64_t i = 0; i < count; ++i)
      operands[0][i] = FromBits<T>(static_cast<uint64_t>((first + i) * stride));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      T values[2];
      Sample(first + i, function.operand_count, values);
      for (int k = 0; k < function.operand_count; ++k) operands[k][i] = values[k];
    }
  }
}

void Merge(const Measurement& from, Measurement& to) {
  to.inputs += from.inputs;
  to.not_nearest += from.not_nearest;
  to.wrong_class += from.wrong_class;
  if (to.wrong_class_input.empty()) to.wrong_class_input = from.wrong_class_input;
  to.reference_error = std::max(to.reference_error, from.reference_error);
  if (from.largest_error > to.largest_error) {
    to.largest_error = from.largest_error;
    to.worst_input = from.worst_input;
  }
}

// Compares results with the reference.
template <typename T>
class Examiner {
 public:
  explicit Examiner(const Function& function) : function_(function) {}

  Measurement& measurement() { return measurement_; }

  void Examine(const std::array<T*, 2>& operands, const T* results, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const T inputs[] = {operands[0][i], function_.operand_count == 2 ? operands[1][i] : T()};
      if constexpr (is_complex_v<T>) {
        ExamineComplex(inputs, results[i]);
      } else if constexpr (std::is_same_v<T, float>) {
        ExamineQuickly(inputs, results[i], i);
      } else {
        ExamineClosely(inputs, results[i]);
      }
    }
    measurement_.inputs += count;
  }

 private:
  void ExamineQuickly(const T* inputs, T result, int64_t i) {
    const double narrow[] = {inputs[0], inputs[1]};
    const double expected = function_.narrow(narrow);
    if (i % kReferenceStride == 0) CheckReference(narrow, expected);
    const double error = QuickUlpError(result, expected);
    if (error == 0 || error + kSlack <= measurement_.largest_error) {
      if (error > 0.5 + kSlack) ++measurement_.not_nearest;
    } else {
      ExamineClosely(inputs, result);
    }
  }

  void CheckReference(const double* inputs, double narrow) {
    const long double wide_inputs[] = {inputs[0], inputs[1]};
    const long double wide = function_.wide(wide_inputs);
    const long double magnitude = std::fabs(wide);
    if (!(magnitude > 0x1p-150L && magnitude < 0x1p128L)) return;
    measurement_.reference_error =
        std::max(measurement_.reference_error,
                 static_cast<double>(std::fabs(wide - narrow) / Ulp<double>(wide)));
  }

  void ExamineClosely(const T* inputs, T result) {
    const long double wide[] = {static_cast<long double>(static_cast<double>(inputs[0])),
                                static_cast<long double>(static_cast<double>(inputs[1]))};
    Count(inputs, UlpError(result, function_.wide(wide)));
  }

  void ExamineComplex(const T* inputs, T result) {
    using Part = typename T::value_type;
    const ComplexReference wide[] = {ComplexReference(inputs[0]), ComplexReference(inputs[1])};
    if (function_.knows != nullptr && !function_.knows(wide)) {
      --measurement_.inputs;
      return;
    }
    const ComplexReference expected = function_.complex(wide);
    const double real_error = PartError(result.real(), expected.real());
    const double imaginary_error = PartError(result.imag(), expected.imag());
    double error = std::max(real_error, imaginary_error);
    // A part that is small beside the other is allowed the other's error.
    const long double larger = std::max(std::fabs(expected.real()), std::fabs(expected.imag()));
    if (error > 0.5 && error != kInfinity) {
      error = larger >= OverflowThreshold<Part>()
                  ? 0
                  : static_cast<double>(std::abs(ComplexReference(result) - expected) /
                                        Ulp<Part>(larger));
    }
    Count(inputs, error);
  }

  // The sign of a part that is zero is not always defined.
  template <typename Part>
  static double PartError(Part result, long double expected) {
    return UlpError(result == 0 && !std::isnan(expected)
                        ? std::copysign(result, static_cast<Part>(expected))
                        : result,
                    expected);
  }

  void Count(const T* inputs, double error) {
    if (error == kInfinity) {
      if (++measurement_.wrong_class == 1) measurement_.wrong_class_input = TextOf(inputs);
      return;
    }
    if (error > 0.5 + kSlack) ++measurement_.not_nearest;
    if (error <= measurement_.largest_error) return;
    measurement_.largest_error = error;
    measurement_.worst_input = TextOf(inputs);
  }

  std::string TextOf(const T* inputs) const {
    std::string text = accuracy::TextOf(inputs[0]);
    if (function_.operand_count == 2) absl::StrAppend(&text, ", ", accuracy::TextOf(inputs[1]));
    return text;
  }

  const Function& function_;
  Measurement measurement_;
};

template <typename T>
absl::StatusOr<Measurement> MeasureType(const Function& function, PrimitiveType type,
                                        ExecutionBackend& backend, const Sampling& sampling,
                                        absl::FunctionRef<void(int64_t)> progress) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<CompiledModule> module,
                        Compile(function, type, backend));
  const int64_t total = InputCount(function, type, sampling);
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  absl::Status status;
  Measurement all;
  const auto work = [&] {
    const Shape shape = ShapeUtil::MakeShape(type, {kBatch});
    std::vector<Literal> literals;
    for (int i = 0; i < function.operand_count; ++i) literals.emplace_back(shape);
    std::vector<const Literal*> arguments;
    std::array<T*, 2> operands = {};
    for (int i = 0; i < function.operand_count; ++i) {
      arguments.push_back(&literals[i]);
      operands[i] = literals[i].data<T>().data();
    }
    Examiner<T> examiner(function);
    for (int64_t first; (first = next.fetch_add(kBatch)) < total;) {
      const int64_t count = std::min(kBatch, total - first);
      FillInputs<T>(function, sampling, first, count, operands);
      const absl::StatusOr<Literal> result = module->Run(arguments);
      if (!result.ok()) {
        const std::lock_guard<std::mutex> lock(mutex);
        status.Update(result.status());
        break;
      }
      examiner.Examine(operands, result->data<T>().data(), count);
      progress(count);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    Merge(examiner.measurement(), all);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < sampling.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  HILO_RETURN_IF_ERROR(status);
  return all;
}

}  // namespace

int64_t InputCount(const Function& function, PrimitiveType type, const Sampling& sampling) {
  const bool real = primitive_util::IsFloatingPointType(type);
  if (function.operand_count == 1 && real && primitive_util::BitWidth(type) == 16) return 1 << 16;
  if (function.operand_count == 1 && type == F32)
    return ((int64_t{1} << 32) + sampling.stride - 1) / sampling.stride;
  return sampling.samples;
}

absl::StatusOr<Measurement> Measure(const Function& function, PrimitiveType type,
                                    ExecutionBackend& backend, const Sampling& sampling,
                                    absl::FunctionRef<void(int64_t)> progress) {
  switch (type) {
    case F16:
      return MeasureType<half>(function, type, backend, sampling, progress);
    case BF16:
      return MeasureType<bfloat16>(function, type, backend, sampling, progress);
    case F32:
      return MeasureType<float>(function, type, backend, sampling, progress);
    case F64:
      return MeasureType<double>(function, type, backend, sampling, progress);
    case C64:
      return MeasureType<complex64>(function, type, backend, sampling, progress);
    case C128:
      return MeasureType<complex128>(function, type, backend, sampling, progress);
    default:
      return InvalidArgument("The accuracy of %s is not measured",
                             primitive_util::LowercasePrimitiveTypeName(type));
  }
}

}  // namespace xla::accuracy
