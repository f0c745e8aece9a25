// pkg.cc - `raido pkg`: the packages that futhark.pkg asks for, copied into lib/.
//
// A package is a git repository with versions as tags `vX.Y.Z`; its files are in `lib/PATH/` there and here. Of each package the
// greatest of the least versions that anyone asks for is taken. The compiler only reads lib/: it neither knows versions nor futhark.pkg.
// `--mirror DIR` takes the repositories from DIR/PATH instead of https://PATH, so that no network is needed.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/output.h"

namespace raido {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "futhark.pkg";

// The commands end with the first failure: its message, or nothing.
using Failure = std::optional<std::string>;

// --- versions ---

struct Version {
  std::array<uint64_t, 3> numbers{};
  std::string before;              // after a `-`: a version that comes before that of the numbers
  std::string build;               // after a `+`: of 0.0.0-TIME+COMMIT the commit

  std::string text() const {
    return fmt::format("{}.{}.{}{}{}{}{}", numbers[0], numbers[1], numbers[2], before.empty() ? "" : "-", before, build.empty() ? "" : "+", build);
  }
  bool is_commit() const { return numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0 && before.size() == 14 && !build.empty(); }
  bool operator<(const Version& o) const {
    auto key = [](const Version& v) { return std::tuple(v.numbers[0], v.numbers[1], v.numbers[2], v.before.empty(), parts(v.before)); };
    return key(*this) < key(o);
  }

 private:
  // Numbers come before words; a longer number is greater.
  static std::vector<std::tuple<bool, size_t, std::string>> parts(const std::string& text) {
    std::vector<std::tuple<bool, size_t, std::string>> out;
    for (const std::string& p : split(text, '.')) {
      bool word = p.find_first_not_of("0123456789") != p.npos;
      out.emplace_back(word, word ? 0 : p.size(), p);
    }
    return out;
  }
};

bool digits(std::string_view s) { return !s.empty() && s.size() <= 18 && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; }); }
bool hexadecimal(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return std::isxdigit(static_cast<unsigned char>(c)); }); }

std::optional<Version> read_version(std::string_view s) {
  Version v;
  auto word = [](std::string_view w) { return !w.empty() && std::all_of(w.begin(), w.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-'; }); };
  if (size_t plus = s.find('+'); plus != s.npos) {
    v.build = s.substr(plus + 1);
    s = s.substr(0, plus);
    if (!word(v.build)) return {};
  }
  if (size_t minus = s.find('-'); minus != s.npos) {
    v.before = s.substr(minus + 1);
    s = s.substr(0, minus);
    if (!word(v.before)) return {};
  }
  std::vector<std::string> parts = split(s, '.');
  if (parts.size() != 3 || !std::all_of(parts.begin(), parts.end(), digits)) return {};
  for (size_t i = 0; i < 3; i++) v.numbers[i] = std::strtoull(parts[i].c_str(), nullptr, 10);
  if (v.is_commit() && (!digits(v.before) || !hexadecimal(v.build))) return {};
  return v;
}

// `github.com/owner/name`, or `github.com/owner/name@2` for major version 2.
bool package_path(std::string_view s) {
  bool good = !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("@-/.:_~").find(c) != std::string_view::npos; });
  for (const std::string& part : split(s, '/')) good = good && !part.empty() && part != "." && part != ".." && part[0] != '-';
  return good && s.find('/') != s.npos;
}
std::string without_major(const std::string& path) { return path.substr(0, path.rfind('@')); }
uint64_t major_of(const std::string& path) {
  size_t at = path.rfind('@');
  return at != path.npos && digits(std::string_view(path).substr(at + 1)) ? std::strtoull(path.c_str() + at + 1, nullptr, 10) : 0;
}
// Versions 0 and 1 belong to the path without a number.
bool same_major(const std::string& path, const Version& v) { return major_of(path) ? v.numbers[0] == major_of(path) : v.numbers[0] <= 1; }

// --- futhark.pkg ---

struct Required {
  std::string path;
  Version version;
  std::string hash;                        // of the commit; may be empty
  std::string by = "";                     // what asks for it; empty: the project
};
struct Manifest {
  std::string package;                     // may be empty
  std::vector<Required> required;
  // Comments: at the beginning, before `require`, before each package and at the end of them, at the end.
  std::vector<std::string> first, middle, last;
  std::vector<std::vector<std::string>> inside{1};

