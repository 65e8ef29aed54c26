// Rules that text cannot reach, because the reader has a say first, or that concern all operations.
// The others are tested by the files in tests/ops.
#include "ir/shape_rules.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const Shape kVector = ShapeUtil::MakeShape(F32, {3});
const Shape kScalar = ShapeUtil::MakeShape(F32, {});
const Shape kToken = ShapeUtil::MakeTokenShape();
constexpr int64_t kUnbounded = Shape::kUnboundedSize;

struct Case {
  HloOpcode opcode;
  std::vector<Shape> operands;
  std::vector<ProgramShape> callees;
  std::optional<Shape> declared;

  absl::StatusOr<Shape> Infer(const Attributes& attributes) const {
    std::vector<const Shape*> operand_pointers;
    for (const Shape& operand : operands) operand_pointers.push_back(&operand);
    std::vector<const ProgramShape*> callee_pointers;
    for (const ProgramShape& callee : callees) callee_pointers.push_back(&callee);
    return InferShape({opcode, operand_pointers, &attributes, callee_pointers,
                       declared.has_value() ? &*declared : nullptr});
  }
};

std::string ErrorOf(const absl::StatusOr<Shape>& shape) {
  return std::string(shape.status().message());
}

std::string Label(HloOpcode opcode, int number) {
  return std::string(HloOpcodeString(opcode)) + "_c" + std::to_string(number) + ": ";
}

Shape Dynamic(std::vector<int64_t> sizes, std::vector<bool> dynamic) {
  return ShapeUtil::MakeShape(F32, sizes, dynamic);
}

TEST(ShapeRulesTest, WrongNumberOfOperands) {
  for (const OpInfo& op : AllOps()) {
    const auto attributes = op.make_attributes();
    std::vector<ProgramShape> callees(op.callees.count,
                                      ShapeUtil::MakeProgramShape({kScalar, kScalar}, kScalar));
    if (op.operands.min > 0) {
      const Case few = {op.opcode, std::vector<Shape>(op.operands.min - 1, kVector), callees,
                        kVector};
      EXPECT_THAT(ErrorOf(few.Infer(*attributes)), StartsWith(Label(op.opcode, 0))) << op.name;
    }
    if (op.operands.max < kMany) {
      const Case many = {op.opcode, std::vector<Shape>(op.operands.max + 1, kVector), callees,
                         kVector};
      EXPECT_THAT(ErrorOf(many.Infer(*attributes)), StartsWith(Label(op.opcode, 0))) << op.name;
    }
  }
}

TEST(ShapeRulesTest, WrongNumberOfComputations) {
  for (const OpInfo& op : AllOps()) {
    if (op.callees.form != CalleeForm::kNamed) continue;
    const auto attributes = op.make_attributes();
    const std::vector<ProgramShape> callees(
        op.callees.count + 1, ShapeUtil::MakeProgramShape({kScalar, kScalar}, kScalar));
    const Case one_more = {op.opcode, std::vector<Shape>(op.operands.min, kVector), callees,
                           kVector};
    EXPECT_THAT(ErrorOf(one_more.Infer(*attributes)), StartsWith(Label(op.opcode, 0))) << op.name;
  }
}

TEST(ShapeRulesTest, FunctionsCostSomethingForEachTypeThatTheyTake) {
  int taken = 0;
  for (const OpInfo& op : AllOps()) {
    if ((op.traits & kElementwise) == 0 || op.attributes_name != "NoAttributes") continue;
    for (const PrimitiveType type :
         {PRED, S8, S32, U32, S64, U64, BF16, F16, F32, F64, C64, C128}) {
      const std::vector<Shape> operands(op.operands.min, ShapeUtil::MakeShape(type, {3}));
      const auto attributes = op.make_attributes();
      if (!Case{op.opcode, operands, {}, std::nullopt}.Infer(*attributes).ok()) continue;
      EXPECT_GT(op.costs.Of(type), 0) << op.name << " of " << PrimitiveType_Name(type);
      ++taken;
    }
  }
  EXPECT_GT(taken, 200);
}

TEST(ShapeRulesTest, CostsFollowTheType) {
  const OpCosts& costs = GetOpInfo(HloOpcode::kPower).costs;
  EXPECT_EQ(costs.Of(BF16), costs.f32);
  EXPECT_EQ(costs.Of(F64), costs.f64);
  EXPECT_EQ(costs.Of(C64), costs.complex);
  EXPECT_EQ(costs.Of(C128), costs.complex);
  EXPECT_EQ(costs.Of(PRED), costs.s32);
  EXPECT_EQ(costs.Of(U16), costs.s32);
  EXPECT_EQ(costs.Of(U64), costs.s64);
}

