// What must be refused and can only be said to the builder; what text can say, too, is in
// tests/semantics/rejected_*.hlo. Each message names the operation, what is wrong and the rule.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/builder/builder_testing.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A program under construction, whose parameters are added as they are needed.
class Program {
 public:
  XlaOp Input(PrimitiveType type, absl::Span<const int64_t> dimensions) {
    return Input(ShapeUtil::MakeShape(type, dimensions));
  }
  XlaOp Input(const Shape& shape) {
    const int64_t number = parameters_++;
    return Parameter(&builder, number, shape, absl::StrCat("p", number));
  }
  XlaOp Matrix() { return Input(F32, {4, 6}); }
  XlaOp Zero() { return ConstantR0<float>(&builder, 0); }
  XlaOp Index() { return ConstantR0<int32_t>(&builder, 0); }
  XlaComputation Sum() { return CreateScalarAddComputation(F32, &builder); }
  XlaComputation Greater() { return CreateScalarGtComputation({F32}, &builder); }

  XlaBuilder builder{"main"};

 private:
  int64_t parameters_ = 0;
};

struct Rejection {
  std::string condition;
  std::string message;  // its start
  std::function<void(Program&)> add;
};

void ExpectRejected(const std::vector<Rejection>& rejections) {
  for (const Rejection& rejection : rejections) {
    Program program;
    rejection.add(program);
    EXPECT_THAT(ErrorOf(program.builder), StartsWith(rejection.message)) << rejection.condition;
  }
}

std::vector<ReplicaGroup> Groups(const std::vector<std::vector<int64_t>>& lists) {
  std::vector<ReplicaGroup> groups(lists.size());
  for (size_t i = 0; i < lists.size(); ++i) {
    for (int64_t id : lists[i]) groups[i].add_replica_ids(id);
  }
  return groups;
}

TEST(RejectsTest, Collectives) {
  const auto empty = [](Program& p) { return Tuple(&p.builder, {}); };
  ExpectRejected({
      {"AllReduce: an empty tuple", "all-reduce: the operand must not be an empty tuple",
       [&](Program& p) { AllReduce(empty(p), p.Sum()); }},
      {"CrossReplicaSum: an empty tuple", "all-reduce: operand () must be an array or a tuple",
       [&](Program& p) { CrossReplicaSum(empty(p)); }},
      {"CrossReplicaSum: a tuple of tuples", "all-reduce: operand ((f32[])) must be an array",
       [&](Program& p) { CrossReplicaSum(Tuple(&p.builder, {Tuple(&p.builder, {p.Zero()})})); }},
      {"ReduceScatter: an empty tuple", "reduce-scatter: the operand must not be an empty tuple",
       [&](Program& p) { ReduceScatter(empty(p), p.Sum(), 0, 2); }},
      {"ReduceScatter: not divisible", "reduce-scatter: dimension 0 of f32[4,6]",
       [](Program& p) { ReduceScatter(p.Matrix(), p.Sum(), 0, 3); }},
      {"ReduceScatter: shards other than the size of a group",
       "reduce-scatter_c7: 4 shards cannot be shared by groups of 2",
       [](Program& p) {
         ReduceScatter(p.Matrix(), p.Sum(), 0, 4, Groups({{0, 1}, {2, 3}}));
       }},
      {"ReduceScatter: groups of different sizes",
       "reduce-scatter_c2: the groups of replica_groups must be equally large",
       [](Program& p) {
         ReduceScatter(p.Matrix(), p.Sum(), 0, 2, Groups({{0, 1}, {2}}));
       }},
      {"AllGather: dimension out of range", "all-gather: f32[4,6]",
       [](Program& p) { AllGather(p.Matrix(), 2, 2); }},
      {"AllGather: no shards", "all-gather: the shard count must be positive, not 0",
       [](Program& p) { AllGather(p.Matrix(), 0, 0); }},
      {"AllGather: shards other than the size of a group",
       "all-gather_c5: 3 shards cannot be shared by groups of 2",
       [](Program& p) {
         AllGather(p.Matrix(), 0, 3, Groups({{0, 1}}));
       }},
      {"AllGather: shards other than the size of a group of one",
       "all-gather_c5: 2 shards cannot be shared by groups of 1",
       [](Program& p) {
         AllGather(p.Matrix(), 0, 2, Groups({{0}, {1}}));
       }},
      {"AllToAll: not divisible", "all-to-all: dimension 0 of f32[4,6]",
       [](Program& p) { AllToAll(p.Matrix(), 0, 1, 3); }},
      {"AllToAll: a tuple", "all-to-all: (f32[4,6]",
       [](Program& p) { AllToAll(Tuple(&p.builder, {p.Matrix()}), 0, 1, 2); }},
      {"CollectivePermute: two pairs with the same source",
       "collective-permute_c3: source_target_pairs has the source 0 twice",
       [](Program& p) {
         CollectivePermute(p.Matrix(), {{0, 1}, {0, 2}});
       }},
      {"CollectivePermute: two pairs with the same target",
       "collective-permute_c4: source_target_pairs has the target 2 twice",
       [](Program& p) {
         CollectivePermute(p.Matrix(), {{0, 2}, {1, 2}});
       }},
  });
}

