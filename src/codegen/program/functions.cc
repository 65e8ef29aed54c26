#include <utility>
#include <vector>

#include "codegen/program/passes.h"

namespace xla::program {
namespace {

// More than so many instructions of a computation become several functions: what LLVM does with
// one takes longer than its length says.
constexpr int64_t kMostInstructions = 1000;

void Split(Block& block) {
  for (Step& step : block.steps) {
    for (Block& inner : step.blocks) Split(inner);
  }
  const int64_t instructions = block.computation->instruction_count();
  if (instructions <= kMostInstructions) return;
  const size_t count =
      static_cast<size_t>((instructions + kMostInstructions - 1) / kMostInstructions);
  const size_t size = (block.steps.size() + count - 1) / count;
  std::vector<Step> functions;
  for (size_t i = 0; i < block.steps.size(); ++i) {
    // Results are given by the program itself.
    if (block.steps[i].kind == Step::Kind::kReturn) {
      functions.push_back(std::move(block.steps[i]));
      continue;
    }
    if (i % size == 0) {
      functions.push_back({Step::Kind::kFunction});
      functions.back().blocks.push_back({block.computation});
    }
    functions.back().blocks[0].steps.push_back(std::move(block.steps[i]));
  }
  block.steps = std::move(functions);
}

}  // namespace

absl::Status SplitFunctions(Plan& plan) {
  Split(plan.entry);
  return absl::OkStatus();
}

}  // namespace xla::program
