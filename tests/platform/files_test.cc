// Files, folders and paths as clients of tsl use them.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/cord.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tsl/platform/env.h"
#include "tsl/platform/path.h"
#include "xla/tsl/platform/test.h"
#include "xla/xla_data.pb.h"

namespace tsl {
namespace {

using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(env_.LocalTempFilename(&folder_));
    ASSERT_OK(env_.CreateDir(folder_));
  }
  void TearDown() override {
    int64_t files, folders;
    EXPECT_OK(env_.DeleteRecursively(folder_, &files, &folders));
  }
  std::string Below(const std::string& name) const { return io::JoinPath(folder_, name); }

  Env& env_ = *Env::Default();
  std::string folder_;
};

TEST_F(FilesTest, WhatIsWrittenIsRead) {
  const std::string path = Below("a.bin"), data("a\0b\n", 4);
  ASSERT_OK(WriteStringToFile(&env_, path, data));
  ASSERT_OK(AppendStringToFile(&env_, path, "more"));
  std::string read;
  ASSERT_OK(ReadFileToString(&env_, path, &read));
  EXPECT_EQ(read, data + "more");
  uint64_t size;
  ASSERT_OK(env_.GetFileSize(path, &size));
  EXPECT_EQ(size, 8);
  ASSERT_OK(WriteStringToFile(&env_, path, ""));
  ASSERT_OK(ReadFileToString(&env_, path, &read));
  EXPECT_EQ(read, "");
}

TEST_F(FilesTest, FilesOfUnknownSizeAreReadToTheirEnd) {
  std::string text;
  ASSERT_OK(ReadFileToString(&env_, "/proc/self/status", &text));
  EXPECT_THAT(text, HasSubstr("Threads"));
}

