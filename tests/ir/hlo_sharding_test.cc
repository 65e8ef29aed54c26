#include "xla/hlo/ir/hlo_sharding.h"

#include <limits>

#include "absl/hash/hash.h"
#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/core/status_test_util.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr OpSharding::Type kManual = OpSharding::MANUAL;
constexpr OpSharding::Type kReplicated = OpSharding::REPLICATED;
constexpr OpSharding::Type kUnreduced = OpSharding::UNREDUCED;

TEST(HloShardingTest, QuestionsAboutLeaves) {
  EXPECT_TRUE(HloSharding::Replicate().IsReplicatedLeaf());
  EXPECT_TRUE(HloSharding::AssignDevice(2).IsSingleDeviceLeaf());
  EXPECT_FALSE(HloSharding::IotaTile({2, 2}).UseNamedShardingLeaf());
  EXPECT_TRUE(HloSharding::IotaTile({2, 2}).IsTiledLeaf());
  EXPECT_DEATH(HloSharding::FlatTuple({HloSharding::Replicate()}).IsReplicatedLeaf(), "");
}

TEST(HloShardingTest, GroupsMayBeSetInPlace) {
  HloSharding sharding = HloSharding::Manual();
  EXPECT_EQ(sharding.SetShardGroup(HloSharding::ShardAs(5)).ToString(), "{manual shard_as 5}");
  EXPECT_TRUE(sharding.IsShardAs() && !sharding.IsShardLike());
  EXPECT_TRUE(sharding.SetShardGroup(HloSharding::ShardLike(5)).IsShardLike());
  EXPECT_FALSE(sharding.ClearShardGroup().IsShardGroup());
}

OpMetadata Metadata(const std::string& op_name) {
  OpMetadata metadata;
  metadata.set_op_name(op_name);
  return metadata;
}

Mesh MeshXY() {
  const std::vector<int64_t> sizes = {2, 4};
  return Mesh::Create(sizes, {"x", "y"}).value();
}

std::vector<HloSharding> Examples() {
  NamedSharding::Axes axes;
  axes.dimensions = {{{AxisRef(0)}, false}, {{AxisRef(1, {2, 2})}, true}};
  axes.unreduced = {AxisRef(1, {1, 2})};
  axes.reduction_op = NamedShardingProto::MAX;
  return {
      HloSharding::Replicate(),
      HloSharding::Manual(),
      HloSharding::Unknown(),
      HloSharding::Unreduced(),
      HloSharding::AssignDevice(3),
      HloSharding::IotaTile({2, 2}),
      HloSharding::IotaTile({2, 4}, {4, 2}, {1, 0}),
      HloSharding::Tile(Array<int64_t>({{3, 2}, {1, 0}})),
      HloSharding::PartialTile(TileAssignment({2, 1, 2})),
      HloSharding::Subgroup(TileAssignment({2, 2, 2}), {kManual, kReplicated}),
      HloSharding::Subgroup(TileAssignment({1, 2, 2}), {kManual}),
      HloSharding::Replicate().WithShardGroup({3, OpSharding::LIKE}),
      HloSharding::Unknown().WithShardGroup({0, OpSharding::AS}),
      HloSharding::FlatTuple({}),
      HloSharding::FlatTuple({HloSharding::Replicate(), HloSharding::IotaTile({2})}),
      HloSharding::Named(*NamedSharding::Create(MeshXY(), axes)),
      HloSharding::Named(NamedSharding::Replicate(MeshXY())),
      HloSharding::Named(NamedSharding::Manual(MeshXY())),
      HloSharding::Named(NamedSharding::Unreduced(MeshXY())),
      HloSharding::Named(NamedSharding::MaximalSharding(3)),
  };
}

TEST(HloShardingTest, ProtoBothWays) {
  for (const HloSharding& sharding : Examples()) {
    const std::vector<OpMetadata> metadata = {Metadata("a"), Metadata("b")};
    const HloSharding with_metadata = sharding.WithMetadata(metadata, /*overwrite=*/true);
    const OpSharding proto = with_metadata.ToProto();
    const absl::StatusOr<HloSharding> read = HloSharding::FromProto(proto);
    ASSERT_THAT(read, absl_testing::IsOk()) << sharding.ToString();
    EXPECT_EQ(*read, sharding);
    EXPECT_EQ(read->ToString(true), with_metadata.ToString(true));
    EXPECT_EQ(read->ToProto().SerializeAsString(), proto.SerializeAsString());
    EXPECT_EQ(absl::HashOf(*read), absl::HashOf(sharding));
  }
}