  Required* find(const std::string& path) {
    auto it = std::find_if(required.begin(), required.end(), [&](const Required& r) { return r.path == path; });
    return it == required.end() ? nullptr : &*it;
  }
  void add(Required r) {
    required.push_back(std::move(r));
    inside.insert(inside.end() - 1, std::exchange(inside.back(), {}));
  }
  void remove(const std::string& path) {
    size_t i = size_t(find(path) - required.data());
    required.erase(required.begin() + long(i));
    inside[i].insert(inside[i].end(), inside[i + 1].begin(), inside[i + 1].end());
    inside.erase(inside.begin() + long(i) + 1);
  }
  std::string text() const {
    std::string out;
    auto comments = [&](const std::vector<std::string>& lines, const char* indent) { for (const std::string& c : lines) out += indent + c + "\n"; };
    comments(first, "");
    if (!package.empty()) out += "package " + package + "\n\n";
    comments(middle, "");
    out += "require {\n";
    for (size_t i = 0; i < required.size(); i++) {
      comments(inside[i], "  ");
      out += fmt::format("  {} {}{}{}\n", required[i].path, required[i].version.text(), required[i].hash.empty() ? "" : " #", required[i].hash);
    }
    comments(inside.back(), "  ");
    out += "}\n";
    comments(last, "");
    return out;
  }
};

Failure read_manifest(std::string_view text, const std::string& where, Manifest& out) {
  struct Word { std::string text; size_t line; };
  std::vector<Word> words;                 // a comment is one
  std::vector<std::string> lines = split(text, '\n');
  for (size_t n = 0; n < lines.size(); n++) {
    std::string_view line = lines[n];
    if (line.ends_with('\r')) line.remove_suffix(1);
    for (;;) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
      if (line.empty()) break;
      size_t end = line.starts_with("--") ? line.size() : line[0] == '{' || line[0] == '}' ? 1 : std::min(line.find_first_of(" \t\r{}#", 1), line.size());
      words.push_back({std::string(line.substr(0, end)), n + 1});
      line.remove_prefix(end);
    }
  }
  size_t at = 0;
  auto comments = [&](std::vector<std::string>& into) { for (; at < words.size() && words[at].text.starts_with("--"); at++) into.push_back(words[at].text); };
  auto is = [&](std::string_view w) { return at < words.size() && words[at].text == w; };
  auto wrong = [&](const std::string& expected) {
    size_t line = at < words.size() ? words[at].line : lines.size();
    return fmt::format("{}:{}: expected {}, found {}.", where, line, expected, at < words.size() ? "`" + words[at].text + "`" : "the end");
  };
  comments(out.first);
  if (is("package")) {
    at++;
    if (at >= words.size() || !package_path(words[at].text)) return wrong("the path of a package");
    out.package = words[at++].text;
    comments(out.middle);
  }
  if (is("require")) {
    at++;
    if (!is("{")) return wrong("`{`");
    at++;
    for (comments(out.inside.back()); !is("}"); comments(out.inside.back())) {
      Required r;
      if (at >= words.size() || !package_path(words[at].text)) return wrong("the path of a package, or `}`");
      r.path = words[at++].text;
      if (out.find(r.path)) return at--, wrong("another package than before");
      auto version = at < words.size() ? read_version(words[at].text) : std::nullopt;
      if (!version) return wrong("a version like 1.2.3");
      r.version = *version;
      at++;
      if (at < words.size() && words[at].text.starts_with("#")) {
        r.hash = words[at].text.substr(1);
        if (!hexadecimal(r.hash)) return wrong("the hash of a commit");
        at++;
      }
      out.add(std::move(r));
    }
    at++;
  }
  comments(out.last);
  if (at < words.size()) return wrong("the end");
  return {};
}

bool has_manifest() {
  std::error_code none;
  return fs::exists(manifest_name, none);
}
Failure load_manifest(Manifest& out) {
  if (!has_manifest()) return fmt::format("{}: file not found. `raido pkg add PATH` makes one, and `raido pkg init PATH` one of a package.", manifest_name);
  FileContents file = read_file(manifest_name);
  if (!file.text) return fmt::format("{}: {}", manifest_name, file.error);
  return read_manifest(*file.text, manifest_name, out);
}
Failure store(const Manifest& m) {
  std::string wrong = write_file(manifest_name, m.text());
  return wrong.empty() ? Failure() : fmt::format("{}: {}", manifest_name, wrong);
}

