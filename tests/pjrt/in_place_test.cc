// Programs whose results take the place of donated arguments give what they give on arguments that
// are lent.
#include "absl/strings/str_replace.h"
#include "tests/pjrt/pjrt_testing.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct Case {
  const char* name;
  bool first_stays;  // whether the first result lies where the first argument has
  const char* text;  // N stands for a size
};

const Case kCases[] = {
    {"element by element", true, R"(
HloModule m, input_output_alias={ {}: 0 }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  z = f32[N] multiply(x, y)
  ROOT r = f32[N] subtract(z, x) })"},
    {"a step of training", true, R"(
HloModule m, input_output_alias={ {0}: 0, {1}: 1 }
ENTRY e { w = f32[N] parameter(0)  v = f32[N] parameter(1)  k = f32[] constant(0.5)
  h = f32[N] broadcast(k), dimensions={}  a = f32[N] multiply(v, h)  b = f32[N] add(a, w)
  c = f32[N] subtract(w, b)  ROOT r = (f32[N], f32[N]) tuple(c, b) })"},
    {"an update", true, R"(
HloModule m, input_output_alias={ {}: 0 }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  i = s32[] constant(2)
  s = f32[2] slice(y), slice={[3:5]}  ROOT r = f32[N] dynamic-update-slice(x, s, i) })"},
    {"an update whose array is read afterwards", false, R"(
HloModule m, input_output_alias={ {0}: 0, {1}: 1 }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  i = s32[] constant(2)
  s = f32[2] slice(y), slice={[3:5]}  u = f32[N] dynamic-update-slice(x, s, i)
  b = f32[N] reverse(x), dimensions={0}  ROOT r = (f32[N], f32[N]) tuple(u, b) })"},
    {"a loop", false, R"(
HloModule m, input_output_alias={ {0}: 0, {1}: 1 }
more { s = (s32[], f32[N], f32[N]) parameter(0)  n = s32[] get-tuple-element(s), index=0
  l = s32[] constant(5)  ROOT p = pred[] compare(n, l), direction=LT }
body { s = (s32[], f32[N], f32[N]) parameter(0)  n = s32[] get-tuple-element(s), index=0
  x = f32[N] get-tuple-element(s), index=1  y = f32[N] get-tuple-element(s), index=2
  one = s32[] constant(1)  m = s32[] add(n, one)  z = f32[N] add(x, y)
  ROOT t = (s32[], f32[N], f32[N]) tuple(m, y, z) }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  zero = s32[] constant(0)
  s = (s32[], f32[N], f32[N]) tuple(zero, x, y)
  w = (s32[], f32[N], f32[N]) while(s), condition=more, body=body
  a = f32[N] get-tuple-element(w), index=1  b = f32[N] get-tuple-element(w), index=2
  ROOT r = (f32[N], f32[N]) tuple(a, b) })"},
    {"in reverse order", false, R"(
HloModule m, input_output_alias={ {}: 0 }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  z = f32[N] add(x, y)
  ROOT r = f32[N] reverse(z), dimensions={0} })"},
    {"each in the other's place", false, R"(
HloModule m, input_output_alias={ {0}: 0, {1}: 1 }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)
  ROOT r = (f32[N], f32[N]) tuple(y, x) })"},
    {"as it is", true, R"(
HloModule m, input_output_alias={ {0}: 0 }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  z = f32[N] add(x, y)
  ROOT r = (f32[N], f32[N], f32[N]) tuple(x, z, x) })"},
    {"a sum is needed first", false, R"(
HloModule m, input_output_alias={ {}: 0 }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  zero = f32[] constant(0)
  s = f32[] reduce(x, zero), dimensions={0}, to_apply=add  t = f32[N] broadcast(s), dimensions={}
  u = f32[N] divide(x, t)  ROOT r = f32[N] add(u, y) })"},
    {"nothing of it", false, R"(
HloModule m, input_output_alias={ {0}: 0 }
ENTRY e { x = f32[N] parameter(0)  y = f32[N] parameter(1)  z = f32[N] negate(y)
  w = f32[N] multiply(x, y)  ROOT r = (f32[N], f32[N]) tuple(z, w) })"},
};

Literal Numbers(int64_t count, float first) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) values[i] = first + 0.25f * static_cast<float>(i % 97);
  return LiteralUtil::CreateR1<float>(values);
}

TEST(InPlaceTest, DonatedAndLentArgumentsGiveTheSame) {
  const std::unique_ptr<PjRtClient> client = MakeClient();
  for (const Case& each : kCases) {
    for (const int64_t size : {7, 40, 1000, 300000}) {
      SCOPED_TRACE(absl::StrCat(each.name, ", ", size));
      const auto executable =
          CompileText(*client, absl::StrReplaceAll(each.text, {{"N]", absl::StrCat(size, "]")}}));
      std::vector<std::shared_ptr<Literal>> values[2];
      for (const bool donates : {false, true}) {
        const auto x = Put(*client, Numbers(size, 1)), y = Put(*client, Numbers(size, -3));
        const std::uintptr_t place = client->UnsafeBufferPointer(x.get()).value();
        ExecuteOptions options;
        if (!donates) options.non_donatable_input_indices = {0, 1};
        const auto results = RunProgram(*executable, {x.get(), y.get()}, options).value();
        for (const auto& result : results)
          values[donates].push_back(result->ToLiteralSync().value());
        if (!donates) {
          EXPECT_EQ(*x->ToLiteralSync().value(), Numbers(size, 1));
          EXPECT_EQ(*y->ToLiteralSync().value(), Numbers(size, -3));
        } else if (each.first_stays) {
          EXPECT_EQ(client->UnsafeBufferPointer(results[0].get()).value(), place);
        }
      }
      ASSERT_EQ(values[0].size(), values[1].size());
      for (size_t i = 0; i < values[0].size(); ++i) EXPECT_EQ(*values[0][i], *values[1][i]);
    }
  }
}

}  // namespace
}  // namespace xla