TEST_F(FilesTest, ErrorsHaveACodeAndNameThePath) {
  std::string text;
  EXPECT_THAT(ReadFileToString(&env_, Below("none"), &text),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(Below("none"))));
  EXPECT_THAT(ReadFileToString(&env_, folder_, &text), ::testing::Not(absl_testing::IsOk()));
  EXPECT_THAT(env_.FileExists(Below("none")), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(env_.CreateDir(folder_), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(env_.DeleteFile(Below("none")), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(WriteStringToFile(&env_, Below("none/a"), ""), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(WriteStringToFile(&env_, Below("a"), ""));
  EXPECT_THAT(env_.IsDirectory(Below("a")), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(env_.DeleteDir(folder_), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(FilesTest, ReadingAtAPlaceSaysWhereTheFileEnds) {
  ASSERT_OK(WriteStringToFile(&env_, Below("a"), "0123456789"));
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_OK(env_.NewRandomAccessFile(Below("a"), &file));
  char scratch[6];
  absl::string_view read;
  ASSERT_OK(file->Read(2, 6, &read, scratch));
  EXPECT_EQ(read, "234567");
  EXPECT_THAT(file->Read(7, read, absl::MakeSpan(scratch)),
              StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_EQ(read, "789");
}

TEST_F(FilesTest, WritersCountAndClose) {
  std::unique_ptr<WritableFile> file;
  ASSERT_OK(env_.NewWritableFile(Below("a"), &file));
  ASSERT_OK(file->Append("abc"));
  ASSERT_OK(file->Append(absl::Cord("de")));
  int64_t position;
  ASSERT_OK(file->Tell(&position));
  EXPECT_EQ(position, 5);
  ASSERT_OK(file->Sync());
  ASSERT_OK(file->Close());
  EXPECT_THAT(file->Append("f"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(FilesTest, FoldersListFindAndGo) {
  ASSERT_OK(env_.RecursivelyCreateDir(Below("x/y")));
  ASSERT_OK(env_.RecursivelyCreateDir(Below("x/y")));
  for (const char* name : {"x/1.txt", "x/2.txt", "x/y/3.txt", "x/y/.hidden.txt"})
    ASSERT_OK(WriteStringToFile(&env_, Below(name), name));
  std::vector<std::string> names;
  ASSERT_OK(env_.GetChildren(Below("x"), &names));
  EXPECT_THAT(names, UnorderedElementsAre("1.txt", "2.txt", "y"));
  ASSERT_OK(env_.GetMatchingPaths(Below("x/*.txt"), &names));
  EXPECT_THAT(names, ElementsAre(Below("x/1.txt"), Below("x/2.txt")));
  ASSERT_OK(env_.GetMatchingPaths(Below("*/?/[0-9].txt"), &names));
  EXPECT_THAT(names, ElementsAre(Below("x/y/3.txt")));
  ASSERT_OK(env_.GetMatchingPaths(Below("none/*"), &names));
  EXPECT_THAT(names, ElementsAre());
  ASSERT_OK(env_.CopyFile(Below("x/1.txt"), Below("copy")));
  ASSERT_OK(env_.RenameFile(Below("copy"), Below("x/2.txt")));
  std::string text;
  ASSERT_OK(ReadFileToString(&env_, Below("x/2.txt"), &text));
  EXPECT_EQ(text, "x/1.txt");
  std::vector<absl::Status> each;
  EXPECT_FALSE(env_.FilesExist({Below("x"), Below("copy")}, &each));
  EXPECT_TRUE(each[0].ok() && !each[1].ok());
  int64_t files, folders;
  ASSERT_OK(env_.DeleteRecursively(Below("x"), &files, &folders));
  EXPECT_THAT(env_.FileExists(Below("x")), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(FilesTest, MessagesAsBytesAndAsText) {
  xla::ShapeProto shape, read;
  shape.set_element_type(xla::F32);
  shape.add_dimensions(3);
  ASSERT_OK(WriteBinaryProto(&env_, Below("bytes"), shape));
  ASSERT_OK(WriteTextProto(&env_, Below("text"), shape));
  ASSERT_OK(ReadBinaryProto(&env_, Below("bytes"), &read));
  EXPECT_EQ(read.dimensions(0), 3);
  ASSERT_OK(ReadTextProto(&env_, Below("text"), &read));
  EXPECT_EQ(read.dimensions(0), 3);
  for (const char* name : {"bytes", "text"}) {
    ASSERT_OK(ReadTextOrBinaryProto(&env_, Below(name), &read));
    EXPECT_EQ(read.dimensions(0), 3);
  }
  EXPECT_THAT(ReadTextProto(&env_, Below("bytes"), &read),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("xla.ShapeProto")));
}

TEST(PathTest, JoinAndTakeApart) {
  EXPECT_EQ(io::JoinPath("/a", "/b", "", "c"), "/a/b/c");
  EXPECT_EQ(io::JoinPath("", "a/"), "a/");
  EXPECT_EQ(io::JoinPath(std::string("a/"), "b"), "a/b");
  EXPECT_EQ(io::Dirname("/a/b.tar.gz"), "/a");
  EXPECT_EQ(io::Basename("/a/b.tar.gz"), "b.tar.gz");
  EXPECT_EQ(io::BasenamePrefix("/a/b.tar.gz"), "b.tar");
  EXPECT_EQ(io::Extension("/a/b.tar.gz"), "gz");
  EXPECT_EQ(io::Extension("/a.d/b"), "");
  EXPECT_EQ(io::Dirname("/a"), "/");
  EXPECT_EQ(io::Dirname("a"), "");
  EXPECT_EQ(io::Dirname("gs://bucket/a"), "gs://bucket/");
  EXPECT_TRUE(io::IsAbsolutePath("/a"));
  EXPECT_FALSE(io::IsAbsolutePath("a/"));
}

TEST(PathTest, CleanAndCommon) {
  EXPECT_EQ(io::CleanPath("/a//./b/../c/"), "/a/c");
  EXPECT_EQ(io::CleanPath("../a/../../b"), "../../b");
  EXPECT_EQ(io::CleanPath("/.."), "/");
  EXPECT_EQ(io::CleanPath("a/.."), ".");
  EXPECT_EQ(io::CommonPathPrefix({"/a/bc/d", "/a/bd/e"}), "/a/");
  EXPECT_EQ(io::CommonPathPrefix({"a", "b"}), "");
}

TEST(PathTest, SchemesOfUris) {
  absl::string_view scheme, host, path;
  io::ParseURI("gs://bucket/a/b", &scheme, &host, &path);
  EXPECT_EQ(scheme, "gs");
  EXPECT_EQ(host, "bucket");
  EXPECT_EQ(path, "/a/b");
  EXPECT_EQ(io::CreateURI(scheme, host, path), "gs://bucket/a/b");
  io::ParseURI("/a://b", &scheme, &host, &path);
  EXPECT_EQ(scheme, "");
  EXPECT_EQ(path, "/a://b");
}

TEST(PathTest, FoldersOfTests) {
  setenv("TEST_UNDECLARED_OUTPUTS_DIR", "/out", 1);
  std::string path;
  EXPECT_TRUE(io::ResolveTestPrefixes("TEST_UNDECLARED_OUTPUTS_DIR/a", path));
  EXPECT_EQ(path, "/out/a");
  unsetenv("TEST_UNDECLARED_OUTPUTS_DIR");
  EXPECT_FALSE(io::GetTestUndeclaredOutputsDir(nullptr));
  EXPECT_FALSE(io::ResolveTestPrefixes("TEST_UNDECLARED_OUTPUTS_DIR/a", path));
}

}  // namespace
}  // namespace tsl
