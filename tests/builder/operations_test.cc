// The operations that are not element-wise: what they add to the program, and what they refuse.
#include <functional>
#include <string>
#include <vector>

#include "tests/builder/builder_testing.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Shape F32Shape(absl::Span<const int64_t> dimensions) {
  return ShapeUtil::MakeShape(F32, dimensions);
}

class OperationsTest : public testing::Test {
 protected:
  XlaOp Input(absl::Span<const int64_t> dimensions, PrimitiveType type = F32) {
    const int64_t number = parameters_++;
    return Parameter(&b_, number, ShapeUtil::MakeShape(type, dimensions),
                     absl::StrCat("p", number));
  }
  XlaOp Scalar(float value) { return ConstantR0<float>(&b_, value); }
  XlaOp Index(int32_t value) { return ConstantR0<int32_t>(&b_, value); }
  XlaComputation Sum() { return CreateScalarAddComputation(F32, &b_); }
  std::string Text() { return TextOf(b_); }

  XlaBuilder b_{"main"};
  int64_t parameters_ = 0;
};

TEST_F(OperationsTest, Broadcast) {
  Broadcast(Input({3}), {2});
  EXPECT_THAT(Text(), HasSubstr("f32[2,3] broadcast(p0), dimensions={1}"));
}

TEST_F(OperationsTest, BroadcastInDim) {
  const XlaOp x = Input({1, 3});
  Tuple(&b_, {BroadcastInDim(x, {5, 1, 3}, {1, 2}), BroadcastInDim(x, {4, 3}, {0, 1})});
  EXPECT_THAT(Text(), AllOf(HasSubstr("f32[5,1,3] broadcast(p0), dimensions={1,2}"),
                            HasSubstr("f32[3] reshape("),
                            HasSubstr("f32[4,3] broadcast(reshape), dimensions={1}")));
}

TEST_F(OperationsTest, ReshapeCollapseTranspose) {
  const XlaOp x = Input({2, 3, 4});
  Tuple(&b_, {Reshape(x, {6, 4}), Collapse(x, {1, 2}), Transpose(x, {2, 0, 1}), Rev(x, {0, 2}),
              Reshape(F32Shape({24}), x), ReshapeWithInferredDimension(x, {4, 6}, 0)});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("f32[6,4] reshape(p0)"), HasSubstr("f32[2,12] reshape(p0)"),
                    HasSubstr("f32[4,2,3] transpose(p0), dimensions={2,0,1}"),
                    HasSubstr("reverse(p0), dimensions={0,2}"), HasSubstr("f32[24] reshape"),
                    HasSubstr("f32[4,6] reshape(p0), inferred_dimension=0")));
}

TEST_F(OperationsTest, ReshapeKeepsDynamicDimensions) {
  const XlaOp x =
      Parameter(&b_, 0, ShapeUtil::MakeShape(F32, {2, 10, 4}, {false, true, false}), "x");
  const XlaOp y = Reshape(x, {2, 5, 2, 2, 2});
  EXPECT_EQ(b_.GetShape(y)->ToString(false), "f32[2,<=5,2,2,2]");
}

TEST_F(OperationsTest, PadSliceConcatenate) {
  const XlaOp x = Input({4, 6});
  Tuple(&b_, {PadInDim(x, Scalar(0), 1, 2, -1), Slice(x, {0, 1}, {4, 5}, {1, 2}),
              SliceInDim(x, 1, 3, 1, 0), ConcatInDim(&b_, {x, x}, 1)});
  EXPECT_THAT(Text(), AllOf(HasSubstr("f32[4,7] pad(p0, constant), padding=0_0x2_-1"),
                            HasSubstr("f32[4,2] slice(p0), slice={[0:4:1], [1:5:2]}"),
                            HasSubstr("f32[2,6] slice(p0), slice={[1:3], [0:6]}"),
                            HasSubstr("f32[4,12] concatenate(p0, p0), dimensions={1}")));
}