// Implicit broadcasting makes fewer shapes fit than text allows, and more than those that are
// equal.
TEST(RejectsTest, ElementwiseOperations) {
  using Function = XlaOp (*)(XlaOp, XlaOp, absl::Span<const int64_t>);
  const std::vector<std::pair<std::string, Function>> numbers = {
      {"add", Add},       {"subtract", Sub},    {"multiply", Mul}, {"divide", Div},
      {"remainder", Rem}, {"maximum", Max},     {"minimum", Min},  {"power", Pow},
      {"atan2", Atan2},   {"complex", Complex}, {"compare", Lt},   {"compare", Eq}};
  const std::vector<std::pair<std::string, Function>> bits = {
      {"and", And},
      {"or", Or},
      {"xor", Xor},
      {"shift-left", ShiftLeft},
      {"shift-right-arithmetic", ShiftRightArithmetic},
      {"shift-right-logical", ShiftRightLogical}};
  const auto check = [](const std::string& name, Function function, PrimitiveType type,
                        PrimitiveType other) {
    const auto refused = [&](const Shape& x, const Shape& y, std::vector<int64_t> dimensions) {
      Program program;
      function(program.Input(x), program.Input(y), dimensions);
      return ErrorOf(program.builder);
    };
    const auto shape = [&](absl::Span<const int64_t> sizes) {
      return ShapeUtil::MakeShape(type, sizes);
    };
    const auto names_both = [&](const Shape& x, const Shape& y) {
      return AllOf(StartsWith(name), HasSubstr(ShapeUtil::HumanString(x)),
                   HasSubstr(ShapeUtil::HumanString(y)));
    };
    const Shape matrix = shape({2, 3});
    EXPECT_THAT(refused(matrix, ShapeUtil::MakeShape(other, {2, 3}), {}),
                names_both(matrix, ShapeUtil::MakeShape(other, {2, 3})));
    for (const Shape& y : {shape({3}), shape({1, 2, 3}), shape({3, 2}), shape({2, 2})}) {
      EXPECT_THAT(refused(matrix, y, {}), names_both(matrix, y));
    }
    for (const std::vector<int64_t>& dimensions :
         {std::vector<int64_t>{0}, {2}, {-1}, {0, 1}, {1, 1}}) {
      EXPECT_THAT(refused(matrix, shape({3}), dimensions), StartsWith(name)) << dimensions[0];
    }
    EXPECT_THAT(refused(shape({3, 3, 3}), shape({3, 3}), {1, 0}),
                AllOf(StartsWith(name), HasSubstr("ascend")));
  };
  for (const auto& [name, function] : numbers) check(name, function, F32, F64);
  for (const auto& [name, function] : bits) check(name, function, S32, U32);
}

// As in OpenXLA they can be built, and are errors of the program that is built.
TEST(RejectsTest, ShiftsOfFloatsAreNoProgram) {
  Program program;
  const Shape shape = ShapeUtil::MakeShape(F32, {4, 6});
  const XlaOp x = program.Matrix();
  ShiftLeft(x, x);
  const absl::StatusOr<XlaComputation> built = program.builder.Build();
  ASSERT_TRUE(built.ok()) << built.status();
  const auto compiled = ClientLibrary::LocalClientOrDie()->Compile(*built, {&shape}, {});
  EXPECT_THAT(std::string(compiled.status().message()), HasSubstr("shift-left"));
}

