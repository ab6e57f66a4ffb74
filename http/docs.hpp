#pragma once

#include "http/exchange.hpp"
#include "http/site.hpp"

namespace turnout {

/// Answers GET and HEAD of `/docs` and what is below it: a page that shows the
/// description of the API, and the files it consists of.
void answer_docs(site& where, const exchange_ptr& x);

} // namespace turnout
