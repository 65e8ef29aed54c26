#include "xla/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "absl/hash/hash.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(ShapeTest, Text) {
  EXPECT_EQ(Shape().ToString(), "invalid[]");
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {}).ToString(true), "f32[]");
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {2, 3}).ToString(), "f32[2,3]");
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {2, 3}).ToString(true), "f32[2,3]{1,0}");
  EXPECT_EQ(ShapeUtil::MakeShape(S8, {2, 3}, {true, false}).ToString(), "s8[<=2,3]");
  EXPECT_EQ(Shape(BF16, {Shape::kUnboundedSize, 3}).ToString(true), "bf16[?,3]");
  EXPECT_EQ(ShapeUtil::MakeTokenShape().ToString(true), "token[]");
  EXPECT_EQ(ShapeUtil::MakeOpaqueShape().ToString(true), "opaque[]");
  EXPECT_EQ(ShapeUtil::MakeNil().ToString(), "()");
  EXPECT_EQ(ShapeUtil::MakeValidatedBufferShape(F32, {4}).value().ToString(true), "b(f32[4]{0})");
  EXPECT_EQ(ShapeUtil::MakeShapeWithDenseLayout(F32, {}, {}, {Tile({256})}).ToString(true),
            "f32[]{:T(256)}");

  const Shape scalar = ShapeUtil::MakeShape(S32, {});
  const Shape tuple = ShapeUtil::MakeTupleShape(std::vector<Shape>(7, scalar));
  EXPECT_EQ(tuple.ToString(), "(s32[], s32[], s32[], s32[], s32[], /*index=5*/s32[], s32[])");
}

TEST(ShapeTest, ProtoRoundTrip) {
  const std::vector<Shape> shapes = {
      ShapeUtil::MakeShape(F32, {}),
      ShapeUtil::MakeShape(F8E4M3FN, {2, 0, 3}, {true, false, true}),
      Shape(C64, {Shape::kUnboundedSize, 2}),
      ShapeUtil::MakeShapeWithDenseLayout(S4, {2, 3}, {0, 1}, {Tile({2})}, 1, 4, 1),
      ShapeUtil::MakeTokenShape(),
      ShapeUtil::MakeOpaqueShape(),
      ShapeUtil::MakeNil(),
      ShapeUtil::MakeValidatedBufferShape(U16, {4}).value(),
  };
  for (const Shape& shape : shapes) {
    EXPECT_EQ(Shape::FromProto(shape.ToProto()).value(), shape) << shape;
  }
  const Shape tuple = ShapeUtil::MakeTupleShape(shapes);
  const Shape nested = ShapeUtil::MakeTupleShape({tuple, shapes[0]});
  EXPECT_EQ(Shape::FromProto(nested.ToProto()).value(), nested);
}

absl::StatusCode CodeOf(const ShapeProto& proto) { return Shape::FromProto(proto).status().code(); }

TEST(ShapeTest, MalformedProtos) {
  auto array = [](std::vector<int64_t> dimensions) {
    ShapeProto proto;
    proto.set_element_type(F32);
    proto.mutable_dimensions()->Assign(dimensions.begin(), dimensions.end());
    return proto;
  };
  EXPECT_EQ(CodeOf(array({2, 3})), absl::StatusCode::kOk);
  std::vector<ShapeProto> malformed = {
      ShapeProto(),                                 // No element type.
      array({-1}),                                  // A negative size.
      array({Shape::kUnboundedSize}),               // Unbounded, but not dynamic.
      array({int64_t{1} << 40, int64_t{1} << 40}),  // Too many elements.
      array({kMax}),                                // Too many bytes.
      array({0, kMax, 2}),                          // Strides that overflow.
  };
  auto add = [&](ShapeProto proto, auto change) {
    change(proto);
    malformed.push_back(proto);
  };
  add(array({}), [](ShapeProto& p) { p.set_element_type(static_cast<PrimitiveType>(77)); });
  add(array({2, 3}), [](ShapeProto& p) { p.add_is_dynamic_dimension(true); });
  add(array({}), [](ShapeProto& p) { p.add_is_dynamic_dimension(true); });
  add(array({2}), [](ShapeProto& p) { p.add_tuple_shapes()->set_element_type(F32); });
  add(array({2}), [](ShapeProto& p) { p.mutable_layout()->add_minor_to_major(1); });
  add(array({2, 2}), [](ShapeProto& p) { p.mutable_layout()->add_minor_to_major(0); });
  add(array({2}), [](ShapeProto& p) {
    p.mutable_layout()->add_minor_to_major(0);
    p.mutable_layout()->set_element_size_in_bits(kMax);
  });
  add(array({2}), [](ShapeProto& p) {
    p.mutable_layout()->add_minor_to_major(0);
    p.mutable_layout()->add_tiles()->add_dimensions(kMax);
  });
  add(array({2}), [](ShapeProto& p) { p.set_element_type(TUPLE); });
  add(array({2}), [](ShapeProto& p) { p.set_element_type(TOKEN); });
  add(array({}), [](ShapeProto& p) { p.set_element_type(BUFFER); });
  add(array({}), [](ShapeProto& p) {
    p.set_element_type(OPAQUE_TYPE);
    p.add_tuple_shapes()->set_element_type(F32);
  });
  add(array({}), [](ShapeProto& p) {
    p.set_element_type(BUFFER);
    p.add_tuple_shapes()->set_element_type(BUFFER);
    p.mutable_tuple_shapes(0)->add_tuple_shapes()->set_element_type(F32);
  });
  add(array({}), [](ShapeProto& p) {
    p.set_element_type(BUFFER);
    p.add_tuple_shapes()->set_element_type(TUPLE);
  });
  for (const ShapeProto& proto : malformed) {
    EXPECT_EQ(CodeOf(proto), absl::StatusCode::kInvalidArgument) << proto.ShortDebugString();
    ShapeProto tuple;
    tuple.set_element_type(TUPLE);
    *tuple.add_tuple_shapes() = proto;
    EXPECT_EQ(CodeOf(tuple), absl::StatusCode::kInvalidArgument) << tuple.ShortDebugString();
  }
}

