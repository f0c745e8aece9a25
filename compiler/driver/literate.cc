// literate.cc - `raido literate`: a program and what it computes, as Markdown.
//
// A block of comment lines at the left edge is text. One that begins with `-- > ` has directives: expressions whose values are
// shown, as text, as pictures, as plots, as sound. Everything else is code, test blocks also. The interpreter or a compiled
// program evaluates. PNG, SVG and WAV files are written here, and other formats by the programs that make them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/data.h"
#include "compiler/driver/fingerprint.h"
#include "compiler/driver/output.h"
#include "compiler/driver/pictures.h"
#include "compiler/driver/plot.h"
#include "compiler/driver/serve.h"

namespace raido {
namespace {

namespace fs = std::filesystem;
using ir::Value;


std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

// --- the parts of a file ---

struct Directive {
  std::string text;                                // as it stands in the file, without `> `
  std::string kind;                                // "" (an expression), "img", "video", ..
  std::string expression;
  std::vector<std::string> lines;                  // after the `;`: parameters, or a script
  bool brief = false, covert = false;
};
struct Part {
  enum class Kind { Text, Code, Directive } kind;
  std::string text;
  Directive directive;
};

// The text of a comment line.
std::string_view uncommented(std::string_view line) { return line.substr(line.starts_with("-- ") ? 3 : 2); }

Directive read_directive(const std::vector<std::string_view>& lines) {
  Directive d;
  d.text = join(lines, "\n", [](std::string_view l) { return std::string(l); });
  size_t i = 0;
  std::string head;
  while (i < lines.size()) {
    std::string_view line = trimmed(lines[i++]);
    bool more = line.ends_with(";");
    if (more) line.remove_suffix(1);
    head += (head.empty() ? "" : "\n") + std::string(line);
    if (more) break;
  }
  for (; i < lines.size(); i++) d.lines.emplace_back(lines[i]);
  std::string_view rest = trimmed(head);
  while (rest.starts_with(":")) {
    size_t end = 1;
    while (end < rest.size() && is_name_char(rest[end])) end++;
    std::string word(rest.substr(1, end - 1));
    rest = trimmed(rest.substr(end));
    if (word == "brief") d.brief = true;
    else if (word == "covert") d.covert = true;
    else {
      d.kind = word;
      break;
    }
  }
  d.expression = rest;
  return d;
}

std::vector<Part> parts_of(const std::string& text) {
  std::vector<Part> parts;
  std::vector<std::string> lines = split(text, '\n');
  auto add_code = [&](size_t from, size_t to) {
    while (from < to && trimmed(lines[from]).empty()) from++;
    while (from < to && trimmed(lines[to - 1]).empty()) to--;
    if (from < to) parts.push_back({Part::Kind::Code, join(std::vector<std::string>(lines.begin() + long(from), lines.begin() + long(to)), "\n"), {}});
  };
  size_t code = 0;
  for (size_t i = 0; i < lines.size();) {
    if (!lines[i].starts_with("--")) {
      i++;
      continue;
    }
    size_t end = i;
    while (end < lines.size() && lines[end].starts_with("--")) end++;
    if (trimmed(uncommented(lines[i])).starts_with("==")) {      // a test block
      i = end;
      continue;
    }
    add_code(code, i);
    code = end;
    std::vector<std::string_view> block;
    for (; i < end; i++) block.push_back(uncommented(lines[i]));
    if (!block[0].starts_with("> ")) {
      parts.push_back({Part::Kind::Text, join(block, "\n", [](std::string_view l) { return std::string(l); }), {}});
      continue;
    }
    for (size_t from = 0; from < block.size();) {
      size_t to = from + 1;
      while (to < block.size() && !block[to].starts_with("> ")) to++;
      std::vector<std::string_view> directive(block.begin() + long(from), block.begin() + long(to));
      directive[0].remove_prefix(2);
      parts.push_back({Part::Kind::Directive, "", read_directive(directive)});
      from = to;
    }
  }
  add_code(code, lines.size());
  return parts;
}

// The names in an expression that may be those of the program: not fields, builtins or names of fields.
void names_in(std::string_view text, std::set<std::string>& out) {
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i++;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      i++;
    } else if (is_name_char(text[i])) {
      size_t from = i;
      while (i < text.size() && is_name_char(text[i])) i++;
      size_t next = std::min(text.find_first_not_of(" \n", i), text.size());
      bool field = (from > 0 && (text[from - 1] == '.' || text[from - 1] == '$')) || (next < text.size() && text[next] == '=');
      if (!field && !std::isdigit(static_cast<unsigned char>(text[from]))) out.emplace(text.substr(from, i - from));
    } else i++;
  }
}