TEST(RejectsTest, Conversions) {
  ExpectRejected({
      {"BitcastConvertType: to a tuple", "bitcast-convert",
       [](Program& p) { BitcastConvertType(p.Matrix(), TUPLE); }},
      {"BitcastConvertType: a tuple", "bitcast-convert",
       [](Program& p) { BitcastConvertType(Tuple(&p.builder, {p.Matrix()}), S32); }},
      {"BitcastConvertType: wider, and the last dimension is not the ratio", "bitcast-convert",
       [](Program& p) {
         BitcastConvertType(p.Input(F16, {10, 3}), F32);
       }},
      {"BitcastConvertType: wider, and no dimension", "bitcast-convert",
       [](Program& p) { BitcastConvertType(p.Input(F16, {}), F32); }},
      {"ConvertElementType: to a tuple", "convert: f32[4,6] cannot be converted to tuple",
       [](Program& p) { ConvertElementType(p.Matrix(), TUPLE); }},
      {"ConvertElementType: a tuple", "convert",
       [](Program& p) { ConvertElementType(Tuple(&p.builder, {p.Matrix()}), S32); }},
  });
}

TEST(RejectsTest, DataMovement) {
  PaddingConfig interior;
  interior.add_dimensions()->set_interior_padding(-1);
  ExpectRejected({
      {"BroadcastInDim: sizes differ",
       "broadcast: from f32[4,6] to f32[4,7], broadcast_dimensions={0,1}: dimension 1",
       [](Program& p) {
         BroadcastInDim(p.Matrix(), {4, 7}, {0, 1});
       }},
      {"BroadcastInDim: wrong length",
       "broadcast: from f32[4,6] to f32[4,6], broadcast_dimensions={0}: there must be one",
       [](Program& p) {
         BroadcastInDim(p.Matrix(), {4, 6}, {0});
       }},
      {"BroadcastInDim: out of range", "broadcast: from f32[4,6]",
       [](Program& p) {
         BroadcastInDim(p.Matrix(), {4, 6}, {0, 2});
       }},
      {"BroadcastInDim: not increasing",
       "broadcast: from f32[4,6] to f32[6,4], broadcast_dimensions={1,0}: they must increase",
       [](Program& p) {
         BroadcastInDim(p.Matrix(), {6, 4}, {1, 0});
       }},
      {"BroadcastInDim: a dimension twice",
       "broadcast: from f32[6,6] to f32[4,6], broadcast_dimensions={1,1}: they must increase",
       [](Program& p) {
         BroadcastInDim(p.Input(F32, {6, 6}), {4, 6}, {1, 1});
       }},
      {"Collapse: not increasing", "collapse: dimensions {1,0} are not consecutive",
       [](Program& p) {
         Collapse(p.Input(F32, {4, 2, 3}), {1, 0});
       }},
      {"Collapse: not consecutive", "collapse: dimensions {0,2} are not consecutive",
       [](Program& p) {
         Collapse(p.Input(F32, {4, 2, 3}), {0, 2});
       }},
      {"ConcatInDim: no operand", "concatenate_c0: takes at least 1 operands, not 0",
       [](Program& p) { ConcatInDim(&p.builder, {}, 0); }},
      {"ConcatInDim: scalars", "concatenate_c2: dimensions={0} is not within the rank",
       [](Program& p) {
         ConcatInDim(&p.builder, {p.Zero(), p.Zero()}, 0);
       }},
      {"Pad: negative interior padding", "pad_c5: dimension 0: the interior padding -1 is negative",
       [&](Program& p) { Pad(p.Input(F32, {3}), p.Zero(), interior); }},
      {"Pad: another number of dimensions", "pad_c4: padding has 1 entries for 2 dimensions",
       [&](Program& p) { Pad(p.Matrix(), p.Zero(), interior); }},
      {"Reshape: the dimensions are no permutation", "transpose_c2: dimensions={0,0}",
       [](Program& p) {
         Reshape(p.Matrix(), {0, 0}, {24});
       }},
      {"Reshape: too few dimensions", "transpose_c2: dimensions={1}",
       [](Program& p) { Reshape(p.Matrix(), {1}, {24}); }},
      {"Reshape: products differ", "reshape_c2: the result must have as many elements",
       [](Program& p) {
         Reshape(p.Matrix(), {0, 1}, {23});
       }},
      {"Slice: more limits than starts", "slice: start {0}, limit {1,2} and strides {1}",
       [](Program& p) {
         Slice(p.Matrix(), {0}, {1, 2}, {1});
       }},
      {"Slice: fewer strides than starts", "slice: start {0,0}, limit {1,2} and strides {1}",
       [](Program& p) {
         Slice(p.Matrix(), {0, 0}, {1, 2}, {1});
       }},
      {"Slice: lists shorter than the rank", "slice_c2: slice has 1 ranges for 2 dimensions",
       [](Program& p) { Slice(p.Matrix(), {0}, {1}, {1}); }},
      {"DynamicSlice: too few start indices",
       "dynamic-slice_c2: there must be one start index for each of the 2 dimensions",
       [](Program& p) {
         DynamicSlice(p.Matrix(), {p.Index()}, {1, 1});
       }},
      {"DynamicSlice: no start indices",
       "dynamic-slice_c2: there must be one start index for each of the 2 dimensions",
       [](Program& p) {
         DynamicSlice(p.Matrix(), {}, {1, 1});
       }},
      {"DynamicUpdateSlice: too few start indices",
       "dynamic-update-slice_c4: there must be one start index for each of the 2 dimensions",
       [](Program& p) { DynamicUpdateSlice(p.Matrix(), p.Matrix(), {p.Index()}); }},
  });
}

