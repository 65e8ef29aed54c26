#include "tools/buffer_run.h"

#include <memory>
#include <utility>

#include "tools/files.h"

namespace xla {

ShapeTree<ArrayBuffer> ToBuffers(Literal value) {
  ShapeTree<ArrayBuffer> buffers(value.shape());
  std::vector<Literal> leaves = Leaves(std::move(value));
  size_t next = 0;
  for (auto& [index, buffer] : buffers.leaves())
    buffer = std::make_shared<Literal>(std::move(leaves[next++]));
  return buffers;
}

absl::Status RunOnce(CompiledModule& compiled, const std::vector<ShapeTree<ArrayBuffer>>& inputs) {
  std::vector<ShapeTree<BufferArgument>> arguments;
  arguments.reserve(inputs.size());
  for (const ShapeTree<ArrayBuffer>& input : inputs) {
    ShapeTree<BufferArgument>& argument = arguments.emplace_back(&input.shape());
    auto lent = argument.begin();
    for (const auto& [index, buffer] : input)
      (lent++)->second = BufferArgument::Lent(buffer);
  }
  return compiled.RunOnBuffers(std::move(arguments), RunContext()).status();
}

}  // namespace xla
