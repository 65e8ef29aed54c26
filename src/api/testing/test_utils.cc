#include "xla/tests/test_utils.h"

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "xla/service/hlo_verifier.h"

namespace xla {
namespace {

// Keeps the first error.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

absl::Status ParseTextProtoInto(const std::string& text_proto, tsl::protobuf::Message* message) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (parser.ParseFromString(text_proto, message)) return absl::OkStatus();
  return InvalidArgument("this is not the text of a %s: %s", message->GetTypeName(), error.text());
}

absl::Status VerifyHloModule(HloModule* const module, bool layout_sensitive,
                             bool allow_mixed_precision) {
  return HloVerifier(layout_sensitive, allow_mixed_precision).Run(module).status();
}

std::unique_ptr<HloInstruction> CreateCanonicalDot(const Shape& shape, HloInstruction* lhs,
                                                   HloInstruction* rhs) {
  CHECK(lhs->shape().dimensions_size() >= 1 && rhs->shape().dimensions_size() >= 1);
  DotDimensionNumbers numbers;
  numbers.add_lhs_contracting_dimensions(lhs->shape().dimensions_size() - 1);
  numbers.add_rhs_contracting_dimensions(0);
  PrecisionConfig precision;
  precision.mutable_operand_precision()->Resize(2, PrecisionConfig::DEFAULT);
  return HloInstruction::CreateDot(shape, lhs, rhs, numbers, precision);
}

}  // namespace xla
