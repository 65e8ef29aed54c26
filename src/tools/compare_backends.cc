#include "tools/compare_backends.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "tools/divided_run.h"
#include "tools/fake_inputs.h"
#include "tools/literal_display.h"
#include "tools/perturb_module.h"
#include "tools/process_run.h"
#include "tools/random_module.h"
#include "tools/random_values.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// ---- Inputs ---------------------------------------------------------------------------------

template <typename T>
T RandomElement(Random& random, int style) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return random.Coin();
  } else if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    const Part re = RandomElement<Part>(random, style);
    return T(re, RandomElement<Part>(random, style));
  } else if constexpr (Limits::is_integer) {
    if (style == 0) return static_cast<T>(static_cast<int>(random.Below(4)));
    if (style == 1) return static_cast<T>(static_cast<int>(random.Below(12)) - 4);
    if (random.Below(8) == 0) return random.Coin() ? Limits::max() : Limits::lowest();
    return static_cast<T>(random.Below(std::numeric_limits<int64_t>::max()));
  } else {
    const double unit = static_cast<double>(random.Below(1 << 24)) / (1 << 24) - 0.5;
    if (style == 0) return static_cast<T>(unit * 4);
    if (style == 1) return static_cast<T>(static_cast<double>(random.Below(12)) - 4);
    switch (random.Below(12)) {
      case 0:
        return static_cast<T>(Limits::infinity());
      case 1:
        return static_cast<T>(-std::numeric_limits<double>::infinity());
      case 2:
        return static_cast<T>(std::numeric_limits<double>::quiet_NaN());
      case 3:
        return static_cast<T>(-0.0);
      case 4:
        return Limits::max();
      case 5:
        return Limits::denorm_min();
      default:
        return static_cast<T>(std::ldexp(unit, static_cast<int>(random.Below(60)) - 30));
    }
  }
}

void Randomize(Random& random, Literal& literal) {
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& leaf, const ShapeIndex& index) {
    if (!leaf.IsArray()) return;
    const int style = static_cast<int>(random.Below(3));
    primitive_util::ArrayTypeSwitch(
        [&](auto type) {
          using Native = primitive_util::NativeTypeOf<type>;
          for (Native& element : literal.data<Native>(index))
            element = RandomElement<Native>(random, style);
        },
        leaf.element_type());
    for (int d = 0; d < leaf.dimensions_size(); ++d) {
      if (!leaf.is_dynamic_dimension(d)) continue;
      literal.SetDynamicSize(d, index, static_cast<int32_t>(random.Below(leaf.dimensions(d) + 1)));
    }
  });
}

// A parameter keeps its value when others are taken away.
absl::StatusOr<std::vector<Literal>> MakeInputs(const HloModule& module,
                                                std::optional<uint64_t> seed) {
  HILO_ASSIGN_OR_RETURN(std::vector<Literal> inputs, MakeFakeInputs(module));
  if (!seed.has_value()) return inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Random random(*seed * 1000 + i);
    Randomize(random, inputs[i]);
  }
  return inputs;
}

// ---- Results --------------------------------------------------------------------------------

// What numbers of a type are like.
struct NumberKind {
  double smallest = 0;  // positive number
  // A type without NaN has zero in its place, with the sign of the NaN, and that of a part of a
  // complex number hangs on the formula: neither is promised.
  bool has_signed_zero = true;
  // How far any number of the array moves, for types whose intermediate results are more exact than
  // the type: what cancels in them moves by chance.
  double moves = 0;
  // Where some numbers of the array move, others may by chance have come back to where they were:
  // this part of them, a few units in the last place.
  double relative = 0;
};

NumberKind KindOf(PrimitiveType type) {
  NumberKind kind;
  primitive_util::ArrayTypeSwitch(
      [&](auto constant) {
        using Native = primitive_util::NativeTypeOf<constant>;
        if constexpr (!is_complex_v<Native> && !std::numeric_limits<Native>::is_integer)
          kind = {
              static_cast<double>(std::numeric_limits<Native>::denorm_min()),
              std::numeric_limits<Native>::has_quiet_NaN && !primitive_util::IsComplexType(type)};
      },
      primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type);
  return kind;
}

