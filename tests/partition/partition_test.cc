// Programs with shardings compute on every device its parts of what the program computes as a
// whole: operations with their arguments and results divided in many ways.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "api/backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int64_t kDevices = 4;
constexpr int kTrials = 60;

struct Program {
  const char* name;
  const char* text;  // what stands before the entry, "ENTRY", and the entry's instructions
};

constexpr Program kPrograms[] = {
    {"add",
     "ENTRY x = s32[4,8] parameter(0)  y = s32[4,8] parameter(1)  ROOT r = s32[4,8] add(x, y)"},
    {"broadcast", "ENTRY x = s32[8] parameter(0)  ROOT r = s32[4,8] broadcast(x), dimensions={1}"},
    {"transpose",
     "ENTRY x = s32[4,8] parameter(0)  ROOT r = s32[8,4] transpose(x), dimensions={1,0}"},
    {"reshape_to_more", "ENTRY x = s32[16,4] parameter(0)  ROOT r = s32[4,4,4] reshape(x)"},
    {"reshape_to_fewer", "ENTRY x = s32[4,4,4] parameter(0)  ROOT r = s32[4,16] reshape(x)"},
    {"reshape_askew", "ENTRY x = s32[4,12] parameter(0)  ROOT r = s32[8,6] reshape(x)"},
    {"iota",
     "ENTRY x = s32[8,4] parameter(0)  i = s32[8,4] iota(), iota_dimension=0  ROOT r = s32[8,4] "
     "add(x, i)"},
    {"constant",
     "ENTRY x = s32[8] parameter(0)  c = s32[8] constant({1,2,3,4,5,6,7,8})  ROOT r = s32[8] "
     "multiply(x, c)"},
    {"splat",
     "ENTRY x = s32[8] parameter(0)  c = s32[8] constant({7,7,7,7,7,7,7,7})  ROOT r = s32[8] "
     "add(x, c)"},
    {"reduce_sum",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) } ENTRY x = "
     "s32[4,8] parameter(0)  z = s32[] constant(5)  ROOT r = s32[8] reduce(x, z), dimensions={0}, "
     "to_apply=f"},
    {"reduce_max",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] maximum(a, b) } ENTRY x = "
     "s32[4,8] parameter(0)  z = s32[] constant(-9)  ROOT r = s32[4] reduce(x, z), dimensions={1}, "
     "to_apply=f"},
    {"reduce_all",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) } ENTRY x = "
     "s32[4,8] parameter(0)  z = s32[] parameter(1)  ROOT r = s32[] reduce(x, z), "
     "dimensions={0,1}, to_apply=f"},
    {"reduce_other",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] subtract(a, b)  ROOT d = s32[] "
     "multiply(c, c) } ENTRY x = s32[4,8] parameter(0)  z = s32[] constant(1)  ROOT r = s32[4] "
     "reduce(x, z), dimensions={1}, to_apply=f"},
    {"dot",
     "ENTRY x = s32[4,8] parameter(0)  y = s32[8,4] parameter(1)  ROOT r = s32[4,4] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"batch_dot",
     "ENTRY x = s32[4,4,8] parameter(0)  y = s32[4,8,4] parameter(1)  ROOT r = s32[4,4,4] dot(x, "
     "y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={1}"},
    {"dots",
     "ENTRY x = s32[4,8] parameter(0)  y = s32[8,4] parameter(1)  w = s32[4,8] parameter(2)  d = "
     "s32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}  ROOT r = s32[4,8] "
     "dot(d, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"convolution",
     "ENTRY x = s32[4,8,4] parameter(0)  k = s32[3,4,8] parameter(1)  ROOT r = s32[4,8,8] "
     "convolution(x, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"},
    {"slice",
     "ENTRY x = s32[8,12] parameter(0)  ROOT r = s32[8,4] slice(x), slice={[0:8], [2:10:2]}"},
    {"pad",
     "ENTRY x = s32[4,4] parameter(0)  z = s32[] parameter(1)  ROOT r = s32[8,4] pad(x, z), "
     "padding=1_3x0_0"},
    {"concatenate",
     "ENTRY x = s32[4,4] parameter(0)  y = s32[4,4] parameter(1)  ROOT r = s32[4,8] concatenate(x, "
     "y), dimensions={1}"},
    {"reverse", "ENTRY x = s32[4,8] parameter(0)  ROOT r = s32[4,8] reverse(x), dimensions={1}"},
    {"dynamic_slice",
     "ENTRY x = s32[8,4] parameter(0)  i = s32[] parameter(1)  z = s32[] constant(0)  ROOT r = "
     "s32[4,4] dynamic-slice(x, i, z), dynamic_slice_sizes={4,4}"},
    {"dynamic_update_slice",
     "ENTRY x = s32[8,4] parameter(0)  u = s32[4,4] parameter(1)  i = s32[] parameter(2)  z = "
     "s32[] constant(0)  ROOT r = s32[8,4] dynamic-update-slice(x, u, i, z)"},
    {"sort",
     "less { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT l = pred[] compare(a, b), "
     "direction=LT } ENTRY x = s32[4,8] parameter(0)  ROOT r = s32[4,8] sort(x), dimensions={1}, "
     "to_apply=less"},
    {"sort_pairs",
     "less { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] "
     "parameter(3)  ROOT l = pred[] compare(a, b), direction=LT } ENTRY x = s32[4,8] parameter(0)  "
     "y = s32[4,8] parameter(1)  s = (s32[4,8], s32[4,8]) sort(x, y), dimensions={0}, "
     "to_apply=less, is_stable=true  a = s32[4,8] get-tuple-element(s), index=0  b = s32[4,8] "
     "get-tuple-element(s), index=1  ROOT r = s32[4,8] subtract(a, b)"},
    {"reduce_window",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) } ENTRY x = "
     "s32[4,8] parameter(0)  z = s32[] constant(0)  ROOT r = s32[4,8] reduce-window(x, z), "
     "window={size=1x3 pad=0_0x1_1}, to_apply=f"},
    {"gather",
     "ENTRY x = s32[8,4] parameter(0)  i = s32[4,1] parameter(1)  ROOT r = s32[4,4] gather(x, i), "
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,4}"},
    {"gather_batch",
     "ENTRY x = s32[4,8] parameter(0)  i = s32[4,4,1] parameter(1)  ROOT r = s32[4,4] gather(x, "
     "i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, "
     "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, "
     "slice_sizes={1,1}"},
    {"scatter",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) } ENTRY x = "
     "s32[8,4] parameter(0)  i = s32[4,1] parameter(1)  u = s32[4,4] parameter(2)  ROOT r = "
     "s32[8,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f"},
    {"scatter_last",
     "f { a = s32[] parameter(0)  ROOT b = s32[] parameter(1) } ENTRY x = s32[8,4] parameter(0)  i "
     "= s32[1,1] parameter(1)  u = s32[1,4] parameter(2)  ROOT r = s32[8,4] scatter(x, i, u), "
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=f"},
    {"bitcast_convert", "ENTRY x = s32[4,4] parameter(0)  ROOT r = u32[4,4] bitcast-convert(x)"},
    {"select_scalar",
     "ENTRY x = s32[4,4] parameter(0)  y = s32[4,4] parameter(1)  l = s32[] constant(-2)  h = "
     "s32[] constant(3)  c = s32[4,4] clamp(l, x, h)  p = pred[4,4] compare(x, y), direction=GT  "
     "ROOT r = s32[4,4] select(p, c, y)"},
    {"barrier",
     "ENTRY x = s32[4,4] parameter(0)  y = s32[4] parameter(1)  t = (s32[4,4], s32[4]) tuple(x, y) "
     " o = (s32[4,4], s32[4]) opt-barrier(t)  a = s32[4,4] get-tuple-element(o), index=0  b = "
     "s32[4] get-tuple-element(o), index=1  c = s32[4,4] broadcast(b), dimensions={0}  ROOT r = "
     "s32[4,4] add(a, c)"},
    {"constraint",
     "ENTRY x = s32[4,8] parameter(0)  n = s32[4,8] negate(x)  c = s32[4,8] custom-call(n), "
     "custom_call_target=\"Sharding\", sharding={devices=[1,4]<=[4]}  d = s32[4,8] add(c, x)  e = "
     "s32[4,8] custom-call(d), custom_call_target=\"Sharding\", sharding={devices=[2,1,2]<=[4] "
     "last_tile_dims={unreduced}}  ROOT r = s32[4,8] negate(e)"},
    {"loop",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) } "
     "cond { t = (s32[], s32[4,8], s32[8]) parameter(0)  i = s32[] get-tuple-element(t), index=0  "
     "n = s32[] constant(3)  ROOT p = pred[] compare(i, n), direction=LT } "
     "body { t = (s32[], s32[4,8], s32[8]) parameter(0)  i = s32[] get-tuple-element(t), index=0  "
     "one = s32[] constant(1)  j = s32[] add(i, one)  x = s32[4,8] get-tuple-element(t), index=1  "
     "y = s32[8] get-tuple-element(t), index=2  b = s32[4,8] broadcast(y), dimensions={1}  m = "
     "s32[4,8] add(x, b)  z = s32[] constant(0)  s = s32[8] reduce(m, z), dimensions={0}, "
     "to_apply=f  ROOT r = (s32[], s32[4,8], s32[8]) tuple(j, m, s) } "
     "ENTRY x = s32[4,8] parameter(0)  y = s32[8] parameter(1)  z = s32[] constant(0)  t = (s32[], "
     "s32[4,8], s32[8]) tuple(z, x, y)  w = (s32[], s32[4,8], s32[8]) while(t), condition=cond, "
     "body=body  ROOT r = s32[4,8] get-tuple-element(w), index=1"},
    {"branches",
     "yes { p = s32[4,8] parameter(0)  ROOT n = s32[4,8] negate(p) } no { q = s32[4,8] "
     "parameter(0)  ROOT r = s32[4,8] reverse(q), dimensions={0} } "
     "ENTRY x = s32[4,8] parameter(0)  i = s32[] parameter(1)  z = s32[] constant(0)  p = pred[] "
     "compare(i, z), direction=GT  ROOT c = s32[4,8] conditional(p, x, x), true_computation=yes, "
     "false_computation=no"},
    {"calls",
     "g { p = s32[4,8] parameter(0)  ROOT n = s32[8,4] transpose(p), dimensions={1,0} } ENTRY x = "
     "s32[4,8] parameter(0)  c = s32[8,4] call(x), to_apply=g  ROOT r = s32[8,4] negate(c)"},
    {"normalize",
     "f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) } "
     "ENTRY x = s32[4,8] parameter(0)  z = s32[] constant(0)  s = s32[4] reduce(x, z), "
     "dimensions={1}, to_apply=f  b = s32[4,8] broadcast(s), dimensions={0}  d = s32[4,8] "
     "subtract(x, b)  m = s32[4,8] multiply(d, d)  t = s32[8] reduce(m, z), dimensions={0}, "
     "to_apply=f  e = s32[4,8] broadcast(t), dimensions={1}  ROOT r = s32[4,8] add(d, e)"},
};

