#include "base/precompiled.h"
