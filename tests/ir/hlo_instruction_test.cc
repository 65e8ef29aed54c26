#include "xla/hlo/ir/hlo_instruction.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/dfs_hlo_visitor_with_default.h"
#include "xla/hlo/ir/hlo_casting_utils.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Shape F32Scalar() { return ShapeUtil::MakeShape(F32, {}); }

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  return ParseAndReturnUnverifiedModule(text).value();
}

// ---- Lifetimes ----

TEST(HloInstructionTest, AnInstructionThatDiesLeavesTheUsersOfItsOperands) {
  const auto module = Parse("ENTRY e { a = f32[2] parameter(0)  ROOT n = f32[2] negate(a) }");
  HloInstruction* negate = module->entry_computation()->root_instruction();
  HloInstruction* operand = negate->mutable_operand(0);
  {
    const auto clone = negate->CloneWithNewOperands(negate->shape(), {operand});
    EXPECT_THAT(operand->users(), ElementsAre(negate, clone.get()));
  }
  EXPECT_THAT(operand->users(), ElementsAre(negate));
}

TEST(HloInstructionTest, AnOperandMayDieFirst) {
  auto operand = HloInstruction::CreateParameter(0, F32Scalar(), "p");
  const auto sum =
      HloInstruction::CreateBinary(F32Scalar(), HloOpcode::kAdd, operand.get(), operand.get());
  operand.reset();
  EXPECT_THAT(sum->operands(), ElementsAre(nullptr, nullptr));
  EXPECT_THAT(sum->ToString(), HasSubstr("add(null , null )"));
}

TEST(HloInstructionTest, ABuilderMayDieBeforeItBuilds) {
  HloComputation::Builder builder("abandoned");
  HloInstruction* x = builder.AddInstruction(HloInstruction::CreateParameter(0, F32Scalar(), "x"));
  HloInstruction* y =
      builder.AddInstruction(HloInstruction::CreateBinary(F32Scalar(), HloOpcode::kAdd, x, x));
  builder.AddInstruction(HloInstruction::CreateTuple({y, x, y}));
}

TEST(HloInstructionTest, AComputationMayDieBeforeAnInstructionThatUsesIt) {
  auto module = Parse("ENTRY e { a = f32[] parameter(0)  ROOT n = f32[] negate(a) }");
  HloInstruction* root = module->entry_computation()->root_instruction();
  const auto outside = HloInstruction::CreateTuple({root, root->mutable_operand(0)});
  module.reset();
  EXPECT_THAT(outside->operands(), ElementsAre(nullptr, nullptr));
}

// ---- Attributes ----

TEST(HloInstructionTest, CallsMayAliasOperands) {
  const auto module = Parse(R"(
    f { x = f32[2] parameter(0)  ROOT n = f32[2] negate(x) }
    ENTRY e { a = f32[2] parameter(0)  ROOT c = f32[2] call(a), to_apply=f })");
  HloInstruction* call = module->entry_computation()->root_instruction();
  EXPECT_THAT(call->output_to_operand_aliasing(), IsEmpty());
  call->set_output_to_operand_aliasing({{{}, {0, {}}}});
  EXPECT_EQ(call->output_to_operand_aliasing().size(), 1);
  // Nothing of it is lost in text.
  const auto copy = Parse(module->ToString());
  EXPECT_EQ(copy->entry_computation()->root_instruction()->output_to_operand_aliasing(),
            call->output_to_operand_aliasing());
}

TEST(HloInstructionTest, PrecisionMayBeChanged) {
  const auto module = Parse(R"(ENTRY e { a = f32[2,2] parameter(0)
    ROOT d = f32[2,2] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0} })");
  HloInstruction* dot = module->entry_computation()->root_instruction();
  EXPECT_THAT(dot->precision_config().operand_precision(),
              ElementsAre(PrecisionConfig::DEFAULT, PrecisionConfig::DEFAULT));
  dot->mutable_precision_config()->set_operand_precision(1, PrecisionConfig::HIGHEST);
  EXPECT_THAT(dot->ToString(), HasSubstr("operand_precision={default,highest}"));
  EXPECT_FALSE(dot->operand(0)->SupportsPrecisionConfig());
}