TEST(HloShardingTest, ExamplesDiffer) {
  const std::vector<HloSharding> examples = Examples();
  for (size_t i = 0; i < examples.size(); ++i) {
    for (size_t j = 0; j < examples.size(); ++j) {
      EXPECT_EQ(examples[i] == examples[j], i == j) << examples[i] << " " << examples[j];
    }
  }
}

TEST(HloShardingTest, Text) {
  EXPECT_EQ(HloSharding::Replicate().ToString(), "{replicated}");
  EXPECT_EQ(HloSharding::AssignDevice(3).ToString(), "{maximal device=3}");
  EXPECT_EQ(HloSharding::IotaTile({2, 2}).ToString(), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(HloSharding::Tile(Array<int64_t>({{0, 1}, {2, 3}})).ToString(),
            "{devices=[2,2]0,1,2,3}");
  EXPECT_EQ(HloSharding::Unknown().WithShardGroup({0, OpSharding::AS}).ToString(),
            "{unknown shard_as 0}");
  EXPECT_EQ(HloSharding::FlatTuple({}).ToString(), "{}");
  EXPECT_EQ(
      HloSharding::FlatTuple(std::vector<HloSharding>(6, HloSharding::Replicate())).ToString(),
      "{{replicated}, {replicated}, {replicated}, {replicated}, {replicated}, "
      "/*index=5*/{replicated}}");
}

TEST(HloShardingTest, TextOfMetadata) {
  const HloSharding one = HloSharding::IotaTile({4, 1}, {Metadata("a")});
  EXPECT_EQ(one.ToString(), "{devices=[4,1]<=[4]}");
  EXPECT_EQ(one.ToString(/*include_metadata=*/true),
            "{devices=[4,1]<=[4] metadata={op_name=\"a\"}}");
  const HloSharding two = HloSharding::Replicate({Metadata("a"), Metadata("b")});
  EXPECT_EQ(two.ToString(true), "{replicated metadata={{op_name=\"a\"}, {op_name=\"b\"}}}");
  EXPECT_EQ(
      HloSharding::Manual({Metadata("a")}).WithShardGroup({3, OpSharding::LIKE}).ToString(true),
      "{manual shard_like 3 metadata={op_name=\"a\"}}");
  const HloSharding named = HloSharding::Named(NamedSharding::Replicate(MeshXY(), {Metadata("a")}));
  EXPECT_EQ(named.ToString(true), "{replicated, metadata={{op_name=\"a\"}}}");
  EXPECT_EQ(one, HloSharding::IotaTile({4, 1}));
  EXPECT_EQ(one.WithoutMetadata().ToString(true), "{devices=[4,1]<=[4]}");
}

TEST(HloShardingTest, SubgroupsHaveANormalForm) {
  const auto text = [](std::vector<int64_t> dims, std::vector<OpSharding::Type> types) {
    return HloSharding::Subgroup(TileAssignment(dims), types).ToString();
  };
  EXPECT_EQ(text({1, 1, 4}, {kReplicated}), "{replicated}");
  EXPECT_EQ(text({1, 1, 4}, {kManual}), "{manual}");
  EXPECT_EQ(text({1, 1, 2}, {kUnreduced}), "{unreduced}");
  EXPECT_EQ(text({1, 1, 4, 1}, {kManual, kReplicated}), "{manual}");
  EXPECT_EQ(text({4}, {kManual}), "{manual}");
  EXPECT_EQ(text({1, 2, 1}, {kReplicated}), "{devices=[1,2]<=[2]}");
  EXPECT_EQ(text({1, 2, 2, 2}, {kManual, kReplicated}),
            "{devices=[1,2,2,2]<=[8] last_tile_dims={manual, replicated}}");
  EXPECT_EQ(text({1, 2, 2, 2}, {kReplicated, kManual}),
            "{devices=[1,2,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}");
  EXPECT_EQ(text({1, 2, 2, 2}, {kManual, kManual}),
            "{devices=[1,2,4]<=[8] last_tile_dims={manual}}");
  EXPECT_EQ(text({1, 2, 2, 2}, {kReplicated, kReplicated}),
            "{devices=[1,2,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(
      text({1, 2, 2, 2, 2}, {kReplicated, kManual, kUnreduced}),
      "{devices=[1,2,2,2,2]<=[2,2,4]T(0,2,1) last_tile_dims={manual, unreduced, replicated}}");
  EXPECT_EQ(text({1, 2, 2, 2, 2}, {kManual, kUnreduced, kManual}),
            "{devices=[1,2,4,2]<=[4,2,2]T(0,2,1) last_tile_dims={manual, unreduced}}");
  EXPECT_EQ(text({2, 1, 1, 2}, {kManual, kReplicated, kUnreduced}),
            "{devices=[2,2]<=[4] last_tile_dims={unreduced}}");
  EXPECT_EQ(text({2, 1, 1}, {kManual, kReplicated}), "{devices=[2]<=[2]}");
}

TEST(HloShardingTest, ReplicasAreSorted) {
  EXPECT_EQ(HloSharding::PartialTile(TileAssignment({2, 1, 4}, {2, 2, 2}, {0, 2, 1})).ToString(),
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(HloSharding::PartialTile(TileAssignment({1, 2, 4}, {2, 2, 2}, {2, 1, 0})).ToString(),
            "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}");
  const TileAssignment reversed =
      TileAssignment::CreateChecked({2, 2, 2}, {7, 6, 5, 4, 3, 2, 1, 0}).value();
  EXPECT_EQ(HloSharding::Subgroup(reversed, {kReplicated, kManual}).ToString(),
            "{devices=[2,2,2]5,7,4,6,1,3,0,2 last_tile_dims={manual, replicated}}");
  EXPECT_EQ(HloSharding::Subgroup(reversed, {kManual, kReplicated}).ToString(),
            "{devices=[2,2,2]6,7,4,5,2,3,0,1 last_tile_dims={manual, replicated}}");
  const TileAssignment square = TileAssignment::CreateChecked({2, 2}, {3, 2, 1, 0}).value();
  EXPECT_EQ(HloSharding::Subgroup(square, {kManual}).ToString(),
            "{devices=[2,2]3,2,1,0 last_tile_dims={manual}}");
}

TEST(HloShardingTest, OldFormOfPartialReplication) {
  OpSharding proto;
  proto.set_type(OpSharding::OTHER);
  for (const int64_t size : {2, 2}) proto.add_tile_assignment_dimensions(size);
  for (const int64_t device : {0, 1, 2, 3}) proto.add_tile_assignment_devices(device);
  proto.add_last_tile_dims(OpSharding::REPLICATED);
  const HloSharding sharding = HloSharding::FromProto(proto).value();
  EXPECT_TRUE(sharding.ReplicateOnLastTileDim());
  EXPECT_TRUE(sharding.ToProto().replicate_on_last_tile_dim());
  EXPECT_EQ(sharding.ToString(), "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}");
}

TEST(HloShardingTest, RefusesMalformedProtos) {
  const auto status = [](absl::string_view text) {
    OpSharding proto;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text), &proto)) << text;
    return HloSharding::FromProto(proto).status();
  };
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status("type: OTHER"), refused);
  EXPECT_THAT(status("type: MAXIMAL"), refused);
  EXPECT_THAT(status("type: MAXIMAL tile_assignment_devices: [0, 1]"), refused);
  EXPECT_THAT(
      status("type: OTHER tile_assignment_dimensions: [2, 2] tile_assignment_devices: [0, 1]"),
      refused);
  EXPECT_THAT(status("type: OTHER tile_assignment_dimensions: [-2, -2] "
                     "tile_assignment_devices: [0, 1, 2, 3]"),
              refused);
  EXPECT_THAT(status("type: OTHER tile_assignment_dimensions: [4294967296, 4294967296]"), refused);
  EXPECT_THAT(status("type: OTHER tile_assignment_dimensions: [9223372036854775807] "
                     "iota_reshape_dims: 9223372036854775807"),
              refused);
  EXPECT_THAT(status("type: OTHER tile_assignment_dimensions: [2, 2] iota_reshape_dims: 8"),
              refused);
  EXPECT_THAT(status("type: OTHER tile_assignment_dimensions: [2, 2] iota_reshape_dims: [2, 2] "
                     "iota_transpose_perm: [0, 2147483647]"),
              refused);
  EXPECT_THAT(status("type: OTHER tile_assignment_dimensions: 2 iota_reshape_dims: 2 "
                     "last_tile_dims: [MANUAL, MANUAL]"),
              refused);
  EXPECT_THAT(status("type: OTHER tile_assignment_dimensions: 2 iota_reshape_dims: 2 "
                     "last_tile_dims: OTHER"),
              refused);
  EXPECT_THAT(status("type: TUPLE tuple_shardings { type: TUPLE }"), refused);
  EXPECT_THAT(status("named_sharding { mesh { axes { name: 'x' size: 2 } } "
                     "dim_shardings { axes { mesh_axis_index: 1 } } }"),
              refused);
  EXPECT_THAT(status("named_sharding { mesh { axes { name: 'x' size: 0 } } }"), refused);
  EXPECT_THAT(status("named_sharding { mesh { device_ids: 1 } dim_shardings { } }"), refused);
  OpSharding unknown_type;
  unknown_type.set_type(static_cast<OpSharding::Type>(99));
  EXPECT_THAT(HloSharding::FromProto(unknown_type).status(), refused);
}