TEST(ShapeTest, TuplesNestedTooDeeply) {
  auto nested = [](int depth) {
    ShapeProto proto;
    ShapeProto* innermost = &proto;
    for (int i = 0; i < depth; ++i) {
      innermost->set_element_type(TUPLE);
      innermost = innermost->add_tuple_shapes();
    }
    innermost->set_element_type(F32);
    return proto;
  };
  EXPECT_EQ(CodeOf(nested(Shape::kMaxNestingDepth)), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(nested(Shape::kMaxNestingDepth + 1)), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(nested(2000)), absl::StatusCode::kInvalidArgument);
}

TEST(ShapeTest, DynamicDimensions) {
  Shape shape = ShapeUtil::MakeShape(F32, {2, 3}, {false, true});
  EXPECT_TRUE(shape.is_dynamic());
  EXPECT_TRUE(shape.is_bounded_dynamic());
  EXPECT_FALSE(shape.is_unbounded_dynamic());
  EXPECT_TRUE(ShapeUtil::MakeTupleShape({shape}).is_dynamic());
  shape.set_unbounded_dynamic_dimension(0);
  EXPECT_TRUE(shape.is_unbounded_dynamic_dimension(0));
  EXPECT_EQ(shape.ToString(), "f32[?,<=3]");
  shape.set_dimensions(0, 5);
  EXPECT_EQ(shape.ToString(), "f32[<=5,<=3]");
  shape.clear_dynamic_dimensions();
  EXPECT_TRUE(shape.is_static());
}

TEST(ShapeTest, ChangingDimensionsAndKind) {
  Shape shape;
  shape.set_element_type(F32);
  shape.add_dimensions(2);
  shape.add_dimensions(3, /*is_dynamic=*/true);
  shape.add_dimensions(4);
  *shape.mutable_layout() = Layout({0, 2, 1});
  EXPECT_EQ(shape.dimensions_minor(1), 4);
  shape.DeleteDimensions({0, 2});
  EXPECT_EQ(shape.ToString(true), "f32[<=3]{0}");
  shape.set_element_type(TUPLE);
  *shape.add_tuple_shapes() = ShapeUtil::MakeShape(S32, {});
  EXPECT_EQ(shape.ToString(), "(s32[])");
  EXPECT_TRUE(shape.AreAllLeavesIntegers());
  shape.set_element_type(TOKEN);
  EXPECT_EQ(shape, ShapeUtil::MakeTokenShape());
}

TEST(ShapeTest, BufferShowsItsArray) {
  Shape buffer = ShapeUtil::MakeValidatedBufferShape(F32, {4, 5}).value();
  EXPECT_TRUE(buffer.IsArray() && buffer.IsBuffer() && !buffer.IsArrayExcludingBuffer());
  EXPECT_EQ(buffer.element_type(), F32);
  EXPECT_EQ(buffer.element_type_including_buffer(), BUFFER);
  EXPECT_EQ(buffer.dimensions(1), 5);
  EXPECT_EQ(buffer.layout(), Layout({1, 0}));
  EXPECT_EQ(ShapeUtil::ElementsIn(buffer), 20);
  const Shape array = buffer.buffer_shape();
  EXPECT_NE(buffer, array);
  EXPECT_TRUE(Shape::Equal().IgnoreBuffer()(buffer, array));
  buffer.set_dimensions(0, 6);
  EXPECT_EQ(buffer.ToString(), "b(f32[6,5])");
}

