// What windows, shifts and the like need of other parts: programs with attributes and sizes made at
// random, divided by random shardings. HILO_PARTITION_CASES says how many of each kind.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "api/backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "tools/compare_backends.h"
#include "tools/random_shardings.h"
#include "tools/random_values.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

int Cases() {
  int cases = 150;
  const char* given = std::getenv("HILO_PARTITION_CASES");
  if (given != nullptr) CHECK(absl::SimpleAtoi(given, &cases));
  return cases;
}

constexpr char kFunctions[] = R"(
add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) }
max { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] maximum(a, b) }
mix { a = s32[] parameter(0)  b = s32[] parameter(1)  t = s32[] constant(3)  m = s32[] multiply(a, t)  ROOT c = s32[] add(m, b) }
ge { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = pred[] compare(a, b), direction=GE }
)";

// Texts of instructions, each of an entry that takes x and gives r. Shapes of results are left out
// where text may leave them out; `x` is an array of two dimensions.
struct Sizes {
  int64_t rows, columns;
  std::string text() const { return absl::StrCat("s32[", rows, ",", columns, "]"); }
};

int64_t Size(Random& random) { return 1 + random.Below(16); }

Sizes AnySizes(Random& random) {
  Sizes sizes{Size(random), Size(random)};
  if (random.Coin()) sizes.rows = int64_t{8} << random.Below(2);
  return sizes;
}

std::string OneOf(Random& random, std::vector<std::string> texts) { return random.OneOf(texts); }

std::string X(const Sizes& sizes) { return absl::StrCat("x = ", sizes.text(), " parameter(0)\n"); }

std::string SliceOf(Random& random, const char* name, const Sizes& from, bool strided) {
  std::vector<std::string> ranges;
  Sizes sizes{};
  for (const int64_t size : {from.rows, from.columns}) {
    const int64_t start = random.Below(size), limit = start + 1 + random.Below(size - start);
    const int64_t stride = strided ? 1 + random.Below(3) : 1;
    ranges.push_back(absl::StrCat("[", start, ":", limit, ":", stride, "]"));
    (sizes.rows == 0 ? sizes.rows : sizes.columns) = (limit - start + stride - 1) / stride;
  }
  return absl::StrCat(name, " = ", sizes.text(), " slice(x), slice={", absl::StrJoin(ranges, ", "),
                      "}\n");
}

std::string Slice(Random& random) {
  const Sizes sizes = AnySizes(random);
  return absl::StrCat(X(sizes), SliceOf(random, "ROOT r", sizes, true));
}

// The second of the two slices is taken of the first.
std::string Slices(Random& random) {
  const int64_t size = 4 + random.Below(16), start = random.Below(3),
                limit = size - random.Below(2);
  const int64_t left = limit - start;
  const int64_t from = random.Below(left), to = from + 1 + random.Below(left - from);
  return absl::StrCat("x = s32[", size, "] parameter(0)\ny = s32[", left, "] slice(x), slice={[",
                      start, ":", limit, "]}\nz = s32[", to - from, "] slice(y), slice={[", from,
                      ":", to, "]}\nROOT r = pad(z, i), padding=", random.Below(4), "_",
                      random.Below(4), "\n");
}

std::string Pad(Random& random) {
  const Sizes sizes = AnySizes(random);
  std::vector<std::string> padding;
  for (const int64_t size : {sizes.rows, sizes.columns}) {
    const int64_t less = random.Coin() ? 0 : std::min<int64_t>(2, size / 2);
    padding.push_back(absl::StrCat(random.Below(5) - less, "_", random.Below(5) - less, "_",
                                   random.Coin() ? 0 : random.Below(3)));
  }
  return absl::StrCat(X(sizes), "ROOT r = pad(x, i), padding=", absl::StrJoin(padding, "x"), "\n");
}

std::string Reverse(Random& random) {
  return absl::StrCat(X(AnySizes(random)), "ROOT r = reverse(x), dimensions={",
                      OneOf(random, {"0", "1", "0,1"}), "}\n");
}

std::string Concatenate(Random& random) {
  const int64_t rows = Size(random);
  std::vector<std::string> names;
  std::string text = "x = s32[] parameter(0)\n";
  for (int64_t i = 0; i < 1 + random.Below(4); ++i) {
    names.push_back(absl::StrCat("y", i));
    absl::StrAppend(&text, names.back(), " = ", Sizes{rows, random.Below(9)}.text(), " parameter(",
                    2 + i, ")\n");
  }
  return absl::StrCat(text, "ROOT r = concatenate(", absl::StrJoin(names, ", "),
                      "), dimensions={1}\n");
}

