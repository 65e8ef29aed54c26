// Results as people read them.
#ifndef HILO_TOOLS_LITERAL_DISPLAY_H_
#define HILO_TOOLS_LITERAL_DISPLAY_H_

#include <string>

#include "xla/literal.h"

namespace xla {

// Shape and values on few lines; where a dimension has more than 10 elements only its first and last three are shown.
std::string ShortenedText(const Literal& literal);

// Shape and all values in one line, as literal files have them.
std::string WholeText(const Literal& literal);

}  // namespace xla

#endif  // HILO_TOOLS_LITERAL_DISPLAY_H_
