#include "base/sha256.h"
#include <sha2.h>

Sha256 sha256_of(Str s) {
    Sha256 h;
    SHA2_CTX c;
    SHA256Init(&c);
    if (s.len) SHA256Update(&c, (const uint8_t *)s.p, s.len);
    SHA256Final(h.byte, &c);
    return h;
}

void sha256_hex(Sha256 h, char out[65]) {
    static const char digit[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        out[2 * i] = digit[h.byte[i] >> 4];
        out[2 * i + 1] = digit[h.byte[i] & 15];
    }
    out[64] = 0;
}