TEST(HloShardingTest, Validate) {
  const Shape array = ShapeUtil::MakeShape(F32, {8, 8});
  const Shape tuple = ShapeUtil::MakeTupleShape({array, ShapeUtil::MakeTokenShape()});
  TF_EXPECT_OK(HloSharding::IotaTile({2, 2}).Validate(array, 4));
  TF_EXPECT_OK(HloSharding::PartialTile(TileAssignment({2, 1, 2})).Validate(array, 4));
  TF_EXPECT_OK(HloSharding::Replicate().Validate(tuple, 4));
  TF_EXPECT_OK(HloSharding::FlatTuple({HloSharding::IotaTile({2, 2}), HloSharding::AssignDevice(0)})
                   .Validate(tuple, 4));
  const auto refused = [](absl::string_view message) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(message)));
  };
  EXPECT_THAT(HloSharding::IotaTile({2, 2}).Validate(array, 3), refused("device 3"));
  EXPECT_THAT(HloSharding::IotaTile({4}).Validate(array, 4), refused("divides 1 dimensions"));
  EXPECT_THAT(HloSharding::AssignDevice(-1).Validate(array), refused("device -1"));
  EXPECT_THAT(HloSharding::Tile(Array<int64_t>({{0, 0}, {1, 2}})).Validate(array),
              refused("twice"));
  EXPECT_THAT(HloSharding::IotaTile({2}).Validate(ShapeUtil::MakeTokenShape()),
              refused("no array"));
  EXPECT_THAT(HloSharding::FlatTuple({HloSharding::Replicate()}).Validate(tuple),
              refused("1 parts"));
  EXPECT_THAT(HloSharding::FlatTuple({HloSharding::Replicate()}).Validate(array), refused("tuple"));
  EXPECT_THAT(HloSharding::FlatTuple({HloSharding::IotaTile({2}), HloSharding::Replicate()})
                  .Validate(tuple),
              refused("{0}"));
}

