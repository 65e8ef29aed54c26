#include "xla/hlo/ir/stack_frames.h"

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;

absl::StatusOr<StackFrames> FromText(const std::string& text) {
  StackFrameIndexProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return StackFrames::FromProto(std::move(proto));
}

TEST(StackFramesTest, EqualFramesHaveOneId) {
  StackFrames frames;
  const StackFrameId outer = frames.AddStackFrame({"a.py", "main", 10, 4, 11, 9});
  const StackFrameId inner = frames.AddStackFrame({"a.py", "f", 3, 1, 3, 2, outer});
  EXPECT_EQ(outer.value, 1);
  EXPECT_EQ(inner.value, 2);
  EXPECT_EQ(frames.AddStackFrame({"a.py", "f", 3, 1, 3, 2, outer}), inner);
  EXPECT_EQ(frames.AddStackFrame({"a.py", "f", 3, 1, 3, 2}).value, 3);
  EXPECT_EQ(frames.size(), 3);
  EXPECT_EQ(frames.GetStackFrame(inner).function_name, "f");
  EXPECT_EQ(frames.GetStackFrame(inner).parent_frame_id, outer);
  for (const int32_t id : {0, 4, -1}) {
    EXPECT_FALSE(frames.IsValidId(StackFrameId{id}));
    EXPECT_TRUE(frames.GetStackFrame(StackFrameId{id}).empty());
  }
}

TEST(StackFramesTest, CallersOfCallers) {
  StackFrames frames;
  const StackFrameId a = frames.AddStackFrame({"a.py", "main", 10});
  const StackFrameId ab = frames.AddStackFrame({"b.py", "f", 3, 0, 0, 0, a});
  const StackFrameId c = frames.AddStackFrame({"c.py", "g", 7});
  EXPECT_TRUE(frames.IsPrefix(a, ab));
  EXPECT_TRUE(frames.IsPrefix(ab, ab));
  EXPECT_TRUE(frames.IsPrefix(StackFrameId(), ab));
  EXPECT_FALSE(frames.IsPrefix(ab, a));
  EXPECT_FALSE(frames.IsPrefix(c, ab));
  EXPECT_FALSE(frames.IsPrefix(a, StackFrameId()));

  const StackFrameId cab = frames.Concatenate(c, ab);
  EXPECT_EQ(frames.GetStackFrame(cab).file_name, "b.py");
  EXPECT_TRUE(frames.IsPrefix(c, cab));
  EXPECT_FALSE(frames.IsPrefix(a, cab));  // another frame of the same place
  EXPECT_EQ(frames.Concatenate(c, ab), cab);
  EXPECT_EQ(frames.Concatenate(c, StackFrameId()), c);
  EXPECT_EQ(frames.Concatenate(StackFrameId(), ab), ab);
  EXPECT_EQ(frames.size(), 5);
}

TEST(StackFramesTest, Text) {
  StackFrames frames;
  frames.AddStackFrame(
      {"b.py", "g", 1, 3, 2, 4, frames.AddStackFrame({"a.py", "main", 10, 4, 11, 9})});
  StringPrinter printer;
  frames.Print(&printer);
  EXPECT_EQ(std::move(printer).ToString(), R"(FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "main"
2 "g"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=11 column=4 end_column=9}
2 {file_name_id=2 function_name_id=2 line=1 end_line=2 column=3 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

)");
  StringPrinter empty;
  StackFrames().Print(&empty);
  EXPECT_EQ(std::move(empty).ToString(), "");
}

TEST(StackFramesTest, ProtoBothWays) {
  StackFrames frames;
  const StackFrameId inner =
      frames.AddStackFrame({"b.py", "g", 1, 2, 3, 4, frames.AddStackFrame({"a.py", "main", 10})});
  absl::StatusOr<StackFrames> read = StackFrames::FromProto(frames.proto());
  ASSERT_THAT(read, absl_testing::IsOk());
  EXPECT_EQ(*read, frames);
  // The tables by content are there too.
  EXPECT_EQ(read->AddStackFrame({"b.py", "g", 1, 2, 3, 4, StackFrameId{1}}), inner);
  EXPECT_EQ(*read, frames);
}