TEST_F(OperationsTest, Iota) {
  Tuple(&b_, {Iota(&b_, S32, 5), Iota(&b_, F32Shape({2, 3}), 1)});
  EXPECT_THAT(Text(), AllOf(HasSubstr("s32[5] iota(), iota_dimension=0"),
                            HasSubstr("f32[2,3] iota(), iota_dimension=1")));
}

TEST_F(OperationsTest, Indexing) {
  const XlaOp x = Input({4, 6});
  const XlaOp slice = DynamicSlice(x, {Index(1), Index(2)}, {2, 3});
  Tuple(&b_, {slice, DynamicUpdateSlice(x, slice, {Index(0), Index(0)})});
  EXPECT_THAT(Text(), AllOf(HasSubstr("f32[2,3] dynamic-slice(p0, constant, constant.1), "
                                      "dynamic_slice_sizes={2,3}"),
                            HasSubstr("f32[4,6] dynamic-update-slice(p0, dynamic-slice,")));
}

TEST_F(OperationsTest, GatherAndScatter) {
  const XlaOp x = Input({10, 4});
  const XlaOp indices = Input({5, 1}, S32);
  GatherDimensionNumbers gather;
  gather.add_offset_dims(1);
  gather.add_collapsed_slice_dims(0);
  gather.add_start_index_map(0);
  gather.set_index_vector_dim(1);
  ScatterDimensionNumbers scatter;
  scatter.add_update_window_dims(1);
  scatter.add_inserted_window_dims(0);
  scatter.add_scatter_dims_to_operand_dims(0);
  scatter.set_index_vector_dim(1);
  const XlaOp rows = Gather(x, indices, gather, {1, 4}, /*indices_are_sorted=*/true);
  Tuple(&b_, {rows, Scatter(x, indices, rows, Sum(), scatter, false, /*unique_indices=*/true)});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("f32[5,4] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
                              "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}, "
                              "indices_are_sorted=true"),
                    HasSubstr("f32[10,4] scatter(p0, p1, gather), update_window_dims={1}, "
                              "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                              "index_vector_dim=1, unique_indices=true, to_apply=add_f32")));
}

TEST_F(OperationsTest, DynamicSizes) {
  const XlaOp x = Input({10});
  const XlaOp shorter = SetDimensionSize(x, Index(3), 0);
  Tuple(&b_, {GetDimensionSize(shorter, 0), RemoveDynamicDimension(shorter, 0)});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("f32[<=10] set-dimension-size(p0, constant), dimensions={0}"),
                    HasSubstr("s32[] get-dimension-size(set-dimension-size), dimensions={0}"),
                    HasSubstr("f32[10] set-dimension-size(set-dimension-size, ")));
}

TEST_F(OperationsTest, Reductions) {
  const XlaOp x = Input({4, 6});
  Tuple(&b_, {Reduce(x, Scalar(0), Sum(), {1}), ReduceAll(x, Scalar(0), Sum()), ArgMax(x, S32, 1),
              Any(Gt(x, x))});
  EXPECT_THAT(Text(), AllOf(HasSubstr("f32[4] reduce(p0, constant), dimensions={1}"),
                            HasSubstr("f32[] reduce(p0, constant.1), dimensions={0,1}"),
                            HasSubstr("(f32[4], s32[4]) reduce(p0, iota,"),
                            HasSubstr("pred[] reduce(compare")));
}

TEST_F(OperationsTest, Windows) {
  const XlaOp x = Input({4, 6});
  const XlaOp pooled = ReduceWindow(x, Scalar(0), Sum(), {2, 3}, {1, 2}, Padding::kSame);
  Tuple(&b_, {pooled,
              SelectAndScatter(x, CreateScalarGeComputation(F32, &b_), {2, 3}, {2, 3},
                               Padding::kValid, Input({2, 2}), Scalar(0), Sum()),
              ReduceWindowWithGeneralPadding(x, Scalar(0), Sum(), {2, 2}, {1, 1}, {1, 2}, {2, 1},
                                             {{1, 0}, {0, -1}})});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("f32[4,3] reduce-window(p0, constant), window={size=2x3 stride=1x2 "
                              "pad=0_1x0_1}"),
                    HasSubstr("f32[4,6] select-and-scatter(p0, p1, "),
                    HasSubstr("window={size=2x3 stride=2x3}, select=ge_f32, scatter=add_f32"),
                    HasSubstr("window={size=2x2 pad=1_0x0_-1 lhs_dilate=1x2 rhs_dilate=2x1}")));
}