// --- Markdown ---

std::string fenced(std::string_view text, std::string_view language = "") {
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fmt::format("{}{}\n{}{}{}", fence, language, text, text.ends_with('\n') || text.empty() ? "" : "\n", fence);
}

// --- directives ---

class Evaluator {
 public:
  Evaluator(ScriptEvaluator script, std::string links) : script_(std::move(script)), links_(std::move(links)) {}

  // The result as Markdown; none and a message in error().
  std::optional<std::string> evaluate(const Directive& d) {
    error_.clear();
    parameters_.clear();
    Fingerprint fingerprint;
    fingerprint.add(d.text);
    name_ = fingerprint.digits();
    using Function = std::optional<std::string> (Evaluator::*)(const ScriptValue&, const Directive&);
    struct Handler { Function function; std::set<std::string> parameters; };
    static const std::map<std::string, Handler> kinds = {
        {"", {&Evaluator::show, {}}},
        {"img", {&Evaluator::image, {"file"}}},
        {"video", {&Evaluator::video, {"fps", "loop", "repeat", "autoplay", "format", "file"}}},
        {"plot2d", {&Evaluator::plot, {"size", "file"}}},
        {"gnuplot", {&Evaluator::gnuplot, {"size"}}},
        {"audio", {&Evaluator::audio, {"sampling_frequency", "codec", "file"}}},
    };
    auto kind = kinds.find(d.kind);
    if (kind == kinds.end()) return fail(fmt::format("There is no directive :{}.", d.kind));
    bool is_script = d.kind == "gnuplot";
    for (const std::string& line : d.lines) {
      size_t colon = line.find(':');
      std::string key(trimmed(std::string_view(line).substr(0, colon)));
      bool known = colon != line.npos && kind->second.parameters.contains(key);
      if (known) parameters_[key] = trimmed(std::string_view(line).substr(colon + 1));
      else if (!is_script && !trimmed(line).empty()) return fail(fmt::format("This is no parameter of the directive: {}", trimmed(line)));
    }
    auto value = script_.run(d.expression);
    if (!value) return fail(script_.error());
    return (this->*kind->second.function)(*value, d);
  }
  const std::string& error() const { return error_; }
  const std::map<std::string, std::string>& files() const { return files_; }      // what has been made: name and content

 private:
  ScriptEvaluator script_;
  std::string links_, name_, error_;
  std::map<std::string, std::string> files_, parameters_;