TEST(RejectsTest, Reductions) {
  const auto window = [](std::vector<int64_t> sizes, std::vector<int64_t> strides,
                         std::vector<int64_t> base, std::vector<int64_t> dilations,
                         std::vector<std::pair<int64_t, int64_t>> padding) {
    return [=](Program& p) {
      ReduceWindowWithGeneralPadding(p.Matrix(), p.Zero(), p.Sum(), sizes, strides, base, dilations,
                                     padding);
    };
  };
  const auto same = [](std::vector<int64_t> sizes, std::vector<int64_t> strides) {
    return [=](Program& p) {
      ReduceWindow(p.Matrix(), p.Zero(), p.Sum(), sizes, strides, Padding::kSame);
    };
  };
  ExpectRejected({
      {"Map: no operand", "map", [](Program& p) { Map(&p.builder, {}, p.Sum(), {}); }},
      {"Map: another number of operands than of parameters",
       "map_c3: the computation must have 1 parameters, not 2",
       [](Program& p) {
         Map(&p.builder, {p.Matrix()}, p.Sum(), {0, 1});
       }},
      {"Reduce: no operand", "reduce_c0: takes at least 2 operands, not 0",
       [](Program& p) {
         Reduce(&p.builder, absl::Span<const XlaOp>(), absl::Span<const XlaOp>(), p.Sum(), {0});
       }},
      {"Reduce: more operands than initial values",
       "reduce_c1: takes k arrays and k initial values",
       [](Program& p) {
         Reduce(&p.builder, {p.Matrix(), p.Matrix()}, {p.Zero()}, p.Sum(), {0});
       }},
      {"ReduceWindow: no operand", "reduce-window",
       [](Program& p) {
         p.builder.ReduceWindow({}, absl::Span<const XlaOp>(), p.Sum(), {}, {}, Padding::kSame);
       }},
      {"ReduceWindow: fewer window dimensions than the rank",
       "reduce-window_c5: window has 1 dimensions, the operand has 2",
       window({2}, {1}, {}, {}, {})},
      {"ReduceWindow: another number of strides",
       "reduce-window: 1 strides for a window of 2 dimensions", window({2, 2}, {1}, {}, {}, {})},
      {"ReduceWindow: another number of base dilations",
       "reduce-window: 3 base dilations for a window of 2 dimensions",
       window({2, 2}, {1, 1}, {1, 1, 1}, {}, {})},
      {"ReduceWindow: another number of window dilations",
       "reduce-window: 1 window dilations for a window of 2 dimensions",
       window({2, 2}, {1, 1}, {}, {1}, {})},
      {"ReduceWindow: another number of paddings",
       "reduce-window: 1 paddings for a window of 2 dimensions",
       window({2, 2}, {1, 1}, {}, {}, {{0, 0}})},
      {"ReduceWindow: a window of size zero",
       "reduce-window_c6: size, stride and dilations of window dimension 1 must be positive",
       window({2, 0}, {1, 1}, {}, {}, {})},
      {"ReduceWindow: a negative dilation",
       "reduce-window_c6: size, stride and dilations of window dimension 0 must be positive",
       window({2, 2}, {1, 1}, {}, {-1, 1}, {})},
      {"ReduceWindow, kSame: fewer window dimensions than the rank",
       "reduce-window: padding: 2 input dimensions, 1 window dimensions and 1 strides",
       same({2}, {1})},
      {"ReduceWindow, kSame: a stride of zero",
       "reduce-window: padding: dimension 1 has input size 6", same({2, 2}, {1, 0})},
      {"Sort: dimension out of range", "sort_c2: dimensions={2} is not within the rank",
       [](Program& p) { Sort({p.Matrix()}, p.Greater(), 2); }},
      {"Sort: a negative dimension", "sort_c2: dimensions={-2} is not within the rank",
       [](Program& p) { Sort({p.Matrix()}, p.Greater(), -2); }},
      {"Sort: a scalar", "sort_c2: ", [](Program& p) { Sort({p.Zero()}, p.Greater()); }},
      {"TopK: k larger than the last dimension", "topk_c3: k=7 must be between 0 and",
       [](Program& p) { TopK(p.Matrix(), 7, true); }},
      {"TopK: a negative k", "topk", [](Program& p) { TopK(p.Matrix(), -1, true); }},
      {"TopK: a scalar", "topk", [](Program& p) { TopK(p.Zero(), 1, true); }},
  });
}

