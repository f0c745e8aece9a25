// habits.cc - the table.
#include "compiler/source/habits.h"

#include <algorithm>
#include <iterator>

namespace raido {
namespace {

struct Habit { std::string_view word, help; };

constexpr std::string_view chain = "another condition follows as `else if c then ..`";
constexpr std::string_view function = "a function begins with a backslash: `(\\x -> ...)`";
constexpr std::string_view integer = "integers are `i8`, `i16`, `i32`, `i64` and `u8` to `u64`; sizes and indices are `i64`";
constexpr std::string_view real = "numbers with a fraction are `f16`, `f32` and `f64`";
constexpr std::string_view value = "the last expression of a body is its value";
constexpr std::string_view state = "names do not change: a loop makes new values, `loop x = 0 for i < n do x + i`";
constexpr std::string_view remainder = "a remainder is `a % b`, with the sign of `b`, or `a %% b`, with the sign of `a`";
constexpr std::string_view exported = "everything is exported that has no `local` before it: `local def f x = ..`";
constexpr std::string_view cases = "a type of several cases is `type t = #a i32 | #b`";
constexpr std::string_view part = "the parts of a tuple are `t.0`, `t.1` and so on";
constexpr std::string_view output = "`#[trace] x` shows the value of `x` when the program runs";
constexpr std::string_view bytes = "a text is an array of bytes, `[]u8`";

constexpr Habit habits[] = {
    {";", "nothing ends a line; fields and elements are separated by `,`"},
    {"#", "a comment begins with `--` and ends with its line"},
    {"/*", "a comment begins with `--` and ends with its line"},
    {"?", "a choice is written `if c then a else b`"},
    {"=>", "a function is `\\x -> e`, a case `case p -> e`"},
    {"and", "both of two conditions: `a && b`"},
    {"or", "one of two conditions: `a || b`"},
    {"xor", "of numbers `a ^ b`, of truth values `a != b`"},
    {"mod", remainder}, {"rem", remainder}, {"div", "a quotient is `a / b`, which rounds down, or `a // b`, which rounds to zero"},
    {"elif", chain}, {"elsif", chain}, {"elseif", chain},
    {"lambda", function}, {"fun", function}, {"fn", function}, {"func", function}, {"function", function},
    {"int", integer}, {"long", integer}, {"short", integer}, {"uint", integer}, {"size_t", integer}, {"usize", integer}, {"integer", integer},
    {"float", real}, {"double", real}, {"real", real}, {"half", real},
    {"boolean", "the type of truth values is `bool`"},
    {"True", "truth values are `true` and `false`"}, {"False", "truth values are `true` and `false`"},
    {"char", "a character is a byte, `u8`"}, {"byte", "a byte is a `u8`"},
    {"string", bytes}, {"str", bytes}, {"String", bytes},
    {"return", value}, {"begin", value},
    {"where", "a name comes before its use: `let y = .. in ..`"},
    {"struct", "a record type is `{a: i32, b: f32}`"}, {"record", "a record type is `{a: i32, b: f32}`"},
    {"data", cases}, {"enum", cases}, {"union", cases},
    {"private", exported}, {"public", exported}, {"pub", exported}, {"export", exported}, {"static", exported},
    {"fst", part}, {"snd", part},
    {"range", "numbers in order are `iota n`, `a..<b` or `a...b`"},
    {"len", "the length of an array is `length xs`"},
    {"print", output}, {"printf", output}, {"println", output}, {"echo", output},
    {"+=", state}, {"-=", state}, {"*=", state}, {"/=", state},
    {"var", state}, {"mut", state}, {"set", state},
};

}  // namespace

std::string_view habit(std::string_view word) {
  auto it = std::ranges::find(habits, word, &Habit::word);
  return it == std::end(habits) ? std::string_view() : it->help;
}

}  // namespace raido