TEST_F(OperationsTest, SortMapTopK) {
  const XlaOp x = Input({4, 6});
  std::unique_ptr<XlaBuilder> square = b_.CreateSubBuilder("square");
  const XlaOp v = Parameter(square.get(), 0, F32Shape({}), "v");
  Mul(v, v);
  Tuple(&b_, {Sort({x, x}, CreateScalarLtComputation({F32, F32}, &b_)),
              Sort({x}, CreateScalarGtComputation({F32}, &b_), 0, true),
              Map(&b_, {x}, square->BuildAndNoteError(), {0, 1}), TopK(x, 2, true)});
  EXPECT_THAT(Text(), AllOf(HasSubstr("(f32[4,6], f32[4,6]) sort(p0, p0), dimensions={1}, "
                                      "to_apply=compare-less-than"),
                            HasSubstr("f32[4,6] sort(p0), dimensions={0}, is_stable=true"),
                            HasSubstr("f32[4,6] map(p0), dimensions={0,1}, to_apply=square"),
                            HasSubstr("(f32[4,2], s32[4,2]) topk(p0), k=2, largest=true")));
}

TEST_F(OperationsTest, Dots) {
  const XlaOp x = Input({2, 3, 4});
  const XlaOp y = Input({2, 4, 5});
  DotDimensionNumbers numbers;
  numbers.add_lhs_batch_dimensions(0);
  numbers.add_rhs_batch_dimensions(0);
  numbers.add_lhs_contracting_dimensions(2);
  numbers.add_rhs_contracting_dimensions(1);
  PrecisionConfig precision;
  precision.add_operand_precision(PrecisionConfig::HIGHEST);
  precision.add_operand_precision(PrecisionConfig::DEFAULT);
  const XlaOp matrix = Input({3, 4});
  const XlaOp vector = Input({4});
  Tuple(&b_, {DotGeneral(x, y, numbers, &precision), DotGeneral(x, y, numbers, nullptr, F64),
              Dot(matrix, vector), Dot(vector, vector)});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
                              "lhs_contracting_dims={2}, rhs_batch_dims={0}, "
                              "rhs_contracting_dims={1}, operand_precision={highest,default}"),
                    HasSubstr("f64[2,3,5] dot(p0, p1)"), HasSubstr("f32[3] dot(p2, p3)"),
                    HasSubstr("f32[] dot(p3, p3)")));
}

TEST_F(OperationsTest, Convolutions) {
  const XlaOp x = Input({1, 2, 8, 8});
  const XlaOp k = Input({4, 2, 3, 3});
  Tuple(&b_, {Conv(x, k, {2, 2}, Padding::kSame),
              ConvGeneralDilated(x, k, {1, 1}, {{1, 2}, {0, 0}}, {2, 1}, {1, 2},
                                 XlaBuilder::CreateDefaultConvDimensionNumbers(), 1, 1, nullptr,
                                 std::nullopt, std::vector<bool>{true, false})});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("f32[1,4,4,4] convolution(p0, p1), window={size=3x3 stride=2x2 "
                              "pad=0_1x0_1}, dim_labels=bf01_oi01->bf01"),
                    HasSubstr("window={size=3x3 pad=1_2x0_0 lhs_dilate=2x1 rhs_dilate=1x2 "
                              "rhs_reversal=1x0}")));
}

TEST_F(OperationsTest, LinearAlgebraAndTransforms) {
  const XlaOp a = Input({4, 4});
  Tuple(&b_,
        {Cholesky(a, true),
         TriangularSolve(a, Input({4, 2}), true, true, false, TriangularSolveOptions::TRANSPOSE),
         Fft(a, RFFT, {4})});
  EXPECT_THAT(Text(), AllOf(HasSubstr("cholesky(p0), lower=true"),
                            HasSubstr("triangular-solve(p0, p1), left_side=true, lower=true, "
                                      "transpose_a=TRANSPOSE"),
                            HasSubstr("c64[4,3] fft(p0), fft_type=RFFT, fft_length={4}")));
}

