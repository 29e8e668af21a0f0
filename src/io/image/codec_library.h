// The library of formats, which lies beside libcantik and is loaded when it is needed.
#pragma once

#include "io/image/codec.h"

namespace cantik {

// An error where it is not there, or is not of this version.
const cantik_codec& codec();

}  // namespace cantik
