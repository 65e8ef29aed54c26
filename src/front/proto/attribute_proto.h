// Attribute records to and from HloInstructionProto. Each field of a record says itself where its
// value lies in the message; here is one piece of code for each kind of value.
#ifndef HILO_FRONT_PROTO_ATTRIBUTE_PROTO_H_
#define HILO_FRONT_PROTO_ATTRIBUTE_PROTO_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/field.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace xla {

// Writes `attributes`, the record of `opcode`, to the fields of `proto` it belongs in.
void AttributesToProto(HloOpcode opcode, const Attributes& attributes, HloInstructionProto* proto);

// The inverse. Fields that are absent keep the value of a fresh record. InvalidArgument, naming the
// attribute, for values that are no value of the attribute: unknown enumerators, lists of the wrong
// length, bad shapes, literals, shardings or device lists.
absl::Status AttributesFromProto(const HloInstructionProto& proto, HloOpcode opcode,
                                 absl::Span<const Shape* const> operands,
                                 bool prohibit_empty_literal, Attributes& attributes);

}  // namespace xla

#endif  // HILO_FRONT_PROTO_ATTRIBUTE_PROTO_H_