// --- repositories ---

class Repositories {
 public:
  Repositories(std::string mirror, bool verbose) : mirror_(std::move(mirror)), verbose_(verbose) { setenv("GIT_TERMINAL_PROMPT", "0", 1); }

  // The versions of a package, the least first.
  Failure versions(const std::string& path, std::vector<Version>& out) {
    std::string tags;
    if (Failure f = git(path, {"tag"}, tags)) return f;
    for (const std::string& tag : split(tags, '\n'))
      if (auto v = tag.starts_with("v") ? read_version(std::string_view(tag).substr(1)) : std::nullopt; v && same_major(path, *v)) out.push_back(*v);
    std::sort(out.begin(), out.end());
    return {};
  }
  // The newest version, or the last commit where there is none.
  Failure newest(const std::string& path, Version& out) {
    std::vector<Version> all;
    if (Failure f = versions(path, all)) return f;
    for (auto it = all.rbegin(); it != all.rend(); ++it)
      if (it->before.empty()) return out = *it, Failure();
    if (!all.empty()) return out = all.back(), Failure();
    std::string line;
    if (Failure f = git(path, {"log", "-1", "--format=%ct %H"}, line)) return f;
    std::vector<std::string> words = split(line.substr(0, line.find('\n')), ' ');
    out = {{}, time_text(words[0]), words[1]};
    return {};
  }
  Failure commit(const Required& r, std::string& out) {
    std::string name = r.version.is_commit() ? r.version.build : "v" + r.version.text();
    std::string ignored;
    if (Failure f = repository(r.path, ignored)) return f;
    if (git(r.path, {"rev-parse", "--verify", "--quiet", name + "^{commit}"}, out)) return fmt::format("{} has no version {}.", r.path, r.version.text());
    out = out.substr(0, out.find('\n'));
    if (!out.starts_with(r.hash)) return fmt::format("{} {} is the commit {}, not {}.", r.path, r.version.text(), out, r.hash);
    return {};
  }
  Failure manifest(const Required& r, Manifest& out) {
    std::string at, text;
    if (Failure f = commit(r, at)) return f;
    if (git(r.path, {"show", at + ":" + manifest_name}, text)) return fmt::format("{} {} has no {}.", r.path, r.version.text(), manifest_name);
    return read_manifest(text, fmt::format("{} of {} {}", manifest_name, r.path, r.version.text()), out);
  }
  // Copies the files of the package to `target`.
  Failure copy(const Required& r, const fs::path& target) {
    std::string at, out, folder;
    if (Failure f = commit(r, at)) return f;
    for (const std::string& path : {r.path, without_major(r.path)})
      if (folder.empty() && !git(r.path, {"cat-file", "-e", at + ":lib/" + path}, out)) folder = "lib/" + path;
    if (folder.empty()) return fmt::format("{} {} has no folder lib/{}.", r.path, r.version.text(), r.path);
    TemporaryFolder tree;
    if (Failure f = git(r.path, {"--work-tree=" + tree.path(), "checkout", "--quiet", "--force", at, "--", folder}, out)) return f;
    std::error_code error;
    fs::create_directories(target, error);
    fs::copy(fs::path(tree.path()) / folder, target, fs::copy_options::recursive | fs::copy_options::skip_symlinks, error);
    return error ? Failure(fmt::format("{}: {}", target.string(), error.message())) : Failure();
  }
  // The version to be taken of every package that these ask for, directly or not.
  Failure build_list(const Manifest& m, std::map<std::string, Required>& out) {
    std::vector<Required> work = m.required;
    std::set<std::string> seen;
    while (!work.empty()) {
      Required r = std::move(work.back());
      work.pop_back();
      if (r.path == m.package || !seen.insert(fmt::format("{} {} {}", r.path, r.version.text(), r.hash)).second) continue;
      Manifest inner;
      if (Failure f = manifest(r, inner)) return r.by.empty() ? f : fmt::format("{}{}{} asks for it.", *f, f->ends_with('\n') ? "" : "\n", r.by);
      for (Required& next : inner.required) next.by = fmt::format("{} {}", r.path, r.version.text());
      work.insert(work.end(), inner.required.begin(), inner.required.end());
      auto [it, is_new] = out.emplace(r.path, r);
      if (!is_new && it->second.version < r.version) it->second = std::move(r);
    }
    // A package that only versions ask for that are not taken is not needed.
    std::map<std::string, Required> needed;
    work = m.required;
    while (!work.empty()) {
      std::string path = std::move(work.back().path);
      work.pop_back();
      if (path == m.package || needed.contains(path)) continue;
      const Required& r = needed[path] = out.at(path);
      Manifest inner;
      if (Failure f = manifest(r, inner)) return f;
      work.insert(work.end(), inner.required.begin(), inner.required.end());
    }
    out = std::move(needed);
    return {};
  }

