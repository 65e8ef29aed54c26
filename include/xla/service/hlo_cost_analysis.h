// What programs cost, counted without running them.
#ifndef XLA_SERVICE_HLO_COST_ANALYSIS_H_
#define XLA_SERVICE_HLO_COST_ANALYSIS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/dfs_hlo_visitor_with_default.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

// Visits a computation and adds up what its instructions cost:
//
//   HloCostAnalysis analysis;
//   absl::Status status = module.entry_computation()->Accept(&analysis);
//   float flops = analysis.flop_count();
//
// Additions, multiplications, comparisons and the like are flops; functions such as tanh are
// transcendentals. Bytes are those of arrays that instructions read and write; of instructions that
// are fused, those of the fusion. A loop counts as one turn, a conditional as the dearer of its
// branches in each figure. Custom calls have bytes only.
class HloCostAnalysis : public ConstDfsHloVisitorWithDefault {
 public:
  static constexpr absl::string_view kFlopsKey = "flops";
  static constexpr absl::string_view kTranscendentalsKey = "transcendentals";
  static constexpr absl::string_view kBytesAccessedKey = "bytes accessed";
  static constexpr absl::string_view kOptimalSecondsKey = "optimal_seconds";
  static constexpr absl::string_view kUtilizationKey = "utilization";

  // Figures by name. Those that are not there are 0.
  class Properties {
   public:
    float operator[](absl::string_view key) const;
    float& operator[](absl::string_view key);

    // In the order of the names.
    void ForEach(absl::FunctionRef<void(absl::string_view key, float value)> visit) const;

    // Of an operand, of the result, or of the part of it at an index.
    float operand_bytes_accessed(int64_t operand, const ShapeIndex& index = {}) const;
    void set_operand_bytes_accessed(int64_t operand, float value) {
      set_operand_bytes_accessed(operand, {}, value);
    }
    void set_operand_bytes_accessed(int64_t operand, const ShapeIndex& index, float value);
    float output_bytes_accessed(const ShapeIndex& index = {}) const;
    void set_output_bytes_accessed(float value) { set_output_bytes_accessed({}, value); }
    void set_output_bytes_accessed(const ShapeIndex& index, float value);
    // How often an operand is read.
    float operand_utilization(int64_t operand, const ShapeIndex& index = {}) const;
    void set_operand_utilization(int64_t operand, float value) {
      set_operand_utilization(operand, {}, value);
    }
    void set_operand_utilization(int64_t operand, const ShapeIndex& index, float value);

    std::string ToString() const;

   private:
    std::map<std::string, float, std::less<>> values_;
  };

  using ShapeSizeFunction = std::function<int64_t(const Shape&)>;
  // The bytes of all arrays of the shape, and of tuples a pointer for each element.
  static int64_t DefaultShapeSize(const Shape& shape);

  struct Options {
    ShapeSizeFunction shape_size = DefaultShapeSize;
    // How many units of a figure a second takes, by the figure's name; the least time that an
    // instruction takes for it.
    Properties per_second_rates;
    Properties min_latencies_seconds;
    bool count_multiple_input_accesses = false;

    void set_flops_per_second(float value) { per_second_rates[kFlopsKey] = value; }
    void set_transcendentals_per_second(float value) {
      per_second_rates[kTranscendentalsKey] = value;
    }
    void set_bytes_per_second(float value) { per_second_rates[kBytesAccessedKey] = value; }
    void set_flops_min_latency_second(float value) { min_latencies_seconds[kFlopsKey] = value; }
    void set_transcendentals_min_latency_second(float value) {
      min_latencies_seconds[kTranscendentalsKey] = value;
    }
    void set_bytes_min_latency_second(float value) {
      min_latencies_seconds[kBytesAccessedKey] = value;
    }
    float per_second_rate(absl::string_view key) const { return per_second_rates[key]; }
    float min_latency_seconds(absl::string_view key) const { return min_latencies_seconds[key]; }
  };

  HloCostAnalysis() : HloCostAnalysis(Options()) {}
  explicit HloCostAnalysis(const Options& options) : options_(options) {}
  explicit HloCostAnalysis(ShapeSizeFunction shape_size, const Properties& per_second_rates = {},
                           const Properties& min_latencies_seconds = {})
      : options_{std::move(shape_size), per_second_rates, min_latencies_seconds} {}

  absl::Status DefaultAction(const HloInstruction* hlo) override;

  // Of everything visited.
  float flop_count() const { return sum_[kFlopsKey]; }
  float transcendental_count() const { return sum_[kTranscendentalsKey]; }
  float bytes_accessed() const { return sum_[kBytesAccessedKey]; }
  // What it takes at the rates of the options, where each instruction waits for the one before and
  // for what takes it longest.
  float optimal_seconds() const { return sum_[kOptimalSecondsKey]; }
  const Properties& properties() const { return sum_; }
  float property(absl::string_view key) const { return sum_[key]; }

  // Of one instruction that was visited, or stands in a computation that one of these calls; 0 of
  // others.
  int64_t flop_count(const HloInstruction& hlo) const { return Figure(hlo, kFlopsKey); }
  int64_t transcendental_count(const HloInstruction& hlo) const {
    return Figure(hlo, kTranscendentalsKey);
  }
  int64_t bytes_accessed(const HloInstruction& hlo) const { return Figure(hlo, kBytesAccessedKey); }
  int64_t operand_bytes_accessed(const HloInstruction& hlo, int64_t operand_num,
                                 const ShapeIndex& index = {}) const {
    return static_cast<int64_t>(PropertiesOf(hlo).operand_bytes_accessed(operand_num, index));
  }
  int64_t output_bytes_accessed(const HloInstruction& hlo, const ShapeIndex& index = {}) const {
    return static_cast<int64_t>(PropertiesOf(hlo).output_bytes_accessed(index));
  }
  float operand_utilization(const HloInstruction& hlo, int64_t operand_num,
                            const ShapeIndex& index = {}) const {
    return PropertiesOf(hlo).operand_utilization(operand_num, index);
  }
  float optimal_seconds(const HloInstruction& hlo) const {
    return PropertiesOf(hlo)[kOptimalSecondsKey];
  }

  virtual int64_t GetShapeSize(const Shape& shape) const { return options_.shape_size(shape); }

 private:
  int64_t Figure(const HloInstruction& hlo, absl::string_view key) const {
    return static_cast<int64_t>(PropertiesOf(hlo)[key]);
  }
  const Properties& PropertiesOf(const HloInstruction& hlo) const;

  // The cost of one instruction, once that of all computations is known.
  Properties CostOf(const HloInstruction& hlo) const;
  void AddCallees(const HloInstruction& hlo, Properties& cost) const;
  void AddBytes(const HloInstruction& hlo, Properties& cost) const;
  void AddSeconds(Properties& cost) const;
  const Properties& CostOfComputation(const HloComputation* computation) const;
  void VisitCallees(const HloInstruction& hlo);

  const Options options_;
  Properties sum_;
  std::unordered_map<const HloInstruction*, Properties> instructions_;
  std::unordered_map<const HloComputation*, Properties> computations_;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_COST_ANALYSIS_H_