// No operation may crash whatever it gets; most refuse these.
TEST(ShapeRulesTest, AnyShapesGiveAResultOrAnError) {
  const Shape array = ShapeUtil::MakeShape(S32, {2, 3});
  const Shape tuple = ShapeUtil::MakeTupleShape({kVector, kToken});
  const Shape nested = ShapeUtil::MakeTupleShape({tuple, kScalar, kToken});
  const Shape opaque = ShapeUtil::MakeOpaqueShape();
  const Shape buffer = *ShapeUtil::MakeValidatedBufferShape(F32, {3});
  const Shape empty = ShapeUtil::MakeShape(F32, {0});
  const Shape unbounded = Dynamic({kUnbounded, 3}, {true, false});
  const Shape complex = ShapeUtil::MakeShape(C64, {2});
  const std::vector<Shape> shapes = {kVector, kScalar, array, tuple,     nested, kToken,
                                     opaque,  buffer,  empty, unbounded, complex};
  int results = 0;
  for (const OpInfo& op : AllOps()) {
    const auto attributes = op.make_attributes();
    for (const Shape& first : shapes) {
      for (const Shape& other : shapes) {
        for (int count = op.operands.min; count <= std::min(op.operands.max, op.operands.min + 2);
             ++count) {
          std::vector<Shape> operands(count, other);
          if (count > 0) operands[0] = first;
          const std::vector<ProgramShape> callees(
              op.callees.count, ShapeUtil::MakeProgramShape({other, first}, first));
          for (const Shape& declared : shapes) {
            results += Case{op.opcode, operands, callees, declared}.Infer(*attributes).ok();
          }
          results += Case{op.opcode, operands, callees, std::nullopt}.Infer(*attributes).ok();
        }
      }
    }
  }
  EXPECT_GT(results, 1000);
}

TEST(ShapeRulesTest, DeclaredShapesMustBeWellFormed) {
  const Shape huge(F32, {std::numeric_limits<int64_t>::max(), 4});
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kConvert, {kScalar}, {}, huge}.Infer(NoAttributes())),
              StartsWith("convert_c0: declared result"));
}

TEST(ShapeRulesTest, ResultsMustBeRepresentable) {
  const int64_t large = int64_t{1} << 40;
  const Shape vector = ShapeUtil::MakeShape(F32, {large});
  DotAttributes outer_product;
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kDot, {vector, vector}, {}, {}}.Infer(outer_product)),
              AllOf(StartsWith("dot_c0: "), HasSubstr("overflows")));
}

TEST(ShapeRulesTest, ShapesThatOnlyTheResultKnowsMustBeDeclared) {
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kConvert, {kScalar}, {}, {}}.Infer(NoAttributes())),
              StartsWith("convert_c0: "));
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kIota, {}, {}, {}}.Infer(IotaAttributes())),
              StartsWith("iota_c0: "));
}

TEST(ShapeRulesTest, MessagesNameShapes) {
  EXPECT_EQ(ErrorOf(Case{HloOpcode::kAdd, {kVector, kScalar}, {}, kVector}.Infer(NoAttributes())),
            "add_c3: operands 0 and 1 must have the same dimensions; operands f32[3], f32[]; "
            "declared f32[3]");
}

TEST(ShapeRulesTest, PrecisionsAreNotMixed) {
  const Shape half = ShapeUtil::MakeShape(F16, {3});
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kAdd, {half, kVector}, {}, {}}.Infer(NoAttributes())),
              StartsWith("add_c2: "));
}

TEST(ShapeRulesTest, NegativeInteriorPadding) {
  PadAttributes pad;
  pad.padding.add_dimensions()->set_interior_padding(-1);
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kPad, {kVector, kScalar}, {}, {}}.Infer(pad)),
              StartsWith("pad_c5: "));
}

