// Which attributes of operations say no more than their absence.
#ifndef HILO_FRONT_STABLEHLO_DEFAULTS_H_
#define HILO_FRONT_STABLEHLO_DEFAULTS_H_

#include "absl/strings/string_view.h"
#include "front/stablehlo/program.h"

namespace xla::stablehlo {

// True if `attribute` is the default of the attribute `name`, or says that there is none. Readers
// leave it out; StableHLO text may, while VHLO writes all attributes.
bool IsAbsent(absl::string_view name, const Attribute& attribute);

// Lists have their elements one by one; few bytes that mean thousands are no list. Only constants
// may be so.
bool IsLongSplat(const Attribute& attribute);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_DEFAULTS_H_
