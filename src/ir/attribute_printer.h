// The text of an operation's own attributes.
#ifndef HILO_IR_ATTRIBUTE_PRINTER_H_
#define HILO_IR_ATTRIBUTE_PRINTER_H_

#include "ir/field.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/printer.h"

namespace xla {

// Appends `, name=value` for each field that the record has something to say about.
void PrintAttributes(Printer* printer, const Attributes& attributes,
                     const HloPrintOptions& options);

// The same for the few fields that stand behind the called computations.
void PrintAttributesAfterCallees(Printer* printer, const Attributes& attributes,
                                 const HloPrintOptions& options);

// The value alone, whether it is worth printing or not.
void PrintAttributeValue(Printer* printer, const Field& field, const Attributes& attributes);

}  // namespace xla

#endif  // HILO_IR_ATTRIBUTE_PRINTER_H_
