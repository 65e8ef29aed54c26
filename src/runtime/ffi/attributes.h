// Attributes of custom calls: what a backend_config such as {mode = 83 : ui8, name = "x"} says.
#ifndef HILO_RUNTIME_FFI_ATTRIBUTES_H_
#define HILO_RUNTIME_FFI_ATTRIBUTES_H_

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/ffi/api/c_api.h"
#include "xla/xla_data.pb.h"

namespace xla::runtime {

// Elements of one type, as they lie in memory.
struct FfiScalar {
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  std::string bytes;
};
struct FfiArray {
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  int64_t size = 0;
  std::string bytes;
};

struct FfiAttribute;
using FfiAttributes = std::map<std::string, FfiAttribute>;

struct FfiAttribute {
  std::variant<FfiScalar, std::string, FfiArray, std::shared_ptr<const FfiAttributes>> value;
};

// Reads the text of an MLIR dictionary attribute; an empty text stands for no attributes. Values
// are integers, floats and booleans (true, 1 : i32, 0.5 : f32; without a type i64 and f64),
// strings, array<i64: 1, 2>, dense<[...]> : tensor<...>, lists [1, 2] of scalars of one type, and
// dictionaries. InvalidArgument says where the text is wrong, Unimplemented names other attributes.
absl::StatusOr<FfiAttributes> ParseFfiAttributes(absl::string_view text);

// Attributes in the form that handlers get them in. Does not move.
class FfiAttributeTable {
 public:
  explicit FfiAttributeTable(const FfiAttributes& attributes);
  FfiAttributeTable(const FfiAttributeTable&) = delete;

  const XLA_FFI_Attrs& attrs() const { return attrs_; }

 private:
  void* Add(const FfiAttribute& attribute);

  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<void*> values_;
  // What the pointers point to.
  std::deque<std::string> texts_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<XLA_FFI_Array> arrays_;
  std::list<FfiAttributeTable> dictionaries_;
  XLA_FFI_Attrs attrs_ = {};
};

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_FFI_ATTRIBUTES_H_
