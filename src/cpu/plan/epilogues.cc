#include "cpu/plan/epilogues.h"

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "codegen/loops/kernel.h"
#include "codegen/loops/merge_dimensions.h"
#include "codegen/program/register_form.h"
#include "cpu/plan/fusion.h"
#include "cpu/plan/fusion_rules.h"
#include "cpu/plan/outline.h"
#include "ir/records.h"
#include "passes/cost.h"
#include "passes/decision.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using passes::Decision;

// Shorter rows of a result are computed as columns, or in blocks that are hardly worth a call. Rows
// of so many elements, or a multiple of it, end where vectors do.
constexpr int64_t kLeastColumns = 16;

bool HasEpilogueType(const HloInstruction& product) {
  const PrimitiveType type = product.shape().element_type();
  const auto is_one_of = [&](std::initializer_list<PrimitiveType> types, PrimitiveType each) {
    return absl::c_linear_search(types, each);
  };
  const PrimitiveType lhs = product.operand(0)->shape().element_type();
  const PrimitiveType rhs = product.operand(1)->shape().element_type();
  switch (type) {
    case F32:
    case BF16:
    case F16:
      return is_one_of({F32, BF16, F16}, lhs) && is_one_of({F32, BF16, F16}, rhs);
    case F64:
      return is_one_of({F64, F32}, lhs) && is_one_of({F64, F32}, rhs);
    case S32:
    case U32:
      return is_one_of({S8, U8, S16, U16, S32, U32}, lhs) &&
             is_one_of({S8, U8, S16, U16, S32, U32}, rhs);
    default:
      return false;
  }
}

// A kernel that reads a product, or what is the product reshaped.
struct Reader {
  HloInstruction* kernel;
  HloInstruction* value;
  HloInstruction* first;  // user of the product: a reshape or the kernel
};

std::vector<Reader> ReadersOf(HloInstruction& product) {
  std::vector<Reader> readers;
  for (HloInstruction* first : product.users()) {
    HloInstruction* value = &product;
    HloInstruction* user = first;
    while (user->opcode() == HloOpcode::kReshape && user->user_count() == 1 && !user->IsRoot()) {
      value = user;
      user = user->users()[0];
    }
    if (user->opcode() == HloOpcode::kFusion) readers.push_back({user, value, first});
  }
  return readers;
}

// How many products each element of the result is the sum of, and how many elements the library
// kernel takes for a row. A column is one as well.
struct ProductSizes {
  int64_t depth, columns;
};

ProductSizes SizesOfProduct(const HloInstruction& product) {
  const Shape& rhs = product.operand(1)->shape();
  const int64_t elements = ShapeUtil::ElementsIn(rhs);
  if (product.opcode() == HloOpcode::kConvolution) {
    const int64_t features = rhs.dimensions(static_cast<int>(
        product.convolution_dimension_numbers().kernel_output_feature_dimension()));
    return {elements / features, features};
  }
  const auto& attributes = product.attributes_as<DotAttributes>();
  int64_t depth = 1, groups = 1;
  for (int64_t d : attributes.rhs_contracting) depth *= rhs.dimensions(static_cast<int>(d));
  for (int64_t d : attributes.rhs_batch) groups *= rhs.dimensions(static_cast<int>(d));
  const int64_t columns = elements / depth / groups;
  return {depth, columns > 1 ? columns : ShapeUtil::ElementsIn(product.shape()) / groups};
}

// Library kernels compute some convolutions in another order than that of rows of the result.
Decision HasRows(const HloInstruction& product) {
  if (product.shape().dimensions().empty()) return Decision::No("the product is a scalar");
  if (product.opcode() != HloOpcode::kConvolution) return Decision::Yes();
  const ConvolutionDimensionNumbers& numbers = product.convolution_dimension_numbers();
  if (product.feature_group_count() > 1 || product.batch_group_count() > 1)
    return Decision::No("the convolution has groups");
  if (numbers.output_feature_dimension() + 1 != product.shape().dimensions_size())
    return Decision::No("features of the convolution are not adjacent in memory");
  for (const WindowDimension& window : product.window().dimensions()) {
    if (window.base_dilation() != 1) return Decision::No("the convolution is computed in parts");
  }
  return Decision::Yes();
}

// Whether something computed from other users of the product is needed by the kernel.
bool IsNeededBy(const HloInstruction& product, const Reader& reader) {
  constexpr size_t kMaxSteps = 256;
  std::vector<const HloInstruction*> waiting;
  for (const HloInstruction* user : product.users()) {
    if (user != reader.first) waiting.push_back(user);
  }
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction* each = waiting.back();
    waiting.pop_back();
    if (each == reader.kernel || seen.size() > kMaxSteps) return true;
    if (!seen.insert(each).second) continue;
    waiting.insert(waiting.end(), each->users().begin(), each->users().end());
    waiting.insert(waiting.end(), each->control_successors().begin(),
                   each->control_successors().end());
  }
  return false;
}

