#include "eval/buffers.h"

#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "data/literal_borrow.h"
#include "eval/exhaustion.h"
#include "ir/arguments.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::eval {
namespace {

using Arguments = std::vector<ShapeTree<BufferArgument>>;

absl::Status CheckArguments(const HloModule& module, const Arguments& arguments) {
  const HloComputation& entry = *module.entry_computation();
  HILO_RETURN_IF_ERROR(CheckArgumentCount(module, static_cast<int64_t>(arguments.size())));
  for (int64_t i = 0; i < entry.num_parameters(); ++i) {
    const Shape& wanted = entry.parameter_instruction(i)->shape();
    HILO_RETURN_IF_ERROR(
        CheckArgumentShape(module, i, arguments[i].shape(), ShapeUtil::Compatible));
    for (const auto& [index, argument] : arguments[i].leaves()) {
      const Shape& leaf = ShapeUtil::GetSubshape(wanted, index);
      if (!leaf.IsArray()) continue;
      if (argument.buffer() == nullptr) {
        return InvalidArgument("program %s: argument %d has no buffer at %s", module.name(), i,
                               index.ToString());
      }
      if (!ShapeUtil::Compatible(argument.buffer()->shape(), leaf)) {
        return InvalidArgument("program %s: the buffer of argument %d at %s has shape %s, not %s",
                               module.name(), i, index.ToString(),
                               argument.buffer()->shape().ToString(), leaf.ToString());
      }
    }
  }
  return absl::OkStatus();
}

// The memory that a run may change: what was donated to it, and copies of what was not but is tied
// to the result.
class OwnedBuffers {
 public:
  // Takes from the arguments what is donated.
  static absl::StatusOr<OwnedBuffers> Take(const HloModule& module, Arguments& arguments) {
    OwnedBuffers owned;
    owned.parameters_.reserve(arguments.size());
    for (auto& argument : arguments) {
      ShapeTree<ArrayBuffer>& buffers = owned.parameters_.emplace_back(argument.shape());
      for (auto& [index, leaf] : argument.leaves()) {
        if (leaf.HasOwnership() && leaf.buffer().use_count() == 1)
          *buffers.mutable_element(index) = leaf.Release();
      }
    }
    HILO_RETURN_IF_ERROR(module.input_output_alias_config().ForEachAliasWithStatus(
        [&](const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) {
          return owned.AddAlias(module, arguments, output, alias);
        }));
    return owned;
  }

  // Null for what is lent.
  const ArrayBuffer& parameter(int64_t number, const ShapeIndex& index) const {
    return parameters_[number].element(index);
  }
  // What the part of the result must lie in, or null.
  ArrayBuffer aliased_to(const ShapeIndex& output) const {
    const auto found = outputs_.find(output);
    return found == outputs_.end() ? nullptr : found->second;
  }
  bool Contain(const Literal& array) const {
    for (const ShapeTree<ArrayBuffer>& parameter : parameters_) {
      for (const auto& [index, buffer] : parameter.leaves()) {
        if (buffer != nullptr && buffer->untyped_data() == array.untyped_data()) return true;
      }
    }
    return false;
  }

 private:
  absl::Status AddAlias(const HloModule& module, const Arguments& arguments,
                        const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) {
    ArrayBuffer& buffer =
        *parameters_[alias.parameter_number].mutable_element(alias.parameter_index);
    if (buffer == nullptr) {
      if (alias.must_alias()) {
        return InvalidArgument(
            "program %s: argument %d must be donated at %s, since input_output_alias says "
            "must-alias",
            module.name(), alias.parameter_number, alias.parameter_index.ToString());
      }
      buffer = std::make_shared<Literal>(
          arguments[alias.parameter_number].element(alias.parameter_index).buffer()->Clone());
    }
    outputs_[output] = buffer;
    return absl::OkStatus();
  }

  std::vector<ShapeTree<ArrayBuffer>> parameters_;
  std::map<ShapeIndex, ArrayBuffer> outputs_;
};

Value ToValue(const ShapeTree<BufferArgument>& argument, int64_t number,
              const OwnedBuffers& owned, const Shape& shape, ShapeIndex index) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      index.push_back(i);
      elements.push_back(ToValue(argument, number, owned, shape.tuple_shapes(i), index));
      index.pop_back();
    }
    return Value(std::move(elements));
  }
  if (!shape.IsArray()) return Value();
  const ArrayBuffer& buffer = owned.parameter(number, index);
  return buffer != nullptr ? Lend(*buffer) : Value::Borrow(*argument.element(index).buffer());
}