TEST_F(OperationsTest, BatchNormalisation) {
  const XlaOp x = Input({4, 6});
  const XlaOp s = Input({6});
  Tuple(&b_, {BatchNormTraining(x, s, s, 0.5, 1), BatchNormInference(x, s, s, s, s, 0.5, 1),
              BatchNormGrad(x, s, s, s, x, 0.5, 1)});
  EXPECT_THAT(Text(), AllOf(HasSubstr("(f32[4,6], f32[6], f32[6]) batch-norm-training(p0, p1, p1), "
                                      "epsilon=0.5, feature_index=1"),
                            HasSubstr("f32[4,6] batch-norm-inference("),
                            HasSubstr("(f32[4,6], f32[6], f32[6]) batch-norm-grad(")));
}

TEST_F(OperationsTest, RandomNumbers) {
  const XlaOp state = Input({2}, U64);
  Tuple(&b_, {RngUniform(Scalar(0), Scalar(1), F32Shape({3})),
              RngNormal(Scalar(0), Scalar(1), F32Shape({3})),
              RngBitGenerator(RNG_PHILOX, state, F32Shape({5}))});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("distribution=rng_uniform"), HasSubstr("distribution=rng_normal"),
                    HasSubstr("(u64[2], u32[5]) rng-bit-generator(p0), "
                              "algorithm=rng_philox")));
}

TEST_F(OperationsTest, ControlFlow) {
  const Shape state = F32Shape({});
  std::unique_ptr<XlaBuilder> condition = b_.CreateSubBuilder("condition");
  const XlaOp v = Parameter(condition.get(), 0, state, "v");
  Lt(v, ConstantR0<float>(condition.get(), 10));
  std::unique_ptr<XlaBuilder> body = b_.CreateSubBuilder("body");
  const XlaOp w = Parameter(body.get(), 0, state, "w");
  Add(w, ConstantR0<float>(body.get(), 1));
  const XlaComputation cond_computation = condition->BuildAndNoteError();
  const XlaComputation body_computation = body->BuildAndNoteError();
  const XlaOp x = Input({});
  const XlaOp pred = Input({}, PRED);
  const XlaOp index = Input({}, S32);
  Tuple(&b_, {While(cond_computation, body_computation, x),
              Conditional(pred, x, body_computation, x, body_computation),
              Conditional(index, {&body_computation, &body_computation}, {x, x}),
              Call(&b_, body_computation, {x}),
              CompositeCall(&b_, body_computation, {x}, "my.op", "{n = 1}", 2)});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("while(p0), condition=condition, body=body"),
                    HasSubstr("conditional(p1, p0, p0), true_computation=body"),
                    HasSubstr("conditional(p2, p0, p0), branch_computations={body"),
                    HasSubstr("call(p0), to_apply=body"),
                    HasSubstr("is_composite=true, frontend_attributes={composite.attributes={n = "
                              "1},composite.name=\"my.op\",composite.version=\"2\"}")));
}

TEST_F(OperationsTest, CustomCalls) {
  const XlaOp x = Input({3});
  const Literal literal = LiteralUtil::CreateR0<int32_t>(5);
  const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>> alias = {{}, {0, {}}};
  Tuple(&b_, {CustomCall(&b_, "f", {x}, F32Shape({3}), "options", true, {alias}, &literal,
                         SCHEDULE_LATEST, API_VERSION_TYPED_FFI),
              CustomCallWithLayout(&b_, "g", {x}, F32Shape({3}), {F32Shape({3})}),
              CustomCallWithComputation(&b_, "h", {x}, Sum(), F32Shape({3}))});
  EXPECT_THAT(Text(),
              AllOf(HasSubstr("custom_call_target=\"f\", custom_call_has_side_effect=true, "
                              "literal=s32[] 5, output_to_operand_aliasing={{}: (0, {})}, "
                              "schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, "
                              "backend_config=\"options\""),
                    HasSubstr("operand_layout_constraints={f32[3]{0}}"),
                    HasSubstr("called_computations={add_f32")));
}

