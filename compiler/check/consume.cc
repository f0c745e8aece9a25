#include "compiler/check/consume.h"
namespace raido::check {
Scheme check_consumption(Context&, ast::Def&, const Scheme& scheme) { return scheme; }
}