 private:
  std::string mirror_;
  bool verbose_;
  std::map<std::string, std::unique_ptr<TemporaryFolder>> clones_;

  static std::string time_text(const std::string& seconds) {
    time_t t = std::strtoll(seconds.c_str(), nullptr, 10);
    char text[16];
    std::tm parts{};
    gmtime_r(&t, &parts);
    std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &parts);
    return text;
  }
  Failure run(std::vector<std::string> words, std::string& out) {
    words.insert(words.begin(), "git");
    if (verbose_) fmt::print(stderr, "{}\n", join(words, " "));
    ProcessResult r = run_process(words, "");
    if (!r.started) return "git is needed for this, and is not installed.";
    out = r.out;
    return r.exit_code == 0 ? Failure() : fmt::format("{} failed:\n{}", join(words, " "), r.err);
  }
  Failure repository(const std::string& path, std::string& folder) {
    std::string name = without_major(path);
    if (!clones_.contains(name)) {
      auto clone = std::make_unique<TemporaryFolder>();
      std::string url = mirror_.empty() ? "https://" + name : fs::absolute(mirror_).string() + "/" + name, out;
      if (Failure f = run({"clone", "--quiet", "--bare", "--", url, clone->path() + "/git"}, out)) return f;
      clones_[name] = std::move(clone);
    }
    folder = clones_[name]->path() + "/git";
    return {};
  }
  Failure git(const std::string& path, std::vector<std::string> words, std::string& out) {
    std::string folder;
    if (Failure f = repository(path, folder)) return f;
    words.insert(words.begin(), "--git-dir=" + folder);
    return run(std::move(words), out);
  }
};

// --- commands ---

// lib/ becomes what the build list says; the folder of the own package stays. Until all is there, nothing has changed.
Failure sync(Repositories& repositories) {
  Manifest m;
  if (Failure f = load_manifest(m)) return f;
  std::map<std::string, Required> list;
  if (Failure f = repositories.build_list(m, list)) return f;
  std::error_code error;
  auto failed = [&](const fs::path& path) { return fmt::format("{}: {}", path.string(), error.message()); };
  fs::remove_all("lib~new", error);
  for (const auto& [path, r] : list)
    if (Failure f = repositories.copy(r, fs::path("lib~new") / path)) return fs::remove_all("lib~new", error), f;
  fs::path own = m.package.empty() ? "" : fs::path("lib") / m.package;
  if (!own.empty() && fs::exists(own, error)) {
    fs::path target = fs::path("lib~new") / m.package;
    fs::create_directories(target, error);
    fs::copy(own, target, fs::copy_options::recursive | fs::copy_options::copy_symlinks | fs::copy_options::overwrite_existing, error);
    if (error) return failed(target);
  }
  fs::create_directories("lib~new", error);
  if (error) return failed("lib~new");
  bool had = fs::exists("lib", error);
  fs::remove_all("lib~old", error);
  if (had) fs::rename("lib", "lib~old", error);
  if (error) return failed("lib");
  fs::rename("lib~new", "lib", error);
  if (error) {
    std::string message = failed("lib");
    fs::rename("lib~old", "lib", error);
    return message;
  }
  fs::remove_all("lib~old", error);
  for (const auto& [path, r] : list) print("{} {}\n", path, r.version.text());
  return {};
}

Failure init(const std::string& path) {
  if (!package_path(path)) return fmt::format("`{}` is no path of a package, like github.com/owner/name.", path);
  std::error_code error;
  if (fs::exists(manifest_name, error)) return fmt::format("{} is there already.", manifest_name);
  fs::create_directories(fs::path("lib") / path, error);
  if (error) return fmt::format("lib/{}: {}", path, error.message());
  Manifest m;
  m.package = path;
  return store(m);
}