TEST(ShapeRulesTest, RulesThatTheTextReaderChecksFirst) {
  const Shape number = ShapeUtil::MakeShape(S32, {});
  const ProgramShape add = ShapeUtil::MakeProgramShape({kScalar, kScalar}, kScalar);
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kReduce, {kVector, kScalar, kScalar}, {add}, {}}.Infer(
                  DimensionsAttributes())),
              StartsWith("reduce_c1: "));
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kReduceWindow, {kVector, kScalar, kScalar}, {add}, {}}.Infer(
                  WindowAttributes())),
              StartsWith("reduce-window_c1: "));
  EXPECT_THAT(
      ErrorOf(Case{HloOpcode::kScatter, {kVector, number, kScalar, kScalar}, {add}, {}}.Infer(
          ScatterAttributes())),
      StartsWith("scatter_c1: "));
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kConcatenate, {}, {}, {}}.Infer(OneDimensionAttributes())),
              StartsWith("concatenate_c0: "));
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kConstant, {}, {}, kScalar}.Infer(ConstantAttributes())),
              StartsWith("constant_c1: "));
  ParameterAttributes parameter;
  parameter.parameter_number = -1;
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kParameter, {}, {}, kScalar}.Infer(parameter)),
              StartsWith("parameter_c1: "));

  ConstantAttributes constant;
  constant.literal = std::make_shared<const Literal>(kVector);
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kConstant, {}, {}, kScalar}.Infer(constant)),
              StartsWith("constant_c2: "));
  EXPECT_EQ(*Case({HloOpcode::kConstant, {}, {}, {}}).Infer(constant), kVector);

  EXPECT_THAT(
      ErrorOf(Case{HloOpcode::kDynamicReshape, {kToken}, {}, kScalar}.Infer(NoAttributes())),
      StartsWith("dynamic-reshape_c1: "));
  EXPECT_THAT(
      ErrorOf(Case{HloOpcode::kDynamicReshape, {kVector}, {}, kVector}.Infer(NoAttributes())),
      StartsWith("dynamic-reshape_c3: "));
  EXPECT_THAT(ErrorOf(Case{
                  HloOpcode::kDynamicReshape, {kVector, number}, {}, ShapeUtil::MakeShape(F32, {4})}
                          .Infer(NoAttributes())),
              StartsWith("dynamic-reshape_c5: "));

  AllReduceAttributes all_reduce;
  all_reduce.use_global_device_ids = true;
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kAllReduce, {kVector}, {add}, {}}.Infer(all_reduce)),
              StartsWith("all-reduce_c3: "));
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kAllReduceStart, {kVector}, {add}, {}}.Infer(all_reduce)),
              StartsWith("all-reduce-start_c3: "));
  ReduceScatterAttributes reduce_scatter;
  reduce_scatter.use_global_device_ids = true;
  EXPECT_THAT(
      ErrorOf(Case{HloOpcode::kReduceScatter, {kVector}, {add}, kVector}.Infer(reduce_scatter)),
      StartsWith("reduce-scatter_c3: "));

  CustomCallAttributes custom_call;
  custom_call.target = "t";
  custom_call.operand_layouts = {kVector, kVector};
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kCustomCall, {kVector}, {}, kVector}.Infer(custom_call)),
              StartsWith("custom-call_c1: "));
  custom_call.operand_layouts = {kScalar};
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kCustomCall, {kVector}, {}, kVector}.Infer(custom_call)),
              StartsWith("custom-call_c1: "));

  EXPECT_THAT(
      ErrorOf(
          Case{HloOpcode::kRecv, {kToken}, {}, ShapeUtil::MakeTupleShape({kVector, kToken})}.Infer(
              SendRecvAttributes())),
      StartsWith("recv_c2: "));

  CollectivePermuteAttributes permute;
  permute.slice_sizes = {{1}};
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kCollectivePermute, {kVector}, {}, {}}.Infer(permute)),
              StartsWith("collective-permute_c1: "));
}

TEST(ShapeRulesTest, EndsOfAsynchronousOperations) {
  const Shape context = ShapeUtil::MakeTupleShape({ShapeUtil::MakeTupleShape({kVector}), kScalar});
  const ProgramShape right = ShapeUtil::MakeProgramShape({kVector}, kScalar);
  const ProgramShape wrong = ShapeUtil::MakeProgramShape({kScalar}, kScalar);
  for (HloOpcode opcode : {HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone}) {
    const Shape result = opcode == HloOpcode::kAsyncUpdate ? context : kScalar;
    EXPECT_TRUE((Case{opcode, {context}, {}, result}.Infer(AsyncAttributes()).ok()));
    EXPECT_TRUE((Case{opcode, {context}, {right}, result}.Infer(AsyncAttributes()).ok()));
    EXPECT_THAT(ErrorOf(Case{opcode, {context}, {wrong}, result}.Infer(AsyncAttributes())),
                StartsWith(Label(opcode, 2)));
  }
}

