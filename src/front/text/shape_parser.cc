// Shapes and layouts.
#include <limits>

#include "front/text/value_parser.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// More dimensions than any program has; each costs nesting where elements are written or printed.
constexpr int kMaxRank = 256;

}  // namespace

bool ValueParser::AtShape() const {
  if (At(TokenKind::kPrimitiveType) || At(TokenKind::kLeftParen)) return true;
  return At(TokenKind::kIdentifier) && token().text == "b" && token().end != lexer().end() &&
         *token().end == '(';
}

bool ValueParser::ParseShape(Shape* shape, bool fill_layout) {
  Nesting nesting(*this);
  if (nesting.TooDeep()) return FailTooDeep();
  if (At(TokenKind::kLeftParen)) return ParseTupleShape(shape, fill_layout);
  if (!AtWord("b") || lexer().Peek().kind != TokenKind::kLeftParen) {
    return ParseArrayShape(shape, fill_layout);
  }
  Next();
  const char* const begin = token().begin;
  Shape content;
  if (!Expect(TokenKind::kLeftParen) || !ParseShape(&content, fill_layout) ||
      !Expect(TokenKind::kRightParen)) {
    return false;
  }
  absl::StatusOr<Shape> buffer = ShapeUtil::MakeValidatedBufferShape(std::move(content));
  if (!buffer.ok()) return FailWith(begin, buffer.status());
  *shape = *std::move(buffer);
  return true;
}

bool ValueParser::ParseTupleShape(Shape* shape, bool fill_layout) {
  *shape = Shape(std::vector<Shape>());
  return ParseList(TokenKind::kLeftParen, TokenKind::kRightParen,
                   [&] { return ParseShape(shape->add_tuple_shapes(), fill_layout); });
}

// Braces apart from the shape are a layout only before the name of an operation: in the literal
// s32[2] {1, 0} they hold elements.
static bool NameFollowsBraces(Lexer ahead) {
  const auto ends = [](TokenKind kind) {
    return kind == TokenKind::kRightBrace || kind == TokenKind::kEndOfText ||
           kind == TokenKind::kError;
  };
  while (!ends(ahead.kind())) ahead.Next();
  return ahead.kind() == TokenKind::kRightBrace && ahead.Peek().kind == TokenKind::kIdentifier;
}

bool ValueParser::ParseArrayShape(Shape* shape, bool fill_layout) {
  if (!At(TokenKind::kPrimitiveType)) return FailExpected("a shape");
  const char* const begin = token().begin;
  const PrimitiveType type = token().type;
  Next();
  *shape = primitive_util::IsArrayType(type) ? Shape(type, {}) : Shape(type);
  if (!ParseDimensions(shape)) return false;
  if (!shape->IsArray()) return true;
  const char* const layout_begin = token().begin;
  bool has_layout = false;
  // Any other brace opens a body or a list of elements.
  if (At(TokenKind::kLeftBrace) &&
      (lexer().previous_end() == layout_begin || NameFollowsBraces(lexer()))) {
    const TokenKind ahead = lexer().Peek().kind;
    has_layout = ahead == TokenKind::kInteger || ahead == TokenKind::kColon;
  }
  if (has_layout) {
    Layout layout;
    if (!ParseLayout(&layout)) return false;
    if (layout.has_physical_shape()) {
      return FailAt(layout_begin, "the layout has a physical shape, but the shape is an array");
    }
    if (layout.minor_to_major_size() != shape->dimensions_size()) {
      return FailAt(layout_begin, "the layout orders ", layout.minor_to_major_size(),
                    " dimensions, but the shape has ", shape->dimensions_size());
    }
    *shape->mutable_layout() = std::move(layout);
  } else if (fill_layout || shape->dimensions_size() == 0) {
    LayoutUtil::SetToDefaultLayout(shape);
  }
  if (shape->dimensions_size() == 0 && !has_layout) return true;
  const absl::Status valid = ShapeUtil::ValidateShapeWithOptionalLayout(*shape);
  return valid.ok() || FailWith(begin, valid);
}

bool ValueParser::ParseDimensions(Shape* shape) {
  if (!At(TokenKind::kLeftSquare)) return FailExpected("'[' after the element type");
  const char* const begin = token().begin;
  return ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, [&] {
    if (!shape->IsArray()) return FailAt(begin, "this element type takes no dimensions: write []");
    if (shape->dimensions_size() == kMaxRank) {
      return Fail("a shape has at most ", kMaxRank, " dimensions");
    }
    if (Accept(TokenKind::kQuestionMark)) {
      shape->add_dimensions(Shape::kUnboundedSize, /*is_dynamic=*/true);
      return true;
    }
    const bool is_dynamic = Accept(TokenKind::kLessOrEqual);
    int64_t size = 0;
    if (!ParseNatural(&size)) return false;
    shape->add_dimensions(size, is_dynamic);
    return true;
  });
}

