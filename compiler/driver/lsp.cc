// lsp.cc - `raido lsp`: the Language Server Protocol over standard input and output.
//
// This process keeps the texts and speaks the protocol. A copy of this process does all work on programs, so nothing that a program does
// to the compiler ends the session. Messages about a text are sent when no more input is waiting.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/isolated.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/editor.h"
#include "compiler/driver/output.h"

namespace raido {
namespace {

enum Code { ParseError = -32700, InvalidRequest = -32600, MethodNotFound = -32601, InternalError = -32603, NotInitialized = -32002, RequestFailed = -32803 };
constexpr double longest_answer = 20;       // seconds
constexpr size_t largest_message = size_t(1) << 30;

// Standard input as messages.
class Input {
 public:
  // The next message; none at the end of input. `wrong`: its header made no sense.
  std::optional<std::string> next(bool& wrong) {
    wrong = false;
    size_t length = 0;
    for (bool any = false;;) {
      auto line = take_line();
      if (!line) return {};
      if (line->empty() && any) break;
      any |= !line->empty();
      std::string_view rest = *line;
      if (!is_length(rest)) continue;
      wrong = rest.empty() || rest.size() > 10;
      for (char c : rest) wrong |= c < '0' || c > '9';
      length = wrong ? 0 : size_t(std::stoull(std::string(rest)));
      wrong |= length > largest_message;
      if (wrong) return "";
    }
    while (buffer_.size() - at_ < length)
      if (!fill()) return {};
    std::string message = buffer_.substr(at_, length);
    at_ += length;
    return message;
  }
  // Will there be more at once?
  bool waiting() const {
    pollfd fd = {0, POLLIN, 0};
    return at_ < buffer_.size() || ::poll(&fd, 1, 0) > 0;
  }

 private:
  static bool is_length(std::string_view& line) {
    constexpr std::string_view key = "content-length:";
    if (line.size() < key.size()) return false;
    for (size_t i = 0; i < key.size(); i++) if (std::tolower(static_cast<unsigned char>(line[i])) != key[i]) return false;
    line.remove_prefix(key.size());
    while (line.starts_with(" ")) line.remove_prefix(1);
    while (line.ends_with(" ")) line.remove_suffix(1);
    return true;
  }
  std::optional<std::string> take_line() {
    size_t end;
    while ((end = buffer_.find('\n', at_)) == std::string::npos)
      if (!fill()) return {};
    std::string line = buffer_.substr(at_, end - at_);
    at_ = end + 1;
    if (line.ends_with("\r")) line.pop_back();
    return line;
  }
  bool fill() {
    if (at_ > 0) buffer_.erase(0, at_), at_ = 0;
    char more[1 << 16];
    ssize_t n;
    while ((n = ::read(0, more, sizeof more)) < 0 && errno == EINTR) {}
    if (n > 0) buffer_.append(more, size_t(n));
    return n > 0;
  }
  std::string buffer_;
  size_t at_ = 0;
};

// One of the two answers.
struct Question {
  std::string_view method;
  Json (Editor::*answer)(const Json&) const;
  Json (Editor::*may_refuse)(const Json&, std::string&) const;
};
constexpr Question questions[] = {
    {"textDocument/hover", &Editor::hover, nullptr},
    {"textDocument/definition", &Editor::definition, nullptr},
    {"textDocument/references", &Editor::references, nullptr},
    {"textDocument/documentHighlight", &Editor::highlights, nullptr},
    {"textDocument/documentSymbol", &Editor::symbols, nullptr},
    {"textDocument/completion", &Editor::completion, nullptr},
    {"textDocument/formatting", &Editor::formatting, nullptr},
    {"textDocument/codeAction", &Editor::actions, nullptr},
    {"textDocument/inlayHint", &Editor::hints, nullptr},
    {"textDocument/prepareRename", nullptr, &Editor::may_rename},
    {"textDocument/rename", nullptr, &Editor::rename},
};

class Conversation {
 public:
  int run() {
    for (bool wrong = false;;) {
      if (!input_.waiting()) publish();
      auto text = input_.next(wrong);
      if (!text) return 1;                              // the editor is gone without a word
      Json message = wrong ? Json() : Json::parse(*text, nullptr, false);
      if (wrong || message.is_discarded()) {
        answer(nullptr, Json(), ParseError, wrong ? "the length of a message is not a number" : "the message is not JSON");
        continue;
      }
      if (text_at(message, "method") == "exit") return stopping_ ? 0 : 1;
      handle(message);
    }
  }

 private:
  static void send(const Json& message) {
    std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    print("Content-Length: {}\r\n\r\n{}", text.size(), text);
    flush_output();
  }
  static void answer(const Json& id, const Json& result, int code = 0, const std::string& wrong = "") {
    Json message = {{"jsonrpc", "2.0"}, {"id", id}};
    if (code) message["error"] = {{"code", code}, {"message", wrong}};
    else message["result"] = result;
    send(message);
  }

  void handle(const Json& message) {
    const Json &id = member(message, "id"), &params = member(message, "params");
    std::string method = text_at(message, "method");
    bool is_request = message.is_object() && message.contains("id");
    if (!message.is_object() || (method.empty() && !message.contains("result") && !message.contains("error")))
      return answer(nullptr, Json(), InvalidRequest, "a message is an object with a method");
    if (method.empty()) return;                         // an answer; we ask nothing
    if (!is_request) return begun_ && !stopping_ ? notice(method, params) : void();
    if (method == "initialize" && !begun_) return answer(id, begin(params));
    if (!begun_ || stopping_ || method == "initialize")
      return answer(id, Json(), begun_ ? InvalidRequest : NotInitialized, begun_ ? "not at this time" : "the first request is `initialize`");
    if (method == "shutdown") {
      stopping_ = true;
      return answer(id, nullptr);
    }
    for (const Question& q : questions)
      if (q.method == method) return ask(id, q, params);
    answer(id, Json(), MethodNotFound, "there is no method " + method);
  }