TEST(ShapeRulesTest, Branches) {
  const Shape pred = ShapeUtil::MakeShape(PRED, {});
  const Shape index = ShapeUtil::MakeShape(S32, {});
  const ProgramShape branch = ShapeUtil::MakeProgramShape({kVector}, kVector);
  const auto infer = [&](const Shape& selector, int operands, int branches) {
    Case conditional = {HloOpcode::kConditional, {selector}, {}, {}};
    conditional.operands.resize(1 + operands, kVector);
    conditional.callees.resize(branches, branch);
    return ErrorOf(conditional.Infer(NoAttributes()));
  };
  EXPECT_THAT(infer(index, 3, 3), "");
  EXPECT_THAT(infer(pred, 2, 2), "");
  EXPECT_THAT(infer(kScalar, 2, 2), StartsWith("conditional_c1: "));
  EXPECT_THAT(infer(index, 1, 0), StartsWith("conditional_c2: "));
  EXPECT_THAT(infer(pred, 3, 3), StartsWith("conditional_c2: "));
  EXPECT_THAT(infer(index, 2, 3), StartsWith("conditional_c3: "));
}

TEST(ShapeRulesTest, RandomAlgorithmsAndDistributionsMustBeKnown) {
  RngAttributes rng;
  rng.distribution = 77;
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kRng, {kScalar, kScalar}, {}, kVector}.Infer(rng)),
              StartsWith("rng_c4: "));
  RngBitGeneratorAttributes bits;
  bits.algorithm = 77;
  EXPECT_THAT(ErrorOf(Case{HloOpcode::kRngBitGenerator,
                           {ShapeUtil::MakeShape(U64, {2})},
                           {},
                           ShapeUtil::MakeShape(U32, {2})}
                          .Infer(bits)),
              StartsWith("rng-bit-generator_c4: "));
}

TEST(ShapeRulesTest, DynamicDimensions) {
  const Shape bounded = Dynamic({4, 3}, {true, false});
  const Shape fixed = Dynamic({4, 3}, {false, false});
  const Shape unbounded = Dynamic({kUnbounded, 3}, {true, false});
  const auto add = [](const Shape& a, const Shape& b) {
    return Case{HloOpcode::kAdd, {a, b}, {}, {}}.Infer(NoAttributes());
  };
  EXPECT_EQ(add(bounded, fixed)->ToString(), "f32[<=4,3]");
  EXPECT_EQ(add(unbounded, fixed)->ToString(), "f32[4,3]");
  EXPECT_EQ(add(fixed, unbounded)->ToString(), "f32[4,3]");
  EXPECT_EQ(add(unbounded, bounded)->ToString(), "f32[<=4,3]");
  EXPECT_EQ(add(unbounded, unbounded)->ToString(), "f32[?,3]");

  DimensionsAttributes swap;
  swap.dimensions = {1, 0};
  EXPECT_EQ((Case{HloOpcode::kTranspose, {bounded}, {}, {}}.Infer(swap)->ToString()), "f32[3,<=4]");

  OneDimensionAttributes first;
  EXPECT_EQ((Case{HloOpcode::kConcatenate, {bounded, fixed}, {}, {}}.Infer(first)->ToString()),
            "f32[<=8,3]");
  EXPECT_EQ((Case{HloOpcode::kConcatenate, {unbounded, fixed}, {}, {}}.Infer(first)->ToString()),
            "f32[?,3]");
  EXPECT_EQ((Case{HloOpcode::kSetDimensionSize, {fixed, ShapeUtil::MakeShape(S32, {})}, {}, {}}
                 .Infer(first)
                 ->ToString()),
            "f32[<=4,3]");

  SliceAttributes slice;
  slice.ranges = {{0, 4, 1}, {1, 3, 1}};
  EXPECT_EQ((Case{HloOpcode::kSlice, {bounded}, {}, {}}.Infer(slice)->ToString()), "f32[<=4,2]");
  slice.ranges = {{0, 2, 1}, {1, 3, 1}};
  EXPECT_EQ((Case{HloOpcode::kSlice, {bounded}, {}, {}}.Infer(slice)->ToString()), "f32[2,2]");

  DotAttributes dot;
  dot.lhs_contracting = {1};
  dot.rhs_contracting = {1};
  EXPECT_EQ((Case{HloOpcode::kDot, {bounded, unbounded}, {}, {}}.Infer(dot)->ToString()),
            "f32[<=4,?]");
}