TEST(HloInstructionTest, BackendConfigurationsAreMessagesInJson) {
  auto add = HloInstruction::CreateParameter(0, F32Scalar(), "p");
  WindowDimension written;
  written.set_size(3);
  ASSERT_OK(add->set_backend_config(written));
  const absl::StatusOr<WindowDimension> read = add->backend_config<WindowDimension>();
  ASSERT_OK(read);
  EXPECT_EQ(read->size(), 3);
  add->set_raw_backend_config_string("no JSON");
  EXPECT_EQ(add->backend_config<WindowDimension>().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(HloInstructionTest, DerivedInstructionsTakeOverWhatHoldsForThem) {
  const auto x = HloInstruction::CreateParameter(0, F32Scalar(), "x");
  ResultAccuracy highest;
  highest.set_mode(ResultAccuracy::HIGHEST);
  const auto exp = HloInstruction::CreateUnary(F32Scalar(), HloOpcode::kExp, x.get(), highest);
  exp->set_raw_backend_config_string("{}");
  const auto log = HloInstruction::CreateUnary(F32Scalar(), HloOpcode::kLog, x.get());
  exp->SetupDerivedInstruction(log.get());
  EXPECT_TRUE(log->has_result_accuracy());
  EXPECT_FALSE(log->has_backend_config());
  EXPECT_EQ(x->result_accuracy().specs_case(), ResultAccuracy::kMode);
  EXPECT_FALSE(x->ToProto().has_result_accuracy());
}

TEST(HloInstructionTest, AttributesThatAreAskedForStayWhereTheyAre) {
  const auto module = Parse(R"(ENTRY e {
    a = f32[2,3,4] parameter(0), parameter_replication={true}
    b = f32[2,4,5] parameter(1)
    d = f32[2,3,5] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
    ROOT s = f32[1,1,5] slice(d), slice={[0:1], [1:3:2], [0:5]} })");
  HloComputation& entry = *module->entry_computation();
  const HloInstruction* dot = entry.GetInstructionWithName("d");
  std::vector<int64_t> contracting;
  for (const int64_t d : dot->dot_dimension_numbers().lhs_contracting_dimensions())
    contracting.push_back(d);
  EXPECT_THAT(contracting, ElementsAre(2));
  EXPECT_EQ(&dot->dot_dimension_numbers(), &dot->dot_dimension_numbers());

  auto* slice = Cast<HloSliceInstruction>(entry.root_instruction());
  const std::vector<int64_t>& starts = slice->slice_starts();
  const std::vector<int64_t>& strides = slice->slice_strides();
  EXPECT_THAT(starts, ElementsAre(0, 1, 0));
  EXPECT_THAT(strides, ElementsAre(1, 2, 1));
  slice->set_slice_starts({1, 1, 0});
  EXPECT_THAT(slice->slice_starts(), ElementsAre(1, 1, 0));
  EXPECT_EQ(slice->slice_starts(0), 1);
  EXPECT_EQ(slice->slice_limits(1), 3);
  EXPECT_EQ(slice->slice_strides(1), 2);

  auto* replicated = entry.parameter_instruction(0);
  EXPECT_THAT(*replicated->parameter_replicated_at_leaf_buffers(), ElementsAre(true));
  EXPECT_EQ(entry.parameter_instruction(1)->parameter_replicated_at_leaf_buffers(), std::nullopt);
}

TEST(HloInstructionTest, DimensionNumbersOfEachOperation) {
  const auto module = Parse(R"(add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
    ENTRY e {
    a = f32[6,4] parameter(0)
    i = s32[3,1] parameter(1)
    g = f32[3,4] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
    s = f32[6,4] scatter(a, i, g), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    w = f32[2,4,5] parameter(2)
    n = s32[2] parameter(3)
    r = f32[6,5] ragged-dot(s, w, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
    q = f32[3,3] parameter(4)
    c = f32[3,3] cholesky(q), lower=true
    b = f32[3,3] parameter(5)
    t = f32[3,3] triangular-solve(c, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE
    ROOT all = (f32[6,5], f32[3,3]) tuple(r, t) })");
  const auto named = [&](absl::string_view name) -> const HloInstruction& {
    return *module->entry_computation()->GetInstructionWithName(name);
  };
  const GatherDimensionNumbers& gather = named("g").gather_dimension_numbers();
  const ScatterDimensionNumbers& scatter = named("s").scatter_dimension_numbers();
  const RaggedDotDimensionNumbers& ragged = named("r").ragged_dot_dimension_numbers();
  EXPECT_THAT(gather.offset_dims(), ElementsAre(1));
  EXPECT_THAT(gather.start_index_map(), ElementsAre(0));
  EXPECT_THAT(scatter.inserted_window_dims(), ElementsAre(0));
  EXPECT_EQ(scatter.index_vector_dim(), 1);
  EXPECT_THAT(ragged.rhs_group_dimensions(), ElementsAre(0));
  EXPECT_THAT(named("r").dot_dimension_numbers().rhs_contracting_dimensions(), ElementsAre(1));
  EXPECT_TRUE(named("c").cholesky_options().lower());
  const TriangularSolveOptions& solve = named("t").triangular_solve_options();
  EXPECT_TRUE(solve.left_side());
  EXPECT_EQ(solve.transpose_a(), TriangularSolveOptions::NO_TRANSPOSE);
}

TEST(HloInstructionTest, ClonesAreCounted) {
  const auto p = HloInstruction::CreateParameter(0, F32Scalar(), "p");
  EXPECT_EQ(p->Clone()->name(), "p.clone");
  EXPECT_EQ(p->Clone()->Clone()->name(), "p.clone2");
  EXPECT_EQ(p->Clone("x")->Clone("x")->Clone("y")->name(), "p.x2.y");
}

TEST(HloInstructionTest, HowOperandsAreUsed) {
  const auto module = Parse(R"(
    f { p = f32[3,2] parameter(0)  q = f32[3] parameter(1)
        r = f32[2,3] reshape(p)  s = f32[2,3] add(r, r)
        b = f32[2,3] broadcast(q), dimensions={1}
        ROOT m = f32[2,3] maximum(s, b) }
    ENTRY e { x = f32[3,2] parameter(0)  y = f32[3] parameter(1)
              ROOT g = f32[2,3] fusion(x, y), kind=kLoop, calls=f })");
  const HloInstruction* fusion = module->entry_computation()->root_instruction();
  EXPECT_FALSE(fusion->ReusesOperandElements(0));
  EXPECT_TRUE(fusion->ReusesOperandElements(1));
  EXPECT_FALSE(fusion->IsElementwiseOnOperand(0));
  const HloInstruction* broadcast = fusion->fused_expression_root()->operand(1);
  EXPECT_EQ(broadcast->MapUnaryOutputDimToOperandDim(1), 0);
  EXPECT_EQ(broadcast->MapUnaryOutputDimToOperandDim(0), std::nullopt);
}

// ---- Classes ----

TEST(HloInstructionTest, EachIsOfTheClassOfItsOperation) {
  const auto p = HloInstruction::CreateParameter(3, F32Scalar(), "p");
  HloInstruction* instruction = p.get();
  EXPECT_EQ(Cast<HloParameterInstruction>(instruction), instruction);
  EXPECT_EQ(dynamic_cast<HloParameterInstruction*>(instruction), instruction);
  EXPECT_EQ(DynCast<HloDotInstruction>(instruction), nullptr);
  EXPECT_EQ(DynCastOrNull<HloDotInstruction>(static_cast<HloInstruction*>(nullptr)), nullptr);
  EXPECT_DEATH(Cast<HloDotInstruction>(instruction), "'p'.*HloParameterInstruction.*HloDot");
}

TEST(HloInstructionTest, CustomCallsKeepOneStorage) {
  HloCustomCallInstruction call(F32Scalar(), {}, "target", "", API_VERSION_ORIGINAL);
  auto first = std::make_unique<HloCustomCallInstruction::PerInstructionStorage>();
  const auto* kept = first.get();
  call.SetPerInstructionStorage(std::move(first));
  call.SetPerInstructionStorage(
      std::make_unique<HloCustomCallInstruction::PerInstructionStorage>());
  EXPECT_EQ(call.GetPerInstructionStorage(), kept);
  EXPECT_EQ(call.custom_call_target(), "target");
}

// ---- Visitors ----

class NameCollector : public DfsHloVisitorWithDefault {
 public:
  absl::Status DefaultAction(HloInstruction* hlo) override {
    names.push_back(std::string(hlo->name()));
    return absl::OkStatus();
  }
  absl::Status HandleElementwiseBinary(HloInstruction* hlo) override {
    names.push_back("binary " + std::string(hlo->name()));
    return absl::OkStatus();
  }
  std::vector<std::string> names;
};

TEST(HloVisitorTest, OperandsAndControlPredecessorsComeFirst) {
  const auto module = Parse(R"(ENTRY e { a = f32[] parameter(0)  unused = f32[] log(a)
    b = f32[] exponential(a)  c = f32[] negate(a), control-predecessors={b}
    ROOT d = f32[] add(c, b) })");
  NameCollector from_root;
  ASSERT_OK(module->entry_computation()->root_instruction()->Accept(&from_root));
  EXPECT_THAT(from_root.names, ElementsAre("a", "b", "c", "binary d"));
  NameCollector all;
  ASSERT_OK(module->entry_computation()->Accept(&all));
  EXPECT_THAT(all.names, ElementsAre("a", "unused", "b", "c", "binary d"));
}

TEST(HloVisitorTest, CyclesAreErrorsThatNameTheirInstructions) {
  const auto module = Parse(R"(ENTRY e { a = f32[] parameter(0)
    b = f32[] exponential(a)  ROOT c = f32[] negate(b) })");
  HloInstruction* c = module->entry_computation()->root_instruction();
  ASSERT_OK(c->AddControlDependencyTo(c->mutable_operand(0)));
  NameCollector visitor;
  EXPECT_THAT(c->Accept(&visitor).message(), HasSubstr("c\n b\n c"));
  ASSERT_OK(c->DropAllControlDeps());
}

// Replaces sums of a value with itself.
class Doubler : public DfsHloRewriteVisitor {
 public:
  absl::Status HandleAdd(HloInstruction* add) override {
    if (add->operand(0) != add->operand(1)) return absl::OkStatus();
    HloInstruction* x = add->mutable_operand(0);
    return ReplaceWithNewInstruction(
        add, HloInstruction::CreateBinary(add->shape(), HloOpcode::kMultiply, x, x));
  }
};

TEST(HloVisitorTest, Rewriting) {
  const auto module = Parse(R"(ENTRY e { a = f32[] parameter(0)
    b = f32[] add(a, a)  ROOT c = f32[] add(b, a) })");
  EXPECT_TRUE(*Doubler().RunOnModule(module.get()));
  EXPECT_EQ(module->entry_computation()->root_instruction()->operand(0)->opcode(),
            HloOpcode::kMultiply);
  EXPECT_FALSE(*Doubler().RunOnModule(module.get()));
}

}  // namespace
}  // namespace xla