TEST(HloShardingTest, Tuples) {
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  const Shape inner = ShapeUtil::MakeTupleShape({scalar, scalar});
  const Shape shape = ShapeUtil::MakeTupleShape({scalar, inner, scalar});
  const HloSharding one = HloSharding::AssignDevice(1);
  EXPECT_EQ(one.NormalizeTupleSharding(shape).tuple_elements().size(), 4);
  EXPECT_EQ(one.NormalizeTupleSharding(scalar), one);
  EXPECT_EQ(HloSharding::SingleTuple(ShapeUtil::MakeNil(), one).tuple_elements().size(), 1);

  const HloSharding tuple =
      HloSharding::FlatTuple({HloSharding::AssignDevice(0), HloSharding::AssignDevice(1),
                              HloSharding::AssignDevice(2), HloSharding::AssignDevice(3)});
  EXPECT_EQ(tuple.GetSubSharding(shape, {0}), HloSharding::AssignDevice(0));
  EXPECT_EQ(tuple.GetSubSharding(shape, {1}).ToString(),
            "{{maximal device=1}, {maximal device=2}}");
  EXPECT_EQ(tuple.GetSubSharding(shape, {1, 1}), HloSharding::AssignDevice(2));
  EXPECT_EQ(tuple.GetSubSharding(shape, {2}), HloSharding::AssignDevice(3));
  EXPECT_EQ(
      HloSharding::Tuple(shape, {HloSharding::AssignDevice(0), tuple.GetSubSharding(shape, {1}),
                                 HloSharding::AssignDevice(3)}),
      tuple);
  EXPECT_EQ(tuple.UniqueDevice(), std::nullopt);
  EXPECT_EQ(one.NormalizeTupleSharding(shape).UniqueDevice(), 1);
  EXPECT_TRUE(HloSharding::Replicate().NormalizeTupleSharding(shape).IsReplicated());
}