// What becomes of a number when operations are rounded differently.
struct Movement {
  double distance = 0;
  bool jumps = false;         // to infinity or NaN or from there
  bool changes_sign = false;  // so that the sign of zero says nothing
};

Movement MovementOf(double reference, absl::Span<const double> variants) {
  Movement movement;
  for (double variant : variants) {
    if (std::isnan(variant) && std::isnan(reference)) continue;
    movement.changes_sign |= std::signbit(variant) != std::signbit(reference);
    if (variant == reference) continue;
    movement.jumps |= !std::isfinite(variant) || !std::isfinite(reference);
    movement.distance = std::max(movement.distance, std::abs(variant - reference));
  }
  return movement;
}

bool Agrees(double own, double reference, const Movement& movement, const NumberKind& kind) {
  if (movement.jumps) return true;
  if (std::isnan(reference)) return std::isnan(own);
  const bool moves = movement.distance > 0 || kind.moves > 0;
  if (own == reference) {
    return std::signbit(own) == std::signbit(reference) || movement.changes_sign || moves ||
           !kind.has_signed_zero;
  }
  return (moves || kind.relative > 0) &&
         std::abs(own - reference) <= 16 * movement.distance + kind.moves + 4 * kind.smallest +
                                          kind.relative * std::abs(reference);
}

// An array of the result of both, and what the variants give.
struct Results {
  LiteralSlice own, reference;
  std::vector<LiteralSlice> variants;
};

bool IntegersAgree(const Results& results, absl::Span<const int64_t> index) {
  const std::string reference = results.reference.GetAsString(index);
  return results.own.GetAsString(index) == reference ||
         absl::c_any_of(results.variants, [&](const LiteralSlice& variant) {
           return variant.GetAsString(index) != reference;
         });
}

bool IsNaN(complex128 number) { return std::isnan(number.real()) || std::isnan(number.imag()); }

bool IsFinite(complex128 number) {
  return std::isfinite(number.real()) && std::isfinite(number.imag());
}

bool RealsAgree(const Results& results, absl::Span<const int64_t> index, const NumberKind& kind) {
  const complex128 own = *results.own.GetAsComplex128(index);
  const complex128 reference = *results.reference.GetAsComplex128(index);
  // Which part of a complex number becomes NaN or infinite, nobody promises.
  if (IsNaN(reference) && !IsFinite(own)) return true;
  std::vector<double> re, im;
  for (const LiteralSlice& variant : results.variants) {
    const complex128 value = *variant.GetAsComplex128(index);
    re.push_back(value.real());
    im.push_back(value.imag());
  }
  Movement re_movement = MovementOf(reference.real(), re);
  Movement im_movement = MovementOf(reference.imag(), im);
  // The error of a complex number is that of its modulus.
  re_movement.distance = im_movement.distance =
      std::max(re_movement.distance, im_movement.distance);
  return Agrees(own.real(), reference.real(), re_movement, kind) &&
         Agrees(own.imag(), reference.imag(), im_movement, kind);
}

// A few units in the last place, as a part of a number; nothing where there are few digits.
double FewUnits(PrimitiveType type) {
  constexpr int kManyDigits = 16;
  const int digits = primitive_util::SignificandWidth(
      primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type);
  return digits > kManyDigits ? std::ldexp(4, -digits) : 0;
}

double LargestMovement(const Results& results) {
  double moves = 0;
  ShapeUtil::ForEachIndex(results.reference.shape(), [&](absl::Span<const int64_t> index) {
    const auto real = [&](const LiteralSlice& literal) {
      return literal.GetAsComplex128(index).value_or(complex128()).real();
    };
    const double reference = real(results.reference);
    for (const LiteralSlice& variant : results.variants) {
      const double moved = std::abs(real(variant) - reference);
      if (std::isfinite(moved)) moves = std::max(moves, moved);
    }
    return true;
  });
  return moves;
}

// Nothing is said about an array whose size depends on how numbers are rounded.
bool SizeIsFixed(const Results& results) {
  for (int d = 0; d < results.reference.shape().dimensions_size(); ++d) {
    for (const LiteralSlice& variant : results.variants) {
      if (variant.GetDynamicSize(d) != results.reference.GetDynamicSize(d)) return false;
    }
  }
  return true;
}

