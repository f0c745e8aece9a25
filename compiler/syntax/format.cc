// format.cc - tokens to a layout, and the layout to text.
//
// A reader of its own follows the grammar over the tokens of a file that is known to be right, and builds a layout: texts, and
// gaps between them that are a blank, nothing or a new line. A gap knows which tokens it separates, so comments cannot be lost
// whatever the reader makes of the program. Groups of gaps are broken together: when one of them is broken in the source, when
// something inside has to be on several lines, or when the line would get too long. A gap that was printed as a new line is
// then a new line of the source, hence formatting twice changes nothing. Columns stay: of the numbers of a matrix, one row on each
// line, and of comments after consecutive lines.
#include "compiler/base/text.h"
#include "compiler/syntax/format.h"

#include <algorithm>

#include "compiler/base/panic.h"
#include "compiler/syntax/parse.h"

namespace raido::ast {
namespace {

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
  int indent = 0;           // Nest
  std::vector<uint32_t> children = {};
};

using Doc = uint32_t;

class Formatter {
 public:
  Formatter(const Sources& sources, FileId file, const Tokens& tokens)
      : text_(sources[file].text), tokens_(tokens.items) {
    place_comments(tokens.comments);
  }

  std::string run() {
    std::vector<Doc> all;
    gapped_.resize(tokens_.size());
    padding_.resize(tokens_.size());
    if (!trivia_[0].comments.empty() && !is(Tok::Eof)) all.push_back(gap(Gap::HardBlank));
    // About the file, not about its first declaration.
    if (is(Tok::Doc) && (kind(1) == Tok::Doc || kind(1) == Tok::Eof || trivia_[pos_ + 1].blank)) {
      all.push_back(tok());
      if (!is(Tok::Eof)) all.push_back(gap(Gap::Separate));
    }
    std::vector<Doc> body = decls(Tok::Eof, Gap::HardBlank);
    all.insert(all.end(), body.begin(), body.end());
    CHECK(is(Tok::Eof), "the layout of `{}` is not understood", word());
    render(concat(std::move(all)));
    end_of_file();
    align_comments();
    return std::move(out_);
  }

 private:
  // --- the input ---

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

  static std::string_view trimmed(std::string_view s) {
    size_t a = s.find_first_not_of(" \t\r\f\v"), b = s.find_last_not_of(" \t\r\f\v");
    return a == std::string_view::npos ? std::string_view() : s.substr(a, b - a + 1);
  }
  static int newlines(std::string_view s) { return int(std::count(s.begin(), s.end(), '\n')); }

  void place_comments(const std::vector<Comment>& comments) {
    trivia_.resize(tokens_.size());
    size_t next = 0;
    uint32_t before = 0, line = 0, counted = 0;
    for (size_t i = 0; i < tokens_.size(); i++) {
      // The end is counted as standing after all comments.
      uint32_t begin = tokens_[i].kind == Tok::Eof ? uint32_t(text_.size()) : tokens_[i].span.begin;
      uint32_t from = before;
      size_t first = next;
      for (; next < comments.size() && comments[next].span.begin < begin; next++) {
        const Comment& c = comments[next];
        if (c.doc) continue;
        std::string_view space = text_.substr(from, c.span.begin - from);
        CommentText t;
        t.text = trimmed(text_.substr(c.span.begin, c.span.end - c.span.begin));
        t.trailing = newlines(space) == 0 && i > 0 && next == first;
        t.blank_before = newlines(space) > 1 && (i > 0 || next > first);
        t.at_margin = false;
        line += uint32_t(newlines(text_.substr(counted, c.span.begin - counted)));
        counted = c.span.begin;
        t.line = line;
        t.column = column_of(c.span.begin);
        if (newlines(space) > 0) trivia_[i].newline = true;
        trivia_[i].comments.push_back(uint32_t(comments_.size()));
        comments_.push_back(std::move(t));
        from = c.span.end;
      }
      std::string_view space = text_.substr(from, begin - from);
      if (newlines(space) > 0) trivia_[i].newline = true;
      if (newlines(space) > 1) trivia_[i].blank = true;
      mark_test_blocks(trivia_[i], comments, first);
      before = tokens_[i].span.end;
    }
  }

  // A run of comment lines with `-- ==` in column 0 is a test block, and is one only there.
  void mark_test_blocks(const Trivia& t, const std::vector<Comment>& comments, size_t first) {
    bool block = false;
    for (size_t k = t.comments.size(); k-- > 0;) {
      CommentText& c = comments_[t.comments[k]];
      uint32_t begin = comments[first + k].span.begin;
      bool margin = begin == 0 || text_[begin - 1] == '\n';
      if (margin && c.text == "-- ==") block = true;
      c.at_margin = block && margin;
      if (c.blank_before) block = false;
    }
    block = false;
    for (uint32_t index : t.comments) {
      CommentText& c = comments_[index];
      if (c.blank_before) block = false;
      if (c.at_margin) block = true;
      else if (block && !c.trailing) c.at_margin = true;
    }
  }