  Json begin(const Json& params) {
    begun_ = true;
    const Json& folders = member(params, "workspaceFolders");
    if (folders.is_array())
      for (const Json& f : folders) add_folder(text_at(f, "uri"));
    else add_folder(text_at(params, "rootUri"));
    Json can = {{"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
                {"hoverProvider", true},
                {"definitionProvider", true},
                {"referencesProvider", true},
                {"documentHighlightProvider", true},
                {"documentSymbolProvider", true},
                {"documentFormattingProvider", true},
                {"inlayHintProvider", true},
                {"renameProvider", {{"prepareProvider", true}}},
                {"completionProvider", {{"triggerCharacters", Json::array({"."})}}},
                {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix"})}}}};
    std::string version = version_text("raido");
    return {{"capabilities", can}, {"serverInfo", {{"name", "raido"}, {"version", version.substr(6, version.find(' ', 6) - 6)}}}};
  }
  void add_folder(const std::string& uri) {
    std::string path = path_of(uri);
    if (path.size() > 1 && path.starts_with("/")) folders_.push_back(path.ends_with("/") ? path.substr(0, path.size() - 1) : path);
  }

  // --- texts ---

  void notice(const std::string& method, const Json& params) {
    std::string uri = text_at(params, "textDocument.uri"), path = path_of(uri);
    if (!method.starts_with("textDocument/") || path.empty()) return;
    if (method == "textDocument/didOpen") {
      documents_[path] = {text_at(params, "textDocument.text"), "", {}};
      uris_[path] = uri;
    } else if (method == "textDocument/didClose") {
      documents_.erase(path);
      unchecked_.erase(path);
      withdraw(path);
      uris_.erase(path);
    } else if (method == "textDocument/didChange") {
      auto it = documents_.find(path);
      if (it == documents_.end()) return;
      const Json& changes = member(params, "contentChanges");
      if (changes.is_array()) for (const Json& c : changes) change(it->second.text, c);
    }
    // Those who import it may have other messages now.
    for (auto& [other, d] : documents_)
      if (other == path || std::find(d.files.begin(), d.files.end(), path) != d.files.end()) unchecked_.insert(other);
  }

  bool is_prelude(const std::string& path) const { return path.starts_with(prelude_.path() + "/"); }

  void publish() {
    for (const std::string& path : std::exchange(unchecked_, {})) {
      auto it = documents_.find(path);
      if (it == documents_.end() || is_prelude(path)) continue;
      auto text = isolated([&] { return Editor(documents_, folders_, prelude_.path()).diagnostics(path).dump(-1, ' ', false, Json::error_handler_t::replace); }, longest_answer);
      Json found = text ? Json::parse(*text, nullptr, false) : Json();
      if (!found.is_object()) {
        Json start = {{"line", 0}, {"character", 0}};
        Json message = {{"range", {{"start", start}, {"end", start}}}, {"severity", 1}, {"source", "raido"},
                        {"message", "The compiler failed on this program, by a mistake of its own; `raido check` says more."}};
        found = {{"parsed", false}, {"files", Json::array()}, {"diagnostics", {{path, Json::array({message})}}}};
      }
      Document& d = it->second;
      if (found["parsed"] == true) d.parsed = d.text;
      if (d.files.empty() || found["parsed"] == true) d.files = found["files"].get<std::vector<std::string>>();
      withdraw(path, &found["diagnostics"]);
    }
  }

  // The messages that the program `root` has now, by the file that they are about; those of other programs about it stay.
  void withdraw(const std::string& root, const Json* now = nullptr) {
    std::set<std::string> files;
    for (auto& [file, by] : messages_) if (by.erase(root)) files.insert(file);
    if (now)
      for (auto& [file, messages] : now->items()) {
        messages_[file][root] = messages;
        files.insert(file);
      }
    for (const std::string& file : files) {
      Json all = Json::array();
      for (auto& [program, messages] : messages_[file])
        for (const Json& m : messages) if (std::find(all.begin(), all.end(), m) == all.end()) all.push_back(m);
      auto uri = uris_.find(file);
      send({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"},
            {"params", {{"uri", uri == uris_.end() ? uri_of(file) : uri->second}, {"diagnostics", all}}}});
    }
  }

  // --- questions ---

  void ask(const Json& id, const Question& q, const Json& params) {
    if (!documents_.contains(path_of(text_at(params, "textDocument.uri")))) return answer(id, nullptr);       // not open, not ours
    auto text = isolated([&] {
      Editor editor(documents_, folders_, prelude_.path());
      std::string refused;
      Json result = q.answer ? (editor.*q.answer)(params) : (editor.*q.may_refuse)(params, refused);
      return Json{{"result", result}, {"refused", refused}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    }, longest_answer);
    Json found = text ? Json::parse(*text, nullptr, false) : Json();
    if (!found.is_object()) return answer(id, Json(), InternalError, "the compiler failed on this program");
    std::string refused = text_at(found, "refused");
    answer(id, found["result"], refused.empty() ? 0 : RequestFailed, refused);
  }

  Input input_;
  TemporaryFolder prelude_;
  Documents documents_;
  std::map<std::string, std::string> uris_;                              // as the editor writes them
  std::vector<std::string> folders_;
  std::set<std::string> unchecked_;
  std::map<std::string, std::map<std::string, Json>> messages_;          // by file, by the program that has them
  bool begun_ = false, stopping_ = false;
};

}  // namespace

int command_lsp(const Options&) { return Conversation().run(); }

}  // namespace raido
