// Types and attributes as StableHLO text.
#ifndef HILO_FRONT_STABLEHLO_PRINT_VALUES_H_
#define HILO_FRONT_STABLEHLO_PRINT_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "front/stablehlo/program.h"

namespace xla::stablehlo {

void AppendShape(const Shape& shape, std::string* out);
// A tuple as what will be its elements: !stablehlo.future<...>.
void AppendFuture(const Shape& tuple, std::string* out);
void AppendType(const Type& type, std::string* out);
void AppendElementType(PrimitiveType type, std::string* out);

// An attribute as text has it where nothing says what it is.
void AppendAttribute(const Attribute& attribute, std::string* out);
// {a = 1 : i32, b}
void AppendDictionary(const NamedAttributes& entries, std::string* out);
// dense<[1, 0]> : tensor<2xi64>; index instead of i64 on request.
void AppendDense(const TensorAttribute& tensor, bool is_index, std::string* out);
// #sdy.sharding<...> and #sdy.mesh<...> behind their names, so with <...> only.
void AppendShardingBody(const TensorShardingAttribute& sharding, std::string* out);
void AppendMeshBody(const MeshAttribute& mesh, std::string* out);
// A string in quotation marks.
void AppendQuoted(absl::string_view text, std::string* out);
// @name
void AppendSymbol(absl::string_view name, std::string* out);
// A name of an attribute, in quotation marks where necessary.
void AppendKey(absl::string_view name, std::string* out);

// The elements of a list of integers or predicates. Empty for other attributes and for null.
std::vector<int64_t> IntegersOf(const Attribute* attribute);

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_PRINT_VALUES_H_