  Tok kind(size_t ahead = 0) const { return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)].kind; }
  bool is(Tok k) const { return kind() == k; }
  std::string_view text_of(size_t token) const {
    const Span& s = tokens_[token].span;
    return text_.substr(s.begin, s.end - s.begin);
  }
  std::string_view word(size_t ahead = 0) const { return text_of(std::min(pos_ + ahead, tokens_.size() - 1)); }
  bool is_op(std::string_view op, size_t ahead = 0) const { return kind(ahead) == Tok::Operator && word(ahead) == op; }

  // --- the layout ---

  Doc add(Piece p) {
    pieces_.push_back(std::move(p));
    return Doc(pieces_.size() - 1);
  }
  static uint32_t characters(std::string_view s) {
    return uint32_t(std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }

  uint32_t column_of(size_t offset) const {
    size_t newline = offset > 0 ? text_.rfind('\n', offset - 1) : text_.npos, start = newline == text_.npos ? 0 : newline + 1;
    return characters(text_.substr(start, offset - start));
  }

  // The token at hand, glued to the one before it if no gap was made.
  Doc tok() {
    if (pos_ > 0 && !gapped_[pos_]) {
      Doc glue = gap(Gap::None);
      return concat({glue, tok()});
    }
    Piece p{Piece::Kind::Text};
    p.token = uint32_t(pos_);
    p.width = p.head = p.lead = characters(word());
    p.forced = is(Tok::Doc) && newlines(word()) > 0;
    if (!is(Tok::Eof)) pos_++;
    return add(std::move(p));
  }

  // Between the token before the one at hand and that. With `ahead`, a new line after the token at hand counts as one before it.
  Doc gap(Gap g, bool ahead = false) {
    size_t at = pos_;
    bool newline = trivia_[at].newline || (ahead && trivia_[at + 1].newline && trivia_[at + 1].comments.empty());
    if (gapped_[at]) return concat({});          // two asked for it: one is enough
    gapped_[at] = true;
    Piece p{Piece::Kind::Gap};
    const Trivia& t = trivia_[at];
    // `a[i]` indexes and `a [i]` does not.
    if (tokens_[at].kind == Tok::IndexBracket) g = tokens_[at - 1].kind == Tok::With ? Gap::Space : Gap::None;
    else if (g == Gap::None && tokens_[at].kind == Tok::LBracket && indexes_after(at)) g = Gap::Space;
    p.gap = g;
    p.token = uint32_t(at);
    p.width = p.head = p.lead = (g == Gap::None ? 0 : 1) + padding_[at];
    p.forced = !t.comments.empty() || g >= Gap::Hard || (g == Gap::Keep && newline);
    p.broken_line = (g == Gap::Line || g == Gap::LineBlank) && newline;
    p.breaks = g >= Gap::Line || p.forced;
    if (p.breaks) p.lead = 0;
    if (p.forced) p.head = 0;
    return add(std::move(p));
  }
  bool indexes_after(size_t at) const {
    if (at == 0) return false;
    char c = text_[tokens_[at - 1].span.end - 1];
    return c == ')' || c == ']' || is_name_char(c);
  }

  Doc concat(std::vector<Doc> children) { return wrap(Piece::Kind::Concat, std::move(children)); }
  Doc align(std::vector<Doc> children) { return wrap(Piece::Kind::Align, std::move(children)); }
  Doc nest(int indent, std::vector<Doc> children) {
    Doc d = wrap(Piece::Kind::Nest, std::move(children));
    pieces_[d].indent = indent;
    return d;
  }
  // Its Line gaps, and those of what is inside it without being a group, are broken together.
  Doc group(std::vector<Doc> children) {
    Doc d = wrap(Piece::Kind::Group, std::move(children));
    Piece& p = pieces_[d];
    if (p.broken_line) {
      p.forced = true;
      p.head = std::min(p.head, p.lead);
    }
    p.broken_line = false;
    return d;
  }
  Doc wrap(Piece::Kind k, std::vector<Doc> children) {
    Piece p{k};
    for (Doc c : children) {
      const Piece& q = pieces_[c];
      if (!p.breaks) p.lead += q.lead;
      if (!p.forced) p.head += q.head;
      p.width += q.width;
      p.breaks |= q.breaks;
      p.forced |= q.forced;
      p.broken_line |= q.broken_line;
    }
    p.children = std::move(children);
    return add(std::move(p));
  }
  bool forced(Doc d) const { return pieces_[d].forced; }

  // --- declarations ---

  bool long_piece(Doc d, uint32_t column) const { return pieces_[d].forced || pieces_[d].width + column > line_width; }

  // The gaps between them are of kind `between`; around one that takes several lines there are empty lines.
  std::vector<Doc> decls(Tok end, Gap between, uint32_t column = 0) {
    std::vector<Doc> out;
    bool before_long = false;
    while (!is(end) && !is(Tok::Eof)) {
      size_t at = pos_;
      if (!out.empty()) out.push_back(gap(between));
      Doc d = decl(column);
      bool is_long = long_piece(d, column);
      if (!out.empty() && (is_long || before_long)) force(out.back(), Gap::Separate);
      out.push_back(d);
      before_long = is_long;
      if (pos_ == at) break;
    }
    return out;
  }

  Doc attribute() {  // #[name(args)]
    std::vector<Doc> all;
    all.push_back(tok());
    for (int depth = 0; !is(Tok::Eof);) {
      if (is(Tok::RBracket) && depth == 0) break;
      if (is(Tok::LParen)) depth++;
      if (is(Tok::RParen)) depth--;
      bool comma = is(Tok::Comma);
      all.push_back(tok());
      if (comma) all.push_back(gap(Gap::Space));
    }
    if (is(Tok::RBracket)) all.push_back(tok());
    return concat(std::move(all));
  }

  Doc decl(uint32_t column) {
    std::vector<Doc> all;
    for (;;) {
      if (is(Tok::Doc)) {
        all.push_back(tok());
        all.push_back(gap(Gap::Hard));
      } else if (is(Tok::HashBracket)) {
        all.push_back(attribute());
        all.push_back(gap(Gap::Keep));
      } else if (is(Tok::Local)) {
        all.push_back(tok());
        all.push_back(gap(Gap::Space));
      } else {
        break;
      }
    }
    switch (kind()) {
      case Tok::Def: case Tok::Let: case Tok::Entry: {
        Doc keyword = tok();
        all.push_back(definition(keyword));
        break;
      }
      case Tok::Type: all.push_back(type_decl()); break;
      case Tok::Val: all.push_back(val_spec()); break;
      case Tok::Module: all.push_back(module_decl(column)); break;
      case Tok::Open: case Tok::Include: {
        bool types = is(Tok::Include);
        all.push_back(tok());
        all.push_back(gap(Gap::Space));
        all.push_back(types ? mod_type(column) : mod_exp(column));
        break;
      }
      case Tok::Import:
        all.push_back(tok());
        all.push_back(gap(Gap::Space));
        all.push_back(tok());
        break;
      default: break;
    }
    return concat(std::move(all));
  }

  // One name, pattern or type parameter of a definition.
  Doc param_item() {
    switch (kind()) {
      case Tok::LBracket: case Tok::IndexBracket: {
        std::vector<Doc> all{tok()};
        if (!is(Tok::RBracket)) all.push_back(tok());
        if (is(Tok::RBracket)) all.push_back(tok());
        return concat(std::move(all));
      }
      case Tok::Quote: case Tok::QuoteHat: case Tok::QuoteTilde: {
        Doc quote = tok();
        Doc space = gap(Gap::None);
        return concat({quote, space, tok()});
      }
      case Tok::Backtick: return backticks();
      default: return inner_pattern();
    }
  }
  Doc backticks() {  // `name`, perhaps qualified
    std::vector<Doc> all{tok()};
    while (!is(Tok::Backtick) && !is(Tok::Eof)) all.push_back(gap(Gap::None)), all.push_back(tok());
    all.push_back(gap(Gap::None));
    all.push_back(tok());
    return concat(std::move(all));
  }
  // The parameters up to one of the tokens that may follow them.
  std::vector<Doc> params() {
    std::vector<Doc> items;
    while (!is(Tok::Equals) && !is(Tok::Colon) && !is(Tok::Arrow) && !is(Tok::Eof)) {
      if (!items.empty()) items.push_back(gap(Gap::Keep));
      size_t at = pos_;
      items.push_back(param_item());
      if (pos_ == at) items.push_back(tok());
    }
    return items;
  }

  // `KEYWORD name params: type = body`
  Doc definition(Doc keyword) {
    std::vector<Doc> all{keyword, gap(Gap::Space), param_item()};
    if (!is(Tok::Equals) && !is(Tok::Colon)) {
      all.push_back(gap(Gap::Space));
      all.push_back(align(params()));                // those that do not fit stand below the first one
    }
    if (is(Tok::Colon)) {
      Doc none = gap(Gap::None), colon = tok(), space = gap(Gap::Keep);
      all.push_back(nest(4, {none, colon, space, type()}));
    }
    all.push_back(value_after_equals());
    return concat(std::move(all));
  }

  // ` = body`. A body that is a chain of lets, a loop and the like begins on a line of its own, unless all fits on one.
  Doc value_after_equals() {
    if (!is(Tok::Equals)) return concat({});
    Doc before = gap(Gap::Space), equals = tok();
    return concat({before, equals, continuation()});
  }
  Doc continuation() {
    Doc space = gap(Gap::Keep);
    Doc body = exp();
    if (forced(body) && pieces_[body].block) force(space, Gap::Hard);
    return nest(2, {space, body});
  }

  Doc type_decl() {
    std::vector<Doc> all{tok()};
    if (is_op("^") || is(Tok::Tilde)) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
    }
    all.push_back(gap(Gap::Space));
    all.push_back(param_item());
    while (!is(Tok::Equals) && at_type_param()) {
      all.push_back(gap(Gap::Space));
      all.push_back(param_item());
    }
    if (is(Tok::Equals)) {
      all.push_back(gap(Gap::Space));
      all.push_back(tok());
      Doc space = gap(Gap::Keep);
      all.push_back(nest(2, {space, type()}));
    }
    return concat(std::move(all));
  }
  bool at_type_param() const {
    return is(Tok::LBracket) || is(Tok::IndexBracket) || is(Tok::Quote) || is(Tok::QuoteHat) || is(Tok::QuoteTilde);
  }

  Doc val_spec() {
    std::vector<Doc> all{tok(), gap(Gap::Space)};
    if (is(Tok::Operator)) all.push_back(tok());
    else all.push_back(param_item());
    while (at_type_param()) {
      all.push_back(gap(Gap::Space));
      all.push_back(param_item());
    }
    all.push_back(gap(Gap::None));
    all.push_back(tok());
    Doc space = gap(Gap::Keep);
    all.push_back(nest(2, {space, type()}));
    return concat(std::move(all));
  }

  // --- modules ---

  Doc module_decl(uint32_t column) {
    std::vector<Doc> all{tok(), gap(Gap::Space)};
    bool of_type = is(Tok::Type);
    if (of_type) {
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
    }
    all.push_back(tok());
    while (is(Tok::LParen)) {
      all.push_back(gap(Gap::Space));
      all.push_back(module_param(column));
    }
    if (is(Tok::Colon)) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      all.push_back(module_value(true, column));
    }
    if (is(Tok::Equals)) {
      all.push_back(gap(Gap::Space));
      all.push_back(tok());
      all.push_back(module_value(of_type, column));
    }
    return concat(std::move(all));
  }
  // On the same line if it begins with a brace, or applies names to one.
  Doc module_value(bool of_type, uint32_t column) {
    size_t names = 0;
    while (kind(names) == Tok::Name || kind(names) == Tok::Dot) names++;
    bool brace = kind(names) == Tok::LBrace;
    Doc space = gap(brace ? Gap::Space : Gap::Keep);
    Doc value = of_type ? mod_type(column) : mod_exp(column);
    return nest(brace ? 0 : 2, {space, value});
  }
  Doc module_param(uint32_t column) {  // (name: module type)
    std::vector<Doc> all{tok(), tok(), gap(Gap::None), tok(), gap(Gap::Space), mod_type(column)};
    if (is(Tok::RParen)) all.push_back(gap(Gap::None)), all.push_back(tok());
    return concat(std::move(all));
  }

  // Declarations or specifications in braces.
  Doc braces(uint32_t column) {
    Doc open = tok();
    if (is(Tok::RBrace)) {
      Doc space = gap(Gap::None);
      return concat({open, space, tok()});
    }
    Doc first = gap(Gap::Line);
    std::vector<Doc> body = decls(Tok::RBrace, Gap::LineBlank, column + 2);
    body.insert(body.begin(), first);
    Doc last = gap(Gap::Line);
    Doc nested = nest(2, std::move(body));
    return group({open, nested, last, tok()});
  }
  // A gap that has to be a new line.
  void force(Doc d, Gap g) {
    Piece& p = pieces_[d];
    p.gap = g;
    p.forced = p.breaks = true;
    p.head = p.lead = 0;
  }

  Doc mod_exp(uint32_t column) {
    std::vector<Doc> all;
    if (is(Tok::Backslash)) {
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      while (is(Tok::LParen)) all.push_back(module_param(column));
      if (is(Tok::Colon)) {
        all.push_back(gap(Gap::None));
        all.push_back(tok());
        all.push_back(gap(Gap::Space));
        all.push_back(mod_type(column));
      }
      all.push_back(gap(Gap::Space));
      all.push_back(tok());
      all.push_back(module_value(false, column));
      return concat(std::move(all));
    }
    all.push_back(mod_atom(column));
    while (is(Tok::LParen) || is(Tok::Name) || is(Tok::LBrace)) {
      Doc space = gap(is(Tok::LBrace) ? Gap::Space : Gap::Keep);
      all.push_back(nest(2, {space}));
      all.push_back(mod_atom(column));
    }
    while (is(Tok::Colon)) {
      Doc space = gap(Gap::Keep), colon = tok();
      all.push_back(nest(2, {space}));
      all.push_back(colon);
      all.push_back(gap(Gap::Space));
      all.push_back(mod_type(column));
    }
    return concat(std::move(all));
  }
  Doc mod_atom(uint32_t column) {
    if (is(Tok::LBrace)) return braces(column);
    if (is(Tok::LParen)) {
      std::vector<Doc> all{tok(), gap(Gap::None), mod_exp(column)};
      if (is(Tok::RParen)) all.push_back(gap(Gap::None)), all.push_back(tok());
      return concat(std::move(all));
    }
    if (is(Tok::Import)) {
      Doc import = tok();
      Doc space = gap(Gap::Space);
      return concat({import, space, tok()});
    }
    return dotted();
  }
  Doc dotted() {
    std::vector<Doc> all{tok()};
    while (is(Tok::Dot) && kind(1) == Tok::Name) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      all.push_back(gap(Gap::None));
      all.push_back(tok());
    }
    return concat(std::move(all));
  }

  Doc mod_type(uint32_t column) {
    std::vector<Doc> all;
    if (is(Tok::LParen) && kind(1) == Tok::Name && kind(2) == Tok::Colon) {
      all.push_back(module_param(column));
    } else if (is(Tok::LParen)) {
      all.push_back(tok());
      all.push_back(gap(Gap::None));
      all.push_back(mod_type(column));
      if (is(Tok::RParen)) all.push_back(gap(Gap::None)), all.push_back(tok());
    } else if (is(Tok::LBrace)) {
      all.push_back(braces(column));
    } else if (is(Tok::Name)) {
      all.push_back(dotted());
    }
    while (is(Tok::With)) {
      Doc space = gap(Gap::Keep), with = tok();
      std::vector<Doc> clause{space, with, gap(Gap::Space), dotted()};
      while (at_type_param()) clause.push_back(gap(Gap::Space)), clause.push_back(param_item());
      clause.push_back(gap(Gap::Space));
      if (is(Tok::Equals)) clause.push_back(tok());
      clause.push_back(gap(Gap::Space));
      clause.push_back(type());
      all.push_back(nest(2, std::move(clause)));
    }
    if (is(Tok::Arrow)) {
      Doc space = gap(Gap::Keep), arrow = tok(), after = gap(Gap::Space);
      all.push_back(nest(2, {space}));
      all.push_back(arrow);
      all.push_back(after);
      all.push_back(mod_type(column));
    }
    return concat(std::move(all));
  }

  // --- types ---

  Doc type() {
    std::vector<Doc> all;
    for (;;) {
      if (is(Tok::Question)) {  // ?[n][m].
        all.push_back(tok());
        while (is(Tok::LBracket) || is(Tok::IndexBracket)) all.push_back(gap(Gap::None)), all.push_back(param_item());
        all.push_back(gap(Gap::None));
        if (is(Tok::Dot)) all.push_back(tok());
        all.push_back(gap(Gap::None));
        continue;
      }
      all.push_back(type_term());
      if (!is(Tok::Arrow)) break;
      all.push_back(gap(Gap::Line, true));
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
    }
    return all.size() == 1 ? all[0] : group({align(std::move(all))});
  }

  Doc type_term() {
    if (is_op("*")) {
      Doc star = tok();
      Doc space = gap(Gap::None);
      return concat({star, space, type_term()});
    }
    if (!is(Tok::Constructor)) return type_app(false);
    std::vector<Doc> all;
    for (;;) {
      all.push_back(tok());
      while (at_type_atom()) all.push_back(gap(Gap::Space)), all.push_back(type_app(true));
      if (!is_op("|")) break;
      all.push_back(gap(Gap::Line));
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      if (!is(Tok::Constructor)) break;
    }
    return group({align(std::move(all))});
  }
  bool at_type_atom() const {
    return is(Tok::LParen) || is(Tok::LBrace) || is(Tok::LBracket) || is(Tok::IndexBracket) || is(Tok::Name);
  }

  // Atoms; all of them if the first is a name, else just that one.
  Doc type_app(bool payload) {
    std::vector<Doc> all;
    if (is(Tok::LBracket) || is(Tok::IndexBracket)) {
      all.push_back(size());
      all.push_back(gap(Gap::None));
      all.push_back(payload ? type_app(true) : type_term());
      return concat(std::move(all));
    }
    bool name = is(Tok::Name);
    all.push_back(type_atom());
    while (name && !payload && at_type_atom()) {
      all.push_back(gap(Gap::Space));
      if (is(Tok::LBracket) || is(Tok::IndexBracket)) all.push_back(size());
      else all.push_back(type_atom());
    }
    return concat(std::move(all));
  }
  Doc size() {
    std::vector<Doc> all{tok()};
    if (!is(Tok::RBracket)) all.push_back(gap(Gap::None)), all.push_back(exp());
    if (is(Tok::RBracket)) all.push_back(gap(Gap::None)), all.push_back(tok());
    return concat(std::move(all));
  }
  Doc type_atom() {
    if (is(Tok::Name)) return dotted();
    if (is(Tok::LParen))
      return list(Tok::RParen, Gap::Keep, [&] {
        if (!(is(Tok::Name) && kind(1) == Tok::Colon)) return type();
        return named_type();
      });
    if (is(Tok::LBrace)) return list(Tok::RBrace, Gap::Line, [&] { return named_type(); });
    return concat({});
  }
  Doc named_type() {  // name: type
    Doc name = tok();
    if (!is(Tok::Colon)) return name;
    Doc none = gap(Gap::None), colon = tok(), space = gap(Gap::Keep);
    Doc t = type();
    return concat({name, none, colon, nest(2, {space, t})});
  }

  // At the start of a matrix of numbers and names whose rows stand below each other: where its columns begin or end in one place
  // each, the blanks that keep them so.
  void keep_columns() {
    struct Cell { size_t token; uint32_t width, begin, end; };
    constexpr uint32_t widest = 60;                  // of a row that surely stays on its line
    std::vector<std::vector<Cell>> rows;
    auto token = [&](size_t i) { return i < tokens_.size() ? tokens_[i].kind : Tok::Eof; };
    auto on_line = [&](size_t i) { return !trivia_[i].newline && trivia_[i].comments.empty(); };
    size_t i = pos_ + 1;
    while (token(i) == Tok::LBracket && (rows.empty() || trivia_[i].newline) && trivia_[i].comments.empty()) {
      uint32_t row = column_of(tokens_[i].span.begin);
      rows.emplace_back();
      do {
        size_t first = ++i;
        if (token(i) == Tok::Operator && text_of(i) == "-" && tokens_[i].span.end == tokens_[i + 1].span.begin) i++;
        if ((token(i) != Tok::Int && token(i) != Tok::Float && token(i) != Tok::Name) || !on_line(first)) return;
        uint32_t begin = column_of(tokens_[first].span.begin) - row, end = column_of(tokens_[i].span.end) - row;
        rows.back().push_back({first, end - begin, begin, end});
        i++;
      } while (token(i) == Tok::Comma && on_line(i));
      if (token(i) != Tok::RBracket || !on_line(i)) return;
      if (token(++i) != Tok::Comma) break;
      i++;
    }
    if (token(i) != Tok::RBracket || rows.size() < 2) return;
    size_t n = rows[0].size();
    std::vector<uint32_t> wide(n);
    std::vector<bool> right(n);
    uint32_t width = 0;
    for (const auto& row : rows) if (row.size() != n) return;
    for (size_t k = 0; k < n; k++) {
      auto all = [&](auto&& place) { return std::all_of(rows.begin(), rows.end(), [&](auto& row) { return place(row[k]) == place(rows[0][k]); }); };
      right[k] = all([](const Cell& c) { return c.end; });
      if (!right[k] && !all([](const Cell& c) { return c.begin; })) return;
      for (const auto& row : rows) wide[k] = std::max(wide[k], row[k].width);
      width += wide[k] + 2;
    }
    if (width > widest) return;
    for (const auto& row : rows)
      for (size_t k = 0; k < n; k++) {
        if (right[k]) padding_[row[k].token] += wide[k] - row[k].width;
        else if (k + 1 < n) padding_[row[k + 1].token] += wide[k] - row[k].width;
      }
  }

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

  // --- patterns ---

  Doc pattern() {
    std::vector<Doc> all;
    while (is(Tok::HashBracket)) all.push_back(attribute()), all.push_back(gap(Gap::Space));
    bool constructor = is(Tok::Constructor);
    all.push_back(inner_pattern());
    while (constructor && at_inner_pattern()) all.push_back(gap(Gap::Space)), all.push_back(inner_pattern());
    if (is(Tok::Colon)) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      Doc space = gap(Gap::Keep);
      all.push_back(nest(2, {space, type()}));
    }
    return concat(std::move(all));
  }
  bool at_inner_pattern() const {
    switch (kind()) {
      case Tok::Name: case Tok::Underscore: case Tok::LParen: case Tok::LBrace: case Tok::Int: case Tok::Float: case Tok::True:
      case Tok::False: case Tok::Constructor: return true;
      default: return is_op("-");
    }
  }
  Doc inner_pattern() {
    if (is_op("-") && (kind(1) == Tok::Int || kind(1) == Tok::Float)) {
      Doc minus = tok();
      Doc space = gap(Gap::None);
      return concat({minus, space, tok()});
    }
    if (is(Tok::LParen) && (kind(1) == Tok::Operator || kind(1) == Tok::QualOperator) && kind(2) == Tok::RParen) {
      Doc open = tok(), a = gap(Gap::None), op = tok(), b = gap(Gap::None);
      return concat({open, a, op, b, tok()});
    }
    if (is(Tok::LParen) && kind(1) == Tok::Backtick) {
      Doc open = tok(), a = gap(Gap::None), op = backticks(), b = gap(Gap::None);
      return concat({open, a, op, b, tok()});
    }
    if (is(Tok::LParen)) return list(Tok::RParen, Gap::Keep, [&] { return pattern(); });
    if (is(Tok::LBrace))
      return list(Tok::RBrace, Gap::Keep, [&] {
        std::vector<Doc> field{tok()};
        if (is(Tok::Equals)) {
          field.push_back(gap(Gap::Space));
          field.push_back(tok());
          field.push_back(gap(Gap::Space));
          field.push_back(pattern());
        } else if (is(Tok::Colon)) {
          field.push_back(gap(Gap::None));
          field.push_back(tok());
          field.push_back(gap(Gap::Space));
          field.push_back(type());
        }
        return concat(std::move(field));
      });
    return tok();
  }

  // --- expressions ---

  bool at_binary_operator() const {
    switch (kind()) {
      case Tok::Operator: case Tok::QualOperator: return kind(1) != Tok::RParen;
      case Tok::Backtick: {
        size_t k = 1;
        while (kind(k) != Tok::Backtick && kind(k) != Tok::Eof) k++;
        return kind(k + 1) != Tok::RParen;
      }
      default: return false;
    }
  }
  bool at_dots() const { return is(Tok::DotDot) || is(Tok::DotDotDot) || is(Tok::DotDotLess) || is(Tok::DotDotGreater); }
  // How tightly the operator at hand binds; 0: there is none.
  int level() const {
    if (at_dots()) return 2;
    if (is(Tok::With)) return 4;
    if (!at_binary_operator()) return 0;
    if (is(Tok::Backtick)) return 3;
    std::string_view op = word();
    if (is(Tok::QualOperator)) op.remove_prefix(std::min(op.find_first_of("+-*/%=!><|&^"), op.size()));
    return operator_level(op);
  }

  Doc exp() {
    Doc first = chain(2);
    while (is(Tok::Colon) || is(Tok::ColonGreater)) {
      std::vector<Doc> all{gap(Gap::Keep), tok(), gap(Gap::Space), type()};
      Doc rest = nest(2, std::move(all));
      first = align({first, rest});
    }
    return first;
  }

  // Operands and operators that bind as tightly as `least`. Those of one level stand below each other; an operand of
  // tighter ones is kept together if it can be. Pipes are broken together.
  Doc chain(int least) {
    std::vector<Doc> all{operand()};
    bool block = pieces_[all[0]].block;
    constexpr int pipe = 5;
    int current = 100;
    auto close = [&] {
      if (all.size() == 1) return;
      Doc d = current == pipe ? group({align(std::move(all))}) : align(std::move(all));
      pieces_[d].block = block;
      all = {mark_spaced(d)};
    };
    for (;;) {
      int l = level();
      if (l == 0 || l < least) break;
      if (l == 2) {
        close();
        all = {range(all[0])};
        current = l;
        continue;
      }
      if (l < current) {
        close();
        current = l;
      }
      if (l == 4) {
        Doc space = gap(Gap::Keep), with = tok(), after = gap(Gap::Space);
        std::vector<Doc> clause{with, after};
        steps(clause);
        clause.push_back(gap(Gap::Space));
        if (is(Tok::Equals)) clause.push_back(tok());
        Doc value_gap = gap(Gap::Keep);
        clause.push_back(nest(2, {value_gap, chain(pipe)}));
        all.push_back(space);
        all.push_back(concat(std::move(clause)));
        continue;
      }
      Doc space = gap(l == pipe ? Gap::Line : Gap::Keep, !is(Tok::Backtick));
      Doc op = is(Tok::Backtick) ? backticks() : tok();
      Doc after = gap(Gap::Space);
      Doc right = chain(l + 1);
      all.push_back(space);
      all.push_back(concat({op, after, right}));
    }
    close();
    return all[0];
  }

  // `a..<b`, and with blanks if an operand has any.
  Doc range(Doc first) {
    std::vector<Doc> all{first}, gaps;
    bool spaced = has_blank(first);
    while (at_dots()) {
      gaps.push_back(gap(Gap::None));
      all.push_back(gaps.back());
      all.push_back(tok());
      gaps.push_back(gap(Gap::None));
      all.push_back(gaps.back());
      all.push_back(chain(3));
      spaced |= has_blank(all.back());
    }
    if (!spaced) return concat(std::move(all));
    for (Doc g : gaps) {
      Piece& p = pieces_[g];
      if (p.kind != Piece::Kind::Gap || p.forced) continue;
      p.gap = Gap::Space;
      p.width = p.head = p.lead = 1;
    }
    return mark_spaced(concat(std::move(all)));
  }
  // Written with a blank on the outside: an application, an operator, ..
  bool has_blank(Doc d) const { return spaced_.size() > d && spaced_[d]; }
  Doc mark_spaced(Doc d) {
    if (spaced_.size() <= d) spaced_.resize(d + 1);
    spaced_[d] = true;
    return d;
  }
  Doc mark_block(Doc d) {
    pieces_[d].block = true;
    return mark_spaced(d);
  }

  // `[i].a[j]` after `with` or a name
  void steps(std::vector<Doc>& out) {
    bool first = true;
    while (!is(Tok::Equals) && !is(Tok::Eof)) {
      if (!first) out.push_back(gap(Gap::None));
      if (is(Tok::LBracket) || is(Tok::IndexBracket)) out.push_back(indices());
      else out.push_back(tok());
      first = false;
    }
  }

  Doc operand() {
    switch (kind()) {
      case Tok::If: return mark_block(if_chain());
      case Tok::Let: return mark_block(let_chain());
      case Tok::Loop: return mark_block(loop());
      case Tok::Match: return mark_block(match_());
      case Tok::Backslash: return mark_spaced(lambda());
      case Tok::Assert: {
        Doc keyword = tok(), a = gap(Gap::Space), cond = atom(), b = gap(Gap::Keep);
        return mark_block(align({keyword, a, cond, b, exp()}));
      }
      case Tok::HashBracket: {
        Doc a = attribute(), space = gap(Gap::Keep);
        Doc body = exp();
        Doc d = align({a, space, body});
        pieces_[d].block = true;
        return mark_spaced(d);
      }
      default: break;
    }
    if (is_op("-") || is_op("!")) {
      Doc op = tok();
      Doc space = gap(is(Tok::Operator) || is(Tok::QualOperator) ? Gap::Space : Gap::None);
      return concat({op, space, operand()});
    }
    return application();
  }

  bool at_atom() const {
    switch (kind()) {
      case Tok::Name: case Tok::Int: case Tok::Float: case Tok::String: case Tok::True: case Tok::False: case Tok::Constructor:
      case Tok::Hole: case Tok::LParen: case Tok::LBracket: case Tok::LBrace: return true;
      default: return false;
    }
  }

  Doc application() {
    Doc head = atom();
    std::vector<Doc> args;
    while (at_atom() || is(Tok::Backslash)) {
      args.push_back(gap(Gap::Keep));
      bool last = is(Tok::Backslash);
      args.push_back(last ? lambda() : atom());
      if (last) break;
    }
    if (args.empty()) return head;
    Doc rest = nest(2, std::move(args));
    return mark_spaced(align({head, rest}));
  }

  Doc indices() {  // [i, j:k]
    return list(Tok::RBracket, Gap::Keep, [&] {
      std::vector<Doc> all;
      while (!is(Tok::Comma) && !is(Tok::RBracket) && !is(Tok::Eof)) {
        if (!all.empty()) all.push_back(gap(Gap::None));
        size_t at = pos_;
        all.push_back(is(Tok::Colon) ? tok() : chain(2));
        if (pos_ == at) all.push_back(tok());
      }
      return concat(std::move(all));
    });
  }
  Doc atom() {
    std::vector<Doc> all;
    switch (kind()) {
      case Tok::LParen: all.push_back(parenthesised()); break;
      case Tok::LBracket:
        keep_columns();
        all.push_back(list(Tok::RBracket, Gap::Keep, [&] { return exp(); }));
        break;
      case Tok::LBrace:
        all.push_back(list(Tok::RBrace, Gap::Line, [&] {
          Doc name = tok();
          if (!is(Tok::Equals)) return name;
          return concat({name, value_after_equals()});
        }));
        break;
      default: all.push_back(tok());
    }
    for (;;) {
      if (is(Tok::IndexBracket)) {
        all.push_back(gap(Gap::None));
        all.push_back(indices());
      } else if (is(Tok::Dot) && kind(1) == Tok::LParen) {
        all.push_back(gap(Gap::None));
        all.push_back(tok());
        all.push_back(gap(Gap::None));
        all.push_back(list(Tok::RParen, Gap::Keep, [&] { return exp(); }));
      } else if (is(Tok::Dot) && (kind(1) == Tok::Name || kind(1) == Tok::Int)) {
        all.push_back(gap(Gap::None));
        all.push_back(tok());
        all.push_back(gap(Gap::None));
        all.push_back(tok());
      } else {
        return all.size() == 1 ? all[0] : concat(std::move(all));
      }
    }
  }

  // Parentheses, tuples and sections.
  Doc parenthesised() {
    if (kind(1) == Tok::Dot) {  // (.a[i])
      Doc open = tok();
      std::vector<Doc> all{open};
      while (!is(Tok::RParen) && !is(Tok::Eof)) {
        all.push_back(gap(Gap::None));
        all.push_back(is(Tok::LBracket) || is(Tok::IndexBracket) ? indices() : tok());
      }
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      return concat(std::move(all));
    }
    bool op_first = (kind(1) == Tok::Operator || kind(1) == Tok::QualOperator || kind(1) == Tok::Backtick);
    if (op_first && (is_op("-", 1) || is_op("!", 1))) op_first = kind(2) == Tok::RParen;
    if (op_first) {
      std::vector<Doc> all{tok(), gap(Gap::None)};
      all.push_back(is(Tok::Backtick) ? backticks() : tok());
      if (!is(Tok::RParen)) all.push_back(gap(Gap::Space)), all.push_back(exp());
      all.push_back(gap(Gap::None));
      if (is(Tok::RParen)) all.push_back(tok());
      return concat(std::move(all));
    }
    return list(Tok::RParen, Gap::Keep, [&] {
      Doc e = exp();
      if (!is(Tok::Operator) && !is(Tok::QualOperator) && !is(Tok::Backtick)) return e;
      Doc space = gap(Gap::Space);
      return concat({e, space, is(Tok::Backtick) ? backticks() : tok()});
    });
  }

  // if c then a else if d then b else e: one chain. `then` ends its line if the first branch begins below it.
  Doc if_chain() {
    std::vector<Doc> all;
    bool below = false, first = true;
    for (;;) {
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(align({exp()}));
      if (is(Tok::Then)) {
        if (first) below = trivia_[pos_ + 1].newline && !trivia_[pos_].newline;
        first = false;
        all.push_back(gap(below ? Gap::Space : Gap::Line));
        all.push_back(tok());
        all.push_back(branch(below));
      }
      if (!is(Tok::Else)) break;
      all.push_back(gap(Gap::Line));
      all.push_back(tok());
      if (is(Tok::If)) {
        all.push_back(gap(Gap::Space));
        continue;
      }
      all.push_back(branch(below));
      break;
    }
    return group({align(std::move(all))});
  }
  Doc branch(bool below) {
    Doc space = gap(below ? Gap::Line : Gap::Keep);
    return nest(2, {space, exp()});
  }

  Doc let_chain() {
    std::vector<Doc> all;
    for (;;) {
      Doc keyword = tok();
      bool update = is(Tok::Name) && (kind(1) == Tok::IndexBracket || kind(1) == Tok::Dot);
      bool function = is(Tok::Name) && !update && kind(1) != Tok::Equals && kind(1) != Tok::Colon;
      if (function) {
        all.push_back(definition(keyword));
      } else {
        all.push_back(keyword);
        all.push_back(gap(Gap::Space));
        if (update) {
          all.push_back(tok());
          all.push_back(gap(Gap::None));
          steps(all);
        } else {
          while (is(Tok::LBracket) || is(Tok::IndexBracket)) all.push_back(param_item()), all.push_back(gap(Gap::Space));
          all.push_back(pattern());
        }
        all.push_back(value_after_equals());
      }
      if (is(Tok::Let)) {
        all.push_back(gap(Gap::LineBlank));
        continue;
      }
      if (!is(Tok::In)) break;
      all.push_back(gap(Gap::LineBlank));
      Doc in = tok();
      all.push_back(in);
      if (is(Tok::Let)) {
        all.push_back(gap(Gap::Space));
        continue;
      }
      Doc space = gap(Gap::Space);
      all.push_back(nest(2, {space, align({exp()})}));
      break;
    }
    return group({align(std::move(all))});
  }

  Doc loop() {
    std::vector<Doc> all{tok(), gap(Gap::Space), pattern()};
    if (is(Tok::Equals)) all.push_back(value_after_equals());
    if (is(Tok::While)) {
      all.push_back(gap(Gap::Keep));
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(align({exp()}));
    } else if (is(Tok::For)) {
      all.push_back(gap(Gap::Keep));
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      if (is(Tok::Name) && is_op("<", 1)) {
        all.push_back(tok());
        all.push_back(gap(Gap::Space));
        all.push_back(tok());
      } else {
        all.push_back(pattern());
        all.push_back(gap(Gap::Space));
        if (is(Tok::In)) all.push_back(tok());
      }
      all.push_back(gap(Gap::Space));
      all.push_back(align({exp()}));
    }
    if (is(Tok::Do)) {
      all.push_back(gap(Gap::Space));
      all.push_back(tok());
      Doc space = gap(Gap::Line);
      Doc body = exp();
      all.push_back(group({nest(2, {space, body})}));
    }
    return align(std::move(all));
  }

  Doc match_() {
    std::vector<Doc> all{tok(), gap(Gap::Space), align({exp()})};
    while (is(Tok::Case)) {
      all.push_back(gap(Gap::Line));
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(align({pattern()}));
      all.push_back(gap(Gap::Space));
      if (is(Tok::Arrow)) all.push_back(tok());
      all.push_back(continuation());
    }
    return group({align(std::move(all))});
  }

  Doc lambda() {
    std::vector<Doc> all{tok()};
    std::vector<Doc> items = params();
    all.push_back(align(std::move(items)));
    if (is(Tok::Colon)) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(type_term());
    }
    all.push_back(gap(Gap::Space));
    if (is(Tok::Arrow)) all.push_back(tok());
    all.push_back(continuation());
    return align(std::move(all));
  }

  // --- text ---

  struct Command { uint32_t indent; bool flat; Doc doc; };

  // Would what comes next fit after `column`, up to a place after it where the line may end?
  bool next_fits(uint32_t column, const std::vector<Command>& rest) const {
    if (rest.empty()) return true;
    const Piece& p = pieces_[rest.back().doc];
    if (p.forced) return column + p.head <= line_width;
    return rest_fits(column + p.width, rest, rest.size() - 1);
  }
  // Would what stands on `rest` below `from` fit, up to the first place where the line may end?
  bool rest_fits(uint32_t width, const std::vector<Command>& rest, size_t from) const {
    for (size_t i = from; i-- > 0 && width <= line_width;) {
      const Piece& q = pieces_[rest[i].doc];
      if (q.breaks && !rest[i].flat) return width + q.lead <= line_width;
      width += q.width;
    }
    return width <= line_width;
  }

  void render(Doc root) {
    std::vector<Command> stack{{0, false, root}};
    while (!stack.empty()) {
      Command c = stack.back();
      stack.pop_back();
      const Piece& p = pieces_[c.doc];
      switch (p.kind) {
        case Piece::Kind::Text: put_token(p.token, c.indent); break;
        case Piece::Kind::Gap: put_gap(p, c, stack); break;
        case Piece::Kind::Concat: push(stack, p, c.indent, c.flat); break;
        case Piece::Kind::Nest: push(stack, p, c.indent + uint32_t(p.indent), c.flat); break;
        case Piece::Kind::Align: push(stack, p, column_, c.flat); break;
        case Piece::Kind::Group: {
          bool flat = c.flat || (!p.forced && rest_fits(column_ + p.width, stack, stack.size()));
          push(stack, p, c.indent, flat);
          break;
        }
      }
    }
  }
  static void push(std::vector<Command>& stack, const Piece& p, uint32_t indent, bool flat) {
    for (size_t i = p.children.size(); i-- > 0;) stack.push_back({indent, flat, p.children[i]});
  }

  void put_token(uint32_t token, uint32_t indent) {
    std::string_view text = text_of(token);
    if (tokens_[token].kind != Tok::Doc) {
      out_ += text;
      column_ += characters(text);
      return;
    }
    bool first = true;
    for (size_t i = 0; i <= text.size();) {
      size_t end = std::min(text.find('\n', i), text.size());
      if (!first) new_line(indent);
      out_ += trimmed(text.substr(i, end - i));
      first = false;
      i = end + 1;
    }
  }

  void new_line(uint32_t indent) {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    if (!out_.empty()) out_ += '\n';
    out_.append(indent, ' ');
    column_ = indent;
  }

  // The comments after the last token, and the end of its line.
  void end_of_file() {
    for (uint32_t k : trivia_.back().comments) {
      const CommentText& comment = comments_[k];
      if (comment.trailing) put_trailing(k);
      else if (!out_.empty()) out_ += comment.blank_before ? "\n\n" : "\n";
      if (!comment.trailing) out_ += comment.text;
    }
    if (!out_.empty()) out_ += '\n';
  }

  void put_blanks(uint32_t n) {
    out_.append(n, ' ');
    column_ += n;
  }
  void put_trailing(uint32_t comment) {
    trailing_.push_back({out_.size(), comment});
    out_ += "  ";
    out_ += comments_[comment].text;
  }
  // Comments after lines that follow each other stay below each other.
  void align_comments() {
    auto column = [&](const Trailing& t) {
      size_t start = out_.rfind('\n', t.at);
      start = start == out_.npos ? 0 : start + 1;
      return characters(std::string_view(out_).substr(start, t.at - start));
    };
    for (size_t last = trailing_.size(), first; last > 0; last = first) {
      first = last - 1;
      auto follows = [&](const Trailing& a, const Trailing& b) {
        const CommentText &x = comments_[a.comment], &y = comments_[b.comment];
        return x.line + 1 == y.line && x.column == y.column && newlines(std::string_view(out_).substr(a.at, b.at - a.at)) == 1;
      };
      while (first > 0 && follows(trailing_[first - 1], trailing_[first])) first--;
      uint32_t widest = 0;
      for (size_t k = first; k < last; k++) widest = std::max(widest, column(trailing_[k]));
      for (size_t k = last; k-- > first;) out_.insert(trailing_[k].at, widest - column(trailing_[k]), ' ');
    }
  }

  void put_gap(const Piece& p, const Command& c, const std::vector<Command>& rest) {
    const Trivia& t = trivia_[p.token];
    bool keeps_blank = p.gap == Gap::LineBlank || p.gap == Gap::HardBlank || p.gap == Gap::Separate;
    if (!t.comments.empty()) {
      bool any_blank = t.blank;
      for (uint32_t k : t.comments) any_blank |= comments_[k].blank_before;
      bool separate = p.gap == Gap::Separate && !any_blank;
      for (uint32_t k : t.comments) {
        const CommentText& comment = comments_[k];
        if (comment.trailing) {
          put_trailing(k);
          continue;
        }
        if ((comment.blank_before || separate) && !out_.empty()) out_ += '\n';
        separate = false;
        new_line(comment.at_margin ? 0 : c.indent);
        out_ += comment.text;
      }
      if ((t.blank && keeps_blank) || separate) out_ += '\n';
      new_line(c.indent);
      return;
    }
    bool broken = false;
    switch (p.gap) {
      case Gap::None: put_blanks(padding_[p.token]); return;
      case Gap::Space: break;
      case Gap::Line: case Gap::LineBlank: broken = !c.flat; break;
      case Gap::Keep: broken = !c.flat && (p.forced || !next_fits(column_ + 1, rest)); break;
      case Gap::Hard: case Gap::HardBlank: case Gap::Separate: broken = true; break;
    }
    if (!broken) return put_blanks(1 + padding_[p.token]);
    if (p.gap == Gap::Separate || (keeps_blank && t.blank)) out_ += '\n';
    new_line(c.indent);
  }

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

}  // namespace

