// json.h - JSON from outside, read strictly: no key twice, everything bounded, and a message that names the
// file and the key; and JSON for outside, on one line.
#pragma once
#include "base/str.h"
#include <jansson.h>

typedef struct {
    const char *file;
    json_t *root; // an object
    Err *e;
} Json;

// An object, from the text of `name`. json_close() in any case.
MUST_CHECK bool json_parse(const char *name, Str text, Json *out, Err *e);
void json_close(Json *j);

Str json_str(const json_t *text);
// Text that quotes what came from outside, or was cut: each byte that is no UTF-8 becomes U+FFFD.
json_t *json_quoted(Str text);
static inline bool json_absent(const json_t *v) { return !v || json_is_null(v); }
// Values of `o` (root or inside it). Absent or null: *out stays as it is.
MUST_CHECK bool json_get_int(const Json *j, const json_t *o, const char *key, int64_t min, int64_t max,
                             int64_t *out);
MUST_CHECK bool json_get_real(const Json *j, const json_t *o, const char *key, double *out); // finite
MUST_CHECK bool json_get_bool(const Json *j, const json_t *o, const char *key, bool *out);
MUST_CHECK bool json_get_text(const Json *j, const json_t *o, const char *key, Str *out); // borrowed
// Is `value` nothing: absent, null, false, 0, an empty text, list or object?
bool json_is_nothing(const json_t *value);

// Any JSON value on one line, keys in insertion order; takes the reference. Reals have six digits.
void json_put(Buf *out, json_t *value);
// The same with so many digits (17: every bit). False, and nothing is put: no value, or none that JSON has
// (NULL, text that is not UTF-8).
bool json_put_precise(Buf *out, json_t *value, int digits);
