#include "xla/layout.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/shape_proto.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"

namespace xla {

absl::StatusOr<Tile> Tile::FromProto(const TileProto& tile_proto) {
  for (int64_t dimension : tile_proto.dimensions()) {
    if (dimension <= 0 && dimension != kCombineDimension) {
      return InvalidArgument("TileProto: dimension %d must be positive.", dimension);
    }
  }
  return Tile(tile_proto.dimensions());
}

void Tile::ToProto(TileProto& tile_proto) const {
  tile_proto.mutable_dimensions()->Assign(dimensions_.begin(), dimensions_.end());
}

TileProto Tile::ToProto() const {
  TileProto proto;
  ToProto(proto);
  return proto;
}

void Tile::Print(Printer* printer) const {
  printer->Append("(");
  AppendJoin(printer, dimensions_, ",", [](Printer* out, int64_t dimension) {
    if (dimension == kCombineDimension) {
      out->Append("*");
    } else {
      out->Append(dimension);
    }
  });
  printer->Append(")");
}

std::string Tile::ToString() const {
  StringPrinter printer;
  Print(&printer);
  return std::move(printer).ToString();
}

std::ostream& operator<<(std::ostream& out, const Tile& tile) { return out << tile.ToString(); }

SplitConfig SplitConfig::CreateFromProto(const SplitConfigProto& split_config_proto) {
  return SplitConfig(split_config_proto.dimension(), split_config_proto.split_indices());
}

void SplitConfig::ToProto(SplitConfigProto& split_config_proto) const {
  split_config_proto.set_dimension(dimension_);
  split_config_proto.mutable_split_indices()->Assign(split_indices_.begin(), split_indices_.end());
}

SplitConfigProto SplitConfig::ToProto() const {
  SplitConfigProto proto;
  ToProto(proto);
  return proto;
}

std::string SplitConfig::ToString() const {
  return absl::StrCat("(", dimension_, ":", absl::StrJoin(split_indices_, ","), ")");
}

std::ostream& operator<<(std::ostream& out, const SplitConfig& config) {
  return out << config.ToString();
}

Layout::Extra::Extra() = default;
Layout::Extra::~Extra() = default;
Layout::Extra::Extra(const Extra& other)
    : tiles(other.tiles),
      split_configs(other.split_configs),
      index_primitive_type(other.index_primitive_type),
      pointer_primitive_type(other.pointer_primitive_type),
      element_size_in_bits(other.element_size_in_bits),
      memory_space(other.memory_space),
      tail_padding_alignment_in_elements(other.tail_padding_alignment_in_elements),
      dynamic_shape_metadata_prefix_bytes(other.dynamic_shape_metadata_prefix_bytes),
      physical_shape(other.physical_shape ? std::make_unique<Shape>(*other.physical_shape)
                                          : nullptr) {}

const Layout::Extra& Layout::DefaultExtra() {
  static const Extra* const kDefault = new Extra;
  return *kDefault;
}

Layout::Extra* Layout::CopyExtra(const Extra& extra) { return new Extra(extra); }

Layout::Extra& Layout::mutable_extra() {
  if (extra_ == nullptr) extra_ = std::make_unique<Extra>();
  return *extra_;
}

Layout::Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
               int64_t element_size_in_bits)
    : Layout(minor_to_major) {
  if (!tiles.empty()) mutable_extra().tiles.assign(tiles.begin(), tiles.end());
  set_element_size_in_bits(element_size_in_bits);
}

Layout::Layout(absl::Span<const int64_t> minor_to_major, absl::Span<const Tile> tiles,
               PrimitiveType index_primitive_type, PrimitiveType pointer_primitive_type,
               int64_t tail_padding_alignment_in_elements, int64_t element_size_in_bits,
               int64_t memory_space, absl::Span<const SplitConfig> split_configs,
               std::unique_ptr<Shape> physical_shape, int64_t dynamic_shape_metadata_prefix_bytes)
    : Layout(minor_to_major, tiles, element_size_in_bits) {
  set_index_primitive_type(index_primitive_type);
  set_pointer_primitive_type(pointer_primitive_type);
  set_tail_padding_alignment_in_elements(tail_padding_alignment_in_elements);
  set_memory_space(memory_space);
  set_dynamic_shape_metadata_prefix_bytes(dynamic_shape_metadata_prefix_bytes);
  for (const SplitConfig& config : split_configs) add_split_configs(config);
  if (physical_shape != nullptr) mutable_extra().physical_shape = std::move(physical_shape);
}

