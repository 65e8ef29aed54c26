#include "xla/layout.h"

#include <gtest/gtest.h>

#include <memory>

#include "absl/hash/hash.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

TEST(LayoutTest, Text) {
  EXPECT_EQ(Layout().ToString(), "{}");
  EXPECT_EQ(Layout({4, 5, 6}).ToString(), "{4,5,6}");
  EXPECT_EQ(Layout({1, 0}, {Tile({8, 128}), Tile({2, 1})}, 4).set_memory_space(1).ToString(),
            "{1,0:T(8,128)(2,1)E(4)S(1)}");
  EXPECT_EQ(Layout({0}, {Tile({Tile::kCombineDimension, 128})}).ToString(), "{0:T(*,128)}");
  Layout full({1, 0}, {Tile({4})}, U32, U8, 2, 7, 5, {SplitConfig(0, {3}), SplitConfig(1, {4, 8})},
              std::make_unique<Shape>(ShapeUtil::MakeShape(F32, {2, 3})), 16);
  EXPECT_EQ(full.ToString(),
            "{1,0:T(4)L(2)#(u32)*(u8)E(7)S(5)SC(0:3)(1:4,8)P(f32[2,3]{1,0})M(16)}");
}

TEST(LayoutTest, ProtoRoundTrip) {
  const Layout full({1, 0}, {Tile({Tile::kCombineDimension, 4})}, U32, U8, 2, 7, 5,
                    {SplitConfig(1, {4, 8})},
                    std::make_unique<Shape>(ShapeUtil::MakeShape(F32, {2, 3})), 16);
  EXPECT_EQ(Layout::FromProto(full.ToProto()).value(), full);
  EXPECT_EQ(Layout::FromProto(LayoutProto()).value(), Layout());  // A tail alignment of 0 is 1.
  EXPECT_EQ(Layout::CreateFromProto(full.ToProto()), full);
}

TEST(LayoutTest, MalformedProtos) {
  auto fails = [](auto change) {
    LayoutProto proto = Layout({1, 0}).ToProto();
    change(proto);
    return Layout::FromProto(proto).status().code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(fails([](LayoutProto& p) { p.set_minor_to_major(0, 0); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.set_minor_to_major(0, 2); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.set_minor_to_major(0, -1); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.add_tiles()->add_dimensions(0); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.set_element_size_in_bits(-1); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.set_memory_space(-1); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.set_tail_padding_alignment_in_elements(-1); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.set_index_primitive_type(F32); }));
  EXPECT_TRUE(fails([](LayoutProto& p) { p.mutable_physical_shape()->add_dimensions(-5); }));
}

TEST(LayoutTest, PhysicalShapesNestedTooDeeply) {
  LayoutProto proto;
  LayoutProto* innermost = &proto;
  for (int i = 0; i < 3000; ++i) {
    innermost->mutable_physical_shape()->set_element_type(F32);
    innermost = innermost->mutable_physical_shape()->mutable_layout();
  }
  EXPECT_FALSE(Layout::FromProto(proto).ok());
}

TEST(LayoutTest, EqualityAndHash) {
  const Layout plain({1, 0});
  Layout tiled = plain;
  tiled.add_tiles()->add_dimensions(8);
  EXPECT_NE(plain, tiled);
  EXPECT_TRUE(Layout::Equal().IgnoreTiles()(plain, tiled));
  EXPECT_TRUE(Layout::Equal().MinorToMajorOnly()(plain, tiled));
  tiled.clear_tiles();
  EXPECT_EQ(plain, tiled);
  EXPECT_EQ(absl::HashOf(plain), absl::HashOf(tiled));
  EXPECT_EQ(tiled.ToString(), "{1,0}");

  Layout host = plain;
  host.set_memory_space(Layout::kHostMemorySpace);
  EXPECT_FALSE(Layout::Equal().IgnoreTiles()(plain, host));
  EXPECT_TRUE(Layout::Equal().IgnoreMemorySpace()(plain, host));

  Layout physical = plain;
  *physical.mutable_physical_shape() = ShapeUtil::MakeShape(F32, {2});
  const Layout copy = physical;
  EXPECT_EQ(copy, physical);
  EXPECT_NE(copy, plain);
}

TEST(LayoutTest, DeleteDimension) {
  Layout layout({3, 0, 2, 1});
  layout.DeleteDimension(0);
  EXPECT_EQ(layout, Layout({2, 1, 0}));
}

TEST(LayoutTest, IsSmall) { EXPECT_LE(sizeof(Layout), 64u); }

}  // namespace
}  // namespace xla
