// Attributes of a program from plain values.
#ifndef HILO_FRONT_STABLEHLO_FROM_HLO_ATTRIBUTE_MAKER_H_
#define HILO_FRONT_STABLEHLO_FROM_HLO_ATTRIBUTE_MAKER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "front/stablehlo/program.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::stablehlo {

class AttributeMaker {
 public:
  // `program` must outlive the maker.
  explicit AttributeMaker(Program& program) : program_(program) {}

  const Attribute* Unit() { return program_.Add(Attribute{UnitAttribute()}); }
  const Attribute* Bool(bool value) { return program_.Add(Attribute{value}); }
  const Attribute* Integer(int64_t value, PrimitiveType type = S64) {
    return program_.Add(Attribute{IntegerAttribute{type, value}});
  }
  const Attribute* Float(double value, PrimitiveType type) {
    return program_.Add(Attribute{FloatAttribute{type, value}});
  }
  const Attribute* String(std::string text) {
    return program_.Add(Attribute{StringAttribute{program_.Keep(std::move(text))}});
  }
  const Attribute* Symbol(std::string name) {
    return program_.Add(Attribute{SymbolAttribute{program_.Keep(std::move(name))}});
  }
  const Attribute* Keyword(std::string name) {
    return program_.Add(Attribute{KeywordAttribute{program_.Keep(std::move(name))}});
  }
  // An element type.
  template <typename ElementType>
  const Attribute* TypeOf(ElementType type) {
    return program_.Add(Attribute{TypeAttribute{program_.Add(Type{type})}});
  }
  const Attribute* Array(std::vector<const Attribute*> elements) {
    return program_.Add(Attribute{ArrayAttribute{std::move(elements)}});
  }
  const Attribute* Dictionary(NamedAttributes entries) {
    return program_.Add(Attribute{DictionaryAttribute{std::move(entries)}});
  }
  // A list of integers.
  const Attribute* Integers(absl::Span<const int64_t> values);
  // Rows of equal length.
  const Attribute* Rows(absl::Span<const std::vector<int64_t>> rows, int64_t columns);
  const Attribute* Pairs(absl::Span<const std::pair<int64_t, int64_t>> pairs);
  const Attribute* Predicates(const std::vector<bool>& values);
  // The elements of an array in row-major order.
  const Attribute* Tensor(const LiteralSlice& array);

 private:
  const Attribute* Tensor(PrimitiveType type, absl::Span<const int64_t> dimensions,
                          const void* data, size_t size);

  Program& program_;
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_FROM_HLO_ATTRIBUTE_MAKER_H_
