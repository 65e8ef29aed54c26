// Does with a module what anybody might do with it: for tests and fuzzers that have made it from
// hostile input.
#ifndef HILO_TESTS_EXERCISE_H_
#define HILO_TESTS_EXERCISE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/log/check.h"
#include "ir/verifier.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {

inline std::string FullText(const HloModule& module) {
  return module.ToString(HloPrintOptions::Default().set_print_large_constants(true));
}

inline double Elements(const Shape& shape) {
  double elements = 1;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    double product = 1;
    if (part.IsArray()) {
      for (int64_t size : part.dimensions()) product *= static_cast<double>(size);
    }
    elements += product;
  });
  return elements;
}

// How many elements an instruction reads and writes, and steps it takes for each of them. Windows
// may reach far beyond their arrays.
inline double Work(const HloInstruction& instruction,
                   absl::flat_hash_map<const HloComputation*, double>& known) {
  double elements = Elements(instruction.shape());
  for (const HloInstruction* operand : instruction.operands())
    elements += Elements(operand->shape());
  double steps = 1;
  switch (instruction.opcode()) {
    case HloOpcode::kConvolution:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      for (const WindowDimension& dimension : instruction.window().dimensions())
        steps *= static_cast<double>(dimension.size());
      [[fallthrough]];
    case HloOpcode::kCholesky:
    case HloOpcode::kDot:
    case HloOpcode::kFft:
    case HloOpcode::kRaggedDot:
    case HloOpcode::kScaledDot:
    case HloOpcode::kTriangularSolve:
      if (instruction.opcode() != HloOpcode::kReduceWindow)
        steps *= Elements(instruction.operand(0)->shape());
      break;
    case HloOpcode::kSort:
      steps = 20;
      break;
    case HloOpcode::kWhile:
      return std::numeric_limits<double>::infinity();
    default:
      break;
  }
  double callees = 0;
  for (const HloComputation* callee : instruction.called_computations()) {
    const auto [entry, is_new] = known.try_emplace(callee, 0);
    if (is_new) {
      double work = 0;
      for (const HloInstruction* inner : callee->instructions()) work += Work(*inner, known);
      known[callee] = work;
    }
    callees += known[callee];
  }
  return elements * steps * (1 + callees);
}

// Whether to evaluate the module takes little time and memory.
inline bool IsSmall(const HloModule& module) {
  constexpr double kMaxWork = 1e7;
  absl::flat_hash_map<const HloComputation*, double> known;
  double work = 0;
  for (const HloInstruction* instruction : module.entry_computation()->instructions())
    work += Work(*instruction, known);
  return work < kMaxWork;
}

// The result, or why there is none, of arguments with small numbers.
inline absl::Status Evaluate(const HloModule& module) {
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    absl::StatusOr<Literal> argument = MakeFakeLiteral(parameter->shape());
    if (!argument.ok()) return argument.status();
    arguments.push_back(*std::move(argument));
  }
  return HloEvaluator().Evaluate(module, arguments).status();
}

// Verifies, prints, writes as message and reads that, and evaluates if that is sound and quick.
inline void Exercise(const HloModule& module) {
  const std::string text = FullText(module);
  CHECK(!text.empty());
  const absl::Status verified = VerifyModule(module);
  CHECK(verified.ok() || !verified.message().empty());
  const HloModuleProto proto = module.ToProto();
  auto config = HloModule::CreateModuleConfigFromProto(proto, DebugOptions());
  if (config.ok()) {
    auto again = HloModule::CreateFromProto(proto, *config, /*prohibit_empty_literal=*/false);
    CHECK(again.ok() || !verified.ok()) << again.status() << "\n" << text;
  }
  if (!verified.ok() || !IsSmall(module)) return;
  const absl::Status evaluated = Evaluate(module);
  CHECK(evaluated.ok() || !evaluated.message().empty());
}

}  // namespace xla

#endif  // HILO_TESTS_EXERCISE_H_
