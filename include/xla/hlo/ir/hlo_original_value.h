// Which value of the original program an instruction computes: a tree of the instruction's shape
// with, at each leaf, the name of an original instruction and an index into its result.
#ifndef XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_
#define XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_

#include <string>

#include "absl/status/status.h"
#include "xla/printer.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

// What stands between the braces of origin={...}: {"add"}, {"t" {0,1}}, ({"a"}, {}),
// [synthetic_call].
void PrintOriginalValue(Printer* printer, const OriginalValueProto& original_value);
std::string OriginalValueToString(const OriginalValueProto& original_value);

// {"t" {0,1}}, or {} for an array without a name.
void PrintOriginalArray(Printer* printer, const OriginalArrayProto& original_array);

// InvalidArgument unless the elements are the leaves of a tree, depth first.
absl::Status ValidateOriginalValue(const OriginalValueProto& original_value);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_
