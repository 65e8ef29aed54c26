// Runs on memory that is lent or donated.
#include "eval/buffers.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/eval/evaluate.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

using Arguments = std::vector<ShapeTree<BufferArgument>>;

ArrayBuffer Buffer(const std::string& text) { return std::make_shared<Literal>(Value(text)); }

// One array, given away when nobody else holds it.
ShapeTree<BufferArgument> Donated(ArrayBuffer buffer) {
  ShapeTree<BufferArgument> tree(buffer->shape());
  *tree.mutable_element({}) = BufferArgument::Owned(std::move(buffer));
  return tree;
}

template <typename... Trees>
absl::StatusOr<ShapeTree<ArrayBuffer>> RunText(absl::string_view text, Trees... trees) {
  const std::unique_ptr<HloModule> module = Parse(text);
  HILO_RETURN_IF_ERROR(VerifyModule(*module));
  Arguments arguments;
  (arguments.push_back(std::move(trees)), ...);
  return eval::EvaluateOnBuffers({}, *module, std::move(arguments));
}

// The text of a part of the result, and whether it lies at the address.
void ExpectPart(const absl::StatusOr<ShapeTree<ArrayBuffer>>& result, const ShapeIndex& index,
                const std::string& value, const void* address, bool is_there) {
  ASSERT_TRUE(result.ok()) << result.status();
  const Literal& part = *result->element(index);
  EXPECT_EQ(part, Value(value)) << part.ToString();
  EXPECT_EQ(part.untyped_data() == address, is_there) << index.ToString();
}

// The results change places, so that each lies where the other one must go.
TEST(BuffersTest, ResultsThatLieInEachOthersPlaces) {
  ArrayBuffer a = Buffer("s32[8] {1, 2, 3, 4, 5, 6, 7, 8}"),
              b = Buffer("s32[8] {9, 9, 9, 9, 9, 9, 9, 9}");
  const void *at_a = a->untyped_data(), *at_b = b->untyped_data();
  const auto result = RunText(R"(
HloModule m, input_output_alias={ {0}: 0, {1}: 1 }
ENTRY e {
  a = s32[8] parameter(0)
  b = s32[8] parameter(1)
  ROOT t = (s32[8], s32[8]) tuple(b, a)
})",
                              Donated(std::move(a)), Donated(std::move(b)));
  ExpectPart(result, {0}, "s32[8] {9, 9, 9, 9, 9, 9, 9, 9}", at_a, true);
  ExpectPart(result, {1}, "s32[8] {1, 2, 3, 4, 5, 6, 7, 8}", at_b, true);
}

// The parameter is changed in place, and is a result of its own, too.
TEST(BuffersTest, TheOldValueIsAnotherResult) {
  ArrayBuffer a = Buffer("s32[8] {1, 2, 3, 4, 5, 6, 7, 8}");
  const void* address = a->untyped_data();
  const auto result = RunText(R"(
HloModule m, input_output_alias={ {0}: 0 }
ENTRY e {
  a = s32[8] parameter(0)
  u = s32[1] constant({0})
  i = s32[] constant(3)
  d = s32[8] dynamic-update-slice(a, u, i)
  ROOT t = (s32[8], s32[8]) tuple(d, a)
})",
                              Donated(std::move(a)));
  ExpectPart(result, {0}, "s32[8] {1, 2, 3, 0, 5, 6, 7, 8}", address, true);
  ExpectPart(result, {1}, "s32[8] {1, 2, 3, 4, 5, 6, 7, 8}", address, false);
}

TEST(BuffersTest, AnAliasOfAnotherShapeAndLayout) {
  ArrayBuffer a = Buffer("f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  const void* address = a->untyped_data();
  const auto result = RunText(R"(
HloModule m, input_output_alias={ {}: 0 }, entry_computation_layout={(f32[2,3]{1,0})->s32[3,2]{0,1}}
ENTRY e {
  a = f32[2,3] parameter(0)
  b = s32[2,3] convert(a)
  ROOT t = s32[3,2] reshape(b)
})",
                              Donated(std::move(a)));
  ExpectPart(result, {}, "s32[3,2]{0,1} {{1, 2}, {3, 4}, {5, 6}}", address, true);
}

TEST(BuffersTest, DonatedWithoutAliasIsNeverTheResult) {
  ArrayBuffer a = Buffer("s32[8] {1, 2, 3, 4, 5, 6, 7, 8}");
  const auto result = RunText(R"(
HloModule m, buffer_donor={ (0, {}) }
ENTRY e { a = s32[8] parameter(0)  ROOT b = s32[8] copy(a) })",
                              Donated(a));
  ExpectPart(result, {}, "s32[8] {1, 2, 3, 4, 5, 6, 7, 8}", a->untyped_data(), false);
}

