// The program as a whole: functions, and what holds for the module.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "front/stablehlo/lower/attributes.h"
#include "front/stablehlo/lower/lower.h"
#include "front/stablehlo/lower/lowering.h"
#include "front/stablehlo/lower/shapes.h"
#include "front/stablehlo/lower/sharding.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::stablehlo::lowering {
namespace {

// The dictionary of argument or result `number`; null where there is none.
const DictionaryAttribute* EntryOf(const Operation& function, absl::string_view name,
                                   size_t number) {
  const auto* list = As<ArrayAttribute>(function.attribute(name));
  if (list == nullptr || number >= list->elements.size()) return nullptr;
  return As<DictionaryAttribute>(list->elements[number]);
}

const Attribute* Find(const DictionaryAttribute* dictionary, absl::string_view name) {
  if (dictionary == nullptr) return nullptr;
  for (const NamedAttribute& entry : dictionary->entries) {
    if (entry.name == name) return entry.value;
  }
  return nullptr;
}

// "default", "auto" or "{0,1}", set on the layout of an array.
absl::Status SetLayoutMode(const DictionaryAttribute* said, Shape& shape) {
  const auto* mode = As<StringAttribute>(Find(said, "mhlo.layout_mode"));
  if (mode == nullptr || mode->value == "default" || mode->value == "auto") {
    return absl::OkStatus();
  }
  absl::string_view text = mode->value;
  const auto wrong = [&] {
    return InvalidArgument("mhlo.layout_mode %s does not fit %s", mode->value, shape.ToString());
  };
  if (!absl::ConsumePrefix(&text, "{") || !shape.IsArrayExcludingBuffer()) return wrong();
  text = text.substr(0, text.find_first_of(":}"));
  Integers order;
  for (const absl::string_view number : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    if (!absl::SimpleAtoi(number, &order.emplace_back())) return wrong();
  }
  const Layout layout(order);
  if (!LayoutUtil::ValidateLayoutForShape(layout, shape).ok()) return wrong();
  *shape.mutable_layout() = layout;
  return absl::OkStatus();
}

// The layout in which a value lies where it is a parameter of the entry but for transposes and
// element-wise operations: the one that needs no copy. Elsewhere row-major.
Layout LayoutAsComputed(const HloInstruction& value, const ComputationLayout& entry) {
  std::vector<const HloInstruction*> transposes;
  const HloInstruction* source = &value;
  while (source->opcode() != HloOpcode::kParameter) {
    if (source->opcode() == HloOpcode::kTranspose) {
      transposes.push_back(source);
    } else if (source->operand_count() != 1 ||
               !(source->IsElementwise() || source->IsCustomCall("Sharding"))) {
      return LayoutUtil::GetDefaultLayoutForShape(value.shape());
    }
    source = source->operand(0);
  }
  const Shape& parameter = entry.parameter_shape(static_cast<int>(source->parameter_number()));
  if (!parameter.IsArray()) return LayoutUtil::GetDefaultLayoutForShape(value.shape());
  std::vector<int64_t> order(parameter.layout().minor_to_major().begin(),
                             parameter.layout().minor_to_major().end());
  for (auto transpose = transposes.rbegin(); transpose != transposes.rend(); ++transpose) {
    for (int64_t& dimension : order) {
      const auto& permutation = (*transpose)->dimensions();
      dimension = absl::c_find(permutation, dimension) - permutation.begin();
    }
  }
  return LayoutUtil::MakeLayout(order);
}

// The meshes of the program, so that the compiler knows them by more than the shardings: as the
// attribute xla.sdy.meshes, {mesh = #sdy.mesh<["x"=2, "y"=4], device_ids=[...]>}.
void AddMeshes(const Operation& top, HloModule& module) {
  std::string text;
  for (const Region& region : top.regions) {
    for (const Operation* op : region.operations) {
      const auto* mesh = As<MeshAttribute>(op->attribute("mesh"));
      const auto* name = As<StringAttribute>(op->attribute("sym_name"));
      if (op->name != "sdy.mesh" || mesh == nullptr || name == nullptr || mesh->axes.empty())
        continue;
      absl::StrAppend(&text, text.empty() ? "{" : ", ", name->value, " = #sdy.mesh<[",
                      absl::StrJoin(mesh->axes, ", ",
                                    [](std::string* out, const MeshAxis& axis) {
                                      absl::StrAppend(out, "\"", axis.name, "\"=", axis.size);
                                    }),
                      "]");
      if (!mesh->device_ids.empty())
        absl::StrAppend(&text, ", device_ids=[", absl::StrJoin(mesh->device_ids, ", "), "]");
      text += ">";
    }
  }
  if (!text.empty()) module.add_frontend_attribute("xla.sdy.meshes", text + "}");
}

bool IsAuto(const DictionaryAttribute* said) {
  const auto* mode = As<StringAttribute>(Find(said, "mhlo.layout_mode"));
  return mode != nullptr && mode->value == "auto";
}

// The kinds of memory in which arguments or results of the entry lie, "device,pinned_host", where
// the program says so of any of them.
void SetMemoryKinds(const Operation& main, absl::string_view list, int64_t count,
                    const std::string& name, HloModule& module) {
  std::vector<absl::string_view> kinds(static_cast<size_t>(count), "device");
  bool is_any_said = false;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const auto* kind = As<StringAttribute>(Find(EntryOf(main, list, i), "mhlo.memory_kind"));
    if (kind == nullptr) continue;
    kinds[i] = kind->value;
    is_any_said = true;
  }
  if (is_any_said) module.add_frontend_attribute(name, absl::StrJoin(kinds, ","));
}

}  // namespace

