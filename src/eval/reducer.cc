#include "eval/reducer.h"

#include <algorithm>
#include <cstring>

#include "base/status_macros.h"

namespace xla::eval {

Reducer::Reducer(Evaluator& evaluator, const HloComputation& computation,
                 absl::Span<const Literal* const> operands,
                 absl::Span<const Literal* const> initial_values, absl::Span<Literal> results)
    : function_(evaluator, computation),
      commutative_(function_.program() != nullptr ? function_.program()->CommutativeStep()
                                                  : nullptr),
      operands_(operands.begin(), operands.end()),
      initial_values_(initial_values.begin(), initial_values.end()),
      results_(results),
      running_(operands.size()) {
  for (const Literal* operand : operands_)
    formats_.push_back(&FormatOf(operand->shape().element_type()));
  if (function_.program() != nullptr && commutative_ == nullptr)
    registers_.emplace_back(*function_.program(), kLanes);
}

void Reducer::Start(int64_t lanes) {
  lanes_ = lanes;
  for (size_t k = 0; k < operands_.size(); ++k)
    formats_[k]->load(Data(*initial_values_[k]), 0, lanes, running_[k].bytes);
}

absl::Status Reducer::Fold(int64_t position, int64_t stride, int64_t first_lane, int64_t count) {
  if (commutative_ != nullptr) {
    Lanes elements;
    formats_[0]->load(Element(0, position), stride, count, elements.bytes);
    const void* arguments[] = {Lane(0, first_lane), elements.bytes};
    commutative_->function(commutative_->context, arguments, Lane(0, first_lane), count);
    return absl::OkStatus();
  }
  if (registers_.empty()) return FoldOneByOne(position, stride, first_lane, count);
  Program::Registers& registers = registers_[0];
  const size_t n = operands_.size();
  for (size_t k = 0; k < n; ++k) {
    std::memcpy(registers.parameter(k), Lane(k, first_lane), count * formats_[k]->wide_bytes);
    formats_[k]->load(Element(k, position), stride, count, registers.parameter(n + k));
  }
  registers.Run(count);
  for (size_t k = 0; k < n; ++k) {
    std::memcpy(Lane(k, first_lane), registers.result(k), count * formats_[k]->wide_bytes);
  }
  return absl::OkStatus();
}

absl::Status Reducer::FoldOneByOne(int64_t position, int64_t stride, int64_t first_lane,
                                   int64_t count) {
  const size_t n = operands_.size();
  std::vector<complex128> running(n);  // native elements
  std::vector<const char*> arguments(2 * n);
  std::vector<char*> results(n);
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < n; ++k) {
      results[k] = reinterpret_cast<char*>(&running[k]);
      formats_[k]->store(Lane(k, first_lane + i), 1, results[k]);
      arguments[k] = results[k];
      arguments[n + k] = Element(k, position + i * stride);
    }
    HILO_RETURN_IF_ERROR(function_(arguments, absl::MakeSpan(results)));
    for (size_t k = 0; k < n; ++k) formats_[k]->load(results[k], 0, 1, Lane(k, first_lane + i));
  }
  return absl::OkStatus();
}

absl::Status Reducer::FoldRow(int64_t position, int64_t count) {
  if (commutative_ == nullptr || count < 8) {
    for (int64_t i = 0; i < count; ++i) HILO_RETURN_IF_ERROR(Fold(position + i, 0, 0, 1));
    return absl::OkStatus();
  }
  // Blocks are added up element by element, then halved until one element is left.
  Lanes sums, elements;
  const Format& format = *formats_[0];
  const auto apply = [&](const void* a, const void* b, void* result, int64_t size) {
    const void* arguments[] = {a, b};
    commutative_->function(commutative_->context, arguments, result, size);
  };
  int64_t width = std::min(count, kLanes);
  format.load(Element(0, position), 1, width, sums.bytes);
  for (int64_t done = width; done < count; done += kLanes) {
    const int64_t size = std::min(kLanes, count - done);
    format.load(Element(0, position + done), 1, size, elements.bytes);
    apply(sums.bytes, elements.bytes, sums.bytes, size);
  }
  while (width > 1) {
    const int64_t half = width / 2;
    apply(sums.bytes, sums.bytes + (width - half) * format.wide_bytes, sums.bytes, half);
    width -= half;
  }
  apply(Lane(0, 0), sums.bytes, Lane(0, 0), 1);
  return absl::OkStatus();
}

void Reducer::Finish(int64_t position) {
  for (size_t k = 0; k < operands_.size(); ++k) {
    formats_[k]->store(running_[k].bytes, lanes_,
                       MutableData(results_[k]) + position * formats_[k]->bytes);
  }
}

}  // namespace xla::eval