TEST(RejectsTest, CallsAndRandomNumbers) {
  const Shape floats = ShapeUtil::MakeShape(F32, {3});
  ExpectRejected({
      {"Call: no arguments", "call_c1: the called computation must have 0 parameters, not 2",
       [](Program& p) { Call(&p.builder, p.Sum(), {}); }},
      {"CompositeCall: no arguments",
       "call_c1: the called computation must have 0 parameters, not 2",
       [](Program& p) { CompositeCall(&p.builder, p.Sum(), {}, "foo.sum"); }},
      {"CompositeCall: no name", "a composite call needs a name",
       [](Program& p) { CompositeCall(&p.builder, p.Sum(), {p.Zero(), p.Zero()}, ""); }},
      {"CompositeCall: empty attributes", "a composite call needs a name",
       [](Program& p) { CompositeCall(&p.builder, p.Sum(), {p.Zero(), p.Zero()}, "f", ""); }},
      {"CompositeCall: a negative version", "a composite call needs a name",
       [](Program& p) { CompositeCall(&p.builder, p.Sum(), {p.Zero(), p.Zero()}, "f", "{}", -1); }},
      {"Conditional: a branch with two parameters", "conditional_c4: ",
       [](Program& p) { Conditional(p.Input(PRED, {}), p.Zero(), p.Sum(), p.Zero(), p.Sum()); }},
      {"RngUniform: a bound that is no scalar", "rng_c3: operand 1 must be a scalar",
       [&](Program& p) { RngUniform(p.Zero(), p.Matrix(), floats); }},
      {"RngNormal: integers", "rng_c4: the distribution has no values of the element type",
       [](Program& p) { RngNormal(p.Index(), p.Index(), ShapeUtil::MakeShape(S32, {3})); }},
      {"AfterAll: a value", "AfterAll: operand 1 must be a token, not f32[4,6]",
       [](Program& p) { AfterAll(&p.builder, {CreateToken(&p.builder), p.Matrix()}); }},
      {"Infeed: a tuple in a tuple", "infeed_c3: the data must not be a nested tuple",
       [&](Program& p) {
         const Shape inner = ShapeUtil::MakeTupleShape({floats});
         Infeed(&p.builder, ShapeUtil::MakeTupleShape({inner}));
       }},
  });
}

// The ends of a channel meet when the program runs.
std::string RunError(const std::function<void(Program&, const ChannelHandle&)>& add) {
  LocalClient& client = *ClientLibrary::LocalClientOrDie();
  client.set_transfer_timeout(absl::Milliseconds(50));
  const ChannelHandle channel = client.CreateChannelHandle().value();
  Program program;
  add(program, channel);
  const absl::StatusOr<XlaComputation> computation = program.builder.Build();
  EXPECT_TRUE(computation.ok()) << computation.status();
  if (!computation.ok()) return "";
  return std::string(client.ExecuteAndTransfer(*computation, {}).status().message());
}

TEST(RejectsTest, EndsOfOneChannel) {
  EXPECT_THAT(RunError([](Program& p, const ChannelHandle& channel) {
                Send(p.Zero(), channel);
                Send(p.Zero(), channel);
                Recv(&p.builder, ShapeUtil::MakeShape(F32, {}), channel);
              }),
              HasSubstr("nobody receives from channel"));
  EXPECT_THAT(
      RunError([](Program& p, const ChannelHandle& channel) {
        const Shape shape = ShapeUtil::MakeShape(F32, {});
        Send(p.Zero(), channel);
        Tuple(&p.builder, {Recv(&p.builder, shape, channel), Recv(&p.builder, shape, channel)});
      }),
      HasSubstr("there is no value in channel"));
  EXPECT_THAT(RunError([](Program& p, const ChannelHandle& channel) {
                Send(p.Zero(), channel);
                Recv(&p.builder, ShapeUtil::MakeShape(F32, {2}), channel);
              }),
              HasSubstr("has a value of shape f32[], but the program takes f32[2]"));
}

}  // namespace
}  // namespace xla