bool IsEmpty(const LiteralSlice& array) {
  for (int d = 0; d < array.shape().dimensions_size(); ++d) {
    if (array.GetDynamicSize(d) == 0) return true;
  }
  return false;
}

absl::Status CompareArrays(const Results& results) {
  const Shape& shape = results.reference.shape();
  const PrimitiveType type = shape.element_type();
  if (!SizeIsFixed(results)) return absl::OkStatus();
  // A reshape of nothing may have any size.
  if (IsEmpty(results.own) && IsEmpty(results.reference)) return absl::OkStatus();
  std::vector<int64_t> sizes;
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    sizes.push_back(results.reference.GetDynamicSize(d));
    if (results.own.GetDynamicSize(d) != sizes.back()) {
      return Internal("dimension %d of %s has the size %d instead of %d", d, shape.ToString(),
                      results.own.GetDynamicSize(d), sizes.back());
    }
  }
  const bool is_real =
      primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
  NumberKind kind = KindOf(type);
  const double largest_movement = is_real ? LargestMovement(results) : 0;
  if (type == BF16) kind.moves = largest_movement;
  if (largest_movement > 0) kind.relative = FewUnits(type);
  const std::vector<int64_t> zeros(sizes.size(), 0), ones(sizes.size(), 1);
  return ShapeUtil::ForEachIndexWithStatus(
      shape, zeros, sizes, ones, [&](absl::Span<const int64_t> index) -> absl::StatusOr<bool> {
        if (is_real ? RealsAgree(results, index, kind) : IntegersAgree(results, index)) return true;
        return Internal("element {%s} of %s is %s instead of %s", absl::StrJoin(index, ","),
                        shape.ToString(), results.own.GetAsString(index),
                        results.reference.GetAsString(index));
      });
}

absl::Status CompareResults(const Literal& own, const Literal& reference,
                            absl::Span<const Literal> variants) {
  absl::Status status;
  ShapeUtil::ForEachSubshape(reference.shape(), [&](const Shape& leaf, const ShapeIndex& index) {
    if (!leaf.IsArray() || !status.ok()) return;
    Results results = {LiteralSlice(own, index), LiteralSlice(reference, index)};
    for (const Literal& variant : variants) results.variants.emplace_back(variant, index);
    status = CompareArrays(results);
    if (!status.ok()) {
      status = Internal("result %s: %s", index.ToString(), status.message());
    }
  });
  return status;
}

// ---- Runs -----------------------------------------------------------------------------------

absl::StatusOr<Literal> Run(ExecutionBackend& backend, std::unique_ptr<HloModule> module,
                            absl::Span<const Literal> inputs, uint64_t seed) {
  HILO_ASSIGN_OR_RETURN(const auto compiled, backend.Compile(std::move(module)));
  std::vector<const Literal*> arguments;
  for (const Literal& input : inputs) arguments.push_back(&input);
  RunContext context;
  context.seed = seed;
  return compiled->Run(arguments, context);
}

// What the reference gives where rounding goes other ways, and other random numbers are drawn.
absl::StatusOr<std::vector<Literal>> RunVariants(ExecutionBackend& reference,
                                                 const HloModule& module,
                                                 absl::Span<const Literal> inputs) {
  std::vector<Literal> variants;
  for (Perturbation kind : {Perturbation::kAlternating, Perturbation::kDown, Perturbation::kRandom,
                            Perturbation::kRandom, Perturbation::kWithoutSubnormals}) {
    const uint64_t seed = variants.size() + 2;
    auto variant = module.Clone("");
    HILO_RETURN_IF_ERROR(Perturb(*variant, kind, seed));
    HILO_ASSIGN_OR_RETURN(variants.emplace_back(),
                          Run(reference, std::move(variant), inputs, seed));
  }
  return variants;
}

BackendComparison NotCompared(const absl::Status& status) {
  return {Agreement::kNotCompared, std::string(status.message())};
}

