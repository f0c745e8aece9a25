// A report as data, for editors and other tools: one JSON object on one line.
#include <nlohmann/json.hpp>

#include "compiler/source/diagnostics.h"

namespace raido {
namespace {

using Json = nlohmann::ordered_json;

// Lines and columns count from 1, columns in characters; `end_column` is the one after the last character.
Json place(const Sources& sources, Span span) {
  if (!span.valid()) return nullptr;
  Position from = sources.begin(span), to = sources.end(span);
  return {{"file", sources[span.file].name}, {"line", from.line}, {"column", from.column},
          {"end_line", to.line}, {"end_column", to.column}};
}

}  // namespace

std::string render_json(const Sources& sources, const Report& report) {
  Json labels = Json::array();
  for (const Label& l : report.labels) labels.push_back({{"text", l.text}, {"span", place(sources, l.span)}});
  Json out = {{"code", report.code},
              {"severity", report.severity == Severity::Error ? "error" : "warning"},
              {"message", report.text},
              {"span", place(sources, report.span)},
              {"labels", labels},
              {"notes", report.notes},
              {"help", report.help.empty() ? Json() : Json(report.help)}};
  // Sources may hold any bytes; what is no UTF-8 is replaced.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace raido
