// What text may leave out or say in another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

using testing::HasSubstr;

std::unique_ptr<HloModule> Parse(absl::string_view text,
                                 const HloParserOptions& options = HloParserOptions()) {
  auto module = ParseAndReturnUnverifiedModule(text, HloModuleConfig(), options);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::string RootText(absl::string_view text) {
  std::unique_ptr<HloModule> module = Parse(text);
  return module == nullptr ? "" : module->entry_computation()->root_instruction()->ToString();
}

TEST(ParserTest, HeaderMayBeMissing) {
  EXPECT_EQ(Parse("ENTRY e { x = f32[] parameter(0) }")->name(), "module_e");
  auto module = Parse("first { x = f32[] parameter(0) } second { y = s32[] parameter(0) }");
  EXPECT_EQ(module->entry_computation()->name(), "second");
  EXPECT_EQ(module->computation_count(), 2);
}

TEST(ParserTest, RootIsMarkedOrLast) {
  EXPECT_EQ(
      RootText("ENTRY e { x = f32[] parameter(0) ROOT y = f32[] negate(x) z = f32[] copy(x) }"),
      "%y = f32[] negate(%x)");
  EXPECT_EQ(RootText("ENTRY e { x = f32[] parameter(0) y = f32[] negate(x) }"),
            "%y = f32[] negate(%x)");
}

TEST(ParserTest, SingleInstructions) {
  EXPECT_EQ(RootText("f32[10] add(f32[10] x, f32[10] y)"), "%_ = f32[10]{0} add(%x, %y)");
  EXPECT_EQ(RootText("sum = f32[10] add(f32[10] x, f32[10] x)"), "%sum = f32[10]{0} add(%x, %x)");
  EXPECT_EQ(RootText("f32[10] add(f32[10], f32[10])"), "%_ = f32[10]{0} add(%_0, %_1)");
  EXPECT_EQ(
      RootText(
          "f32[] reduce(f32[10] x, f32[] y), dimensions={0}, to_apply={ a = f32[] parameter(0) b = "
          "f32[] parameter(1) ROOT m = f32[] maximum(a, b) }"),
      "%_ = f32[] reduce(%x, %y), dimensions={0}, to_apply=%_");
}

TEST(ParserTest, NestedInstructions) {
  auto module = Parse(
      "ENTRY e { x = f32[4] parameter(0) ROOT y = add(f32[4] negate(x), negate(negate(x))) }");
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->operand(0)->name(), "negate.anon");
  EXPECT_EQ(root->operand(1)->name(), "negate.anon.2");
  EXPECT_EQ(root->operand(1)->operand(0)->name(), "negate.anon.1");
}

TEST(ParserTest, ShapesAndCommasWithoutOperand) {
  for (absl::string_view operands :
       {"a, , b", "a, f32[2], b", "f32[], a, b,", ",f32[] a,,f32[] b"}) {
    auto module = Parse(absl::StrCat(
        "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(",
        operands, ") }"));
    EXPECT_EQ(module->entry_computation()->root_instruction()->ToString(),
              "%r = f32[] subtract(%a, %b)");
  }
}

TEST(ParserTest, ElementsOfATupleHaveTheOriginOfWhatWentIn) {
  auto module = Parse(R"(ENTRY e {
    a = f32[] parameter(0), origin={{"a"}}
    b = f32[] parameter(1)
    t = (f32[], f32[], f32[]) tuple(a, b, a)
    x = f32[] get-tuple-element(t), index=0
    y = f32[] get-tuple-element(t), index=1
    z = f32[] get-tuple-element(t), index=2, origin={{"z"}}
    ROOT r = (f32[], f32[], f32[]) tuple(x, y, z)
  })");
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_THAT(root->operand(0)->ToString(), HasSubstr("index=0, origin={{\"a\"}}"));
  EXPECT_EQ(root->operand(1)->original_value(), nullptr);
  EXPECT_THAT(root->operand(2)->ToString(), HasSubstr("index=2, origin={{\"z\"}}"));
}

