// hostile.h - texts that other processes and files may hold: cut off anywhere, with any byte changed, and, of
// JSON, with any value replaced by one that nobody expects. Whoever reads them may refuse, and may not break:
// these tests run under AddressSanitizer, too.
#pragma once
#include "base/json.h"

// Reads one text, checks what it takes, and says whether it took it.
typedef bool (*HostileRead)(void *arg, Str text);
typedef struct {
    HostileRead read;
    void *arg;
    int tried, taken;
} Hostile;

// In a block of its own size, so that one byte beyond is seen.
static inline void hostile_try(Hostile *h, const char *p, size_t n) {
    char *own = malloc(n ? n : 1);
    assert_non_null(own);
    if (n) memcpy(own, p, n);
    h->tried++;
    h->taken += h->read(h->arg, (Str){own, n});
    free(own);
}

// Cut off everywhere; each byte changed, and left out. Of long texts every `step`th place.
static inline void hostile_bytes(Hostile *h, Str text, size_t step) {
    static const char bad[] = {'\0', '"', '9', '-', '}', '[', ' ', (char)0xff};
    char *p = malloc(text.len + 1);
    assert_non_null(p);
    for (size_t n = 0; n < text.len; n += step) {
        hostile_try(h, text.p, n);
        for (size_t i = 0; i < sizeof bad; i++) {
            memcpy(p, text.p, text.len);
            p[n] = bad[i];
            hostile_try(h, p, text.len);
        }
        memcpy(p, text.p, n);
        memcpy(p + n, text.p + n + 1, text.len - n - 1);
        hostile_try(h, p, text.len - 1);
    }
    free(p);
}

static inline json_t *hostile_value(int i) {
    switch (i) {
    case 0: return json_null();
    case 1: return json_true();
    case 2: return json_string("");
    case 3: return json_string("0123456789abcdef0123456789abcdef\n\x01<&");
    case 4: return json_object();
    case 5: return json_array();
    case 6: return json_integer(-1);
    case 7: return json_integer(0);
    case 8: return json_integer(1);
    case 9: return json_integer(INT32_MAX);
    case 10: return json_integer((json_int_t)INT32_MAX + 1);
    case 11: return json_integer(INT64_MAX);
    case 12: return json_integer(INT64_MIN);
    case 13: return json_real(0.5);
    case 14: return json_real(-1e300);
    case 15: return json_pack("[[i,i],[i,i],[i,I]]", 0, 0, 1, -1, 99, (json_int_t)INT64_MAX);
    case 16: return json_pack("{s:i,s:{}}", "bytes", -5, "run");
    default: return NULL;
    }
}

static inline void hostile_dump(Hostile *h, const json_t *root) {
    char *text = json_dumps(root, JSON_COMPACT);
    assert_non_null(text);
    hostile_try(h, text, strlen(text));
    free(text);
}

// Each value below `at` replaced by each of those above, and left out.
static inline void hostile_values(Hostile *h, const json_t *root, json_t *at) {
    size_t n = json_is_object(at) ? json_object_size(at) : json_array_size(at);
    for (size_t i = 0; i < n; i++) {
        void *iter = json_is_object(at) ? json_object_iter(at) : NULL;
        for (size_t k = 0; iter && k < i; k++) iter = json_object_iter_next(at, iter);
        json_t *was = json_incref(iter ? json_object_iter_value(iter) : json_array_get(at, i)), *v;
        for (int k = 0; (v = hostile_value(k)); k++) {
            if (iter)
                json_object_iter_set_new(at, iter, v);
            else
                json_array_set_new(at, i, v);
            hostile_dump(h, root);
        }
        if (iter) {
            json_object_iter_set(at, iter, was);
        } else {
            json_array_remove(at, i);
            hostile_dump(h, root);
            json_array_insert(at, i, was);
        }
        hostile_values(h, root, was);
        json_decref(was);
    }
}

// All of it, for a text that is JSON and is taken as it stands.
static inline void hostile_json(Hostile *h, Str text) {
    json_t *root = json_loadb(text.p, text.len, 0, NULL);
    assert_non_null(root);
    if (!h->read(h->arg, text)) fail_msg("the text itself is not taken");
    hostile_bytes(h, text, text.len / 400 + 1);
    hostile_values(h, root, root);
    json_decref(root);
}