// A result of another shape in memory that it shares with a parameter.
struct Reshaped {
  ArrayBuffer owner;
  Literal array;
};

// Puts the array into the buffer unless it already lies there.
absl::StatusOr<ArrayBuffer> PutInto(ArrayBuffer buffer, Literal array) {
  const bool is_there = buffer->untyped_data() == array.untyped_data();
  if (ShapeUtil::Equal(buffer->shape(), array.shape())) {
    if (!is_there) HILO_RETURN_IF_ERROR(buffer->CopyFrom(array));
    return buffer;
  }
  if (buffer->size_bytes() != array.size_bytes() || !array.shape().is_static()) {
    return Internal("an array of shape %s does not fit the buffer of %s that it aliases",
                    array.shape().ToString(), buffer->shape().ToString());
  }
  if (!is_there) std::memcpy(buffer->untyped_data(), array.untyped_data(), array.size_bytes());
  Literal view = BorrowArray(array.shape(), buffer->untyped_data());
  auto reshaped = std::make_shared<Reshaped>(Reshaped{std::move(buffer), std::move(view)});
  return ArrayBuffer(reshaped, &reshaped->array);
}

void CollectLeaves(Value value, const Shape& shape, std::vector<Value>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(std::move(value));
    return;
  }
  for (int i = 0; i < shape.tuple_shapes_size(); ++i)
    CollectLeaves(value.TakeElement(i), shape.tuple_shapes(i), leaves);
}

absl::StatusOr<ShapeTree<ArrayBuffer>> ToBuffers(Value result, const Shape& shape,
                                                 const OwnedBuffers& owned) {
  std::vector<Value> leaves;
  CollectLeaves(std::move(result), shape, leaves);
  ShapeTree<ArrayBuffer> buffers(shape);
  // Parts that lie in memory of another part, or that is to be given back, move out before anything
  // is written there.
  std::vector<Literal> arrays;
  for (const auto& [index, unused] : buffers.leaves()) {
    HILO_ASSIGN_OR_RETURN(
        Literal array,
        std::move(leaves[arrays.size()]).ToLiteral(ShapeUtil::GetSubshape(shape, index)));
    const ArrayBuffer target = owned.aliased_to(index);
    const bool is_there = target != nullptr && array.shape().IsArray() &&
                          target->untyped_data() == array.untyped_data();
    if (!is_there && array.shape().IsArray() && owned.Contain(array)) array = array.Clone();
    arrays.push_back(std::move(array));
  }
  size_t next = 0;
  for (auto& [index, buffer] : buffers.leaves()) {
    Literal& array = arrays[next++];
    ArrayBuffer target = owned.aliased_to(index);
    if (target == nullptr) {
      buffer = std::make_shared<Literal>(std::move(array));
    } else {
      HILO_ASSIGN_OR_RETURN(buffer, PutInto(std::move(target), std::move(array)));
    }
  }
  return buffers;
}

}  // namespace

Value Lend(Literal& array) {
  const Shape& shape = array.shape();
  if (!shape.is_static() || !LayoutUtil::IsMonotonicWithDim0Major(shape.layout()))
    return Value::FromLiteral(array.Clone());
  return Value(BorrowArray(shape, array.untyped_data()));
}

absl::StatusOr<ShapeTree<ArrayBuffer>> EvaluateOnBuffers(Options options, const HloModule& module,
                                                         Arguments arguments) {
  HILO_RETURN_IF_ERROR(CheckArguments(module, arguments));
  const HloComputation& entry = *module.entry_computation();
  const Shape& shape = module.config().has_entry_computation_layout()
                           ? module.entry_computation_layout().result_shape()
                           : module.result_shape();
  return CatchExhaustion([&]() -> absl::StatusOr<ShapeTree<ArrayBuffer>> {
    HILO_ASSIGN_OR_RETURN(const OwnedBuffers owned, OwnedBuffers::Take(module, arguments));
    std::vector<Value> values;
    for (int64_t i = 0; i < entry.num_parameters(); ++i)
      values.push_back(
          ToValue(arguments[i], i, owned, entry.parameter_instruction(i)->shape(), {}));
    Evaluator evaluator(std::move(options));
    HILO_ASSIGN_OR_RETURN(Value result, evaluator.Call(entry, std::move(values)));
    HILO_RETURN_IF_ERROR(evaluator.transfers().WaitForReceivers());
    return ToBuffers(std::move(result), shape, owned);
  });
}

}  // namespace xla::eval
