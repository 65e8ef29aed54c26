// The state of lowering: a program on its way to a module, and the computation that is being made.
#ifndef HILO_FRONT_STABLEHLO_LOWER_LOWERING_H_
#define HILO_FRONT_STABLEHLO_LOWER_LOWERING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "front/stablehlo/lower/metadata.h"
#include "front/stablehlo/program.h"
#include "ir/records.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::stablehlo::lowering {

class Body;

// How deeply regions and calls of functions may nest.
inline constexpr int kMostNesting = 400;

// A program on its way to a module.
class Lowering {
 public:
  explicit Lowering(const Program& program);

  absl::StatusOr<std::unique_ptr<HloModule>> Run();

  const Program& program() const { return program_; }
  HloModule& module() { return *module_; }
  Metadata& metadata() { return metadata_; }

  // The type of a value with default layouts.
  absl::StatusOr<const Shape*> ShapeOf(ValueId value);
  // What defines the value: null for arguments of functions and regions.
  const Operation* DefinitionOf(ValueId value) const { return definitions_[value]; }
  // An operation of the module itself, such as a function or a mesh; null where there is none.
  const Operation* Symbol(absl::string_view name) const;
  // The computation of a function, which is lowered when it is first asked for.
  absl::StatusOr<HloComputation*> Function(absl::string_view name);
  // A computation made by the library of the builder. It is made once for each key.
  absl::StatusOr<HloComputation*> Library(const std::string& key,
                                          absl::FunctionRef<absl::StatusOr<XlaComputation>()> make);

  // The axes of manual computations around what is being lowered.
  absl::Span<const absl::string_view> manual_axes() const { return manual_axes_; }

  const ProgramShape& ProgramShapeOf(const HloComputation& computation);

  // Values that `regions` use but do not define, in the order of their first use.
  std::vector<ValueId> FreeValues(absl::Span<const Region* const> regions);

 private:
  friend class Body;
  friend class ManualAxes;

  // What a value is at the moment, and in which computation.
  struct Binding {
    HloInstruction* instruction = nullptr;
    int64_t body = 0;
  };

  absl::Status Index();
  absl::StatusOr<HloComputation*> LowerFunction(const Operation& function, bool is_entry);
  absl::StatusOr<HloInstruction*> AddEntryResults(Body& body, const Operation& function,
                                                  absl::Span<HloInstruction* const> results);
  absl::Status FinishEntry(const Operation& main);

  const Program& program_;
  std::unique_ptr<HloModule> module_;
  Metadata metadata_;
  absl::flat_hash_map<absl::string_view, const Operation*> symbols_;
  absl::flat_hash_map<const Operation*, HloComputation*> functions_;  // null while it is lowered
  absl::flat_hash_map<std::string, HloComputation*> library_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<ProgramShape>> program_shapes_;
  // By pointers, since callers hold on to what they are given.
  absl::flat_hash_map<const Shape*, std::unique_ptr<Shape>> shapes_;
  std::vector<const Operation*> definitions_;
  std::vector<Binding> bindings_;
  std::vector<int64_t> marks_;  // of FreeValues
  int64_t last_mark_ = 0;
  int64_t last_body_ = 0;
  int depth_ = 0;
  int64_t region_count_ = 0;
  std::vector<absl::string_view> manual_axes_;
};

// A computation in the making.
class Body {
 public:
  Body(Lowering& lowering, absl::string_view name);

  Lowering& lowering() { return lowering_; }

  // Lowers one operation after the other up to the one that ends the region, which is given back.
  absl::StatusOr<const Operation*> LowerAll(const Region& region);
  absl::Status LowerOne(const Operation& op);

  // The instruction that computes a value.
  absl::StatusOr<HloInstruction*> Value(ValueId value);
  absl::StatusOr<std::vector<HloInstruction*>> Values(absl::Span<const ValueId> values);
  absl::StatusOr<HloInstruction*> Operand(const Operation& op, int64_t number);
  absl::StatusOr<std::vector<HloInstruction*>> Operands(const Operation& op) {
    return Values(op.operands);
  }
  void Bind(ValueId value, HloInstruction* instruction);

  // A new instruction of the operation that is being lowered, held against the rules of its own.
  absl::StatusOr<HloInstruction*> Add(HloOpcode opcode, const Shape& shape,
                                      absl::Span<HloInstruction* const> operands,
                                      std::unique_ptr<Attributes> attributes = nullptr,
                                      absl::Span<HloComputation* const> callees = {});
  absl::StatusOr<HloInstruction*> AddParameter(const Shape& shape, absl::string_view name,
                                               const Location* location);
  absl::StatusOr<HloInstruction*> AddConstant(Literal literal);
  absl::StatusOr<HloInstruction*> AddTuple(absl::Span<HloInstruction* const> elements);
  absl::StatusOr<HloInstruction*> AddElement(HloInstruction* tuple, int64_t index);
  absl::StatusOr<HloInstruction*> AddReshape(HloInstruction* operand, const Shape& shape);
  // The operand itself where there is one, else a tuple.
  absl::StatusOr<HloInstruction*> AddTupleUnlessOne(absl::Span<HloInstruction* const> elements);

  // The shape of one result, or the tuple of all where there is not exactly one.
  absl::StatusOr<Shape> ResultShape(const Operation& op);
  absl::StatusOr<const Shape*> ResultShape(const Operation& op, int64_t number);
  // What the operation gives: one value, or the elements of a tuple.
  absl::Status Define(const Operation& op, HloInstruction* result);
  // Adds an instruction with the shape of the results and defines them.
  absl::Status Emit(const Operation& op, HloOpcode opcode,
                    absl::Span<HloInstruction* const> operands,
                    std::unique_ptr<Attributes> attributes = nullptr,
                    absl::Span<HloComputation* const> callees = {});

  // A computation whose parameters are the arguments of the region, as reductions and the like
  // apply. Of what is defined outside of it, it may use what depends on constants alone.
  absl::StatusOr<HloComputation*> Applied(const Region& region);

  // A region of a loop or a conditional. Its one parameter holds the arguments and then `captured`,
  // values from outside: as it is where there is one, else in a tuple. With `hands_on` the captured
  // values are results too. Constants from outside are made anew inside.
  absl::StatusOr<HloComputation*> State(const Region& region, absl::Span<const ValueId> captured,
                                        bool hands_on);
  // The values that the regions use from outside, but for constants.
  std::vector<ValueId> Captured(absl::Span<const Region* const> regions);

  std::unique_ptr<HloComputation> Build(HloInstruction* root) { return builder_.Build(root); }
  // The operation of a region's end as a value: one result, or a tuple.
  absl::StatusOr<HloInstruction*> Results(const Operation& end);

  const Operation* current() const { return current_; }
  void set_current(const Operation* op) { current_ = op; }

 private:
  class Rebound;

  absl::Status LowerPure(ValueId value, Rebound& rebound, int& budget);
  HloInstruction* Keep(std::unique_ptr<HloInstruction> instruction);
  absl::Status CheckRule(const HloInstruction& instruction);
  absl::Status DescribeCurrent(HloInstruction& instruction);

  Lowering& lowering_;
  HloComputation::Builder builder_;
  int64_t id_;
  int64_t parameter_count_ = 0;
  const Operation* current_ = nullptr;
};

// "stablehlo.add at f.py:3:4": which operation, and where it stands.
std::string Describe(const Operation& op);
// The error with this in front, unless an operation inside of this one has said so already.
absl::Status WithPlace(absl::Status status, const Operation& op);

}  // namespace xla::stablehlo::lowering

#endif  // HILO_FRONT_STABLEHLO_LOWER_LOWERING_H_
