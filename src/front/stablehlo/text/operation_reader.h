// Reads operations of MLIR text and the regions in them.
#ifndef HILO_FRONT_STABLEHLO_TEXT_OPERATION_READER_H_
#define HILO_FRONT_STABLEHLO_TEXT_OPERATION_READER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "front/stablehlo/program.h"
#include "front/stablehlo/text/attribute_reader.h"
#include "front/stablehlo/text/op_syntax.h"

namespace xla::stablehlo {

class OperationReader : public AttributeReader {
 public:
  // `resources` is the end of the text, where the values of dense_resource may be.
  OperationReader(absl::string_view text, absl::string_view resources, Program* program)
      : AttributeReader(text, program), line_begin_(text.data()) {
    if (ReadResources(resources)) end_ = resources.data();
  }

  // The whole text: one module, or what stands in one.
  bool ReadText();

 private:
  // An operation that is being read.
  struct Draft {
    Operation* operation;
    const OpSyntax* syntax;
    const char* place;           // where the name stands
    NamedAttributes attributes;  // defined by the operation or not
    std::vector<const Shape*> results;
  };
  struct ResultNames {
    absl::string_view name;
    int64_t count;
    const char* place;
  };
  struct Values {
    ValueId first;
    int64_t count;
  };
  struct Parameter {
    absl::string_view name;  // empty where it has none
    const Shape* shape;
    const char* place;
  };

  // ---- Names of values, which regions hide when they end.
  // Held while a region is read. Isolated ones do not see the names outside.
  class Scope {
   public:
    Scope(OperationReader* reader, bool is_isolated);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    OperationReader* reader_;
    bool is_isolated_;
    absl::flat_hash_map<absl::string_view, Values> outer_;
    std::vector<absl::string_view> outer_defined_;
  };
  bool Define(absl::string_view name, Values values, const char* place);
  // %x, %x#1
  bool ReadOperand(Draft& draft);
  bool ReadOperands(Draft& draft);
  bool CheckOperandTypes(const Draft& draft, const std::vector<const Shape*>& types,
                         const char* place);

  // ---- Operations
  bool ReadOperation(Region* region);
  bool ReadResultNames(std::vector<ResultNames>* names);
  bool DefineResults(const std::vector<ResultNames>& names, Draft& draft);
  bool StartOperation(absl::string_view name, const char* place, Draft* draft);
  bool ReadGeneric(Draft& draft);
  bool ReadPretty(Draft& draft);
  bool ReadForm(Draft& draft, absl::string_view form);
  bool IsPresent(absl::string_view word, absl::string_view next_word) const;
  bool ReadWord(absl::string_view word);
  // : types -> types
  bool ReadTypeSuffix(Draft& draft);
  bool ReadOptionalDictionary(Draft& draft);
  // The value of an attribute in a pretty form, by kind: several attributes for some kinds.
  bool ReadValue(absl::string_view name, absl::string_view kind, Draft& draft);
  bool ReadRanges(Draft& draft);
  bool ReadFloatFormat(Draft& draft);
  bool ReadWindow(Draft& draft);
  bool ReadKeywords(absl::string_view name, Draft& draft);

  // ---- Regions
  bool ReadRegion(Draft& draft);
  // `parameters` are named before the region, or in it by ^bb0(...).
  bool ReadRegionWith(const std::vector<Parameter>& parameters, Draft& draft);
  bool ReadParameters(std::vector<Parameter>* parameters);
  bool ReadBlock(Region* region);
  bool AddParameters(const std::vector<Parameter>& parameters, Region* region);

  // ---- Operations with a form of their own
  bool ReadOwnForm(Draft& draft);
  bool ReadReduce(Draft& draft);
  bool AddReducer(Draft& draft, const Token& reducer);
  bool ReadWhile(Draft& draft);
  bool ReadScan(Draft& draft);
  bool ReadBarrier(Draft& draft);
  bool ReadModule(Draft& draft);
  bool ReadFunction(Draft& draft);
  bool ReadSignature(Draft& draft, std::vector<Parameter>* parameters);
  bool ReadTypeWithAttributes(std::vector<const Type*>* types,
                              std::vector<const Attribute*>* attributes);
  bool ReadCast(Draft& draft);
  bool ReadManualComputation(Draft& draft);
  bool ReadNamedComputation(Draft& draft);

  // ---- Attributes as the operation has them
  bool FinishAttributes(Draft& draft);
  bool Splice(absl::string_view name, Draft& draft);
  const Attribute* DefaultValue(absl::string_view value, const Operation& operation);
  const Attribute* Normalized(const NamedAttribute& entry);

  void SetSourcePlace(const char* place, Operation* operation);

  absl::flat_hash_map<absl::string_view, Values> names_;
  std::vector<absl::string_view> defined_;  // in order
  // The line of the last operation.
  int64_t line_ = 1;
  const char* line_begin_;
  const char* end_ = nullptr;  // where resources begin, if there are any
};

}  // namespace xla::stablehlo

#endif  // HILO_FRONT_STABLEHLO_TEXT_OPERATION_READER_H_