std::string Roll(Random& random) {
  const int64_t size = 2 + random.Below(16), by = 1 + random.Below(size - 1);
  return absl::StrCat("x = s32[", size, "] parameter(0)\na = s32[", by, "] slice(x), slice={[",
                      size - by, ":", size, "]}\nb = s32[", size - by,
                      "] slice(x), slice={[0:", size - by,
                      "]}\nROOT r = concatenate(a, b), dimensions={0}\n");
}

// Shifted views of one array, and what surrounds their sum.
std::string Stencil(Random& random) {
  const int64_t size = 3 + random.Below(20);
  return absl::StrCat(
      "x = s32[", size, ",4] parameter(0)\na = s32[", size - 2,
      ",4] slice(x), slice={[0:", size - 2, "], [0:4]}\nb = s32[", size - 2,
      ",4] slice(x), slice={[1:", size - 1, "], [0:4]}\nc = s32[", size - 2,
      ",4] slice(x), slice={[2:", size, "], [0:4]}\nd = add(a, b)\ne = add(d, c)\n",
      OneOf(random, {"ROOT r = pad(e, i), padding=1_1x0_0\n",
                     "one = s32[] constant(1)\nzero = s32[] constant(0)\nROOT r = s32[" +
                         absl::StrCat(size) + ",4] dynamic-update-slice(x, e, one, zero)\n"}));
}

std::string Update(Random& random) {
  const Sizes sizes = AnySizes(random);
  const Sizes update{1 + random.Below(sizes.rows), 1 + random.Below(sizes.columns)};
  const auto start = [&](int64_t most) {
    return random.Coin() ? std::string("i")
                         : absl::StrCat("s32[] constant(", random.Below(most + 2), ")");
  };
  std::string text = absl::StrCat(X(sizes), "u = ", update.text(), " parameter(2)\n");
  std::vector<std::string> starts;
  for (const std::string& each :
       {start(sizes.rows - update.rows), start(sizes.columns - update.columns)}) {
    starts.push_back(each == "i" ? each : absl::StrCat("start", starts.size()));
    if (each != "i") absl::StrAppend(&text, starts.back(), " = ", each, "\n");
  }
  if (random.Coin()) {
    return absl::StrCat(text, "ROOT r = ", sizes.text(), " dynamic-update-slice(x, u, ",
                        absl::StrJoin(starts, ", "), ")\n");
  }
  return absl::StrCat(text, "d = ", update.text(), " dynamic-slice(x, ",
                      absl::StrJoin(starts, ", "), "), dynamic_slice_sizes={", update.rows, ",",
                      update.columns, "}\nROOT r = add(d, u)\n");
}

struct WindowText {
  std::vector<std::string> sizes, strides, pads, lhs, rhs;
  std::string text() const {
    return absl::StrCat("size=", absl::StrJoin(sizes, "x"), " stride=", absl::StrJoin(strides, "x"),
                        " pad=", absl::StrJoin(pads, "x"), " lhs_dilate=", absl::StrJoin(lhs, "x"),
                        " rhs_dilate=", absl::StrJoin(rhs, "x"));
  }
  void Add(Random& random, int64_t size, int64_t most_padding) {
    sizes.push_back(absl::StrCat(size));
    strides.push_back(absl::StrCat(random.Coin() ? 1 : 1 + random.Below(3)));
    pads.push_back(
        absl::StrCat(random.Below(most_padding + 1), "_", random.Below(most_padding + 1)));
    lhs.push_back(random.Below(4) == 0 ? "2" : "1");
    rhs.push_back(random.Below(4) == 0 ? "2" : "1");
  }
};

std::string ReduceWindow(Random& random) {
  const Sizes sizes{4 + random.Below(13), 4 + random.Below(13)};
  WindowText window;
  for (int i = 0; i < 2; ++i) window.Add(random, random.Below(4) == 0 ? 1 : 2 + random.Below(3), 3);
  return absl::StrCat(X(sizes), "z = s32[] constant(", OneOf(random, {"0", "5"}),
                      ")\nROOT r = reduce-window(x, z), window={", window.text(),
                      "}, to_apply=", OneOf(random, {"add", "max", "mix"}), "\n");
}

std::string Cumulative(Random& random) {
  const int64_t size = 1 + random.Below(20);
  return absl::StrCat("x = s32[", size, "] parameter(0)\nz = s32[] constant(0)\nROOT r = ",
                      "reduce-window(x, z), window={size=", size, " pad=", size - 1,
                      "_0}, to_apply=add\n");
}

