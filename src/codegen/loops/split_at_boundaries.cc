#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/loops/schedule.h"
#include "ir/records.h"

namespace xla::loops {
namespace {

// Copies of the loops.
constexpr int64_t kMaxParts = 16;

// How many instructions there is code for in every part: operands of concatenations are computed in
// one of them.
int64_t InstructionsOfEachPart(const HloComputation& computation) {
  Values waiting = ResultsOf(computation);
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& instruction = *waiting.back();
    waiting.pop_back();
    if (!seen.insert(&instruction).second || instruction.opcode() == HloOpcode::kConcatenate)
      continue;
    waiting.insert(waiting.end(), instruction.operands().begin(), instruction.operands().end());
  }
  return static_cast<int64_t>(seen.size());
}

// Where something else begins along each dimension of an instruction.
void AddBoundaries(const HloInstruction& instruction, std::vector<Sizes>& boundaries) {
  const auto add = [&](size_t d, int64_t begin) {
    if (begin > 0 && begin < instruction.shape().dimensions(d)) boundaries[d].push_back(begin);
  };
  if (instruction.opcode() == HloOpcode::kConcatenate) {
    int64_t begin = 0;
    for (const HloInstruction* operand : instruction.operands()) {
      begin += operand->shape().dimensions(instruction.dimensions(0));
      add(instruction.dimensions(0), begin);
    }
  } else if (instruction.opcode() == HloOpcode::kPad) {
    for (size_t d = 0; d < boundaries.size(); ++d) {
      const auto& padding = instruction.padding_config().dimensions(static_cast<int>(d));
      add(d, padding.edge_padding_low());
      add(d, instruction.shape().dimensions(d) - padding.edge_padding_high());
    }
  } else if (instruction.opcode() == HloOpcode::kReduceWindow) {
    for (size_t d = 0; d < boundaries.size(); ++d) {
      // From the first to the last window without padding.
      const WindowDimension& window = instruction.window().dimensions(static_cast<int>(d));
      if (window.base_dilation() != 1 || window.padding_low() < 0) continue;
      const int64_t reach = (window.size() - 1) * window.window_dilation();
      const int64_t last =
          instruction.operand(0)->shape().dimensions(d) - 1 + window.padding_low() - reach;
      add(d, (window.padding_low() + window.stride() - 1) / window.stride());
      if (last >= 0) add(d, last / window.stride() + 1);
    }
  }
}

// From 0 to the size of each dimension.
std::vector<Sizes> FindBoundaries(const Kernel& kernel) {
  std::vector<Sizes> boundaries;
  for (int64_t size : kernel.sizes) boundaries.push_back({0, size});
  ForEachAtSameIndex(
      ResultsOf(*kernel.computation), kernel.sizes,
      [&](const HloInstruction& instruction) { AddBoundaries(instruction, boundaries); });
  const int64_t instructions = InstructionsOfEachPart(*kernel.computation);
  int64_t copies = 1;
  for (Sizes& own : boundaries) {
    absl::c_sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    const int64_t more = copies * (static_cast<int64_t>(own.size()) - 1);
    if (more > kMaxParts || more * instructions > kMaxInstructionsOfParts) {
      own = {own.front(), own.back()};
    } else {
      copies = more;
    }
  }
  return boundaries;
}

// A copy of `body` for each part of the dimension.
std::vector<Node> Parts(int d, const Sizes& boundaries, const std::vector<Node>& body) {
  if (boundaries.size() == 2) return body;
  std::vector<Node> parts;
  for (size_t i = 0; i + 1 < boundaries.size(); ++i) {
    Node& when = parts.emplace_back(Node{Node::Kind::kWhen});
    when.dimensions = {d};
    when.begin = boundaries[i];
    when.end = boundaries[i + 1];
    when.body = body;
  }
  return parts;
}

}  // namespace

void SplitAtBoundaries(Kernel& kernel, const Conditions&) {
  Node* vector = OnlyVector(kernel);
  if (vector == nullptr || HasReductions(kernel)) return;
  const std::vector<Sizes> boundaries = FindBoundaries(kernel);
  std::vector<Node> body;
  for (size_t i = 0; i + 1 < boundaries.back().size(); ++i) {
    Node& part = body.emplace_back(*vector);
    part.begin = boundaries.back()[i];
    part.end = boundaries.back()[i + 1];
  }
  for (int d = static_cast<int>(kernel.sizes.size()) - 2; d >= 0; --d)
    body = Parts(d, boundaries[d], body);
  kernel.body[0].body = std::move(body);
}

}  // namespace xla::loops