  std::nullopt_t fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    return std::nullopt;
  }
  std::optional<std::string> parameter(const std::string& key) const {
    auto it = parameters_.find(key);
    return it == parameters_.end() ? std::nullopt : std::optional(it->second);
  }
  // A positive number; the fallback if it is not given.
  std::optional<double> positive(const std::string& key, double fallback) {
    auto text = parameter(key);
    if (!text) return fallback;
    char* end = nullptr;
    double n = std::strtod(text->c_str(), &end);
    if (end == text->c_str() || *end || !(n > 0) || n > 1e9) return fail(fmt::format("{} is a positive number, not `{}`.", key, *text));
    return n;
  }
  std::optional<bool> truth(const std::string& key, bool fallback) {
    auto text = parameter(key);
    if (!text) return fallback;
    if (*text != "true" && *text != "false") return fail(fmt::format("{} is true or false, not `{}`.", key, *text));
    return *text == "true";
  }
  std::optional<std::pair<int, int>> size() {
    auto text = parameter("size");
    if (!text) return std::pair(640, 480);
    int w = 0, h = 0, used = 0;
    if (std::sscanf(text->c_str(), " (%d ,%d )%n", &w, &h, &used) != 2 || used != int(text->size()) || w < 100 || h < 100 || w > 10000 || h > 10000)
      return fail(fmt::format("size is (WIDTH, HEIGHT) of 100 to 10000, not `{}`.", *text));
    return std::pair(w, h);
  }
  // Keeps a file; what links to it.
  std::optional<std::string> keep(std::string_view ending, std::string content) {
    std::string name = parameter("file").value_or(fmt::format("{}-{}", name_, ending));
    if (name.empty() || name.find('/') != name.npos || name == "." || name == "..") return fail(fmt::format("`{}` is no name of a file.", name));
    files_[name] = std::move(content);
    return links_ + "/" + name;
  }

  std::optional<std::string> show(const ScriptValue& v, const Directive&) {
    auto text = script_.show(v);
    if (!text) return fail(script_.error());
    return fenced(*text);
  }

  // Rows of pixels, from element `from` on.
  std::optional<Picture> picture(const Value& v, size_t height_at) {
    bool rows = v.shape.size() == height_at + 2;
    bool colours = v.elem == Scalar::U32 || v.elem == Scalar::I32;
    bool grey = v.elem == Scalar::U8 || v.elem == Scalar::Bool || v.elem == Scalar::F32 || v.elem == Scalar::F64;
    if (!rows || !(colours || grey)) return {};
    if (v.shape[height_at] > 100000 || v.shape[height_at + 1] > 100000) return fail("The picture is too large.");
    return Picture{uint32_t(v.shape[height_at + 1]), uint32_t(v.shape[height_at]), colours ? 4 : 1, ""};
  }
  std::optional<Picture> filled(std::optional<Picture> p, const Value& v, int64_t from) {
    if (!p) return {};
    if (p->width == 0 || p->height == 0) return fail("There is nothing to show.");
    int64_t count = int64_t(p->width) * p->height;
    for (int64_t i = from; i < from + count; i++) {
      if (p->channels == 4) {
        uint32_t argb = v.at<uint32_t>(i);
        for (int shift : {16, 8, 0, 24}) p->bytes += char(uint8_t(argb >> shift));
      } else {
        double x = number_at(v, i);
        if (v.elem != Scalar::U8) x = std::isnan(x) ? 0 : std::lround(255 * std::clamp(x, 0.0, 1.0));
        p->bytes += char(uint8_t(x));
      }
    }
    return p;
  }
  std::optional<Picture> picture_of(const ScriptValue& v) {
    auto p = v.kind == ScriptValue::Kind::Data ? filled(picture(v.leaves[0], 0), v.leaves[0], 0) : std::nullopt;
    return p ? p : fail(fmt::format("Cannot produce an image from a value of type {}.", script_.type_name(v)));
  }
  std::optional<std::string> image(const ScriptValue& v, const Directive&) {
    auto p = picture_of(v);
    auto link = p ? keep("img.png", to_png(*p)) : std::nullopt;
    if (!link) return {};
    return fmt::format("![]({})", *link);
  }

  // A three-dimensional array, or (step, state, count), where a step gives a picture and the next state.
  std::optional<std::vector<Picture>> frames(const ScriptValue& v) {
    std::vector<Picture> out;
    auto refuse = [&] { return fail(fmt::format("Cannot produce a video from a value of type {}.", script_.type_name(v))); };
    if (v.kind == ScriptValue::Kind::Data) {
      const Value& a = v.leaves[0];
      auto empty = picture(a, 1);
      if (!empty) return refuse();
      for (int64_t i = 0; i < a.shape[0]; i++) {
        auto p = filled(empty, a, i * a.shape[1] * a.shape[2]);
        if (!p) return {};
        out.push_back(std::move(*p));
      }
      return out;
    }
    auto parts = script_.parts(v);
    bool steps = parts && parts->size() == 3 && (*parts)[0].value.kind == ScriptValue::Kind::Function && (*parts)[2].value.kind == ScriptValue::Kind::Data &&
                 (*parts)[2].value.leaves[0].shape.empty() && is_signed((*parts)[2].value.leaves[0].elem);
    if (!steps) return refuse();
    ScriptValue state = (*parts)[1].value;
    auto count = int64_t(number_at((*parts)[2].value.leaves[0], 0));
    for (int64_t i = 0; i < count; i++) {
      auto next = script_.applied((*parts)[0].value, state);
      if (!next) return fail(script_.error());
      auto pair = script_.parts(*next);
      if (!pair || pair->size() != 2) return fail(fmt::format("A step gives an image and a state, not {}.", script_.type_name(*next)));
      auto p = picture_of((*pair)[0].value);
      if (!p) return {};
      out.push_back(std::move(*p));
      state = std::move((*pair)[1].value);
    }
    return out;
  }
  std::optional<std::string> video(const ScriptValue& v, const Directive&) {
    auto rate = positive("fps", 30);
    auto loop = truth(parameter("repeat") ? "repeat" : "loop", true), autoplay = truth("autoplay", false);
    if (!rate || !loop || !autoplay) return {};
    auto pictures = frames(v);
    if (!pictures) return {};
    if (pictures->empty()) return fail("There is nothing to show.");
    for (const Picture& p : *pictures)
      if (p.width != (*pictures)[0].width || p.height != (*pictures)[0].height || p.channels != (*pictures)[0].channels)
        return fail("The pictures differ in size or kind.");
    std::string format = parameter("format").value_or("png"), moving = to_png(*pictures, *rate, *loop);
    if (format == "png" || format == "gif") {
      auto content = format == "png" ? std::optional(moving) : converted(moving, "png", "gif");
      auto link = content ? keep("video." + format, *content) : std::nullopt;
      return link ? std::optional(fmt::format("![]({})", *link)) : std::nullopt;
    }
    auto content = converted(moving, "png", format);
    auto link = content ? keep("video." + format, *content) : std::nullopt;
    if (!link) return {};
    return fmt::format("<video src=\"{}\" controls{}{}></video>", escape_html(*link), *loop ? " loop" : "", *autoplay ? " autoplay" : "");
  }

  // What ffmpeg makes of a file.
  std::optional<std::string> converted(const std::string& content, const std::string& from, const std::string& to) {
    if (to.empty() || !std::all_of(to.begin(), to.end(), is_name_char)) return fail(fmt::format("`{}` is no format.", to));
    TemporaryFolder folder;
    std::string source = folder.path() + "/in." + from, target = folder.path() + "/out." + to;
    if (std::string wrong = write_file(source, content); !wrong.empty()) return fail(source + ": " + wrong);
    return made(target, run_process({"ffmpeg", "-v", "error", "-i", source, "-y", target}, ""), "ffmpeg");
  }
  // The file that a program has made.
  std::optional<std::string> made(const std::string& file, const ProcessResult& result, const std::string& program) {
    if (!result.started) return fail(fmt::format("{} is needed for this, and is not installed.", program));
    if (result.exit_code != 0) return fail(fmt::format("{} failed with exit code {}:\n{}", program, result.exit_code, result.err));
    FileContents contents = read_file(file);
    if (!contents.text) return fail(fmt::format("{} has made nothing.\n{}", program, result.err));
    return std::move(contents.text);
  }

  // A pair of arrays of one length, or a record or tuple of such.
  std::optional<std::vector<Series>> series(const ScriptValue& v) {
    auto parts = script_.parts(v);
    auto refuse = [&] { return fail(fmt::format("Cannot plot a value of type {}.", script_.type_name(v))); };
    if (!parts || parts->empty()) return refuse();
    auto array = [](const ScriptValue& a) { return a.kind == ScriptValue::Kind::Data && a.leaves[0].shape.size() == 1; };
    std::vector<Series> out;
    auto add = [&](const std::string& name, const std::vector<ScriptValue::Part>& pair) {
      if (pair.size() != 2 || !array(pair[0].value) || !array(pair[1].value)) return false;
      const Value &x = pair[0].value.leaves[0], &y = pair[1].value.leaves[0];
      if (x.shape != y.shape) return fail(fmt::format("There are {} numbers x and {} numbers y.", x.shape[0], y.shape[0])), false;
      Series s{name, {}, {}};
      for (int64_t i = 0; i < x.shape[0]; i++) s.x.push_back(number_at(x, i)), s.y.push_back(number_at(y, i));
      out.push_back(std::move(s));
      return true;
    };
    if (add("", *parts)) return out;
    for (const auto& [name, value] : *parts) {
      auto pair = script_.parts(value);
      if (!pair || !add(name, *pair)) return refuse();
    }
    return out;
  }
  std::optional<std::string> plot(const ScriptValue& v, const Directive&) {
    auto wanted = size();
    auto lines = wanted ? series(v) : std::nullopt;
    if (!lines) return {};
    std::string file = parameter("file").value_or("plot.svg");
    bool png = file.ends_with(".png");
    if (!png && !file.ends_with(".svg")) return fail(fmt::format("`{}` cannot be written: a plot is a file `.svg` or `.png`.", file));
    std::string content = png ? plot_png(*lines, wanted->first, wanted->second) : plot_svg(*lines, wanted->first, wanted->second);
    if (content.empty()) return fail("There is nothing to plot.");
    auto link = keep("plot.svg", std::move(content));
    if (!link) return {};
    return fmt::format("![]({})", *link);
  }
  std::optional<std::string> gnuplot(const ScriptValue& v, const Directive& d) {
    auto wanted = size();
    auto lines = wanted ? series(v) : std::nullopt;
    if (!lines) return {};
    TemporaryFolder folder;
    std::string picture = folder.path() + "/plot.png";
    std::string script = fmt::format("set terminal png size {},{}\nset output '{}'\nset key autotitle\n", wanted->first, wanted->second, picture);
    for (const Series& s : *lines) {
      std::string name = s.name.empty() ? "data" : s.name, path = folder.path() + "/" + name, rows;
      for (size_t i = 0; i < s.x.size(); i++) rows += fmt::format("{} {}\n", s.x[i], s.y[i]);
      if (std::string wrong = write_file(path, rows); !wrong.empty()) return fail(path + ": " + wrong);
      script += fmt::format("{}='{}'\n", name, path);
    }
    for (const std::string& line : d.lines)
      if (!std::string_view(trimmed(line)).starts_with("size:")) script += line + "\n";
    auto content = made(picture, run_process({"gnuplot"}, script), "gnuplot");
    auto link = content ? keep("gnuplot.png", std::move(*content)) : std::nullopt;
    if (!link) return {};
    return fmt::format("![]({})", *link);
  }

  std::optional<std::string> audio(const ScriptValue& v, const Directive&) {
    auto rate = positive("sampling_frequency", 44100);
    if (!rate) return {};
    const Value* a = v.kind == ScriptValue::Kind::Data ? &v.leaves[0] : nullptr;
    if (!a || a->shape.empty() || a->shape.size() > 2 || a->elem == Scalar::Bool)
      return fail(fmt::format("Cannot produce audio from a value of type {}.", script_.type_name(v)));
    int64_t samples = a->shape.back(), channels = a->shape.size() == 2 ? a->shape[0] : 1;
    if (samples == 0 || channels == 0 || channels > 64) return fail("There is nothing to hear.");
    int bits = int(bytes_of(a->elem)) * 8;
    bool is_integer = !is_float(a->elem);
    double scale = is_integer ? std::ldexp(1.0, bits - 1) : 1, middle = is_integer && !is_signed(a->elem) ? scale : 0;
    Sound sound{uint32_t(*rate), {}};
    for (int64_t c = 0; c < channels; c++) {
      sound.channels.emplace_back();
      for (int64_t i = 0; i < samples; i++) {
        double x = (number_at(*a, c * samples + i) - middle) / scale;
        sound.channels.back().push_back(std::isnan(x) ? 0 : x);
      }
    }
    std::string codec = parameter("codec").value_or("wav");
    auto content = codec == "wav" ? std::optional(to_wav(sound)) : converted(to_wav(sound), "wav", codec);
    auto link = content ? keep("audio." + codec, std::move(*content)) : std::nullopt;
    if (!link) return {};
    return fmt::format("<audio src=\"{}\" controls></audio>", escape_html(*link));
  }
};