std::string Convolution(Random& random) {
  WindowText window;
  const int64_t groups = random.Below(3) == 0 ? 2 : 1, features = groups * (1 + random.Below(4));
  const int64_t kernel[] = {1 + random.Below(4), 1 + random.Below(4)};
  for (const int64_t size : kernel) window.Add(random, size, 2);
  return absl::StrCat("x = s32[", Size(random), ",", 7 + random.Below(10), ",",
                      7 + random.Below(10), ",", features, "] parameter(0)\nk = s32[", kernel[0],
                      ",", kernel[1], ",", features / groups, ",", groups * (1 + random.Below(4)),
                      "] parameter(2)\nROOT r = convolution(x, k), window={", window.text(),
                      random.Below(4) == 0 ? " rhs_reversal=1x0" : "",
                      "}, dim_labels=b01f_01io->b01f, feature_group_count=", groups, "\n");
}

// As in the gradient of a kernel, whose windows are as large as the image.
std::string LargeKernel(Random& random) {
  const int64_t size = 4 + random.Below(13);
  return absl::StrCat("x = s32[2,", size, ",3] parameter(0)\nk = s32[", size,
                      ",3,2] parameter(2)\nROOT r = convolution(x, k), window={size=", size,
                      " pad=", random.Below(3), "_", random.Below(3),
                      "}, dim_labels=b0f_0io->b0f\n");
}

std::string SelectAndScatter(Random& random) {
  const int64_t windows = 1 + random.Below(6), size = 1 + random.Below(3);
  const int64_t stride = size + random.Below(2) - (random.Below(3) == 0 && size > 1 ? 1 : 0);
  const int64_t most = (windows - 1) * stride + size + (random.Coin() ? 0 : stride - 1);
  const int64_t all = random.Coin() ? windows * stride : most;
  if ((all - size) / stride + 1 != windows || all < size) return SelectAndScatter(random);
  return absl::StrCat("x = s32[", all, ",3] parameter(0)\ns = s32[", windows,
                      ",3] parameter(2)\nROOT r = select-and-scatter(x, s, i), window={size=", size,
                      "x1 stride=", stride, "x1}, select=ge, scatter=add\n");
}

std::string Dot(Random& random) {
  const int64_t rows = Size(random), depth = Size(random), columns = Size(random);
  return absl::StrCat("x = s32[", rows, ",", depth, "] parameter(0)\ny = s32[", depth, ",", columns,
                      "] parameter(2)\nROOT r = dot(x, y), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}\n");
}

std::string Reduce(Random& random) {
  return absl::StrCat(X(AnySizes(random)), "ROOT r = reduce(x, i), dimensions={",
                      OneOf(random, {"0", "1", "0,1"}),
                      "}, to_apply=", OneOf(random, {"add", "max"}), "\n");
}

std::string Scatter(Random& random) {
  const Sizes sizes = AnySizes(random);
  const int64_t updates = Size(random);
  return absl::StrCat(X(sizes), "p = s32[", updates, ",1] parameter(2)\nu = s32[", updates, ",",
                      sizes.columns, "] parameter(3)\nROOT r = scatter(x, p, u), ",
                      "update_window_dims={1}, inserted_window_dims={0}, "
                      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=",
                      OneOf(random, {"add", "max"}), "\n");
}

struct Kind {
  const char* name;
  std::string (*make)(Random& random);
};

constexpr Kind kKinds[] = {{"slice", Slice},
                           {"slices", Slices},
                           {"pad", Pad},
                           {"reverse", Reverse},
                           {"concatenate", Concatenate},
                           {"roll", Roll},
                           {"stencil", Stencil},
                           {"update", Update},
                           {"reduce_window", ReduceWindow},
                           {"cumulative", Cumulative},
                           {"convolution", Convolution},
                           {"large_kernel", LargeKernel},
                           {"select_and_scatter", SelectAndScatter},
                           {"dot", Dot},
                           {"reduce", Reduce},
                           {"scatter", Scatter}};

class MovesTest : public testing::TestWithParam<Kind> {};

TEST_P(MovesTest, PartsAreThoseOfTheWhole) {
  constexpr int64_t kDevices[] = {2, 3, 4, 8};
  ExecutionBackend& backend = *FindBackend("interpreter").value();
  int compared = 0;
  for (int seed = 0; seed < Cases(); ++seed) {
    Random random(seed);
    const std::string body = GetParam().make(random);
    const std::string text = absl::StrCat("HloModule m\n", kFunctions,
                                          "ENTRY e {\ni = s32[] parameter(1)\n", body, "}\n");
    auto module = ParseAndReturnUnverifiedModule(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    // Windows that are larger than what there is, and too much padding taken away.
    if (!VerifyModule(**module).ok()) continue;
    const int64_t devices = kDevices[random.Below(4)];
    ShardAtRandom(**module, devices, seed);
    const BackendComparison comparison = CompareDivided(**module, backend, backend, devices, seed);
    ASSERT_EQ(comparison.agreement, Agreement::kAgree)
        << "on " << devices << " devices: " << comparison.reason << "\n"
        << (*module)->ToString();
    ++compared;
  }
  EXPECT_GE(compared, Cases() / 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MovesTest, testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace xla