absl::StatusOr<HloComputation*> Lowering::LowerFunction(const Operation& function, bool is_entry) {
  const auto lower = [&]() -> absl::StatusOr<HloComputation*> {
    HILO_ASSIGN_OR_RETURN(const absl::string_view name, GetString(function, "sym_name"));
    if (function.regions.size() != 1 || function.regions[0].operations.empty()) {
      return InvalidArgument("@%s has no body", name);
    }
    const Region& region = function.regions[0];
    functions_[&function] = nullptr;
    Body body(*this, name);
    for (size_t i = 0; i < region.arguments.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(region.arguments[i]));
      HILO_ASSIGN_OR_RETURN(HloInstruction * parameter,
                            body.AddParameter(*shape, absl::StrCat("Arg_", i), nullptr));
      body.Bind(region.arguments[i], parameter);
      if (!is_entry) continue;
      const DictionaryAttribute* said = EntryOf(function, "arg_attrs", i);
      if (said == nullptr) continue;
      HILO_ASSIGN_OR_RETURN(
          std::optional<HloSharding> sharding,
          ShardingOf(*this, said->entries, shape->IsArray() ? shape->dimensions_size() : 0));
      if (sharding.has_value()) {
        HILO_RETURN_IF_ERROR(sharding->Validate(*shape));
        parameter->set_sharding(*std::move(sharding));
      }
    }
    HILO_ASSIGN_OR_RETURN(const Operation* end, body.LowerAll(region));
    HILO_ASSIGN_OR_RETURN(std::vector<HloInstruction*> results, body.Operands(*end));
    HloInstruction* root = nullptr;
    if (is_entry) {
      HILO_ASSIGN_OR_RETURN(root, AddEntryResults(body, function, results));
    } else {
      HILO_ASSIGN_OR_RETURN(root, body.AddTupleUnlessOne(results));
    }
    std::unique_ptr<HloComputation> computation = body.Build(root);
    HloComputation* added = is_entry ? module_->AddEntryComputation(std::move(computation))
                                     : module_->AddEmbeddedComputation(std::move(computation));
    functions_[&function] = added;
    return added;
  };
  absl::StatusOr<HloComputation*> lowered = lower();
  if (!lowered.ok()) return WithPlace(lowered.status(), function);
  return lowered;
}

// The root of the entry, with the shardings that are asked for: of one result, that of an
// instruction of its own where it has another one already.
absl::StatusOr<HloInstruction*> Lowering::AddEntryResults(
    Body& body, const Operation& function, absl::Span<HloInstruction* const> results) {
  std::vector<HloSharding> shardings;
  bool any = false;
  for (size_t i = 0; i < results.size(); ++i) {
    const DictionaryAttribute* said = EntryOf(function, "res_attrs", i);
    std::optional<HloSharding> sharding;
    const Shape& shape = results[i]->shape();
    if (said != nullptr) {
      HILO_ASSIGN_OR_RETURN(sharding, ShardingOf(*this, said->entries,
                                                 shape.IsArray() ? shape.dimensions_size() : 0));
    }
    if (sharding.has_value()) HILO_RETURN_IF_ERROR(sharding->Validate(shape));
    any |= sharding.has_value();
    shardings.push_back(sharding.value_or(HloSharding::Unknown()));
  }
  HILO_ASSIGN_OR_RETURN(HloInstruction * root, body.AddTupleUnlessOne(results));
  if (!any) return root;
  if (results.size() != 1) {
    root->set_sharding(HloSharding::FlatTuple(shardings));
    return root;
  }
  if (root->opcode() == HloOpcode::kParameter || root->opcode() == HloOpcode::kCall ||
      (root->has_sharding() && root->sharding() != shardings[0])) {
    auto attributes = std::make_unique<CustomCallAttributes>();
    attributes->target = "Sharding";
    HILO_ASSIGN_OR_RETURN(
        root, body.Add(HloOpcode::kCustomCall, root->shape(), {root}, std::move(attributes)));
  }
  root->set_sharding(shardings[0]);
  return root;
}

