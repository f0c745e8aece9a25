// formatter.h - tokens to a layout, and the layout to text; included by the `format*.cc` of this folder only.
//
// A reader of its own follows the grammar over the tokens of a file that is known to be right. It builds a layout of texts and
// gaps between them; a gap is a blank, nothing or a new line. A gap knows which tokens it separates, so comments cannot be lost
// whatever the reader makes of the program. Groups of gaps are broken together. This happens when one of them is broken in the
// source, or something inside has to be on several lines. It also happens when the line would get too long. A gap that was printed
// as a new line is then a new line of the source, hence formatting twice changes nothing. Columns stay: of the numbers of a
// matrix, one row on each line, and of comments after consecutive lines.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "compiler/syntax/format.h"

namespace raido::ast {

constexpr uint32_t line_width = 100;

enum class Gap : uint8_t {
  None,       // nothing
  Space,      // a blank
  Line,       // a blank, or a new line when its group is broken
  LineBlank,  // the same; broken, it keeps an empty line of the source
  Keep,       // a blank; a new line where the source has one or where the next piece does not fit
  Hard,       // a new line
  HardBlank,  // a new line that keeps an empty line of the source
  Separate,   // a new line after an empty one
};

// A piece of the layout. Widths are those on one line.
struct Piece {
  enum class Kind : uint8_t { Text, Gap, Concat, Group, Nest, Align } kind;
  Gap gap = Gap::None;
  bool forced = false;      // has a new line inside, however it is laid out
  bool breaks = false;      // has a place inside where a line may end
  bool block = false;       // begins with a keyword and goes on below it: let, loop, match, if
  bool broken_line = false; // a Line gap of its own group is broken in the source
  uint32_t token = 0;       // Text: which; Gap: the one after it
  uint32_t width = 0;       // without line breaks
  uint32_t head = 0;        // up to the first forced new line
  uint32_t lead = 0;        // up to the first place where a line may end
  int indent = 0;           // Nest; Gap: of its comments
  std::vector<uint32_t> children = {};
};

using Doc = uint32_t;

class Formatter {
 public:
  Formatter(const Sources& sources, FileId file, const Tokens& tokens)
      : text_(sources[file].text), tokens_(tokens.items) {
    place_comments(tokens.comments);
  }
  std::string run();

