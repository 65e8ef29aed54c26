// Literals as HLO text.
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "data/float_text.h"
#include "data/literal_piece.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/printer.h"
#include "xla/shape_util.h"

namespace xla {

using literal_internal::Piece;

namespace {

struct TextOptions {
  bool shape = true;
  bool layout = false;
  bool oneline = false;
};

// Writes the values of one array, collecting text so that the printer gets it in large pieces.
template <typename NativeT>
class ArrayText {
 public:
  ArrayText(const Piece& array, bool oneline, Printer* printer)
      : printer_(printer),
        line_break_(oneline ? ' ' : '\n'),
        row_indent_(oneline ? "" : "  "),
        values_(reinterpret_cast<const NativeT*>(array.buffer())),
        sizes_(array.Sizes()),
        strides_(array.Strides()) {}

  void Write() {
    if (sizes_.empty()) {
      WriteScalar();
    } else {
      WriteDimension(0, values_);
    }
    Flush();
  }

 private:
  int rank() const { return static_cast<int>(sizes_.size()); }

  void WriteScalar() {
    if constexpr (std::is_same_v<NativeT, bool>) {
      text_ += *values_ ? "true" : "false";
    } else {
      AppendElement(*values_, &text_);
    }
  }

  void WriteDimension(int dimension, const NativeT* values) {
    if (dimension == rank() - 1) return WriteRow(values);
    text_ += '{';
    const bool has_comment = rank() > 3 && dimension > 0;
    if (has_comment) absl::StrAppend(&text_, " /*i", dimension - 1, "=", outer_index_, "*/");
    // Without elements there are two line breaks, or one behind a comment.
    if (!has_comment || sizes_[dimension] > 0) text_ += line_break_;
    for (int64_t i = 0; i < sizes_[dimension]; ++i) {
      if (i > 0) {
        text_ += ',';
        text_ += line_break_;
      }
      outer_index_ = i;
      WriteDimension(dimension + 1, values + i * strides_[dimension]);
    }
    text_ += line_break_;
    text_ += '}';
  }

  void WriteRow(const NativeT* values) {
    const int64_t size = sizes_.back();
    const bool blanks = rank() > 1 && size > 1;
    if (rank() > 1) text_ += row_indent_;
    text_ += blanks ? "{ " : "{";
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) text_ += ", ";
      AppendElement(values[i * strides_.back()], &text_);
      if (text_.size() > kFlushSize) Flush();
    }
    text_ += blanks ? " }" : "}";
  }

  void Flush() {
    printer_->Append(text_);
    text_.clear();
  }

  static constexpr size_t kFlushSize = 1 << 16;

  Printer* printer_;
  const char line_break_;
  const char* row_indent_;
  const NativeT* values_;
  const DimensionVector sizes_;
  const DimensionVector strides_;
  int64_t outer_index_ = 0;  // In the dimension outside of the one being written.
  std::string text_;
};

void PrintShape(const Piece& piece, const TextOptions& options, Printer* printer) {
  if (options.layout) {
    ShapeUtil::PrintHumanStringWithLayout(printer, piece.shape());
  } else {
    ShapeUtil::PrintHumanString(printer, piece.shape());
  }
}

void PrintArray(const Piece& array, const TextOptions& options, Printer* printer) {
  if (options.shape || array.buffer() == nullptr) {
    PrintShape(array, options, printer);
    if (array.shape().is_dynamic()) {
      printer->Append("(");
      printer->AppendInt64List(array.Sizes(), /*leading_comma=*/false);
      printer->Append(")");
    }
    printer->Append(" ");
  }
  if (array.buffer() == nullptr) {
    printer->Append(array.state() == Piece::State::kUndetermined ? "undetermined" : "unknown");
    return;
  }
  primitive_util::ArrayTypeSwitch(
      [&](auto constant) {
        ArrayText<primitive_util::NativeTypeOf<constant>>(array, options.oneline, printer).Write();
      },
      array.shape().element_type());
}

void PrintPiece(const Piece& piece, const TextOptions& options, Printer* printer) {
  if (piece.IsArray()) return PrintArray(piece, options, printer);
  if (!piece.shape().IsTuple()) return PrintShape(piece, TextOptions{}, printer);
  printer->Append(options.oneline ? "( " : "(\n");
  bool first = true;
  for (const Piece& child : piece.children()) {
    if (!first) printer->Append(options.oneline ? ", " : ",\n");
    first = false;
    PrintPiece(child, options, printer);
  }
  printer->Append(options.oneline ? " )" : "\n)");
}

}  // namespace

void LiteralBase::Print(Printer* printer) const { PrintPiece(*piece_, {}, printer); }
void LiteralBase::PrintOneline(Printer* printer) const {
  PrintPiece(*piece_, {.oneline = true}, printer);
}
void LiteralBase::PrintWithoutShape(Printer* printer) const {
  PrintPiece(*piece_, {.shape = false}, printer);
}
void LiteralBase::PrintWithoutShapeOneline(Printer* printer) const {
  PrintPiece(*piece_, {.shape = false, .oneline = true}, printer);
}
void LiteralBase::PrintWithLayout(Printer* printer) const {
  PrintPiece(*piece_, {.layout = true}, printer);
}
void LiteralBase::PrintWithLayoutOneline(Printer* printer) const {
  PrintPiece(*piece_, {.layout = true, .oneline = true}, printer);
}

namespace {

std::string Collect(const LiteralBase& literal, void (LiteralBase::*print)(Printer*) const) {
  StringPrinter printer;
  (literal.*print)(&printer);
  return std::move(printer).ToString();
}

}  // namespace

std::string LiteralBase::ToString() const { return Collect(*this, &LiteralBase::Print); }
std::string LiteralBase::ToStringOneline() const {
  return Collect(*this, &LiteralBase::PrintOneline);
}
std::string LiteralBase::ToStringWithoutShape() const {
  return Collect(*this, &LiteralBase::PrintWithoutShape);
}
std::string LiteralBase::ToStringWithoutShapeOneline() const {
  return Collect(*this, &LiteralBase::PrintWithoutShapeOneline);
}
std::string LiteralBase::ToStringWithLayout() const {
  return Collect(*this, &LiteralBase::PrintWithLayout);
}
std::string LiteralBase::ToStringWithLayoutOneline() const {
  return Collect(*this, &LiteralBase::PrintWithLayoutOneline);
}

}  // namespace xla