// Layouts, and which arguments lend their memory to results.
absl::Status Lowering::FinishEntry(const Operation& main) {
  ComputationLayout& layout = *module_->mutable_entry_computation_layout();
  layout.SetToDefaultLayout();
  const Shape& result = module_->result_shape();
  const int64_t result_count = result.IsTuple() ? result.tuple_shapes_size() : 1;
  HloInputOutputAliasConfig aliases(result);
  for (int i = 0; i < layout.parameter_count(); ++i) {
    const DictionaryAttribute* said = EntryOf(main, "arg_attrs", static_cast<size_t>(i));
    if (said == nullptr) continue;
    Shape shape = layout.parameter_shape(i);
    HILO_RETURN_IF_ERROR(SetLayoutMode(said, shape));
    *layout.mutable_parameter_layout(i) = ShapeLayout(shape);
    if (const auto* output = As<IntegerAttribute>(Find(said, "tf.aliasing_output"))) {
      if (output->value < 0 || output->value >= result_count) {
        return InvalidArgument("argument %d is aliased with result %d, but there are %d results", i,
                               output->value, result_count);
      }
      HILO_RETURN_IF_ERROR(
          aliases.SetUpAlias(result.IsTuple() ? ShapeIndex({output->value}) : ShapeIndex(), i, {}));
    } else if (const auto* donor = As<bool>(Find(said, "jax.buffer_donor"));
               donor != nullptr && *donor) {
      HILO_RETURN_IF_ERROR(module_->buffer_donor_config().AddBufferDonor(i, {}));
    }
  }
  module_->set_input_output_alias_config(std::move(aliases));
  Shape laid_out = layout.result_shape();
  for (int64_t i = 0; i < result_count; ++i) {
    Shape& part = result.IsTuple() ? *laid_out.mutable_tuple_shapes(static_cast<int>(i)) : laid_out;
    const DictionaryAttribute* said = EntryOf(main, "res_attrs", static_cast<size_t>(i));
    HILO_RETURN_IF_ERROR(SetLayoutMode(said, part));
    if (!IsAuto(said) || !part.IsArray()) continue;
    const HloInstruction& root = *module_->entry_computation()->root_instruction();
    *part.mutable_layout() = LayoutAsComputed(
        result.IsTuple() && root.opcode() == HloOpcode::kTuple ? *root.operand(i) : root, layout);
  }
  *layout.mutable_result_layout() = ShapeLayout(laid_out);
  SetMemoryKinds(main, "arg_attrs", layout.parameter_count(), "parameter_memory_kinds", *module_);
  SetMemoryKinds(main, "res_attrs", result_count, "result_memory_kinds", *module_);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<HloModule>> Lowering::Run() {
  if (program_.module == nullptr || program_.module->name != "builtin.module") {
    return InvalidArgument("a program is a builtin.module");
  }
  const Operation& top = *program_.module;
  HILO_RETURN_IF_ERROR(Index());
  HILO_ASSIGN_OR_RETURN(const std::optional<absl::string_view> name, FindString(top, "sym_name"));
  HloModuleConfig config;
  const auto set_count = [&](absl::string_view attribute, auto set) {
    const auto* count = As<IntegerAttribute>(top.discardable_attribute(attribute));
    if (count == nullptr) return absl::OkStatus();
    if (count->value < 1 || count->value > kMaxDeviceCount) {
      return InvalidArgument("%s cannot be %d", attribute, count->value);
    }
    set(count->value);
    return absl::OkStatus();
  };
  HILO_RETURN_IF_ERROR(
      set_count("mhlo.num_replicas", [&](int64_t count) { config.set_replica_count(count); }));
  HILO_RETURN_IF_ERROR(
      set_count("mhlo.num_partitions", [&](int64_t count) { config.set_num_partitions(count); }));
  module_ = std::make_unique<HloModule>(
      name.has_value() && !name->empty() ? std::string(*name) : "main", std::move(config));
  if (const Attribute* said = top.discardable_attribute("mhlo.frontend_attributes")) {
    HILO_ASSIGN_OR_RETURN(FrontendAttributes attributes, ToFrontendAttributes(*said));
    module_->set_frontend_attributes(std::move(attributes));
  }
  AddMeshes(top, *module_);
  const Operation* main = Symbol("main");
  if (main == nullptr || main->name != "func.func") {
    return InvalidArgument("the program has no function @main");
  }
  absl::StatusOr<HloComputation*> entry = LowerFunction(*main, /*is_entry=*/true);
  if (!entry.ok()) return entry.status();
  HILO_RETURN_IF_ERROR(WithPlace(FinishEntry(*main), *main));
  module_->set_stack_frames(std::move(metadata_.frames()));
  return std::move(module_);
}

}  // namespace xla::stablehlo::lowering

namespace xla::stablehlo {

absl::StatusOr<std::unique_ptr<HloModule>> ToHloModule(const Program& program) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = lowering::Lowering(program).Run();
  if (module.ok()) return module;
  return absl::Status(module.status().code(), module.status().message());
}

}  // namespace xla::stablehlo