// What more the kernel does than to compute element by element.
Decision IsOnlyElementwise(const HloInstruction& product, const Reader& reader) {
  const HloComputation& body = *reader.kernel->fused_instructions_computation();
  const loops::Values results = loops::ResultsOf(body);
  const HloInstruction& parameter =
      *body.parameter_instruction(reader.kernel->operand_index(reader.value));
  const loops::Values path = loops::PathFrom(parameter);
  double cost = 0;
  for (const HloInstruction* each : body.instructions()) {
    if (loops::IsReduction(*each)) return Decision::No("the kernel reduces rows");
    if (IsClosedKernel(*each) || each->opcode() == HloOpcode::kDynamicUpdateSlice)
      return Decision::No("$1 has loops of its own", 0, HloOpcodeString(each->opcode()));
    const bool has_own_loops = each->opcode() == HloOpcode::kConcatenate ||
                               each->opcode() == HloOpcode::kPad ||
                               each->opcode() == HloOpcode::kTranspose;
    if (has_own_loops && !absl::c_linear_search(path, each))
      return Decision::No("$1 has loops of its own", 0, HloOpcodeString(each->opcode()));
    if (each->shape().IsArray()) cost += passes::CostOfElement(*each);
  }
  if (!loops::IsReadInPlace(path.empty() ? parameter : *path.back()))
    return Decision::No("the kernel does not only read it element by element");
  const int64_t elements = ShapeUtil::ElementsIn(product.shape());
  for (const HloInstruction* result : results) {
    if (ShapeUtil::ElementsIn(loops::ComputedShape(*result)) != elements)
      return Decision::No("the kernel computes other elements too");
  }
  const auto depth = static_cast<double>(SizesOfProduct(product).depth);
  if (cost > depth) {
    return Decision::No("the kernel takes longer than the product of $0 numbers for each element",
                        depth);
  }
  return Decision::Yes();
}

Decision CanTry(const HloInstruction& product, const Reader& reader) {
  if (ProductOf(*reader.kernel) != nullptr)
    return Decision::No("the kernel is the epilogue of another product");
  if (!HasEpilogueType(product))
    return Decision::No("products of these types are added in another type");
  if (const Decision has_rows = HasRows(product); !has_rows) return has_rows;
  if (const Decision is_elementwise = IsOnlyElementwise(product, reader); !is_elementwise)
    return is_elementwise;
  if (product.user_count() == 1) return Decision::Yes();
  if (product.IsRoot()) return Decision::No("it is the result as well");
  const bool is_taken_apart =
      reader.kernel->shape().IsArray() ||
      (!reader.kernel->IsRoot() &&
       absl::c_all_of(reader.kernel->users(), [](const HloInstruction* user) {
         return user->opcode() == HloOpcode::kGetTupleElement;
       }));
  if (!is_taken_apart) return Decision::No("others need it too, and the kernel's tuple");
  if (IsNeededBy(product, reader))
    return Decision::No("others need it before the kernel can begin");
  return Decision::Yes();
}

// The fusion's computation; with the product as one more result where others need it too.
std::unique_ptr<HloComputation> FusedComputation(HloInstruction& product, const Reader& reader,
                                                 std::vector<HloInstruction*>& operands) {
  HloComputation::Builder builder(absl::StrCat("fused_", product.name()));
  const auto add_parameter = [&](HloInstruction* operand) {
    const int64_t number = static_cast<int64_t>(operands.size());
    operands.push_back(operand);
    return builder.AddInstruction(
        HloInstruction::CreateParameter(number, operand->shape(), absl::StrCat("p", number)));
  };
  HloInstruction* const lhs = add_parameter(product.mutable_operand(0));
  HloInstruction* const rhs = add_parameter(product.mutable_operand(1));
  HloInstruction* const own =
      builder.AddInstruction(product.CloneWithNewOperands(product.shape(), {lhs, rhs}));
  HloInstruction* value = own;
  for (HloInstruction* each = reader.first; each != reader.kernel; each = each->users()[0])
    value = builder.AddInstruction(each->CloneWithNewOperands(each->shape(), {value}));
  HloComputation& body = *reader.kernel->fused_instructions_computation();
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> clones;
  std::vector<HloInstruction*> results;
  for (HloInstruction* each : body.MakeInstructionPostOrder()) {
    if (each->opcode() == HloOpcode::kParameter) {
      HloInstruction* operand = reader.kernel->mutable_operand(each->parameter_number());
      clones[each] = operand == reader.value ? value : add_parameter(operand);
      continue;
    }
    std::vector<HloInstruction*> cloned;
    for (const HloInstruction* operand : each->operands()) cloned.push_back(clones.at(operand));
    if (each->opcode() == HloOpcode::kTuple) {
      results = cloned;
    } else {
      clones[each] = builder.AddInstruction(each->CloneWithNewOperands(each->shape(), cloned));
    }
  }
  if (results.empty()) results = {clones.at(body.root_instruction())};
  if (product.user_count() > 1) results.push_back(own);
  if (results.size() == 1 && reader.kernel->shape().IsArray()) return builder.Build(results[0]);
  return builder.Build(builder.AddInstruction(HloInstruction::CreateTuple(results)));
}

