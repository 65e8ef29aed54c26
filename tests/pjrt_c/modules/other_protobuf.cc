// A library that brings protocol buffers of its own along and lets everybody see them, as some
// Python modules do. Nobody else may end up there.
#include <cstdlib>

namespace google::protobuf::internal {

struct DescriptorTable;
struct AddDescriptorsRunner {
  explicit AddDescriptorsRunner(const DescriptorTable* table);
};
AddDescriptorsRunner::AddDescriptorsRunner(const DescriptorTable*) { std::abort(); }

}  // namespace google::protobuf::internal