class PartitionTest : public testing::TestWithParam<Program> {
 protected:
  int Number(int below) { return static_cast<int>(random_() % below); }

  // Some way to divide an array into equal parts.
  HloSharding SomeSharding(const Shape& shape) {
    const HloSharding sharding = SomeShardingOf(shape.dimensions_size());
    for (int i = 0; i < shape.dimensions_size(); ++i) {
      if (sharding.IsTiled() && shape.dimensions(i) % sharding.tile_assignment().dim(i) != 0)
        return HloSharding::Replicate();
    }
    return sharding;
  }
  HloSharding SomeShardingOf(int64_t rank) {
    const int kind = rank == 0 ? 0 : Number(6);
    if (kind == 0) return HloSharding::Replicate();
    std::vector<int64_t> sizes(rank, 1);
    if (kind == 1 && rank > 1) {
      sizes[0] = sizes[1] = 2;
      std::shuffle(sizes.begin(), sizes.end(), random_);
      return HloSharding::Tile(TileAssignment(sizes, {2, 2}, SomeOrder()));
    }
    if (kind == 2) {
      sizes[Number(static_cast<int>(rank))] = 4;
      Array<int64_t> devices(sizes);
      devices.SetValues({3, 1, 0, 2});
      return HloSharding::Tile(devices);
    }
    if (kind == 3) {
      sizes[Number(static_cast<int>(rank))] = 4;
      return HloSharding::Tile(TileAssignment(sizes, {2, 2}, SomeOrder()));
    }
    sizes[Number(static_cast<int>(rank))] = 2;
    sizes.push_back(2);
    return HloSharding::PartialTile(TileAssignment(sizes, {2, 2}, SomeOrder()));
  }
  std::vector<int> SomeOrder() {
    return Number(2) == 0 ? std::vector<int>{0, 1} : std::vector<int>{1, 0};
  }