TEST(ShapeTest, Equality) {
  const Shape a = ShapeUtil::MakeShape(F32, {2, 3});
  const Shape other_layout = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  const Shape no_layout(F32, {2, 3});
  const Shape dynamic = ShapeUtil::MakeShape(F32, {2, 3}, {true, false});
  const Shape bf16 = ShapeUtil::MakeShape(BF16, {2, 3});
  const Shape s32 = ShapeUtil::MakeShape(S32, {2, 3});
  const Shape larger = ShapeUtil::MakeShape(F32, {2, 4});
  EXPECT_NE(a, other_layout);
  EXPECT_NE(a, no_layout);
  EXPECT_TRUE(Shape::Equal().IgnoreLayout()(a, other_layout));
  EXPECT_TRUE(Shape::Equal().IgnoreLayout()(a, no_layout));
  EXPECT_NE(a, dynamic);
  EXPECT_TRUE(Shape::Equal().IgnoreDynamicDimension()(a, dynamic));
  EXPECT_TRUE(Shape::Equal().IgnoreFpPrecision()(a, bf16));
  EXPECT_FALSE(Shape::Equal().IgnoreFpPrecision()(a, s32));
  EXPECT_TRUE(Shape::Equal().IgnoreElementType()(a, s32));
  EXPECT_FALSE(Shape::Equal().IgnoreElementType()(a, larger));
  EXPECT_TRUE(Shape::Equal().IgnoreDimensions()(a, larger));
  EXPECT_FALSE(Shape::Equal().IgnoreDimensions()(a, ShapeUtil::MakeShape(F32, {6})));
  EXPECT_NE(ShapeUtil::MakeTokenShape(), ShapeUtil::MakeOpaqueShape());
  EXPECT_NE(ShapeUtil::MakeTupleShape({a}), a);
  EXPECT_NE(ShapeUtil::MakeTupleShape({a}), ShapeUtil::MakeTupleShape({a, a}));

  Shape tiled = a;
  tiled.mutable_layout()->add_tiles()->add_dimensions(2);
  EXPECT_TRUE(Shape::Equal().IgnoreTilesInLayout()(a, tiled));
  EXPECT_TRUE(Shape::Equal().MinorToMajorOnlyInLayout()(ShapeUtil::MakeTupleShape({a}),
                                                        ShapeUtil::MakeTupleShape({tiled})));
  EXPECT_FALSE(Shape::Equal().IgnoreMemorySpaceInLayout()(a, tiled));
  EXPECT_EQ(absl::HashOf(a), absl::HashOf(ShapeUtil::MakeShape(F32, {2, 3})));
  EXPECT_NE(absl::HashOf(a), absl::HashOf(larger));
}

TEST(ShapeTest, ProgramShape) {
  ProgramShape program =
      ShapeUtil::MakeProgramShape({ShapeUtil::MakeShape(F32, {2})}, ShapeUtil::MakeShape(S32, {}));
  EXPECT_EQ(program.ToString(), "((unknown): f32[2]) -> s32[]");
  program.set_parameter_names(0, "x");
  program.AddParameter(ShapeUtil::MakeTokenShape(), "t");
  EXPECT_EQ(program.ToString(), "(x: f32[2], t: token[]) -> s32[]");
  EXPECT_EQ(ProgramShape::FromProto(program.ToProto()).value(), program);
  ProgramShapeProto proto = program.ToProto();
  proto.add_parameter_names("z");
  EXPECT_FALSE(ProgramShape::FromProto(proto).ok());
}

TEST(ShapeTest, AccessorsCheckTheKind) {
  EXPECT_DEATH(ShapeUtil::MakeShape(F32, {}).tuple_shapes(), "not a tuple");
  EXPECT_DEATH(ShapeUtil::MakeNil().tuple_shapes(0), "No element 0");
  EXPECT_DEATH(Shape(F32, {2}).layout(), "no layout");
  EXPECT_DEATH(Shape(F32, {-2}), "invalid size");
  EXPECT_TRUE(ShapeUtil::MakeTokenShape().dimensions().empty());
}

TEST(ShapeTest, IsSmall) { EXPECT_LE(sizeof(Shape), 192u); }

}  // namespace
}  // namespace xla