// Copy protection: somebody else still holds the buffer.
TEST(BuffersTest, SharedBuffersAreNotDonated) {
  ArrayBuffer a = Buffer("s32[] 1");
  const auto result = RunText(R"(
HloModule m, input_output_alias={ {0}: 0, {1}: 1 }
ENTRY e {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] add(a, b)
  d = s32[] subtract(a, b)
  ROOT t = (s32[], s32[]) tuple(c, d)
})",
                              Donated(a), Donated(a));
  ExpectPart(result, {0}, "s32[] 2", a->untyped_data(), false);
  ExpectPart(result, {1}, "s32[] 0", a->untyped_data(), false);
  EXPECT_EQ(*a, Value("s32[] 1"));
}

constexpr char kMustAlias[] = R"(
HloModule m, input_output_alias={ {}: (0, {}, must-alias) }
ENTRY e { a = s32[] parameter(0)  ROOT b = s32[] negate(a) })";

TEST(BuffersTest, MustAliasMustBeDonated) {
  ArrayBuffer a = Buffer("s32[] 1");
  EXPECT_EQ(
      RunText(kMustAlias, Donated(a)).status().message(),
      "program m: argument 0 must be donated at {}, since input_output_alias says must-alias");
  const void* address = a->untyped_data();
  ExpectPart(RunText(kMustAlias, Donated(std::move(a))), {}, "s32[] -1", address, true);
}

TEST(BuffersTest, TokensHaveNoMemory) {
  const auto result = RunText(R"(
HloModule m, input_output_alias={ {1}: (2, {}, must-alias) }
ENTRY e {
  t = token[] parameter(0)
  u = token[] parameter(1)
  z = f32[0] parameter(2)
  a = token[] after-all(t)
  c = f32[0] constant({})
  ROOT r = (token[], f32[0], token[]) tuple(u, c, a)
})",
                              ShapeTree<BufferArgument>(ShapeUtil::MakeTokenShape()),
                              ShapeTree<BufferArgument>(ShapeUtil::MakeTokenShape()),
                              Donated(Buffer("f32[0] {}")));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->element({1})->shape(), ShapeUtil::MakeShape(F32, {0}));
}

TEST(BuffersTest, WrongArguments) {
  EXPECT_THAT(std::string(RunText(kMustAlias).status().message()), HasSubstr("takes 1 arguments"));
  EXPECT_THAT(std::string(RunText(kMustAlias, Donated(Buffer("f32[] 1"))).status().message()),
              HasSubstr("parameter 0 has shape s32[], but the argument has shape f32[]"));
  ShapeTree<BufferArgument> empty(ShapeUtil::MakeShape(S32, {}));
  EXPECT_THAT(std::string(RunText(kMustAlias, std::move(empty)).status().message()),
              HasSubstr("argument 0 has no buffer at {}"));
}

// A loop that changes one element of a large array in each iteration. Lending alone shows that
// nothing is copied: the result already lies in the lent memory, without being put there.
TEST(Semantics, DX_alias_6) {
  const std::unique_ptr<HloModule> module = Parse(R"(
HloModule m, input_output_alias={ {}: 0 }
more { s = (s32[], s32[100000]) parameter(0)  n = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(50)  ROOT p = pred[] compare(n, limit), direction=LT }
body {
  s = (s32[], s32[100000]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  x = s32[100000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(n, one)
  u = s32[1] reshape(next)
  y = s32[100000] dynamic-update-slice(x, u, n)
  ROOT t = (s32[], s32[100000]) tuple(next, y)
}
ENTRY e {
  x = s32[100000] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], s32[100000]) tuple(zero, x)
  w = (s32[], s32[100000]) while(s), condition=more, body=body
  ROOT y = s32[100000] get-tuple-element(w), index=1
})");
  Literal memory(ShapeUtil::MakeShape(S32, {100000}));
  std::vector<eval::Value> arguments;
  arguments.push_back(eval::Lend(memory));
  eval::Evaluator evaluator({});
  const absl::StatusOr<eval::Value> result =
      evaluator.Call(*module->entry_computation(), std::move(arguments));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->array().untyped_data(), memory.untyped_data());
  EXPECT_EQ(memory.Get<int32_t>({0}), 1);
  EXPECT_EQ(memory.Get<int32_t>({49}), 50);
  EXPECT_EQ(memory.Get<int32_t>({50}), 0);
}

}  // namespace
}  // namespace xla