TEST_F(OperationsTest, TokensInputAndOutput) {
  ChannelHandle device, to_host, from_host;
  device.set_handle(1);
  device.set_type(ChannelHandle::DEVICE_TO_DEVICE);
  to_host.set_handle(2);
  to_host.set_type(ChannelHandle::DEVICE_TO_HOST);
  from_host.set_handle(3);
  from_host.set_type(ChannelHandle::HOST_TO_DEVICE);
  const XlaOp x = Infeed(&b_, F32Shape({3}), "in");
  const XlaOp token = CreateToken(&b_);
  Outfeed(x, F32Shape({3}), "out");
  Send(x, device);
  Tuple(&b_, {AfterAll(&b_, {token, SendToHost(x, token, F32Shape({3}), to_host)}),
              Recv(&b_, F32Shape({2}), device), RecvFromHost(token, F32Shape({2}), from_host)});
  EXPECT_THAT(Text(), AllOf(HasSubstr("(f32[3], token[]) infeed(after-all), infeed_config=\"in\""),
                            HasSubstr("outfeed_shape=f32[3]{0}, outfeed_config=\"out\""),
                            HasSubstr("(f32[3], u32[], token[]) send(get-tuple-element, "),
                            HasSubstr("channel_id=2, is_host_transfer=true"),
                            HasSubstr("(f32[2], token[]) recv-done(")));
}

TEST_F(OperationsTest, Collectives) {
  const XlaOp x = Input({4, 6});
  ReplicaGroup group;
  group.add_replica_ids(0);
  group.add_replica_ids(1);
  ChannelHandle channel;
  channel.set_handle(1);
  const XlaOp tuple = Tuple(&b_, {x, x});
  Tuple(&b_,
        {AllReduce(x, Sum(), {group}, channel, std::nullopt, true), AllReduce(tuple, Sum()),
         CrossReplicaSum(x), AllGather(x, 1, 2, {group}), AllGatherTuple({x, x}, 0, 2, {group}),
         AllGatherWithDeviceList(x, 1, 4, IotaReplicaGroupList(1, 4)),
         ReduceScatter(x, Sum(), 0, 2, {group}), AllToAll(x, 1, 0, 2, {group}),
         AllToAllTuple({x, x}, {group}), CollectiveBroadcast(x, {group}),
         CollectivePermute(x, {{0, 1}, {1, 0}}), ReplicaId(&b_)});
  EXPECT_THAT(
      Text(),
      AllOf(HasSubstr("all-reduce(p0), channel_id=1, replica_groups={{0,1}}, "
                      "use_global_device_ids=true, to_apply=add_f32"),
            HasSubstr("(f32[4,6], f32[4,6]) all-reduce(get-tuple-element, "),
            HasSubstr("f32[4,12] all-gather(p0), replica_groups={{0,1}}, dimensions={1}"),
            HasSubstr("(f32[8,6], f32[8,6]) all-gather(p0, p0)"),
            HasSubstr("f32[4,24] all-gather(p0), replica_groups=[1,4]<=[4]"),
            HasSubstr("f32[2,6] reduce-scatter(p0), replica_groups={{0,1}}, dimensions={0}"),
            HasSubstr("f32[4,6] all-to-all(p0), replica_groups={{0,1}}, dimensions={1}"),
            HasSubstr("f32[8,3] reshape(transpose)"),
            HasSubstr("collective-broadcast(p0), replica_groups={{0,1}}"),
            HasSubstr("collective-permute(p0), source_target_pairs={{0,1},{1,0}}"),
            HasSubstr("u32[] replica-id()")));
}