TEST(HloShardingTest, TilesOfADevice) {
  const Shape shape = ShapeUtil::MakeShape(F32, {5, 8});
  const HloSharding sharding = HloSharding::IotaTile({2, 2});
  EXPECT_EQ(sharding.TileShape(shape).ToString(), "f32[3,4]");
  EXPECT_EQ(sharding.TileShape(shape, 3).ToString(), "f32[2,4]");
  EXPECT_THAT(sharding.TileOffsetForDevice(shape, 3), ElementsAre(3, 4));
  EXPECT_THAT(sharding.TileLimitForDevice(shape, 3), ElementsAre(5, 8));
  EXPECT_EQ(HloSharding::Replicate().TileShape(shape, 3), shape);
  const HloSharding partial = HloSharding::PartialTile(TileAssignment({2, 1, 2}));
  EXPECT_EQ(partial.TileShape(shape).ToString(), "f32[3,8]");
  EXPECT_THAT(partial.TileIndexForDevice(3), ElementsAre(1, 0));
  EXPECT_EQ(partial.NumTiles(), 2);
  // More tiles than elements: the last devices have none.
  const HloSharding many = HloSharding::IotaTile({4});
  EXPECT_EQ(many.TileShape(ShapeUtil::MakeShape(F32, {2}), 3).ToString(), "f32[0]");
}

