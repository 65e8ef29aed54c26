#include "xla/hlo/ir/collective_device_list.h"

#include <limits>
#include <thread>

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/array2d.h"
#include "xla/tsl/lib/core/status_test_util.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Groups = std::vector<std::vector<int64_t>>;

Mesh MakeMesh(absl::Span<const int64_t> sizes, std::vector<std::string> names) {
  return Mesh::Create(sizes, std::move(names)).value();
}

CollectiveDeviceList RoundTrip(const CollectiveDeviceListBase& list) {
  HloInstructionProto proto;
  list.ToProto(&proto);
  return CollectiveDeviceList::CreateFromProto(proto).value();
}

TEST(CollectiveDeviceListTest, List) {
  const CollectiveDeviceList list(Groups{{0, 1}, {2, 3}});
  EXPECT_EQ(list.kind(), CollectiveDeviceList::Kind::kList);
  EXPECT_EQ(list.ToString(), "{{0,1},{2,3}}");
  EXPECT_EQ(list.num_replica_groups(), 2);
  EXPECT_EQ(list.num_devices_per_group(), 2);
  EXPECT_EQ(list.num_total_devices(), 4);
  EXPECT_EQ(RoundTrip(list), list);
  EXPECT_NE(list, CollectiveDeviceList(Groups{{0, 1}, {3, 2}}));
  EXPECT_EQ(CollectiveDeviceList(Groups{{}}).ToString(), "{{}}");
}

TEST(CollectiveDeviceListTest, Empty) {
  const CollectiveDeviceList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.ToString(), "{}");
  EXPECT_TRUE(list.replica_groups().empty());
  EXPECT_EQ(RoundTrip(list), list);
  EXPECT_EQ(CollectiveDeviceList::CreateFromProto(HloInstructionProto()).value(), list);
  EXPECT_EQ(list, CollectiveDeviceList(absl::Span<const ReplicaGroup>()));
}