std::string format(const Sources& sources, FileId file, const Tokens& tokens) { return Formatter(sources, file, tokens).run(); }

std::string token_difference(const Sources& sources, const Tokens& a, const Tokens& b) {
  // White space at the ends of the lines of a comment is not part of it.
  auto plain = [](std::string_view text) {
    std::string out;
    for (size_t i = 0; i <= text.size();) {
      size_t end = std::min(text.find('\n', i), text.size());
      std::string_view line = text.substr(i, end - i);
      size_t from = line.find_first_not_of(" \t\r\f\v"), to = line.find_last_not_of(" \t\r\f\v");
      if (from != std::string_view::npos) out += line.substr(from, to - from + 1);
      out += '\n';
      i = end + 1;
    }
    return out;
  };
  auto kind_of = [](const Tokens& t, size_t i) {    // after `with` both brackets mean the same
    return t.items[i].kind == Tok::IndexBracket && i > 0 && t.items[i - 1].kind == Tok::With ? Tok::LBracket : t.items[i].kind;
  };
  auto compare = [&](Span x, Span y, bool same_kind) -> std::string {
    if (same_kind && plain(sources.text(x)) == plain(sources.text(y))) return "";
    return sources.place(x) + ": `" + std::string(sources.text(x)) + "` became `" + std::string(sources.text(y)) + "`";
  };
  for (size_t i = 0; i < a.items.size() && i < b.items.size(); i++)
    if (std::string d = compare(a.items[i].span, b.items[i].span, kind_of(a, i) == kind_of(b, i)); !d.empty()) return d;
  for (size_t i = 0; i < a.comments.size() && i < b.comments.size(); i++)
    if (std::string d = compare(a.comments[i].span, b.comments[i].span, true); !d.empty()) return d;
  if (a.items.size() != b.items.size()) return "tokens are missing";
  return a.comments.size() == b.comments.size() ? "" : "comments are missing";
}

}  // namespace raido::ast