TEST(HloShardingTest, NamedShardingsHaveATiledForm) {
  const auto tiled = [](NamedSharding::Axes axes) {
    return HloSharding::V3ToV2Sharding(*NamedSharding::Create(MeshXY(), std::move(axes)))
        .ToString();
  };
  EXPECT_EQ(tiled({{{{AxisRef(0)}}, {{AxisRef(1)}}}}), "{devices=[2,4]<=[8]}");
  EXPECT_EQ(tiled({{{{AxisRef(1)}}, {{AxisRef(0)}}}}), "{devices=[4,2]<=[2,4]T(1,0)}");
  EXPECT_EQ(tiled({{{{AxisRef(1), AxisRef(0)}}, {}}}), "{devices=[8,1]<=[2,4]T(1,0)}");
  EXPECT_EQ(tiled({{{{AxisRef(0)}}, {}}}), "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(tiled({{{}, {{AxisRef(1, {1, 2})}}}}),
            "{devices=[1,2,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
  EXPECT_EQ(tiled({{{{AxisRef(0)}}, {}}, {}, {}, {AxisRef(1)}}),
            "{devices=[2,1,4]<=[8] last_tile_dims={manual}}");
  EXPECT_EQ(tiled({{{}, {}}}), "{replicated}");

  const HloSharding named = HloSharding::Named(NamedSharding(MeshXY(), {{AxisRef(0)}, {}}));
  EXPECT_TRUE(named.IsTiled());
  EXPECT_FALSE(named.IsReplicated());
  EXPECT_TRUE(named.ReplicateOnLastTileDim());
  EXPECT_EQ(named.num_devices(), 8);
  EXPECT_EQ(named.TileShape(ShapeUtil::MakeShape(F32, {4, 4})).ToString(), "f32[2,4]");
  EXPECT_FALSE(HloSharding::V3ToV2Sharding(named).IsNamed());
}

TEST(NamedShardingTest, Text) {
  const auto text = [](NamedSharding::Axes axes) {
    return NamedSharding::Create(MeshXY(), std::move(axes))->ToString();
  };
  EXPECT_EQ(text({}), "{replicated}");
  EXPECT_EQ(text({{{}, {}}}), "{mesh['x'=2,'y'=4], [{}, {}]}");
  EXPECT_EQ(text({{{{AxisRef(0)}, false}, {{}, false}}}), "{mesh['x'=2,'y'=4], [{'x', ?}, {?}]}");
  EXPECT_EQ(text({{{{AxisRef(1), AxisRef(0)}}, {}}}), "{mesh['x'=2,'y'=4], [{'y', 'x'}, {}]}");
  EXPECT_EQ(text({{}, {}, {AxisRef(0), AxisRef(1)}}), "{unreduced}");
  EXPECT_EQ(text({{}, {}, {}, {AxisRef(0), AxisRef(1)}}), "{mesh['x'=2,'y'=4], manual}");
  EXPECT_EQ(text({{{}, {}}, {}, {}, {AxisRef(0), AxisRef(1)}}),
            "{mesh['x'=2,'y'=4], [{}, {}], manual={'x', 'y'}}");
  EXPECT_EQ(text({{{{AxisRef(0)}}}, {AxisRef(1, {1, 2})}, {AxisRef(1, {2, 2})}}),
            "{mesh['x'=2,'y'=4], [{'x'}], replicated={'y':(1)2}, unreduced={'y':(2)2}}");
  EXPECT_EQ(text({{{}}, {}, {AxisRef(0)}, {}, NamedShardingProto::MIN}),
            "{mesh['x'=2,'y'=4], [{}], unreduced=min{'x'}}");
  EXPECT_EQ(NamedSharding::MaximalSharding(3).ToString(), "{maximal_mesh[device_id=3]}");
}

TEST(NamedShardingTest, DimensionsAreCutAndJoined) {
  using Dimension = NamedSharding::DimensionSharding;
  const Mesh mesh({2, 12}, {"x", "y"});
  Dimension dimension = {AxisRef(1), AxisRef(0)};
  EXPECT_EQ(dimension.getShardedSize(mesh), 24);
  EXPECT_EQ(dimension.Slice(mesh, 5), std::nullopt);
  const std::optional<Dimension> major = dimension.Slice(mesh, 3);
  EXPECT_EQ(major->ToString(&mesh), "{'y':(1)3}");
  EXPECT_EQ(dimension.ToString(&mesh), "{'y':(3)4, 'x'}");
  Dimension joined = *major;
  joined.Append(dimension, mesh);
  EXPECT_EQ(joined, Dimension({AxisRef(1), AxisRef(0)}));
  EXPECT_TRUE(major->IsPrefixOf(joined, mesh, mesh));
  EXPECT_FALSE(joined.IsPrefixOf(*major, mesh, mesh));
  EXPECT_EQ(Dimension({AxisRef(0)}, /*is_closed=*/false).ToString(), "{0, ?}");
}

TEST(NamedShardingTest, NamesOfAxesDoNotMatter) {
  const NamedSharding sharding = test_utils::FromAxisNames(MeshXY(), {{"y"}, {}}, {"x"});
  EXPECT_EQ(sharding.ToString(), "{mesh['x'=2,'y'=4], [{'y'}, {}], replicated={'x'}}");
  const NamedSharding renamed =
      test_utils::FromAxisNames(Mesh({2, 4}, {"a", "b"}), {{"b"}, {}}, {"a"});
  EXPECT_EQ(sharding, renamed);
  EXPECT_EQ(absl::HashOf(sharding), absl::HashOf(renamed));
  EXPECT_EQ(NamedSharding::FromProto(sharding.ToProto()), sharding);
  EXPECT_THAT(sharding.dimensions(), ElementsAre(4, 1));
  EXPECT_TRUE(sharding.HasPartialReplication());
  EXPECT_FALSE(test_utils::FromAxisNames(MeshXY(), {{"y", "x"}}).HasPartialReplication());
  EXPECT_TRUE(VerifyNamedSharding(sharding).ok());
}

TEST(NamedShardingTest, RefusesAxesThatDoNotFit) {
  const auto status = [](NamedSharding::Axes axes) {
    return NamedSharding::Create(MeshXY(), std::move(axes)).status();
  };
  const auto refused = [](absl::string_view message) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(message)));
  };
  EXPECT_THAT(status({{{{AxisRef(0)}}, {{AxisRef(0)}}}}), refused("overlap"));
  EXPECT_THAT(status({{{{AxisRef(0)}}}, {AxisRef(0)}}), refused("overlap"));
  EXPECT_THAT(status({{{{AxisRef(1, {1, 2}), AxisRef(1, {2, 2})}}}}), refused("neighbours"));
  EXPECT_THAT(status({{}, {}, {}, {AxisRef(1), AxisRef(0)}}), refused("order"));
  EXPECT_THAT(status({{{{AxisRef(7)}}}}), refused("axis 7"));
  EXPECT_THAT(NamedSharding::Create(Mesh(3), {{{}}}).status(), refused("divides no dimensions"));
}

}  // namespace
}  // namespace xla