  Literal SomeArgument(const Shape& shape) {
    Literal literal(shape);
    EXPECT_OK(literal.Populate<int32_t>([&](absl::Span<const int64_t>) { return Number(9) - 4; }));
    return literal;
  }

  std::unique_ptr<HloModule> Parse(int64_t partitions) {
    const std::string text = GetParam().text;
    const size_t entry = text.find("ENTRY ");
    std::unique_ptr<HloModule> module =
        ParseAndReturnUnverifiedModule(absl::StrCat("HloModule m, num_partitions=", partitions,
                                                    "\n", text.substr(0, entry), "ENTRY e { ",
                                                    text.substr(entry + 6), " }"))
            .value();
    module->mutable_config().set_use_spmd_partitioning(partitions > 1);
    return module;
  }

  std::mt19937 random_{7};
};

Literal PartOf(const Literal& whole, const HloSharding& sharding, int64_t device) {
  if (!sharding.IsTiled()) return whole.Clone();
  return whole.Slice(sharding.TileOffsetForDevice(whole.shape(), device),
                     sharding.TileLimitForDevice(whole.shape(), device));
}

TEST_P(PartitionTest, PartsAreThoseOfTheWhole) {
  ExecutionBackend& backend = *FindBackend("interpreter").value();
  const std::unique_ptr<CompiledModule> whole = backend.Compile(Parse(1)).value();
  for (int trial = 0; trial < kTrials; ++trial) {
    std::unique_ptr<HloModule> module = Parse(kDevices);
    HloComputation& entry = *module->entry_computation();
    std::vector<Literal> arguments;
    std::vector<const Literal*> pointers;
    for (HloInstruction* parameter : entry.parameter_instructions()) {
      parameter->set_sharding(SomeSharding(parameter->shape()));
      arguments.push_back(SomeArgument(parameter->shape()));
    }
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    HloInstruction& root = *entry.root_instruction();
    if (Number(2) == 0) root.set_sharding(SomeSharding(root.shape()));
    SCOPED_TRACE(module->ToString());
    const Literal expected = whole->Run(pointers).value();
    ASSERT_TRUE(passes::Partition(*module).value());
    SCOPED_TRACE(module->ToString());
    const HloSharding output = module->spmd_output_sharding();
    std::vector<Literal> parts;
    for (int64_t device = 0; device < kDevices; ++device) {
      for (size_t i = 0; i < arguments.size(); ++i)
        parts.push_back(PartOf(arguments[i], module->spmd_parameters_shardings()[i], device));
    }
    std::vector<std::vector<const Literal*>> of_devices(kDevices);
    for (size_t i = 0; i < parts.size(); ++i) of_devices[i / arguments.size()].push_back(&parts[i]);
    auto divided = backend.Compile(std::move(module));
    ASSERT_OK(divided.status());
    const auto results = (*divided)->RunReplicated(of_devices, 1, kDevices);
    ASSERT_OK(results.status());
    for (int64_t device = 0; device < kDevices; ++device)
      ASSERT_EQ((*results)[device], PartOf(expected, output, device)) << "device " << device;
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, PartitionTest, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(PartitionPassTest, TheScheduleOfTheWholeIsNoneOfTheParts) {
  const std::unique_ptr<HloModule> module = ParseAndReturnUnverifiedModule(R"(
    HloModule m, is_scheduled=true, num_partitions=2
    ENTRY e {
      x = s32[4] parameter(0), sharding={devices=[2]<=[2]}
      ROOT r = s32[4] reverse(x), dimensions={0}, sharding={devices=[2]<=[2]}
    })")
                                                .value();
  module->mutable_config().set_use_spmd_partitioning(true);
  ASSERT_TRUE(passes::Partition(*module).value());
  EXPECT_OK(VerifyModule(*module));
}

}  // namespace
}  // namespace xla