TEST(ParserTest, TupleElements) {
  auto module = Parse(R"(ENTRY e {
    t = ((f32[2], s32[]), s32[]) parameter(0)
    ROOT r = (s32[], s32[], s32[]) tuple(%t#0#1, s32[] %t#1, %t#0#1)
  })");
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->operand(0), root->operand(2));
  EXPECT_EQ(root->operand(0)->name(), "t_0_1");
  EXPECT_EQ(root->operand(1)->tuple_index(), 1);
  EXPECT_EQ(module->instruction_count(), 5);
}

TEST(ParserTest, NamesBecomeUniqueInTheModule) {
  auto module = Parse(R"(
    f { x = f32[] parameter(0) ROOT n.1 = f32[] negate(x) }
    ENTRY e { x = f32[] parameter(0) n = f32[] copy(x) ROOT n.1 = f32[] call(n), to_apply=f })");
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->name(), "n.2");
  EXPECT_EQ(root->operand(0)->name(), "n");
  EXPECT_EQ(root->operand(0)->operand(0)->name(), "x.1");
}

TEST(ParserTest, ShapesAreInferred) {
  EXPECT_EQ(
      RootText(
          "ENTRY e { x = f32[2,3]{0,1} parameter(0) ROOT y = transpose(x), dimensions={1,0} }"),
      "%y = f32[3,2]{1,0} transpose(%x), dimensions={1,0}");
  EXPECT_EQ(RootText("ENTRY e { x = f32[2] parameter(0) ROOT y = tuple(x, x) }"),
            "%y = (f32[2]{0}, f32[2]{0}) tuple(%x, %x)");
}

TEST(ParserTest, LayoutsMayStayOpen) {
  HloParserOptions options;
  options.set_fill_missing_layouts(false);
  auto module = Parse("ENTRY e { x = f32[2,3] parameter(0) }", options);
  EXPECT_FALSE(module->entry_computation()->root_instruction()->shape().has_layout());
  module = Parse("HloModule m, entry_computation_layout={(f32[2,3])->f32[2,3]} "
                 "ENTRY e { x = f32[2,3]{0,1} parameter(0) }",
                 options);
  EXPECT_FALSE(module->entry_computation_layout().AnyLayoutSet());
  options.set_fill_missing_layouts(true).set_keep_module_auto_layouts(true);
  module = Parse(
      "HloModule m, entry_computation_layout={(f32[2,3])->f32[2,3]{0,1}} ENTRY e { x = f32[2,3] "
      "parameter(0) }",
      options);
  EXPECT_FALSE(module->entry_computation_layout().parameter_layout(0).LayoutIsSet());
  EXPECT_TRUE(module->entry_computation_layout().result_layout().LayoutIsSet());
}

TEST(ParserTest, AliasOfAWholeParameterInShort) {
  auto module = Parse(
      "HloModule m, input_output_alias={ {}: 0 } ENTRY e { p = f32[] parameter(0) ROOT r = f32[] "
      "negate(p) }");
  const auto alias = module->input_output_alias_config().GetAliasedParameter({});
  ASSERT_TRUE(alias.has_value());
  EXPECT_EQ(alias->parameter_number, 0);
  EXPECT_EQ(alias->parameter_index, ShapeIndex());
  EXPECT_FALSE(alias->must_alias());
}

TEST(ParserTest, HeaderSetsTheConfiguration) {
  auto module = Parse(R"(HloModule m, is_scheduled=true, replica_count=2, num_partitions=4,
      input_output_alias={ {}: (0, {}) }, buffer_donor={ (1, {}) }, frontend_attributes={a="b"},
      entry_computation_layout={(f32[2,2]{0,1}, f32[])->f32[2,2]{1,0}},
      allow_spmd_sharding_propagation_to_output=true
    ENTRY e { y = f32[] parameter(1) ROOT x = f32[2,2] parameter(0) })");
  EXPECT_TRUE(module->has_schedule());
  EXPECT_EQ(module->config().replica_count(), 2);
  EXPECT_EQ(module->config().num_partitions(), 4);
  EXPECT_TRUE(module->config().use_spmd_partitioning());
  EXPECT_TRUE(module->config().allow_spmd_sharding_propagation_to_output()[0]);
  EXPECT_TRUE(module->input_output_alias_config().OutputHasAlias({}));
  EXPECT_TRUE(module->buffer_donor_config().ParameterIsBufferDonor(1, {}));
  EXPECT_EQ(module->frontend_attributes().map().at("a"), "b");
  EXPECT_EQ(module->entry_computation_layout().parameter_layout(0).shape().layout(),
            Layout({0, 1}));
}