TEST(StackFramesTest, RefusesIdsOutsideOfTheTables) {
  const std::string tables =
      "file_names: 'a' function_names: 'f' file_locations { file_name_id: 1 function_name_id: 1 } ";
  EXPECT_OK(FromText(tables + "stack_frames { file_location_id: 1 }"));
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(FromText(tables + "stack_frames { file_location_id: 2 }"), refused);
  EXPECT_THAT(FromText(tables + "stack_frames { }"), refused);
  EXPECT_THAT(FromText(tables + "stack_frames { file_location_id: 1 parent_frame_id: -1 }"),
              refused);
  EXPECT_THAT(FromText(tables + "stack_frames { file_location_id: 1 parent_frame_id: 2 }"),
              refused);
  EXPECT_THAT(FromText("file_locations { file_name_id: 1 function_name_id: 1 }"), refused);
  // Names that stand twice.
  EXPECT_THAT(FromText("file_names: ['a', 'a']"), refused);
  EXPECT_THAT(FromText("function_names: ['f', 'f']"), refused);
  // Cycles.
  EXPECT_THAT(FromText(tables + "stack_frames { file_location_id: 1 parent_frame_id: 1 }"),
              refused);
  EXPECT_THAT(FromText(tables + "stack_frames { file_location_id: 1 parent_frame_id: 2 } "
                                "stack_frames { file_location_id: 1 parent_frame_id: 1 }"),
              refused);
}

TEST(StackFramesTest, CopyingBringsIntoCanonicalForm) {
  // Frame 1 is called by frame 2, which comes later; frame 3 is not used.
  const StackFrames old = FromText(R"(
      file_names: ["zz.py", "aa.py", "unused.py"] function_names: ["zf", "af", "uf"]
      file_locations { file_name_id: 1 function_name_id: 1 line: 9 }
      file_locations { file_name_id: 2 function_name_id: 2 line: 2 }
      file_locations { file_name_id: 3 function_name_id: 3 line: 3 }
      file_locations { file_name_id: 1 function_name_id: 2 line: 1 }
      stack_frames { file_location_id: 4 parent_frame_id: 2 }
      stack_frames { file_location_id: 1 }
      stack_frames { file_location_id: 3 }
      stack_frames { file_location_id: 2 }
      stack_frames { file_location_id: 1 parent_frame_id: 1 })")
                              .value();
  StackFrames frames;
  StackFrameCopier copier(old, &frames);
  EXPECT_EQ(copier.Copy(StackFrameId{4}).value, 1);
  EXPECT_EQ(copier.Copy(StackFrameId{5}).value, 4);
  EXPECT_EQ(copier.Copy(StackFrameId{1}).value, 3);
  EXPECT_EQ(copier.Copy(StackFrameId{2}).value, 2);
  EXPECT_EQ(copier.Copy(StackFrameId{0}).value, 0);
  EXPECT_EQ(copier.Copy(StackFrameId{99}).value, 0);
  EXPECT_EQ(frames.size(), 4);
  EXPECT_THAT(frames.proto().file_names(), testing::ElementsAre("aa.py", "zz.py"));
  EXPECT_THAT(frames.proto().function_names(), testing::ElementsAre("af", "zf"));
}

TEST(StackFramesTest, LongChains) {
  StackFrames old;
  StackFrameId id;
  for (int i = 0; i < 100000; ++i) id = old.AddStackFrame({"a.py", "f", i, 0, 0, 0, id});
  StackFrames frames;
  EXPECT_EQ(StackFrameCopier(old, &frames).Copy(id).value, 100000);
  EXPECT_OK(StackFrames::FromProto(old.proto()));
}

}  // namespace
}  // namespace xla