TEST_F(OperationsTest, Partitioning) {
  const OpSharding sharding = sharding_builder::Tile1D(F32Shape({2}), 2);
  const XlaOp x = Input({4});
  const absl::StatusOr<XlaOp> shard = ConvertSpmdFullToShardShape(&b_, x, -1, sharding, {});
  ASSERT_TRUE(shard.ok()) << shard.status();
  ASSERT_TRUE(ConvertSpmdShardToFullShape(&b_, *shard, F32Shape({4}), -1, sharding, {}).ok());
  EXPECT_THAT(Text(), AllOf(HasSubstr("custom_call_target=\"Sharding\""),
                            HasSubstr("f32[2] custom-call(custom-call), "
                                      "custom_call_target=\"SPMDFullToShardShape\", "
                                      "sharding={manual}"),
                            HasSubstr("\"SPMDShardToFullShape\", sharding={devices=[2]")));
}

TEST_F(OperationsTest, CompilerOperations) {
  using Friend = internal::XlaBuilderFriend;
  const XlaOp x = Input({4});
  const Shape shape = F32Shape({4});
  const XlaOp token = CreateToken(&b_);
  std::unique_ptr<XlaBuilder> sub = b_.CreateSubBuilder("wrapped");
  Neg(Parameter(sub.get(), 0, shape, "v"));
  const absl::StatusOr<XlaComputationId> wrapped = sub->BuildSubComputation();
  ASSERT_TRUE(wrapped.ok());
  const Shape state = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeTupleShape({shape}), shape, ShapeUtil::MakeShape(U32, {})});
  const XlaOp start = Friend::BuildAsyncStart(&b_, {x}, "main", *wrapped, state);
  const XlaOp gather = Friend::BuildAllGatherStart(&b_, x, 0, 2);
  const XlaOp copy = Friend::BuildCopyStart(&b_, x);
  const XlaOp permute = Friend::BuildCollectivePermuteStart(&b_, x, {{0, 1}});
  Tuple(&b_, {Friend::BuildAddDependency(&b_, x, token, shape),
              Friend::BuildAsyncDone(&b_, start, "main", *wrapped, shape),
              Friend::BuildAllGatherDone(&b_, gather, F32Shape({8})),
              Friend::BuildCopyDone(&b_, copy, shape),
              Friend::BuildCollectivePermuteDone(&b_, permute, shape),
              Friend::BuildAllReduceDone(&b_, Friend::BuildAllReduceStart(&b_, x, Sum()), shape),
              Friend::BuildBitcast(&b_, x, F32Shape({2, 2})),
              Friend::BuildPartitionId(&b_, ShapeUtil::MakeShape(U32, {})),
              Friend::BuildRngGetAndUpdateState(&b_, 5, ShapeUtil::MakeShape(U64, {2}))});
  EXPECT_THAT(Text(), AllOf(HasSubstr("add-dependency(p0, after-all)"),
                            HasSubstr("(f32[4], f32[8]) all-gather-start(p0)"),
                            HasSubstr("(f32[4], f32[4], u32[]) copy-start(p0)"),
                            HasSubstr("u64[2] rng-get-and-update-state(), delta=5")));
}

XlaOp Zero32(XlaBuilder* b) { return ConstantR0<float>(b, 0); }
XlaComputation Sum(XlaBuilder* b) { return CreateScalarAddComputation(F32, b); }

struct Refusal {
  std::string message;                              // part of it
  std::function<void(XlaBuilder* b, XlaOp x)> add;  // x is f32[4,6]
};