 private:
  // ---- the input ----
  Tok kind(size_t ahead = 0) const { return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)].kind; }
  bool is(Tok k) const { return kind() == k; }
  std::string_view text_of(size_t token) const {
    const Span& s = tokens_[token].span;
    return text_.substr(s.begin, s.end - s.begin);
  }
  std::string_view word(size_t ahead = 0) const { return text_of(std::min(pos_ + ahead, tokens_.size() - 1)); }
  bool is_op(std::string_view op, size_t ahead = 0) const { return kind(ahead) == Tok::Operator && word(ahead) == op; }
  static uint32_t characters(std::string_view s) {
    return uint32_t(std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }
  static int newlines(std::string_view s) { return int(std::count(s.begin(), s.end(), '\n')); }

  // ---- format_comments.cc ----
  struct Trivia {
    std::vector<uint32_t> comments;         // before this token; index into comments_
    bool newline = false, blank = false;    // between this token and the one before, comments apart
  };
  struct CommentText {
    std::string_view text;
    bool trailing;                          // on the line of the token before it
    bool blank_before;                      // an empty line before it
    bool at_margin;                         // part of a test block: stays in column 0
    uint32_t line = 0, column = 0;
  };
  struct Trailing { size_t at; uint32_t comment; };        // the blanks before it begin at out_[at]
  static std::string_view trimmed(std::string_view s);
  void place_comments(const std::vector<Comment>& comments);
  void mark_test_blocks(const Trivia& t, const std::vector<Comment>& comments, size_t first);
  uint32_t column_of(size_t offset) const;
  void end_of_file();
  void put_trailing(uint32_t comment);
  void align_comments();

  // ---- format_layout.cc: pieces ----
  Doc add(Piece p);
  Doc tok();
  Doc gap(Gap g, bool ahead = false);
  bool indexes_after(size_t at) const;
  Doc concat(std::vector<Doc> children) { return wrap(Piece::Kind::Concat, std::move(children)); }
  Doc align(std::vector<Doc> children) { return wrap(Piece::Kind::Align, std::move(children)); }
  Doc nest(int indent, std::vector<Doc> children);
  Doc group(std::vector<Doc> children);
  Doc wrap(Piece::Kind k, std::vector<Doc> children);
  void force(Doc d, Gap g);
  void keep_columns();
  Doc mark_spaced(Doc d);
  Doc mark_block(Doc d);
  bool forced(Doc d) const { return pieces_[d].forced; }
  bool long_piece(Doc d, uint32_t column) const { return pieces_[d].forced || pieces_[d].width + column > line_width; }
  // Written with a blank on the outside: an application, an operator, ..
  bool has_blank(Doc d) const { return spaced_.size() > d && spaced_[d]; }
  // `(a, b)` and the like; elements that do not fit stand below the first one.
  template <class Element> Doc list(Tok close, Gap between, Element&& element) {
    Doc open = tok();
    std::vector<Doc> items{gap(Gap::None)};
    bool trailing = false;
    while (!is(close) && !is(Tok::Eof)) {
      size_t at = pos_;
      items.push_back(element());
      trailing = is(Tok::Comma);
      if (!trailing) break;
      items.push_back(gap(Gap::None));
      items.push_back(tok());
      if (!is(close)) items.push_back(gap(between));
      if (pos_ == at) break;
    }
    Doc inside = align(std::move(items));
    Doc end = gap(Gap::None);
    if (!is(close)) return group({open, inside, end});
    return group({align({open, inside, end, tok()})});       // a comment after the last element moves the end below the beginning
  }

  // ---- format_decl.cc: declarations, modules, types ----
  std::vector<Doc> decls(Tok end, Gap between, uint32_t column = 0);
  Doc attribute();
  Doc decl(uint32_t column);
  Doc param_item();
  Doc backticks();
  std::vector<Doc> params();
  Doc definition(Doc keyword);
  Doc value_after_equals();
  Doc continuation();
  Doc type_decl();
  bool at_type_param() const;
  Doc val_spec();
  Doc module_decl(uint32_t column);
  Doc module_value(bool of_type, uint32_t column);
  Doc module_param(uint32_t column);
  Doc braces(uint32_t column);
  Doc mod_exp(uint32_t column);
  Doc mod_atom(uint32_t column);
  Doc dotted();
  Doc mod_type_atom(uint32_t column);
  Doc mod_type(uint32_t column);
  Doc type();
  Doc type_term();
  bool at_type_atom() const;
  Doc type_app(bool payload);
  Doc size();
  Doc type_atom();
  Doc named_type();

  // ---- format_expr.cc: patterns and expressions ----
  Doc pattern();
  bool at_inner_pattern() const;
  Doc inner_pattern();
  bool at_binary_operator() const;
  bool at_dots() const { return is(Tok::DotDot) || is(Tok::DotDotDot) || is(Tok::DotDotLess) || is(Tok::DotDotGreater); }
  int level() const;
  Doc exp();
  Doc chain(int least);
  Doc range(Doc first);
  void steps(std::vector<Doc>& out);
  Doc operand();
  bool at_atom() const;
  Doc application();
  Doc indices();
  Doc atom();
  Doc parenthesised();
  Doc if_chain();
  Doc branch(bool below);
  Doc let_chain();
  Doc loop();
  Doc match_();
  Doc lambda();

  // ---- format_text.cc: the layout to text ----
  struct Command { uint32_t indent; bool flat; Doc doc; };
  bool next_fits(uint32_t column, const std::vector<Command>& rest) const;
  bool rest_fits(uint32_t width, const std::vector<Command>& rest, size_t from) const;
  void render(Doc root);
  static void push(std::vector<Command>& stack, const Piece& p, uint32_t indent, bool flat);
  void put_token(uint32_t token, uint32_t indent);
  void new_line(uint32_t indent);
  void put_blanks(uint32_t n);
  void put_gap(const Piece& p, const Command& c, const std::vector<Command>& rest);

  std::string_view text_;
  const std::vector<Token>& tokens_;
  std::vector<Trivia> trivia_;
  std::vector<CommentText> comments_;
  size_t pos_ = 0;
  std::vector<Piece> pieces_;
  std::vector<bool> gapped_;          // by token: the gap before it was made
  std::vector<uint32_t> padding_;     // by token: blanks before it beyond those of its gap
  std::vector<Trailing> trailing_;    // in the order of out_
  std::vector<bool> spaced_;          // by piece: written with blanks
  std::string out_;
  uint32_t column_ = 0;
};

}  // namespace raido::ast
