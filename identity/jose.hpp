#pragma once

#include <cjose/cjose.h>

#include <memory>

namespace turnout::identity {

// Owners of what the JOSE library hands out. For source files of identity/
// only.

struct release_jose {
  void operator()(cjose_jwk_t* x) const noexcept {
    cjose_jwk_release(x);
  }

  void operator()(cjose_jws_t* x) const noexcept {
    cjose_jws_release(x);
  }

  void operator()(cjose_header_t* x) const noexcept {
    cjose_header_release(x);
  }
};

using jwk_ptr = std::unique_ptr<cjose_jwk_t, release_jose>;

using jws_ptr = std::unique_ptr<cjose_jws_t, release_jose>;

using header_ptr = std::unique_ptr<cjose_header_t, release_jose>;

} // namespace turnout::identity
