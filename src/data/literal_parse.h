// Literals from text.
#ifndef HILO_DATA_LITERAL_PARSE_H_
#define HILO_DATA_LITERAL_PARSE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// Reads the values of a literal of the given shape from the front of `text` and removes them from
// it: a number for a scalar, braces as deep as the rank with as many elements as the dimensions
// say, "( a, b )" for tuples. Values are in row-major order whatever the layout. White space and
// comments may stand between tokens. After an error `text` begins where it was found.
absl::StatusOr<Literal> ParseLiteralValues(absl::string_view* text, const Shape& shape);

}  // namespace xla

#endif  // HILO_DATA_LITERAL_PARSE_H_
