// Errors as handlers read them that are compiled with OpenXLA's definition of them.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "xla/ffi/api/c_api.h"
#include "xla/ffi/ffi_api.h"
#include "xla/ffi/ffi_interop.h"

namespace xla {
namespace {

// What an absl::Status of a newer abseil than that of Debian 12 points to.
struct ForeignRecord {
  int32_t owners;
  int32_t code;
  std::string message;
  void* payloads;
};
struct ForeignError {
  uintptr_t word;
};

XLA_FFI_Error* NewError() {
  XLA_FFI_Error_Create_Args args = {};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = "a message that is too long for the string itself";
  args.errc = XLA_FFI_Error_Code_NOT_FOUND;
  return ffi::GetXlaFfiApi()->XLA_FFI_Error_Create(&args);
}

TEST(FfiErrorTest, MayBeMovedOut) {
  // The error is deleted as another type, and what it pointed to belongs to whoever moved it out.
  std::unique_ptr<ForeignError> error(reinterpret_cast<ForeignError*>(NewError()));
  ASSERT_EQ(error->word & 1, 0u);
  const std::unique_ptr<ForeignRecord> record(reinterpret_cast<ForeignRecord*>(error->word));
  error.reset();
  EXPECT_EQ(record->owners, 1);
  EXPECT_EQ(record->code, XLA_FFI_Error_Code_NOT_FOUND);
  EXPECT_EQ(record->message, "a message that is too long for the string itself");
  EXPECT_EQ(record->payloads, nullptr);
}

TEST(FfiErrorTest, IsReadThroughTheTable) {
  XLA_FFI_Error* const error = NewError();
  XLA_FFI_Error_GetDetails_Args details = {};
  details.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
  details.error = error;
  ffi::GetXlaFfiApi()->XLA_FFI_Error_GetDetails(&details);
  EXPECT_STREQ(details.message, "a message that is too long for the string itself");
  EXPECT_EQ(details.errc, XLA_FFI_Error_Code_NOT_FOUND);
  const absl::Status status = ffi::TakeStatus(error);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "a message that is too long for the string itself");
}

TEST(FfiErrorTest, MayComeWithoutMessage) {
  const uintptr_t word = (XLA_FFI_Error_Code_ABORTED << 2) + 1;
  const absl::Status status =
      ffi::TakeStatus(reinterpret_cast<XLA_FFI_Error*>(new ForeignError{word}));
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(status.message(), "");
}

}  // namespace
}  // namespace xla
