// fmt.cc - the functions of {fmt} that its headers declare and leave to a library. Debian's is a shared one, which the static executable
// cannot link. Headers alone would do, but each file would compile these functions again: a quarter of the time of a build.
// The templates are those that the headers call `extern`; a newer {fmt} which has more of them shows as an undefined symbol.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
template void buffer<char>::append(const char*, const char*);
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
