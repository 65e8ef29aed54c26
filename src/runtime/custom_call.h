// Calling the targets of custom calls. Every back end that runs custom calls does it here.
#ifndef HILO_RUNTIME_CUSTOM_CALL_H_
#define HILO_RUNTIME_CUSTOM_CALL_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape_util.h"
#include "xla/xla.pb.h"

namespace xla::runtime {

// Whether custom calls may name functions that are not registered: any that the dynamic linker
// finds in the process. That is so when the module's debug options have xla_backend_extra_options
// {"hilo_custom_calls_from_process": "true"}.
bool MayCallAnyFunction(const DebugOptions& options);

// The function that CustomCallTargetRegistry has for the host or, with `from_process`, one of that
// name in the process. NotFound names the target.
absl::StatusOr<void*> FindCustomCallTarget(const std::string& target, bool from_process);

// Appends pointers to the arrays of a value, in order. The literal must outlive them and stay as it
// is.
void AddArrays(const LiteralBase& literal, std::vector<void*>& arrays);

// What a target gets for a value: a pointer to the elements of an array, or to a table of pointers
// for a tuple. The literal must outlive the object and stay as it is.
class DataPointers {
 public:
  explicit DataPointers(const LiteralBase& literal) : root_(Add(literal)) {}
  // A value of the shape whose arrays are `leaves`, in order.
  DataPointers(const Shape& shape, absl::Span<void* const> leaves) : root_(Add(shape, leaves)) {}
  DataPointers(DataPointers&&) = default;

  void* root() const { return root_; }

 private:
  void* Add(const LiteralBase& literal);
  // Takes the leaves of the shape from the front of the list.
  void* Add(const Shape& shape, absl::Span<void* const>& leaves);

  std::deque<std::vector<void*>> tables_;  // before root_, which may point into it
  void* root_;
};

struct CustomCallTarget {
  absl::string_view name;
  CustomCallApiVersion api_version = API_VERSION_ORIGINAL;
  absl::string_view opaque;
  void* function = nullptr;
};

// Calls the function. Internal with its message when it fails, Unimplemented for API versions that
// it cannot be called by.
absl::Status CallCustomCallTarget(const CustomCallTarget& target, void* out, const void** in);
// The same with literals.
absl::Status CallCustomCallTarget(const CustomCallTarget& target,
                                  absl::Span<const Literal> operands, Literal& result);

}  // namespace xla::runtime

#endif  // HILO_RUNTIME_CUSTOM_CALL_H_
