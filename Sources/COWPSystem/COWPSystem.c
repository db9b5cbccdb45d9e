// OpenWatchParty for Swift. See LICENSE.

#include "COWPSystem.h"