TEST(CollectiveDeviceListTest, Formula) {
  const IotaReplicaGroupList list(2, 4, {4, 2}, {1, 0});
  EXPECT_EQ(list.kind(), CollectiveDeviceList::Kind::kIota);
  EXPECT_EQ(list.ToString(), "[2,4]<=[4,2]T(1,0)");
  EXPECT_EQ(list.ToString(/*print_full_replica_group_list=*/true), "{{0,2,4,6},{1,3,5,7}}");
  EXPECT_EQ(list.flattened_replica_groups(), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(list.num_total_devices(), 8);
  EXPECT_EQ(RoundTrip(list), list);
  EXPECT_EQ(IotaReplicaGroupList(2, 4).ToString(), "[2,4]<=[8]");
  // The form is part of the value.
  EXPECT_NE(CollectiveDeviceList(Groups{{0, 1}}), CollectiveDeviceList(IotaReplicaGroupList(1, 2)));
}

TEST(CollectiveDeviceListTest, FormulaMustCountTheDevicesOfTheGroups) {
  EXPECT_THAT(IotaReplicaGroupList::Create(2, 2, {16}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 groups of 2 devices")));
}

TEST(CollectiveDeviceListTest, AxesOfAMesh) {
  const Mesh mesh = MakeMesh({2, 4}, {"x", "y"});
  const MeshAxesReplicaGroupList list(mesh, {AxisRef(0), AxisRef(1, {1, 2})});
  EXPECT_EQ(list.kind(), CollectiveDeviceList::Kind::kMeshAxes);
  EXPECT_EQ(list.ToString(), "mesh['x'=2,'y'=4] {'x','y':(1)2}");
  EXPECT_EQ(list.flattened_replica_groups(), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(list.num_replica_groups(), 2);
  EXPECT_EQ(list.num_devices_per_group(), 4);
  EXPECT_EQ(RoundTrip(list), list);

  const MeshAxesReplicaGroupList minor(mesh, {AxisRef(1, {2, 2})});
  EXPECT_EQ(minor.flattened_replica_groups(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  // The order of the axes is the order within a group.
  const MeshAxesReplicaGroupList swapped(mesh, {AxisRef(1), AxisRef(0)});
  EXPECT_EQ(swapped.flattened_replica_groups(), (Groups{{0, 4, 1, 5, 2, 6, 3, 7}}));
}

TEST(CollectiveDeviceListTest, AxesOfAMeshWithItsOwnDevices) {
  const Mesh formula = Mesh::Create(TileAssignment({2, 4}, {4, 2}, {1, 0}), {"x", "y"}).value();
  const MeshAxesReplicaGroupList list(formula, {AxisRef(1)});
  EXPECT_EQ(list.ToString(), "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y'}");
  EXPECT_EQ(list.flattened_replica_groups(), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(RoundTrip(list), list);

  const Mesh listed =
      Mesh::Create(TileAssignment(Array<int64_t>({{3, 2}, {1, 0}})), {"x", "y"}).value();
  const MeshAxesReplicaGroupList reversed(listed, {AxisRef(0)});
  EXPECT_EQ(reversed.ToString(), "mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'x'}");
  EXPECT_EQ(reversed.flattened_replica_groups(), (Groups{{3, 1}, {2, 0}}));
  EXPECT_EQ(RoundTrip(reversed), reversed);
}

TEST(CollectiveDeviceListTest, TheOldFieldWins) {
  HloInstructionProto proto;
  IotaReplicaGroupList(2, 2).ToProto(&proto);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  proto.add_replica_groups()->add_replica_ids(7);
#pragma GCC diagnostic pop
  EXPECT_EQ(CollectiveDeviceList::CreateFromProto(proto).value().ToString(), "{{7}}");
}

TEST(CollectiveDeviceListTest, RefusesHugeFormulas) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  const auto status = [](int64_t groups, int64_t devices, absl::Span<const int64_t> reshape) {
    HloInstructionProto proto;
    IotaReplicaGroupListProto* list = proto.mutable_iota_collective_device_list();
    list->set_num_replica_groups(groups);
    list->set_num_devices_per_group(devices);
    list->mutable_iota_reshape_dims()->Add(reshape.begin(), reshape.end());
    return CollectiveDeviceList::CreateFromProto(proto).status();
  };
  TF_EXPECT_OK(status(2, 2, {4}));
  EXPECT_THAT(status(1, 1048576000, {1048576000}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status(kHuge, kHuge, {kHuge, kHuge}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status(int64_t{1} << 33, int64_t{1} << 31, {1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status(0, 4, {0}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status(-2, -2, {4}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status(2, 4, {4}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(CollectiveDeviceListTest, RefusesAxesThatDoNotFit) {
  const Mesh mesh = MakeMesh({2, 4}, {"x", "y"});
  const auto status = [&](std::vector<AxisRef> axes) {
    return MeshAxesReplicaGroupList::Create(mesh, std::move(axes)).status();
  };
  TF_EXPECT_OK(status({AxisRef(1, {2, 2}), AxisRef(1, {1, 2})}));
  EXPECT_THAT(status({}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("one device")));
  EXPECT_THAT(status({AxisRef(2)}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({AxisRef(-1)}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({AxisRef(0), AxisRef(0)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("overlap")));
  EXPECT_THAT(status({AxisRef(1), AxisRef(1, {1, 2})}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("overlap")));
  EXPECT_THAT(status({AxisRef(1, {1, 2}), AxisRef(1, {2, 2})}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("neighbours")));
  EXPECT_THAT(status({AxisRef(1, {1, 4})}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({AxisRef(1, {3, 2})}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_FALSE(AxisRef::Create(1, {0, 2}).ok());
  EXPECT_FALSE(AxisRef::Create(1, {2, 1}).ok());
  EXPECT_FALSE(AxisRef::Create(1, {int64_t{1} << 62, 2}).ok());
}

TEST(CollectiveDeviceListTest, FormsConvert) {
  const MeshAxesReplicaGroupList axes(MakeMesh({2, 3}, {"x", "y"}), {AxisRef(0)});
  EXPECT_EQ(axes.ToCollectiveDeviceList().ToString(), "{{0,3},{1,4},{2,5}}");
  EXPECT_EQ(axes.ToIotaReplicaGroupList().ToString(), "[3,2]<=[2,3]T(1,0)");
  EXPECT_EQ(MeshAxesReplicaGroupList::FromProto(axes.ToProto()), axes);
  const IotaReplicaGroupList iota(2, 3, {3, 2}, {1, 0});
  EXPECT_EQ(*iota.MaybeConvertToIotaReplicaGroupList(), iota);
  EXPECT_EQ(IotaReplicaGroupList::FromProto(iota.ToProto()), iota);
  EXPECT_EQ(ConvertToV1CollectiveDeviceList(iota).ToString(), "{{0,2,4},{1,3,5}}");
  EXPECT_EQ(*iota.Clone(), iota);
  const CollectiveDeviceList list = ConvertToV1CollectiveDeviceList(iota);
  EXPECT_FALSE(list.MaybeConvertToIotaReplicaGroupList().has_value());
  EXPECT_EQ(CollectiveDeviceList::FromProto(list.ToProto()), list);
  EXPECT_EQ(ReplicaGroupsToString(list.replica_groups()), list.ToString());
  EXPECT_EQ(list.version(), CollectiveDeviceListVersion::kListOfLists);
}

TEST(CollectiveDeviceListTest, ManyThreadsMayAskForTheGroups) {
  const IotaReplicaGroupList list(1024, 16);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([list] { EXPECT_EQ(list.replica_groups().size(), 1024); });
  }
  for (std::thread& thread : threads) thread.join();
}

// As a parameter beside a span of groups, {} has to mean the span.
int Choose(absl::Span<const ReplicaGroup> groups) { return 1; }
int Choose(const CollectiveDeviceListBase& groups) { return 2; }

TEST(CollectiveDeviceListTest, BracesAreNoDeviceList) {
  EXPECT_EQ(Choose({}), 1);
  EXPECT_EQ(Choose(IotaReplicaGroupList(1, 2)), 2);
  EXPECT_EQ(Choose(CollectiveDeviceList()), 2);
}

TEST(MeshTest, RefusesWhatDoesNotHoldTogether) {
  const auto status = [](absl::Span<const int64_t> sizes, std::vector<std::string> names) {
    return Mesh::Create(sizes, std::move(names)).status();
  };
  TF_EXPECT_OK(status({2, 4}, {"x", "y"}));
  TF_EXPECT_OK(status({}, {}));
  EXPECT_THAT(status({2, 4}, {"x"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({2, 4}, {"x", "x"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("twice")));
  EXPECT_THAT(status({2, 0}, {"x", "y"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({2}, {"0"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({2}, {""}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status({2}, {"a'b"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Mesh::Create(TileAssignment(Array<int64_t>({{0, 0}})), {"x", "y"}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("twice")));
  EXPECT_THAT(Mesh::Create(TileAssignment(Array<int64_t>({{0, -1}})), {"x", "y"}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("negative")));
}

TEST(MeshTest, SizesAndArraysInBraces) {
  EXPECT_EQ(Mesh({2, 3}, {"x", "y"}), MakeMesh({2, 3}, {"x", "y"}));
  EXPECT_EQ(Mesh({1}, {"x"}).ToString(), "mesh['x'=1]");
  const Array2D<int64_t> devices({{1, 0}, {3, 2}});
  EXPECT_EQ(Mesh(devices, {"x", "y"}).ToString(), "mesh['x'=2,'y'=2], device_ids=(1,0,3,2)");
  EXPECT_TRUE(Mesh({2, 3}, {"x", "y"}).DeviceAssignmentEquals(Mesh({2, 3}, {"a", "b"})));
  EXPECT_FALSE(Mesh({2, 3}, {"x", "y"}).DeviceAssignmentEquals(Mesh({3, 2}, {"x", "y"})));
  EXPECT_FALSE(Mesh::Create(TileAssignment(Array<int64_t>({{4, 5}})), {"x", "y"}).ok());
}

TEST(MeshTest, KnowsWhichAxesAreAllOfThem) {
  const Mesh mesh({2, 1, 3}, {"x", "y", "z"});
  EXPECT_TRUE(mesh.ContainsAllMeshAxesInOrder({AxisRef(0), AxisRef(2)}));
  EXPECT_TRUE(mesh.ContainsAllMeshAxesInOrder({AxisRef(0), AxisRef(1), AxisRef(2)}));
  EXPECT_FALSE(mesh.ContainsAllMeshAxesInOrder({AxisRef(2), AxisRef(0)}));
  EXPECT_FALSE(mesh.ContainsAllMeshAxesInOrder({AxisRef(0)}));
}

TEST(AxisRefTest, PartsOfAnAxis) {
  const AxisRef whole(0), first(0, {1, 2}), second(0, {2, 3}), third(0, {6, 2}), other(1);
  EXPECT_TRUE(whole.Overlaps(second));
  EXPECT_FALSE(first.Overlaps(second));
  EXPECT_FALSE(whole.Overlaps(other));
  EXPECT_TRUE(first.CanCoexist(third));
  EXPECT_FALSE(first.CanCoexist(AxisRef(0, {1, 3})));
  EXPECT_EQ(whole.GetPrefixWithoutOverlap(third), AxisRef(0, {1, 6}));
  EXPECT_EQ(whole.GetPrefixWithoutOverlap(first), std::nullopt);
  EXPECT_EQ(second.GetPrefixWithoutOverlap(third), second);
  EXPECT_LT(first, whole);
  EXPECT_LT(whole, second);
  EXPECT_LT(third, other);
  EXPECT_EQ(second.ToString(), "0:(2)3");

  const Mesh mesh({12}, {"x"});
  std::vector<AxisRef> axes = {third, first, second};
  MergeAxes(axes, mesh);
  EXPECT_THAT(axes, ElementsAre(third, AxisRef(0, {1, 6})));
  SortAndMergeAxes(axes, mesh);
  EXPECT_THAT(axes, ElementsAre(whole));
  axes = {other, whole, second};
  EXPECT_TRUE(TruncateAxesByRemovingOverlaps(axes, {third}));
  EXPECT_THAT(axes, ElementsAre(other, AxisRef(0, {1, 6})));
  EXPECT_FALSE(TruncateAxesByRemovingOverlaps(axes, {third}));
}

TEST(MeshTest, DevicesInOrderAreAFormula) {
  const Mesh mesh =
      Mesh::Create(TileAssignment(Array<int64_t>({{0, 1}, {2, 3}})), {"x", "y"}).value();
  EXPECT_EQ(mesh, MakeMesh({2, 2}, {"x", "y"}));
  EXPECT_EQ(mesh.ToString(), "mesh['x'=2,'y'=2]");
  EXPECT_EQ(mesh.AxisIndex("y"), 1);
  EXPECT_EQ(mesh.AxisIndex("z"), std::nullopt);
}

TEST(MeshTest, ProtoBothWays) {
  for (const Mesh& mesh :
       {Mesh(), Mesh(3), MakeMesh({2, 4}, {"x", "y"}),
        Mesh::Create(TileAssignment({2, 4}, {4, 2}, {1, 0}), {"x", "y"}).value(),
        Mesh::Create(TileAssignment(Array<int64_t>({{3, 2}, {1, 0}})), {"x", "y"}).value()}) {
    const absl::StatusOr<Mesh> read = Mesh::CreateFromProto(mesh.ToProto());
    ASSERT_THAT(read, absl_testing::IsOk());
    EXPECT_EQ(*read, mesh) << mesh.ToString();
    EXPECT_EQ(read->IsMaximal(), mesh.IsMaximal());
  }
  EXPECT_EQ(Mesh(3).ToString(), "maximal_mesh[device_id=3]");
  EXPECT_EQ(Mesh().ToString(), "mesh[]");
  MeshProto negative;
  negative.add_device_ids(-3);
  EXPECT_THAT(Mesh::CreateFromProto(negative).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace xla