TEST(ShapeRulesTest, ResultsHaveTheLayoutOfTheOperandWhereItFits) {
  const Shape operand = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  EXPECT_EQ((Case{HloOpcode::kNegate, {operand}, {}, {}}.Infer(NoAttributes())->ToString(true)),
            "f32[2,3]{0,1}");
  EXPECT_EQ((Case{HloOpcode::kNegate, {Shape(F32, {2, 3})}, {}, {}}
                 .Infer(NoAttributes())
                 ->ToString(true)),
            "f32[2,3]{1,0}");

  // Split in the middle of 32 elements; a slice of 8 has no such place.
  Shape split = ShapeUtil::MakeShape(F32, {32});
  split.mutable_layout()->add_split_configs(SplitConfig(0, {16}));
  SliceAttributes slice;
  slice.ranges = {{0, 8, 1}};
  EXPECT_EQ((Case{HloOpcode::kSlice, {split}, {}, {}}.Infer(slice)->ToString(true)), "f32[8]{0}");
}

std::string Broadcast(const Shape& lhs, const Shape& rhs, std::vector<int64_t> dimensions = {}) {
  const absl::StatusOr<Shape> shape = BroadcastShapes(HloOpcode::kAdd, lhs, rhs, dimensions);
  return shape.ok() ? shape->ToString() : std::string(shape.status().message());
}

Shape S(std::vector<int64_t> sizes) { return ShapeUtil::MakeShape(S32, sizes); }

TEST(BroadcastShapesTest, EqualScalarAndDegenerate) {
  EXPECT_EQ(Broadcast(S({2, 3}), S({2, 3})), "s32[2,3]");
  EXPECT_EQ(Broadcast(S({2, 2}), S({})), "s32[2,2]");
  EXPECT_EQ(Broadcast(S({}), S({2, 2})), "s32[2,2]");
  EXPECT_EQ(Broadcast(S({1, 3}), S({2, 1})), "s32[2,3]");
  EXPECT_EQ(Broadcast(S({1, 3}), S({0, 1})), "s32[0,3]");
  EXPECT_EQ(Broadcast(S({}), S({})), "s32[]");
}

TEST(BroadcastShapesTest, WithDimensions) {
  EXPECT_EQ(Broadcast(S({2, 3}), S({3}), {1}), "s32[2,3]");
  EXPECT_EQ(Broadcast(S({2, 3}), S({2}), {0}), "s32[2,3]");
  EXPECT_EQ(Broadcast(S({3}), S({2, 3}), {1}), "s32[2,3]");
  EXPECT_EQ(Broadcast(S({2, 1}), S({3}), {1}), "s32[2,3]");
  EXPECT_EQ(Broadcast(S({2, 3}), S({1}), {1}), "s32[2,3]");
}

TEST(BroadcastShapesTest, Dynamic) {
  EXPECT_EQ(Broadcast(Dynamic({4}, {true}), ShapeUtil::MakeShape(F32, {4})), "f32[<=4]");
  EXPECT_EQ(Broadcast(Dynamic({4}, {true}), ShapeUtil::MakeShape(F32, {1})), "f32[<=4]");
  EXPECT_EQ(Broadcast(Dynamic({kUnbounded}, {true}), ShapeUtil::MakeShape(F32, {4})), "f32[4]");
  EXPECT_EQ(Broadcast(Dynamic({kUnbounded}, {true}), ShapeUtil::MakeShape(F32, {1})), "f32[?]");
}

TEST(BroadcastShapesTest, Errors) {
  EXPECT_THAT(Broadcast(S({2, 3}), S({3})), HasSubstr("add_c0: operands of different rank"));
  EXPECT_THAT(Broadcast(S({2, 3}), S({2, 4})), HasSubstr("must be as long as"));
  EXPECT_THAT(Broadcast(S({2, 3}), S({3}), {2}), HasSubstr("not within the rank"));
  EXPECT_THAT(Broadcast(S({2, 3}), S({3}), {-1}), HasSubstr("not within the rank"));
  EXPECT_THAT(Broadcast(S({2, 3}), S({3}), {0, 1}), HasSubstr("one entry"));
  EXPECT_THAT(Broadcast(S({2, 3}), S({2, 3}), {1, 0}), HasSubstr("must ascend"));
  EXPECT_THAT(Broadcast(S({2, 3}), kToken), HasSubstr("must be an array"));
}

}  // namespace
}  // namespace xla