TEST(ParserTest, OldFormsAreRead) {
  EXPECT_EQ(
      RootText(
          "ENTRY e { x = f32[2] parameter(0) t = token[] after-all() ROOT o = () outfeed(x, t) }"),
      "%o = token[] outfeed(%x, %t), outfeed_shape=f32[2]{0}");
  EXPECT_EQ(RootText("ENTRY e { x = f32[] parameter(0) ROOT o = f32[2] broadcast(x) }"),
            "%o = f32[2]{0} broadcast(%x), dimensions={}");
}

TEST(ParserTest, RecoveryTablesHoldModules) {
  const absl::string_view text = R"(HloModule m, origin_recovery_table={
  {"old"} : {"new" {1}},
  "
    ENTRY r { x = f32[2] parameter(0), sharding={maximal device=0} }
  "
  {"other"}: {"one"}
}, debug_attributes={
  {"a"}:({log_mode=default,callback_id=1,partitioned=true,op_id=2}),
}
ENTRY e { x = f32[] parameter(0) })";
  auto module = Parse(text);
  ASSERT_EQ(module->original_value_recovery_table().entries_size(), 2);
  EXPECT_EQ(module->original_value_recovery_table().entries(0).recovery_module().name(),
            "module_r");
  ASSERT_EQ(module->debug_attributes().size(), 1);
  EXPECT_EQ(module->debug_attributes()[0].debug_attributes(0).op_id(), 2);
  const std::string printed = module->ToString(HloPrintOptions::Default());
  EXPECT_EQ(Parse(printed)->ToString(HloPrintOptions::Default()), printed);
}

TEST(ParserTest, CarriageReturnsEndComments) {
  EXPECT_EQ(RootText("HloModule m // a\r// b\rENTRY e { // c\r x = f32[] parameter(0) }"),
            "%x = f32[] parameter(0)");
}

TEST(ParserTest, AccuracyInCapitals) {
  EXPECT_THAT(RootText("f32[] exponential(f32[] x), result_accuracy={mode=HIGHEST}"),
              HasSubstr("result_accuracy={mode=highest}"));
}

TEST(ParserTest, ShortFormSpellsOutDefaults) {
  const HloPrintOptions short_form = HloPrintOptions::ShortParsable();
  EXPECT_THAT(Parse("(f32[2], s32[2]) topk(f32[4] x), k=2")->ToString(short_form),
              HasSubstr("k=2, largest=true, is_stable=true"));
  const absl::string_view broadcast = "f32[4] collective-broadcast(f32[4] x), replica_groups={{0}}";
  EXPECT_THAT(Parse(broadcast)->ToString(short_form), HasSubstr("has_dynamic_root=false"));
  EXPECT_EQ(RootText(broadcast), "%_ = f32[4]{0} collective-broadcast(%x), replica_groups={{0}}");
}

TEST(ParserTest, DebugAttributesSayWhatIsSet) {
  const auto module = Parse(
      "HloModule m, debug_attributes={ {\"x\"}:({callback_id=3}) }\nENTRY e { x = f32[] "
      "parameter(0) }");
  EXPECT_THAT(module->ToString(HloPrintOptions::Default()),
              HasSubstr(",\ndebug_attributes={\n  {\"x\"}:({callback_id=3})\n}\n\nENTRY"));
}