Shape* Layout::mutable_physical_shape() {
  Extra& extra = mutable_extra();
  if (extra.physical_shape == nullptr) extra.physical_shape = std::make_unique<Shape>();
  return extra.physical_shape.get();
}

void Layout::clear_physical_shape() {
  if (extra_ != nullptr) extra_->physical_shape.reset();
}

namespace {

absl::Status CheckLayoutProtoNumbers(const LayoutProto& proto) {
  if (!IsPermutation(proto.minor_to_major())) {
    return InvalidArgument("LayoutProto: minor_to_major {%s} is not a permutation.",
                           absl::StrJoin(proto.minor_to_major(), ","));
  }
  const std::pair<const char*, int64_t> sizes[] = {
      {"tail_padding_alignment_in_elements", proto.tail_padding_alignment_in_elements()},
      {"element_size_in_bits", proto.element_size_in_bits()},
      {"memory_space", proto.memory_space()},
      {"dynamic_shape_metadata_prefix_bytes", proto.dynamic_shape_metadata_prefix_bytes()},
  };
  for (const auto& [name, size] : sizes) {
    if (size < 0) return InvalidArgument("LayoutProto: %s is negative: %d.", name, size);
  }
  for (PrimitiveType type : {proto.index_primitive_type(), proto.pointer_primitive_type()}) {
    if (type != PRIMITIVE_TYPE_INVALID && !primitive_util::IsUnsignedIntegralType(type)) {
      return InvalidArgument("LayoutProto: index or pointer type %d is not an unsigned integer.",
                             static_cast<int>(type));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Layout> LayoutFromProto(const LayoutProto& proto, int depth) {
  HILO_RETURN_IF_ERROR(CheckLayoutProtoNumbers(proto));
  Layout layout(proto.minor_to_major());
  for (const TileProto& tile_proto : proto.tiles()) {
    HILO_ASSIGN_OR_RETURN(*layout.add_tiles(), Tile::FromProto(tile_proto));
  }
  for (const SplitConfigProto& config : proto.split_configs()) {
    layout.add_split_configs(SplitConfig::CreateFromProto(config));
  }
  if (proto.tail_padding_alignment_in_elements() != 0) {
    layout.set_tail_padding_alignment_in_elements(proto.tail_padding_alignment_in_elements());
  }
  layout.set_index_primitive_type(proto.index_primitive_type());
  layout.set_pointer_primitive_type(proto.pointer_primitive_type());
  layout.set_element_size_in_bits(proto.element_size_in_bits());
  layout.set_memory_space(proto.memory_space());
  layout.set_dynamic_shape_metadata_prefix_bytes(proto.dynamic_shape_metadata_prefix_bytes());
  if (proto.has_physical_shape()) {
    HILO_ASSIGN_OR_RETURN(*layout.mutable_physical_shape(),
                          ShapeFromProto(proto.physical_shape(), depth + 1));
  }
  return layout;
}

absl::StatusOr<Layout> Layout::FromProto(const LayoutProto& proto) {
  return LayoutFromProto(proto, /*depth=*/0);
}

Layout Layout::CreateFromProto(const LayoutProto& proto) {
  return FromProto(proto).value_or(Layout());
}

void Layout::ToProto(LayoutProto& proto) const {
  proto.Clear();
  proto.mutable_minor_to_major()->Assign(minor_to_major_.begin(), minor_to_major_.end());
  for (const Tile& tile : tiles()) tile.ToProto(*proto.add_tiles());
  proto.set_tail_padding_alignment_in_elements(tail_padding_alignment_in_elements());
  proto.set_index_primitive_type(index_primitive_type());
  proto.set_pointer_primitive_type(pointer_primitive_type());
  proto.set_element_size_in_bits(element_size_in_bits());
  proto.set_memory_space(memory_space());
  for (const SplitConfig& config : split_configs()) config.ToProto(*proto.add_split_configs());
  if (has_physical_shape()) physical_shape().ToProto(*proto.mutable_physical_shape());
  proto.set_dynamic_shape_metadata_prefix_bytes(dynamic_shape_metadata_prefix_bytes());
}

LayoutProto Layout::ToProto() const {
  LayoutProto proto;
  ToProto(proto);
  return proto;
}

namespace {

// The parts of a layout that differ from their defaults, in the order of the text form; nothing
// when there are none.
void PrintParts(Printer* printer, const Layout& layout) {
  if (!layout.tiles().empty()) {
    printer->Append("T");
    for (const Tile& tile : layout.tiles()) tile.Print(printer);
  }
  if (layout.tail_padding_alignment_in_elements() != 1) {
    AppendCat(printer, "L(", layout.tail_padding_alignment_in_elements(), ")");
  }
  auto print_type = [&](const char* prefix, PrimitiveType type) {
    if (type == PRIMITIVE_TYPE_INVALID) return;
    AppendCat(printer, prefix, "(", primitive_util::LowercasePrimitiveTypeName(type), ")");
  };
  print_type("#", layout.index_primitive_type());
  print_type("*", layout.pointer_primitive_type());
  if (layout.element_size_in_bits() != 0) {
    AppendCat(printer, "E(", layout.element_size_in_bits(), ")");
  }
  if (layout.memory_space() != Layout::kDefaultMemorySpace) {
    AppendCat(printer, "S(", layout.memory_space(), ")");
  }
  if (!layout.split_configs().empty()) {
    printer->Append("SC");
    for (const SplitConfig& config : layout.split_configs()) printer->Append(config.ToString());
  }
  if (layout.has_physical_shape()) {
    printer->Append("P(");
    layout.physical_shape().Print(printer, /*print_layout=*/true);
    printer->Append(")");
  }
  if (layout.dynamic_shape_metadata_prefix_bytes() != 0) {
    AppendCat(printer, "M(", layout.dynamic_shape_metadata_prefix_bytes(), ")");
  }
}

}  // namespace

void Layout::Print(Printer* printer) const {
  printer->Append("{");
  printer->AppendInt64List(minor_to_major_, /*leading_comma=*/false);
  if (extra_ != nullptr && *this != Layout(minor_to_major_)) {
    printer->Append(":");
    PrintParts(printer, *this);
  }
  printer->Append("}");
}

std::string Layout::ToString() const {
  StringPrinter printer;
  Print(&printer);
  return std::move(printer).ToString();
}

bool Layout::Equal::operator()(const Layout& lhs, const Layout& rhs) const {
  if (lhs.minor_to_major() != rhs.minor_to_major()) return false;
  const Extra& l = lhs.extra();
  const Extra& r = rhs.extra();
  if (&l == &r) return true;
  return (ignore_tiles_ || l.tiles == r.tiles) &&
         (ignore_tail_padding_alignment_ ||
          l.tail_padding_alignment_in_elements == r.tail_padding_alignment_in_elements) &&
         (ignore_index_primitive_type_ || l.index_primitive_type == r.index_primitive_type) &&
         (ignore_pointer_primitive_type_ || l.pointer_primitive_type == r.pointer_primitive_type) &&
         (ignore_memory_space_ || l.memory_space == r.memory_space) &&
         (ignore_split_configs_ || l.split_configs == r.split_configs) &&
         (ignore_element_size_ || l.element_size_in_bits == r.element_size_in_bits) &&
         (ignore_metadata_prefix_ ||
          l.dynamic_shape_metadata_prefix_bytes == r.dynamic_shape_metadata_prefix_bytes) &&
         (ignore_physical_shape_ || EqualPhysicalShapes(l, r));
}

bool Layout::EqualPhysicalShapes(const Extra& a, const Extra& b) {
  if (a.physical_shape == nullptr || b.physical_shape == nullptr) {
    return a.physical_shape == b.physical_shape;
  }
  return *a.physical_shape == *b.physical_shape;
}

Layout& Layout::DeleteDimension(int dim_to_delete) {
  const auto it = std::find(minor_to_major_.begin(), minor_to_major_.end(), dim_to_delete);
  CHECK(it != minor_to_major_.end()) << "No dimension " << dim_to_delete << " in " << ToString();
  const int64_t position = minor_to_major_.end() - it - 1;  // From the major side.
  minor_to_major_.erase(it);
  for (int64_t& dimension : minor_to_major_) {
    if (dimension > dim_to_delete) --dimension;
  }
  if (split_configs().empty()) return *this;
  auto& configs = extra_->split_configs;
  configs.erase(std::remove_if(configs.begin(), configs.end(),
                               [&](const SplitConfig& c) { return c.dimension() == position; }),
                configs.end());
  for (SplitConfig& config : configs) {
    if (config.dimension() > position) config.set_dimension(config.dimension() - 1);
  }
  return *this;
}

std::ostream& operator<<(std::ostream& out, const Layout& layout) {
  return out << layout.ToString();
}

}  // namespace xla
