// Sort and top-k.
#include <cstring>
#include <numeric>
#include <vector>

#include "base/status_macros.h"
#include "data/sort_order.h"
#include "eval/element.h"
#include "eval/frame.h"
#include "eval/scalar_function.h"
#include "eval/top_elements.h"
#include "eval/walk.h"
#include "ir/records.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

// The lines of several arrays along one dimension, sorted together.
class LineSorter {
 public:
  LineSorter(Frame& frame, const HloComputation& comparator, bool is_stable, int64_t length,
             int64_t stride)
      : function_(frame.evaluator(), comparator),
        is_stable_(is_stable),
        length_(length),
        stride_(stride) {
    for (int64_t k = 0; k < frame.operand_count(); ++k) {
      operands_.push_back(&frame.array(k));
      formats_.push_back(&FormatOf(frame.array(k).shape().element_type()));
    }
    if (function_.program() != nullptr) {
      registers_.emplace(*function_.program(), 1);
      for (const Format* format : formats_) lines_.emplace_back(length * format->wide_bytes);
    }
  }

  // Sorts the line that begins at `position` into the same line of the results.
  absl::Status Sort(int64_t position, std::vector<Literal>& results) {
    for (size_t k = 0; k < lines_.size(); ++k) {
      formats_[k]->load(Data(*operands_[k]) + position * formats_[k]->bytes, stride_, length_,
                        lines_[k].data());
    }
    std::vector<int64_t> order(length_);
    std::iota(order.begin(), order.end(), 0);
    absl::Status status;
    const auto less = [&](int64_t a, int64_t b) {
      if (registers_.has_value()) return Less(a, b);
      return status.ok() && CallLess(position, a, b, status);
    };
    if (is_stable_) {
      MergeSort(order, less);
    } else {
      IntroSort(order, less);
    }
    HILO_RETURN_IF_ERROR(status);
    for (size_t k = 0; k < operands_.size(); ++k) {
      const int64_t bytes = formats_[k]->bytes;
      const char* from = Data(*operands_[k]) + position * bytes;
      char* to = MutableData(results[k]) + position * bytes;
      for (int64_t i = 0; i < length_; ++i) {
        std::memcpy(to + i * stride_ * bytes, from + order[i] * stride_ * bytes, bytes);
      }
    }
    return absl::OkStatus();
  }

 private:
  bool Less(int64_t a, int64_t b) {
    for (size_t k = 0; k < lines_.size(); ++k) {
      const int64_t bytes = formats_[k]->wide_bytes;
      std::memcpy(registers_->parameter(2 * k), lines_[k].data() + a * bytes, bytes);
      std::memcpy(registers_->parameter(2 * k + 1), lines_[k].data() + b * bytes, bytes);
    }
    registers_->Run(1);
    return *static_cast<const uint64_t*>(registers_->result(0)) != 0;
  }

  bool CallLess(int64_t position, int64_t a, int64_t b, absl::Status& status) {
    std::vector<const char*> arguments;
    for (size_t k = 0; k < operands_.size(); ++k) {
      const char* line = Data(*operands_[k]) + position * formats_[k]->bytes;
      for (int64_t i : {a, b}) arguments.push_back(line + i * stride_ * formats_[k]->bytes);
    }
    char less = 0;
    char* result = &less;
    status = function_(arguments, {&result, 1});
    return less != 0;
  }

  ScalarFunction function_;
  std::optional<Program::Registers> registers_;
  std::vector<const Literal*> operands_;
  std::vector<const Format*> formats_;
  std::vector<std::vector<char>> lines_;  // wide elements, when there is a program
  bool is_stable_;
  int64_t length_;
  int64_t stride_;
};

}  // namespace

absl::StatusOr<Value> Sort(Frame& frame, const HloInstruction& instruction) {
  const auto& [dimension, is_stable] = instruction.attributes_as<SortAttributes>();
  std::vector<Literal> results;
  for (int64_t k = 0; k < frame.operand_count(); ++k) {
    HILO_ASSIGN_OR_RETURN(results.emplace_back(), MakeArray(frame.array(k).shape()));
  }
  DimensionVector sizes(frame.array(0).shape().dimensions().begin(),
                        frame.array(0).shape().dimensions().end());
  const DimensionVector strides = RowMajorStrides(sizes);
  LineSorter sorter(frame, *instruction.to_apply(), is_stable, sizes[dimension],
                    strides[dimension]);
  if (sizes[dimension] > 0) sizes[dimension] = 1;
  for (Walk<1> at(sizes, {strides}); !at.done(); at.Next())
    HILO_RETURN_IF_ERROR(sorter.Sort(at[0], results));
  if (!instruction.shape().IsTuple()) return Value(std::move(results[0]));
  std::vector<Value> elements;
  for (Literal& result : results) elements.emplace_back(std::move(result));
  return Value(std::move(elements));
}

namespace {

template <typename Wide>
std::vector<Wide> LoadKeys(const Format& format, const char* line, int64_t count) {
  std::vector<Wide> keys(count);
  format.load(line, 1, count, keys.data());
  return keys;
}

// In the total order of floating-point numbers.
template <typename Wide>
bool Greater(Wide a, Wide b) {
  if constexpr (std::is_same_v<Wide, double>) {
    return ToSignMagnitude(a) > ToSignMagnitude(b);
  } else {
    return a > b;
  }
}

}  // namespace

absl::StatusOr<Value> TopK(Frame& frame, const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes_as<TopKAttributes>();
  return TopElements(frame.array(0), attributes.largest, instruction.shape());
}

absl::StatusOr<Value> TopElements(const Literal& operand, bool largest, const Shape& shape) {
  HILO_ASSIGN_OR_RETURN(Literal values, MakeArray(shape.tuple_shapes(0)));
  HILO_ASSIGN_OR_RETURN(Literal indices, MakeArray(shape.tuple_shapes(1)));
  const int64_t k = values.shape().dimensions().back();
  const Format& format = FormatOf(operand.shape().element_type());
  if (format.kind == Kind::kComplex) return Unimplemented("topk of complex numbers");
  const int64_t length = operand.shape().dimensions().back();
  const int64_t lines = length == 0 ? 0 : operand.element_count() / length;
  const absl::Span<int32_t> chosen = indices.data<int32_t>();
  for (int64_t line = 0; line < lines; ++line) {
    const char* from = Data(operand) + line * length * format.bytes;
    std::vector<int64_t> order(length);
    std::iota(order.begin(), order.end(), 0);
    KindSwitch(
        [&](auto wide) {
          using Wide = decltype(wide);
          if constexpr (!std::is_same_v<Wide, complex128>) {
            const std::vector<Wide> keys = LoadKeys<Wide>(format, from, length);
            MergeSort(order, [&](int64_t a, int64_t b) {
              return largest ? Greater(keys[a], keys[b]) : Greater(keys[b], keys[a]);
            });
          }
        },
        format.kind);
    for (int64_t i = 0; i < k; ++i) {
      chosen[line * k + i] = static_cast<int32_t>(order[i]);
      std::memcpy(MutableData(values) + (line * k + i) * format.bytes,
                  from + order[i] * format.bytes, format.bytes);
    }
  }
  return Value(std::vector<Value>{Value(std::move(values)), Value(std::move(indices))});
}

}  // namespace xla::eval