// What is printed is the same program, in the short form and in full, as text and as message.
void ExpectRoundTrips(const HloModule& module) {
  const HloPrintOptions plain =
      HloPrintOptions::Default().set_print_large_constants(true).set_syntax_sugar_async_ops(false);
  const std::string text = module.ToString(plain);
  EXPECT_EQ(Parse(text)->ToString(plain), text);
  const auto from_short_form =
      Parse(module.ToString(HloPrintOptions(plain).set_syntax_sugar_async_ops(true)));
  EXPECT_EQ(from_short_form->ToString(HloPrintOptions::Fingerprint()),
            module.ToString(HloPrintOptions::Fingerprint()));
  const auto from_message = HloModule::CreateFromProto(module.ToProto(), module.config());
  ASSERT_TRUE(from_message.ok()) << from_message.status();
  EXPECT_EQ((*from_message)->ToString(plain), text);
}

TEST(ParserTest, AsyncOperandsMayComeLater) {
  const auto module = Parse(R"(ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = ((), (), u32[]) subtract-start()
  b = ((f32[4]), (), u32[]) subtract-update(a, x)
  c = ((f32[4], f32[4]), (), u32[]) subtract-update(b, y)
  d = f32[4] subtract-done(c)
  s = ((f32[4]), ()) custom-call-start(d), custom_call_target="t"
  u = ((f32[4], f32[4]), f32[4]) custom-call-update(s, x)
  ROOT r = f32[4] custom-call-done(u)
})");
  const HloInstruction* done = module->entry_computation()->GetInstructionWithName("d");
  EXPECT_EQ(done->operand(0)->operand_count(), 2);
  for (const HloInstruction* end :
       std::vector<const HloInstruction*>{done, module->entry_computation()->root_instruction()}) {
    const HloInstruction& operation = *end->async_wrapped_instruction();
    EXPECT_EQ(operation.operand_count(), 2);
    EXPECT_EQ(operation.parent()->num_parameters(), 2);
    EXPECT_EQ(operation.shape().ToString(), "f32[4]");
    EXPECT_EQ(operation.operand(1)->shape().ToString(), "f32[4]");
  }
  EXPECT_THAT(module->ToString(HloPrintOptions::Default()), HasSubstr("subtract-update(%a, %x)"));
  ExpectRoundTrips(*module);
}

TEST(ParserTest, AsyncOperandsThatNeverCome) {
  const auto module = Parse(R"(ENTRY e {
  x = f32[4] parameter(0)
  s = ((), (), u32[]) call-start(), to_apply={
    a = f32[4] parameter(0)
    b = f32[4] parameter(1)
    ROOT c = f32[4] add(a, b)
  }
  u = ((f32[4]), (), u32[]) call-update(s, x)
  ROOT r = f32[4] call-done(u)
})");
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->async_wrapped_instruction()->operand_count(), 2);
  ExpectRoundTrips(*module);
}

TEST(ParserTest, AsyncStepsInOtherComputations) {
  const auto module = Parse(R"(HloModule m
f { a = f32[4] parameter(0)  ROOT b = f32[4] negate(a) }, execution_thread="t"
g {
  p = ((f32[4]), f32[4]) parameter(0)
  u = ((f32[4]), f32[4]) async-update(p), calls=f
  ROOT d = f32[4] async-done(u)
}
h { p = ((f32[4]), f32[4]) parameter(0)  ROOT d = f32[4] abs-done(p) }
ENTRY e {
  x = f32[4] parameter(0)
  s = ((f32[4]), f32[4]) async-start(x), async_execution_thread="t", calls=f
  y = f32[4] call(s), to_apply=g
  z = ((f32[4]), f32[4]) abs-start(y)
  ROOT r = f32[4] call(z), to_apply=h
})");
  const HloInstruction* done = module->GetComputationWithName("g")->root_instruction();
  EXPECT_EQ(done->async_execution_thread(), "t");
  EXPECT_EQ(module->GetComputationWithName("h")->root_instruction()->async_wrapped_opcode(),
            HloOpcode::kAbs);
  ExpectRoundTrips(*module);
}

}  // namespace
}  // namespace xla
