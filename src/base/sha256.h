// sha256.h - source identity. A thin wrapper over libmd.
#pragma once
#include "base/str.h"

typedef struct {
    uint8_t byte[32];
} Sha256;
Sha256 sha256_of(Str s);
void sha256_hex(Sha256 h, char out[65]); // lower case, NUL-terminated
