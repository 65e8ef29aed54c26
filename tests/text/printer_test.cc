// The options of printing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/text/modules.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

using testing::HasSubstr;
using testing::Not;
using Mode = HloPrintOptions::PrintSubcomputationMode;

constexpr absl::string_view kText = R"(HloModule m

f {
  a.1 = f32[] parameter(0)
  b.2 = f32[] parameter(1)
  ROOT s.3 = f32[] add(a.1, b.2)
}

ENTRY e {
  x.4 = f32[20] parameter(0)
  zero.5 = f32[] constant(0)
  big.6 = f32[12] constant({1,2,3,4,5,6,7,8,9,10,11,12})
  six.7 = (f32[20], f32[20], f32[20], f32[20], f32[20], f32[20]) tuple(x.4, x.4, x.4, x.4, x.4, x.4)
  part.8 = f32[20] get-tuple-element(six.7), index=2
  ROOT r.9 = f32[] reduce(part.8, zero.5), dimensions={0}, to_apply=f, metadata={op_type="t" op_name="n"}, backend_config={"b": 1, "a": {"d":2,"c":3}}
})";

class PrinterTest : public testing::Test {
 protected:
  PrinterTest() : module_(ParseAndReturnUnverifiedModule(kText).value()) {}
  const HloInstruction* root() const { return module_->entry_computation()->root_instruction(); }
  std::string Root(const HloPrintOptions& options) const { return root()->ToString(options); }
  std::string Tuple(const HloPrintOptions& options) const {
    return root()->operand(0)->operand(0)->ToString(options);
  }
  static HloPrintOptions Options() { return HloPrintOptions::Default(); }

  std::unique_ptr<HloModule> module_;
};

TEST_F(PrinterTest, Instruction) {
  EXPECT_EQ(root()->ToString(),
            "%r.9 = f32[] reduce(%part.8, %zero.5), dimensions={0}, to_apply=%f, "
            "metadata={op_type=\"t\" op_name=\"n\"}, backend_config={\"b\": 1, \"a\": "
            "{\"d\":2,\"c\":3}}");
  EXPECT_EQ(root()->ToShortString(), "%r.9 = reduce(%part.8, %zero.5)");
  EXPECT_EQ(Root(HloPrintOptions::Canonical()),
            "f32[] reduce(f32[20]{0}, f32[]), dimensions={0}, to_apply=\n{\n  tmp_0 = f32[] "
            "parameter(0)\n"
            "  tmp_1 = f32[] parameter(1)\n  ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)\n}");
}

TEST_F(PrinterTest, Switches) {
  EXPECT_THAT(Root(Options().set_print_metadata(false)), Not(HasSubstr("metadata")));
  EXPECT_THAT(Root(Options().set_print_metadata_only_op_name(true)),
              HasSubstr("metadata={op_name=\"n\"}"));
  EXPECT_THAT(Root(Options().set_print_backend_config(false)), Not(HasSubstr("backend_config")));
  EXPECT_THAT(Root(Options().set_sort_backend_config(true)),
              HasSubstr(R"({"a":{"c":3,"d":2},"b":1})"));
  EXPECT_THAT(Root(Options().set_print_percent(false)),
              HasSubstr("r.9 = f32[] reduce(part.8, zero.5)"));
  EXPECT_THAT(Root(Options().set_print_ids(false)), HasSubstr("%r = f32[] reduce(%part, %zero)"));
  EXPECT_THAT(Root(Options().set_print_operand_shape(true)),
              HasSubstr("reduce(f32[20]{0} %part.8, f32[] %zero.5)"));
  EXPECT_THAT(Root(Options().set_include_layout_in_shapes(false).set_print_operand_shape(true)),
              HasSubstr("f32[20] %part.8"));
  EXPECT_THAT(Root(Options().set_print_operand_names(false)), HasSubstr("reduce(, )"));
  EXPECT_THAT(Root(Options().set_print_result_shape(false)), HasSubstr("%r.9 = reduce("));
  EXPECT_THAT(Root(Options().set_print_subcomputation_mode(Mode::kOff)),
              Not(HasSubstr("to_apply")));
  EXPECT_THAT(Root(Options().set_print_extra_attributes(false)), Not(HasSubstr("dimensions")));
  EXPECT_THAT(Root(Options().set_compact_gte(true)), HasSubstr("reduce(%six.7#2, %zero.5)"));
  EXPECT_THAT(Tuple(Options()), HasSubstr("%x.4, /*index=5*/%x.4)"));
  EXPECT_THAT(Tuple(Options().set_print_operand_index_annotation_interval(2)),
              HasSubstr("%x.4, /*index=2*/%x.4"));
  EXPECT_THAT(Tuple(Options().set_compact_operands(true)),
              HasSubstr("tuple(%x.4, %x.4, %x.4, %x.4, ...(+2))"));
}