// `run` is what is compared with the reference.
BackendComparison CompareWith(
    const HloModule& module, ExecutionBackend& reference, std::optional<uint64_t> seed,
    absl::FunctionRef<absl::StatusOr<Literal>(absl::Span<const Literal>)> run) {
  const absl::StatusOr<std::vector<Literal>> inputs = MakeInputs(module, seed);
  if (!inputs.ok()) return NotCompared(inputs.status());
  const absl::StatusOr<Literal> expected = Run(reference, module.Clone(""), *inputs, 1);
  if (!expected.ok()) return NotCompared(expected.status());
  const absl::StatusOr<std::vector<Literal>> variants = RunVariants(reference, module, *inputs);
  if (!variants.ok()) return NotCompared(variants.status());

  const absl::StatusOr<Literal> own = run(*inputs);
  if (!own.ok()) {
    const bool no_code = own.status().code() == absl::StatusCode::kUnimplemented;
    return {no_code ? Agreement::kNoCode : Agreement::kDiffer, std::string(own.status().message())};
  }
  const absl::Status same = CompareResults(*own, *expected, *variants);
  if (same.ok()) return {};
  return {Agreement::kDiffer, std::string(same.message())};
}

// Whether the module means the same on one device and divided among several.
bool CanBeDivided(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (SpeaksOfDevices(instruction->opcode())) return false;
    }
  }
  return true;
}

// `result` is what the devices give together, where they do.
BackendComparison CompareDivided(const HloModule& module, ExecutionBackend& backend,
                                 ExecutionBackend& reference, int64_t devices,
                                 std::optional<uint64_t> seed, Literal* result) {
  const bool has_replicas = module.config().replica_count() > 1;
  if (has_replicas || !CanBeDivided(module))
    return NotCompared(absl::FailedPreconditionError("it speaks of devices itself"));
  return CompareWith(
      module, reference, seed, [&](absl::Span<const Literal> inputs) -> absl::StatusOr<Literal> {
        RunContext context;
        context.seed = 1;
        HILO_ASSIGN_OR_RETURN(Literal own,
                              RunDivided(backend, module.Clone(""), inputs, devices, context));
        *result = own.Clone();
        return own;
      });
}

absl::StatusOr<Literal> RunOnGroup(const HloModule& module, ExecutionBackend& backend,
                                   int64_t devices, absl::Span<const Literal> inputs,
                                   runtime::ProcessGroup& group) {
  HILO_ASSIGN_OR_RETURN(const DividedProgram program,
                        DividedProgram::Compile(backend, module.Clone(""), devices));
  HILO_ASSIGN_OR_RETURN(
      std::vector<Literal> results,
      RunOnProcesses(program, PartsOfProcess(program, inputs, group), group, /*seed=*/1));
  HILO_ASSIGN_OR_RETURN(results, CollectResults(std::move(results), group));
  return group.rank() == 0 ? program.Join(results) : Literal();
}

}  // namespace

BackendComparison CompareBackends(const HloModule& module, ExecutionBackend& backend,
                                  ExecutionBackend& reference, std::optional<uint64_t> seed) {
  return CompareWith(module, reference, seed, [&](absl::Span<const Literal> inputs) {
    return Run(backend, module.Clone(""), inputs, 1);
  });
}

BackendComparison CompareDivided(const HloModule& module, ExecutionBackend& backend,
                                 ExecutionBackend& reference, int64_t devices,
                                 std::optional<uint64_t> seed) {
  Literal result;
  return CompareDivided(module, backend, reference, devices, seed, &result);
}

absl::StatusOr<BackendComparison> CompareOnProcesses(const HloModule& module,
                                                     ExecutionBackend& backend,
                                                     ExecutionBackend& reference, int64_t devices,
                                                     std::optional<uint64_t> seed,
                                                     runtime::ProcessGroup& group) {
  HILO_RETURN_IF_ERROR(group.ExpectSame("module", module.ToString()));
  BackendComparison outcome;
  Literal of_threads;
  if (group.rank() == 0)
    outcome = CompareDivided(module, backend, reference, devices, seed, &of_threads);
  HILO_ASSIGN_OR_RETURN(const uint64_t agree,
                        group.OfFirst("agreement", outcome.agreement == Agreement::kAgree));
  if (agree == 0) return outcome;
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, MakeInputs(module, seed));
  HILO_ASSIGN_OR_RETURN(const Literal own, RunOnGroup(module, backend, devices, inputs, group));
  if (group.rank() == 0 && own != of_threads) {
    return BackendComparison{
        Agreement::kDiffer, absl::StrCat("processes give ", ShortenedText(own),
                                         " where devices of one give ", ShortenedText(of_threads))};
  }
  return outcome;
}

}  // namespace xla
