#include "api/program_interface.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "passes/passes.h"
#include "xla/layout_util.h"

namespace xla {
namespace {

bool InRowMajorOrder(const Shape&) { return false; }

std::vector<ProgramValue> Parameters(const HloModule& module) {
  std::vector<ProgramValue> parameters;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions())
    parameters.emplace_back(parameter->shape(), InRowMajorOrder);
  return parameters;
}

}  // namespace

Shape RowMajor(Shape shape) {
  LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

bool IsRowMajor(const Shape& shape) {
  if (shape.IsArray())
    return !shape.has_layout() || LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
  if (!shape.IsTuple()) return true;
  for (const Shape& element : shape.tuple_shapes()) {
    if (!IsRowMajor(element)) return false;
  }
  return true;
}

ProgramValue::ProgramValue(const Shape& shape,
                           absl::FunctionRef<bool(const Shape& array)> keeps_layout)
    : declared(std::make_shared<const Shape>(shape)), held(shape), is_held_as_declared(true) {
  ShapeUtil::ForEachMutableSubshape(&held, [&](Shape* leaf, const ShapeIndex& index) {
    if (!leaf->IsArray()) return;
    declared_arrays.push_back(*leaf);
    if (!keeps_layout(*leaf)) {
      is_held_as_declared = is_held_as_declared && IsRowMajor(*leaf);
      LayoutUtil::SetToDefaultLayout(leaf);
    }
    leaves.push_back(index);
    for (int d = 0; d < leaf->dimensions_size(); ++d) {
      if (leaf->is_dynamic_dimension(d)) dynamic_dimensions.push_back({arrays.size(), d});
    }
    arrays.push_back(*leaf);
  });
}

ProgramInterface::ProgramInterface(const HloModule& of)
    : module(of),
      parameters(Parameters(of)),
      result(passes::DeclaredResult(of), passes::HasOwnLayout) {
  for (const ProgramValue& parameter : parameters)
    parameter_sizes += parameter.dynamic_dimensions.size();
  const auto number_of = [](const ProgramValue& value, const ShapeIndex& leaf) {
    return absl::c_find(value.leaves, leaf) - value.leaves.begin();
  };
  of.input_output_alias_config().ForEachAlias(
      [&](const ShapeIndex& output, const HloInputOutputAliasConfig::Alias& alias) {
        size_t parameter = number_of(parameters[alias.parameter_number], alias.parameter_index);
        for (int64_t i = 0; i < alias.parameter_number; ++i)
          parameter += parameters[i].leaves.size();
        const size_t leaf = number_of(result, output);
        if (leaf < result.leaves.size())
          aliases.push_back({leaf, parameter, alias.must_alias(), /*is_in_place=*/false});
      });
}

}  // namespace xla