TEST_F(PrinterTest, Constants) {
  const HloInstruction* big = module_->entry_computation()->GetInstructionWithName("big.6");
  EXPECT_EQ(big->ToString(), "%big.6 = f32[12]{0} constant({...})");
  EXPECT_THAT(big->ToString(Options().set_print_large_constants(true)), HasSubstr("{1, 2, 3, "));
  EXPECT_THAT(big->ToString(Options().set_print_only_essential_constants(true)),
              HasSubstr("constant({...})"));
  EXPECT_THAT(root()->operand(1)->ToString(Options().set_print_only_essential_constants(true)),
              HasSubstr("constant(0)"));
}

TEST_F(PrinterTest, Computation) {
  EXPECT_EQ(root()->to_apply()->ToString(),
            "%f (a.1: f32[], b.2: f32[]) -> f32[] {\n  %a.1 = f32[] parameter(0)\n"
            "  %b.2 = f32[] parameter(1)\n  ROOT %s.3 = f32[] add(%a.1, %b.2)\n}");
  EXPECT_EQ(root()
                ->to_apply()
                ->ToString(Options().set_print_program_shape(false).set_indent_amount(1))
                .substr(0, 8),
            "  %f {\n ");
  EXPECT_THAT(
      module_->entry_computation()->ToString(Options().set_print_name_after_closing_brace(true)),
      HasSubstr("} // e"));
}

TEST_F(PrinterTest, ModuleFollowsDebugOptions) {
  DebugOptions& debug = module_->mutable_config().mutable_debug_options();
  debug.set_xla_dump_hlo_as_long_text(false);
  EXPECT_THAT(module_->ToString(), HasSubstr("ENTRY e {\n"));
  debug.set_xla_dump_hlo_as_long_text(true);
  debug.set_xla_dump_large_constants(true);
  debug.set_xla_dump_disable_metadata(true);
  EXPECT_THAT(module_->ToString(), HasSubstr("ENTRY %e (x.4: f32[20]) -> f32[] {\n"));
  EXPECT_THAT(module_->ToString(), HasSubstr("{1, 2, 3, "));
  EXPECT_THAT(module_->ToString(), Not(HasSubstr("metadata")));
}

TEST(StackFramesTest, MayStandInTheInstruction) {
  const std::string text = absl::StrCat(R"(HloModule m

FileNames
1 "model.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=4 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY e { x = f32[] parameter(0), metadata={op_name="x" stack_frame_id=1} })");
  const auto module = ParseAndReturnUnverifiedModule(text).value();
  EXPECT_THAT(module->ToString(HloPrintOptions::Default()),
              HasSubstr("StackFrames\n1 {file_location_id=1"));
  const std::string inlined =
      module->ToString(HloPrintOptions::Default().set_print_inline_stack_frames(true));
  EXPECT_THAT(inlined, Not(HasSubstr("StackFrames")));
  EXPECT_THAT(inlined, HasSubstr("metadata={op_name=\"x\" source_file=\"model.py\" source_line=3"));
}