// As the directive is printed: `> ` and its text, unless it wants less.
std::string shown(const Directive& d) {
  std::string text = d.text;
  if (d.brief) {
    text = text.substr(0, text.find('\n'));
    if (text.ends_with(";")) text.pop_back();
  }
  return "> " + text;
}

// The definitions of the file that a directive names become entry points.
std::vector<std::string> wanted_entry_points(const std::string& path, const std::vector<Part>& parts) {
  std::set<std::string> names;
  for (const Part& p : parts)
    if (p.kind == Part::Kind::Directive) names_in(p.directive.expression, names);
  auto unit = check::load_file(path);
  std::vector<std::string> wanted;
  if (!unit->ok()) return wanted;                  // the front end says why
  for (const ast::Decl& d : unit->program.root->decls)
    if (auto def = std::get_if<ast::Def*>(&d.node)) {
      std::string name(unit->program.names.text((*def)->self->name));
      if (names.erase(name)) wanted.push_back(name);
    }
  return wanted;
}

}  // namespace

int command_literate(const Options& given) {
  const std::string& path = given.words[0];
  FileContents source = read_file(path);
  if (!source.text) {
    fmt::print(stderr, "{}: file not found.\n", path);
    return 2;
  }
  std::vector<Part> parts = parts_of(*source.text);
  Options options = given;
  options.entry_points = wanted_entry_points(path, parts);
  ScriptProgram program(options);
  if (int wrong = program.start(); wrong != 0) return wrong;
  fs::path target = options.document.empty() ? fs::path(path).replace_extension(".md") : fs::path(options.document);
  std::error_code error;
  if (target == path || fs::equivalent(target, path, error)) {
    fmt::print(stderr, "{}: the output would overwrite the source\n", target.string());
    return 2;
  }
  if (!writable_or_say(target.string())) return 2;
  fs::path folder = fs::path(target).replace_extension();
  folder += "-img";
  Evaluator evaluator(program.evaluator(fs::path(path).parent_path(), false), folder.filename());
  std::string out;
  bool failed = false;
  for (const Part& p : parts) {
    std::vector<std::string> blocks;
    if (p.kind == Part::Kind::Text) blocks.push_back(p.text);
    else if (p.kind == Part::Kind::Code) blocks.push_back(fenced(p.text, "futhark"));
    else {
      if (options.verbose) fmt::print(stderr, "{}\n", shown(p.directive));
      auto result = evaluator.evaluate(p.directive);
      if (!p.directive.covert) blocks.push_back(fenced(shown(p.directive)));
      if (result) blocks.push_back(*result);
      else {
        failed = true;
        blocks.push_back("**FAILED**\n" + fenced(evaluator.error()));
        fmt::print(stderr, "> {} failed:\n{}\n", p.directive.text, evaluator.error());
        if (options.stop_on_error) return 1;
      }
    }
    for (const std::string& block : blocks) out += (out.empty() ? "" : "\n") + block + "\n";
  }
  fs::remove_all(folder, error);                   // what an earlier run has left
  if (!evaluator.files().empty() && !error) fs::create_directories(folder, error);
  if (error) {
    fmt::print(stderr, "{}: {}\n", folder.string(), error.message());
    return 2;
  }
  for (const auto& [name, content] : evaluator.files())
    if (!write_or_say((folder / name).string(), content)) return 2;
  if (!write_or_say(target.string(), out)) return 2;
  return failed ? 1 : 0;
}

}  // namespace raido