const std::vector<Refusal>& Refusals() {
  static const std::vector<Refusal>& list = *new std::vector<Refusal>{
      {"-1", [](auto*, XlaOp x) { Broadcast(x, {-1}); }},
      {"broadcast",
       [](auto*, XlaOp x) {
         BroadcastInDim(x, {4, 6}, {0});
       }},
      {"broadcast",
       [](auto*, XlaOp x) {
         BroadcastInDim(x, {4, 7}, {0, 1});
       }},
      {"broadcast",
       [](auto*, XlaOp x) {
         BroadcastInDim(x, {4, 6}, {0, 2});
       }},
      {"reshape", [](auto*, XlaOp x) { Reshape(x, {5}); }},
      {"4611686018427387904",
       [](auto*, XlaOp x) {
         Reshape(x, {int64_t{1} << 62, 4});
       }},
      {"collapse",
       [](auto*, XlaOp x) {
         Collapse(x, {1, 0});
       }},
      {"collapse",
       [](auto*, XlaOp x) {
         Collapse(x, {1, 2});
       }},
      {"transpose",
       [](auto*, XlaOp x) {
         Transpose(x, {0, 0});
       }},
      {"reverse", [](auto*, XlaOp x) { Rev(x, {2}); }},
      {"pad", [](auto* b, XlaOp x) { PadInDim(x, Zero32(b), 2, 0, 0); }},
      {"slice",
       [](auto*, XlaOp x) {
         Slice(x, {0}, {1, 2}, {1});
       }},
      {"slice", [](auto*, XlaOp x) { SliceInDim(x, 0, 9, 1, 1); }},
      {"concatenate", [](auto* b, XlaOp) { ConcatInDim(b, {}, 0); }},
      {"dynamic-slice",
       [](auto* b, XlaOp x) { DynamicSlice(x, {ConstantR0<int32_t>(b, 0)}, {1, 1}); }},
      {"get-tuple-element", [](auto*, XlaOp x) { GetTupleElement(x, 0); }},
      {"reduce", [](auto* b, XlaOp x) { Reduce(x, Zero32(b), Sum(b), {2}); }},
      {"reduce-window",
       [](auto* b,
          XlaOp
              x) { ReduceWindowWithGeneralPadding(x, Zero32(b), Sum(b), {2, 2}, {1}, {}, {}, {}); }},
      {"padding",
       [](auto* b,
          XlaOp x) { ReduceWindow(x, Zero32(b), Sum(b), {0, 1}, {1, 1}, Padding::kSame); }},
      {"sort", [](auto* b, XlaOp x) { Sort({x}, CreateScalarLtComputation({S32}, b)); }},
      {"dot", [](auto*, XlaOp x) { Dot(x, x); }},
      {"convolution", [](auto*, XlaOp x) { Conv(x, x, {1, 1}, Padding::kSame); }},
      {"conditional", [](auto* b, XlaOp x) { Conditional(x, x, Sum(b), x, Sum(b)); }},
      {"call", [](auto* b, XlaOp x) { Call(b, Sum(b), {x}); }},
      {"while", [](auto* b, XlaOp x) { While(Sum(b), Sum(b), x); }},
      {"outfeed", [](auto*, XlaOp x) { Outfeed(x, F32Shape({1}), ""); }},
      {"all-gather", [](auto*, XlaOp x) { AllGather(x, 2, 2); }},
      {"all-gather", [](auto*, XlaOp x) { AllGather(x, 0, 0); }},
      {"all-to-all", [](auto*, XlaOp x) { AllToAll(x, 0, 1, 3); }},
      {"reduce-scatter", [](auto* b, XlaOp x) { ReduceScatter(x, Sum(b), 0, 3); }},
      {"bitcast-convert", [](auto*, XlaOp x) { BitcastConvertType(x, F64); }},
      {"tuple", [](auto*, XlaOp x) { ConvertElementType(x, TUPLE); }},
      {"map", [](auto* b, XlaOp x) { Map(b, {x}, Sum(b), {0, 1}); }},
      {"rng-bit-generator",
       [](auto*, XlaOp x) { RngBitGenerator(RNG_DEFAULT, x, ShapeUtil::MakeNil()); }},
      {"channel of type", [](auto*, XlaOp x) { Send(x, ChannelHandle()); }},
  };
  return list;
}

// What an operation refuses is an error that says what it is about.
TEST(RefusalTest, IsAnErrorThatNamesTheOperation) {
  for (size_t i = 0; i < Refusals().size(); ++i) {
    XlaBuilder b("main");
    Refusals()[i].add(&b, Parameter(&b, 0, F32Shape({4, 6}), "x"));
    EXPECT_THAT(ErrorOf(b), HasSubstr(Refusals()[i].message)) << "refusal " << i;
  }
}

}  // namespace
}  // namespace xla