TEST_F(PrinterTest, FingerprintIgnoresNames) {
  const std::string fingerprint = module_->GetFingerprint128();
  EXPECT_EQ(fingerprint.size(), 32);
  const auto of = [](absl::string_view text) {
    return ParseAndReturnUnverifiedModule(text).value()->GetFingerprint128();
  };
  const absl::string_view add =
      "HloModule a ENTRY e { x = f32[] parameter(0) ROOT r = f32[] add(x, x) }";
  EXPECT_EQ(of(add),
            of("HloModule b ENTRY f { y = f32[] parameter(0) ROOT s.7 = f32[] add(y, y) }"));
  EXPECT_NE(of(add),
            of("HloModule a ENTRY e { x = f32[] parameter(0) ROOT r = f32[] subtract(x, x) }"));
  EXPECT_NE(of(add), of("HloModule a ENTRY e { x = f64[] parameter(0) ROOT r = f64[] add(x, x) }"));
}

// Each computation is printed once, however often it is called.
TEST(CanonicalTextTest, EachBodyBeginsOnALineOfItsOwn) {
  constexpr char kText[] =
      R"(f32[2]{0} conditional(s32[], f32[2]{0}, f32[2]{0}), branch_computations={
{
  tmp_0 = f32[2]{0} parameter(0)
  ROOT tmp_1 = f32[2]{0} negate(f32[2]{0} tmp_0)
},
{
  tmp_0 = f32[2]{0} parameter(0)
  ROOT tmp_1 = f32[2]{0} abs(f32[2]{0} tmp_0)
}
})";
  const auto module = ParseAndReturnUnverifiedModule(kText);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry_computation()->root_instruction()->ToString(
                HloPrintOptions::Canonical()),
            kText);
}

TEST(FingerprintTest, TakesLinearTime) {
  std::string text = "HloModule m\nlevel_0 { x = f32[] parameter(0) ROOT n = f32[] negate(x) }\n";
  for (int i = 1; i < 200; ++i) {
    absl::StrAppend(&text, "level_", i,
                    " { x = f32[] parameter(0) a = f32[] call(x), to_apply=level_", i - 1,
                    " ROOT b = f32[] call(a), to_apply=level_", i - 1, " }\n");
  }
  EXPECT_EQ(ParseAndReturnUnverifiedModule(text).value()->GetFingerprint128().size(), 32);
}

// What stands on any of the instructions, the operation has, too; the last one counts.
TEST_F(PrinterTest, AnnotationsOfAsynchronousOperations) {
  constexpr absl::string_view kText =
      R"(HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY %e (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %s = ((f32[4]{0}), f32[4]{0}, s32[]) negate-start(%x), metadata={op_name="s"}, backend_config="s"
  %u = ((f32[4]{0}), f32[4]{0}, s32[]) negate-update(%s), statistics={visualizing_index=0,u=1}
  ROOT %d = f32[4]{0} negate-done(%u), metadata={op_name="d"}
}

)";
  auto module = ParseAndReturnUnverifiedModule(kText);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->ToString(HloPrintOptions::Default()), std::string(kText));
  HloInstruction* operation = (*module)
                                  ->entry_computation()
                                  ->root_instruction()
                                  ->called_computations()[0]
                                  ->root_instruction();
  EXPECT_EQ(operation->metadata().op_name(), "d");
  EXPECT_EQ(operation->raw_backend_config_string(), "s");
  EXPECT_EQ(operation->statistics_viz().statistics_size(), 1);
  // Where the operation differs, its computation is printed.
  operation->set_raw_backend_config_string("own");
  EXPECT_THAT((*module)->ToString(HloPrintOptions::Default()),
              AllOf(HasSubstr("async-start(%x)"), HasSubstr("backend_config=\"own\"")));
}

}  // namespace
}  // namespace xla
