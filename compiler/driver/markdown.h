// markdown.h - Markdown as HTML: paragraphs, headings, lists, quotations, tables, code, emphasis, links.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace raido {

// Of a code span, whose text and what follows it are given: its HTML, and how much of what follows belongs to it.
using CodeSpan = std::function<std::string(std::string_view code, std::string_view after, size_t& taken)>;

// A heading of level 1 becomes one of level `top`.
std::string markdown_html(std::string_view text, int top, const CodeSpan& code_span);

}  // namespace raido