// The loops of the kernel must meet elements of the product in its order, row by row.
Decision HasRowsOf(const HloComputation& fused, int64_t columns) {
  const std::unique_ptr<HloComputation> merged = loops::MergeDimensions(fused);
  const Shape& result = loops::ComputedShape(*loops::ResultsOf(*merged)[0]);
  if (loops::OrderOfElements(*loops::ProductIn(*merged), result.dimensions()).empty())
    return Decision::No("the kernel reads it in another order");
  const int64_t own = result.dimensions().back();
  if (own < kLeastColumns)
    return Decision::No("rows have $0 elements only", static_cast<double>(own));
  if (own != columns && own % kLeastColumns != 0)
    return Decision::No("rows of $0 elements do not end where vectors do",
                        static_cast<double>(own));
  return Decision::Yes();
}

class EpilogueFuser {
 public:
  EpilogueFuser(HloComputation& computation, passes::Decisions* decisions)
      : computation_(computation), decisions_(decisions) {}

  absl::StatusOr<bool> Run() {
    for (HloInstruction* each : computation_.MakeInstructionPostOrder()) {
      if (!loops::IsProduct(*each) || each->operand_count() != 2 || program::HasRegisterForm(*each))
        continue;
      for (const Reader& reader : ReadersOf(*each)) {
        HILO_ASSIGN_OR_RETURN(const Decision fuses, Fuse(*each, reader));
        if (fuses) break;
        if (decisions_ != nullptr) decisions_->Add(*each, *reader.kernel, fuses);
      }
    }
    return changed_;
  }

 private:
  absl::StatusOr<Decision> Fuse(HloInstruction& product, const Reader& reader) {
    if (const Decision tries = CanTry(product, reader); !tries) return tries;
    std::vector<HloInstruction*> operands;
    std::unique_ptr<HloComputation> fused = FusedComputation(product, reader, operands);
    if (const Decision fits = HasRowsOf(*fused, SizesOfProduct(product).columns); !fits)
      return fits;
    fused->SetExecutionThread(computation_.execution_thread());
    HloComputation* added = computation_.parent()->AddEmbeddedComputation(std::move(fused));
    HloInstruction* fusion = computation_.AddInstruction(HloInstruction::CreateFusion(
        added->root_instruction()->shape(), HloInstruction::FusionKind::kOutput, operands, added));
    for (HloInstruction* operand : operands) {
      const Decision* known =
          decisions_ == nullptr ? nullptr : decisions_->Find(*operand, *reader.kernel);
      if (known != nullptr) decisions_->Add(*operand, *fusion, *known);
    }
    HILO_RETURN_IF_ERROR(Replace(product, reader, *fusion));
    changed_ = true;
    return Decision::Yes();
  }

  absl::Status Replace(HloInstruction& product, const Reader& reader, HloInstruction& fusion) {
    const auto result = [&](int64_t number) {
      return computation_.AddInstruction(HloInstruction::CreateGetTupleElement(&fusion, number));
    };
    HloInstruction& kernel = *reader.kernel;
    std::vector<HloInstruction*> dead;
    if (product.user_count() == 1) {
      HILO_RETURN_IF_ERROR(ReplaceUses(kernel, fusion));
    } else {
      for (HloInstruction* user : std::vector<HloInstruction*>(product.users())) {
        if (user == reader.first) continue;
        HILO_RETURN_IF_ERROR(
            ReplaceUse(product, *user, *result(fusion.shape().tuple_shapes_size() - 1)));
      }
      if (kernel.shape().IsArray()) {
        HILO_RETURN_IF_ERROR(ReplaceUses(kernel, *result(0)));
      } else {
        dead.assign(kernel.users().begin(), kernel.users().end());
        for (HloInstruction* user : dead)
          HILO_RETURN_IF_ERROR(ReplaceUses(*user, *result(user->tuple_index())));
      }
    }
    dead.push_back(&kernel);
    for (HloInstruction* each = reader.value; each != &product; each = each->mutable_operand(0))
      dead.push_back(each);
    dead.push_back(&product);
    for (HloInstruction* each : dead) {
      each->CutOff();
      each->MarkAsDead();
    }
    return absl::OkStatus();
  }

  HloComputation& computation_;
  passes::Decisions* const decisions_;
  bool changed_ = false;
};

}  // namespace

const HloInstruction* ProductOf(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kFusion
             ? loops::ProductIn(*instruction.fused_instructions_computation())
             : nullptr;
}

absl::StatusOr<bool> FuseEpilogues(HloModule& module, const passes::PassOptions& options) {
  bool changed = false;
  for (HloComputation* computation : SequentialComputations(module)) {
    HILO_ASSIGN_OR_RETURN(const bool fused, EpilogueFuser(*computation, options.decisions).Run());
    changed |= fused;
  }
  if (changed) HILO_RETURN_IF_ERROR(passes::RemoveDeadCode(module).status());
  return changed;
}

}  // namespace xla::cpu
