// Where HloElementTypeConverter was before.
#ifndef XLA_SERVICE_HLO_ELEMENT_TYPE_CONVERTER_H_
#define XLA_SERVICE_HLO_ELEMENT_TYPE_CONVERTER_H_

#include "xla/hlo/transforms/simplifiers/hlo_element_type_converter.h"  // IWYU pragma: export

#endif  // XLA_SERVICE_HLO_ELEMENT_TYPE_CONVERTER_H_