bool ValueParser::ParseLayout(Layout* layout) {
  if (!Expect(TokenKind::kLeftBrace)) return false;
  if (At(TokenKind::kInteger)) {
    uint64_t seen[kMaxRank / 64] = {};
    do {
      const char* const begin = token().begin;
      int64_t dimension = 0;
      if (!Parse(&dimension)) return false;
      if (dimension < 0 || dimension >= kMaxRank) {
        return FailAt(begin, "the layout names dimension ", dimension, ", which cannot be");
      }
      uint64_t& word = seen[dimension / 64];
      const uint64_t bit = uint64_t{1} << (dimension % 64);
      if ((word & bit) != 0)
        return FailAt(begin, "the layout names dimension ", dimension, " twice");
      word |= bit;
      layout->add_minor_to_major(dimension);
    } while (Accept(TokenKind::kComma));
  }
  if (Accept(TokenKind::kColon) && !ParseLayoutParts(layout)) return false;
  return Expect(TokenKind::kRightBrace);
}

// D? T? L? #? *? E? S? SC? P? M?, in this order.
bool ValueParser::ParseLayoutParts(Layout* layout) {
  int64_t number = 0;
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  if (AcceptWord("D") && !SkipDimLevelTypes()) return false;
  if (AcceptWord("T") && !ParseTiles(layout)) return false;
  if (AcceptWord("L")) {
    if (!ParseNaturalInParens(&number)) return false;
    layout->set_tail_padding_alignment_in_elements(number);
  }
  if (Accept(TokenKind::kHash)) {
    if (!ParseTypeInParens(&type)) return false;
    layout->set_index_primitive_type(type);
  }
  if (Accept(TokenKind::kAsterisk)) {
    if (!ParseTypeInParens(&type)) return false;
    layout->set_pointer_primitive_type(type);
  }
  if (AcceptWord("E")) {
    if (!ParseNaturalInParens(&number)) return false;
    layout->set_element_size_in_bits(number);
  }
  if (AcceptWord("S")) {
    if (!ParseNaturalInParens(&number)) return false;
    layout->set_memory_space(number);
  }
  if (AcceptWord("SC") && !ParseSplitConfigs(layout)) return false;
  if (AcceptWord("P")) {
    if (!Expect(TokenKind::kLeftParen) || !ParseShape(layout->mutable_physical_shape(), true) ||
        !Expect(TokenKind::kRightParen)) {
      return false;
    }
  }
  if (AcceptWord("M")) {
    if (!ParseNaturalInParens(&number)) return false;
    layout->set_dynamic_shape_metadata_prefix_bytes(number);
  }
  return At(TokenKind::kRightBrace) ||
         FailExpected("'}' or a part of the layout, in the order D T L # * E S SC P M");
}

bool ValueParser::ParseTiles(Layout* layout) {
  do {
    Tile* tile = layout->add_tiles();
    const bool ok = ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
      if (Accept(TokenKind::kAsterisk)) {
        tile->add_dimensions(Tile::kCombineDimension);
        return true;
      }
      const char* const begin = token().begin;
      int64_t size = 0;
      if (!Parse(&size)) return false;
      if (size <= 0) return FailAt(begin, "a tile's size must be positive");
      tile->add_dimensions(size);
      return true;
    });
    if (!ok) return false;
  } while (At(TokenKind::kLeftParen));
  return true;
}

bool ValueParser::ParseSplitConfigs(Layout* layout) {
  do {
    int64_t dimension = 0;
    Int64List indices;
    if (!Expect(TokenKind::kLeftParen) || !ParseNatural(&dimension) || !Expect(TokenKind::kColon)) {
      return false;
    }
    do {
      if (!ParseNatural(&indices.emplace_back())) return false;
    } while (Accept(TokenKind::kComma));
    if (!Expect(TokenKind::kRightParen)) return false;
    layout->add_split_configs(SplitConfig(dimension, indices));
  } while (At(TokenKind::kLeftParen));
  return true;
}

bool ValueParser::ParseTypeInParens(PrimitiveType* type) {
  if (!Expect(TokenKind::kLeftParen)) return false;
  if (!At(TokenKind::kPrimitiveType) || !primitive_util::IsUnsignedIntegralType(token().type)) {
    return FailExpected("an unsigned integer type");
  }
  *type = token().type;
  Next();
  return Expect(TokenKind::kRightParen);
}

bool ValueParser::ParseNaturalInParens(int64_t* value) {
  return Expect(TokenKind::kLeftParen) && ParseNatural(value) && Expect(TokenKind::kRightParen);
}

// Of formats that are gone: letters D, C, S, H, each with + and ~ or without.
bool ValueParser::SkipDimLevelTypes() {
  return ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
    if (!AcceptWord("D") && !AcceptWord("C") && !AcceptWord("S") && !AcceptWord("H")) {
      return FailExpected("one of D, C, S, H");
    }
    Accept(TokenKind::kPlus);
    Accept(TokenKind::kTilde);
    return true;
  });
}

bool ValueParser::Parse(std::vector<Shape>* shapes) {
  shapes->clear();
  return ParseBraces([&] { return Parse(&shapes->emplace_back()); });
}

}  // namespace xla
