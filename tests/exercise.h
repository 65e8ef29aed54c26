// Does with a module what anybody might do with it: for tests and fuzzers that have made it from hostile input.
#ifndef HILO_TESTS_EXERCISE_H_
#define HILO_TESTS_EXERCISE_H_

#include <cstdint>
#include <string>
#include <vector>

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

// Windows may reach far beyond their arrays.
inline bool HasWindow(HloOpcode opcode) {
  return opcode == HloOpcode::kConvolution || opcode == HloOpcode::kReduceWindow ||
         opcode == HloOpcode::kSelectAndScatter;
}

// Whether to evaluate the module takes little time and memory.
inline bool IsSmall(const HloModule& module) {
  constexpr int64_t kMaxElements = 1000000;
  int64_t elements = 0;
  bool is_small = true;
  const auto add = [&](int64_t more) {
    is_small = is_small && more < kMaxElements - elements;
    if (is_small) elements += more;
  };
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kWhile) return false;
      ShapeUtil::ForEachSubshape(instruction->shape(), [&](const Shape& shape, const ShapeIndex&) {
        add(shape.IsArray() ? ShapeUtil::StaticExtentProduct(shape) : 1);
      });
      if (!HasWindow(instruction->opcode())) continue;
      int64_t window_size = 1;
      for (const WindowDimension& dimension : instruction->window().dimensions()) {
        add(dimension.size());
        if (is_small) window_size *= dimension.size();
        add(window_size);
      }
    }
  }
  return is_small;
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