Failure add(Repositories& repositories, const std::string& path, const std::optional<std::string>& wanted) {
  if (!package_path(path)) return fmt::format("`{}` is no path of a package, like github.com/owner/name.", path);
  Manifest m;
  if (has_manifest())                                  // else this is the first package
    if (Failure f = load_manifest(m)) return f;
  Required r{path, {}, ""};
  if (wanted) {
    auto version = read_version(*wanted);
    if (!version) return fmt::format("`{}` is no version like 1.2.3.", *wanted);
    r.version = *version;
  } else if (Failure f = repositories.newest(path, r.version)) return f;
  Manifest inner;
  if (Failure f = repositories.manifest(r, inner)) return f;
  if (Failure f = repositories.commit(r, r.hash)) return f;
  print("{} {}\n", path, r.version.text());
  if (Required* known = m.find(path)) *known = r;
  else m.add(r);
  return store(m);
}

Failure remove(const std::string& path) {
  Manifest m;
  if (Failure f = load_manifest(m)) return f;
  if (!m.find(path)) return fmt::format("No package {} found in {}.", path, manifest_name);
  m.remove(path);
  return store(m);
}

Failure upgrade(Repositories& repositories) {
  Manifest m;
  if (Failure f = load_manifest(m)) return f;
  for (Required& r : m.required) {
    Required best{r.path, {}, ""};
    if (Failure f = repositories.newest(r.path, best.version)) return f;
    if (!(r.version < best.version)) continue;
    if (Failure f = repositories.commit(best, best.hash)) return f;
    print("{} {} => {}\n", r.path, r.version.text(), best.version.text());
    r = best;
  }
  return store(m);
}

// All that is asked for can be had, and the own package has programs.
Failure check_packages(Repositories& repositories) {
  Manifest m;
  if (Failure f = load_manifest(m)) return f;
  std::map<std::string, Required> list;
  if (Failure f = repositories.build_list(m, list)) return f;
  TemporaryFolder folder;
  for (const auto& [path, r] : list) {
    if (Failure f = repositories.copy(r, fs::path(folder.path()) / path)) return f;
    print("{} {}\n", path, r.version.text());
  }
  if (m.package.empty()) return {};
  std::error_code error;
  bool found = false;
  auto end = fs::recursive_directory_iterator();
  for (auto it = fs::recursive_directory_iterator(fs::path("lib") / m.package, error); !error && it != end; it.increment(error)) found = found || it->path().extension() == ".fut";
  return found ? Failure() : fmt::format("There is no program in lib/{}.", m.package);
}

Failure format() {
  Manifest m;
  if (Failure f = load_manifest(m)) return f;
  return store(m);
}

Failure versions(Repositories& repositories, const std::string& path) {
  if (!package_path(path)) return fmt::format("`{}` is no path of a package, like github.com/owner/name.", path);
  std::vector<Version> all;
  if (Failure f = repositories.versions(path, all)) return f;
  for (const Version& v : all) print("{}\n", v.text());
  return {};
}

}  // namespace

int command_pkg(const Options& options) {
  const std::vector<std::string>& w = options.words;
  Repositories repositories(options.mirror, options.verbose);
  struct Verb { const char* name; size_t least, most; std::function<Failure()> run; };
  const Verb verbs[] = {
      {"init", 1, 1, [&] { return init(w[1]); }},
      {"add", 1, 2, [&] { return add(repositories, w[1], w.size() > 2 ? std::optional(w[2]) : std::nullopt); }},
      {"remove", 1, 1, [&] { return remove(w[1]); }},
      {"sync", 0, 0, [&] { return sync(repositories); }},
      {"upgrade", 0, 0, [&] { return upgrade(repositories); }},
      {"check", 0, 0, [&] { return check_packages(repositories); }},
      {"fmt", 0, 0, [&] { return format(); }},
      {"versions", 1, 1, [&] { return versions(repositories, w[1]); }},
  };
  for (const Verb& v : verbs)
    if (w[0] == v.name && w.size() - 1 >= v.least && w.size() - 1 <= v.most) {
      Failure failure = v.run();
      if (failure) fmt::print(stderr, "{}{}", *failure, failure->ends_with('\n') ? "" : "\n");
      return failure ? 1 : 0;
    }
  fmt::print(stderr, "Usage: raido pkg init PATH|add PATH [VERSION]|remove PATH|sync|upgrade|check|fmt|versions PATH\n");
  return 1;
}

}  // namespace raido
