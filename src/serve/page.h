// The page at /, which the build makes of page.html.
#pragma once

#include <string_view>

namespace cantik::serve {

extern const std::string_view kPage;

}  // namespace cantik::serve
