#include "weights/format/gguf.h"

#include <assert.h>

enum {
    KEYS_MAX = 1 << 16,
    DIMS_MAX = 4,
    NAME_MAX_ = 64,
    ALIGNMENT = 32,
    ARRAY_MAX = 1 << 30,
    STRING_MAX = 1 << 30
};

static const int type_bytes[GGUF_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// ggml's types beyond those of wtype.def: known, so that the file can be checked and the message can name
// them.
static const struct {
    int id;
    const char *name;
    int block, bytes;
} others[] = {
    {3, "Q4_1", 32, 20},      {9, "Q8_1", 32, 40},      {10, "Q2_K", 256, 84},   {11, "Q3_K", 256, 110},
    {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74}, {18, "IQ3_XXS", 256, 98},
    {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110}, {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},       {26, "I32", 1, 4},
    {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},  {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},    {40, "NVFP4", 64, 36},   {41, "Q1_0", 128, 18},
};

typedef struct {
    Arena *arena;
    const Mapped *m;
    size_t at;
    Err *e;
    Str what; // being read
} Cursor;

static size_t left(const Cursor *c) { return c->m->len - c->at; }

static bool take(Cursor *c, size_t n, const uint8_t **out) {
    if (n > left(c))
        return err_set(c->e, ERR_INPUT, "%s: byte %zu: the file ends inside %s", c->m->path, c->at,
                       shown(c->what).at);
    *out = c->m->p + c->at;
    c->at += n;
    return true;
}

static bool take_u32(Cursor *c, uint32_t *out) {
    const uint8_t *p;
    if (!take(c, 4, &p)) return false;
    *out = read_u32(p);
    return true;
}

static bool take_u64(Cursor *c, uint64_t *out) {
    const uint8_t *p;
    if (!take(c, 8, &p)) return false;
    *out = read_u64(p);
    return true;
}

static bool take_string(Cursor *c, Str *out) {
    uint64_t n;
    const uint8_t *p;
    if (!take_u64(c, &n)) return false;
    if (n > STRING_MAX || n > left(c))
        return err_set(c->e, ERR_INPUT, "%s: byte %zu: %s: a text of %llu bytes, where %zu are left",
                       c->m->path, c->at - 8, shown(c->what).at, (unsigned long long)n, left(c));
    if (!take(c, (size_t)n, &p)) return false;
    *out = (Str){(const char *)p, (size_t)n};
    return true;
}

static bool bools_are(const uint8_t *p, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        if (p[i] > 1) return false;
    return true;
}

static bool take_value(Cursor *c, GgufKey *k) {
    size_t from = c->at;
    uint32_t type;
    if (!take_u32(c, &type)) return false;
    k->n = 1;
    if (type == GGUF_ARRAY) {
        k->array = true;
        if (!take_u32(c, &type) || !take_u64(c, &k->n)) return false;
        if (type == GGUF_ARRAY)
            return err_set(c->e, ERR_INPUT, "%s: \"%s\": an array of arrays", c->m->path, shown(c->what).at);
        if (k->n > ARRAY_MAX) // ggml's limit
            return err_set(c->e, ERR_INPUT, "%s: \"%s\": an array of %llu elements", c->m->path,
                           shown(c->what).at, (unsigned long long)k->n);
    }
    if (type >= GGUF_TYPES)
        return err_set(c->e, ERR_INPUT, "%s: byte %zu: \"%s\": no such type of value: %u", c->m->path, from,
                       shown(c->what).at, type);
    k->type = (GgufType)type;
    k->p = c->m->p + c->at;
    size_t start = c->at;
    if (type == GGUF_STRING) {
        // Every text takes eight bytes at least: a false count ends here, not after a billion steps.
        if (k->n > left(c) / 8)
            return err_set(c->e, ERR_INPUT, "%s: \"%s\": %llu texts in %zu bytes", c->m->path,
                           shown(c->what).at, (unsigned long long)k->n, left(c));
        Str s;
        for (uint64_t i = 0; i < k->n; i++)
            if (!take_string(c, &s)) return false;
    } else {
        const uint8_t *p;
        if (!take(c, (size_t)k->n * (size_t)type_bytes[type], &p)) return false;
        if (type == GGUF_BOOL && !bools_are(p, k->n))
            return err_set(c->e, ERR_INPUT, "%s: \"%s\": a truth value that is neither 0 nor 1", c->m->path,
                           shown(c->what).at);
    }
    k->bytes = c->at - start;
    return true;
}

static bool take_keys(Cursor *c, Gguf *g, uint64_t n) {
    StoredTable names = {0}; // for its sorting alone
    g->key = NEWN(c->arena, GgufKey, (size_t)n);
    for (uint64_t i = 0; i < n; i++) {
        GgufKey *k = &g->key[i];
        c->what = STR("a key");
        if (!take_string(c, &k->name)) return false;
        if (!k->name.len || memchr(k->name.p, 0, k->name.len))
            return err_set(c->e, ERR_INPUT, "%s: key %llu: a name has a byte at least, and no NUL",
                           c->m->path, (unsigned long long)i);
        c->what = k->name;
        if (!take_value(c, k)) return false;
        stored_add(c->arena, &names, &(Stored){.name = k->name});
        g->keys++;
    }
    const Stored *twice = stored_seal(c->arena, &names);
    if (!twice) return true;
    return err_set(c->e, ERR_INPUT, "%s: key \"%s\" is there twice", c->m->path, shown(twice->name).at);
}

static bool type_of(uint32_t id, Stored *s, int *block, int *bytes) {
    for (int i = 0; i < W_COUNT; i++)
        if ((uint32_t)WEIGHT_TYPE[i].gguf_id == id) {
            s->type = i;
            s->type_name = WEIGHT_TYPE[i].name;
            *block = WEIGHT_TYPE[i].block;
            *bytes = WEIGHT_TYPE[i].block_bytes;
            return true;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if ((uint32_t)others[i].id == id) {
            s->type = -1;
            s->type_name = others[i].name;
            *block = others[i].block;
            *bytes = others[i].bytes;
            return true;
        }
    return false;
}

// Everything but the place of the data. `offset` is what the file says.
static bool take_tensor(Cursor *c, Stored *s, uint64_t *offset) {
    uint32_t rank, type;
    int block, bytes;
    c->what = STR("a tensor's name");
    if (!take_string(c, &s->name)) return false;
    c->what = s->name;
    if (s->name.len >= NAME_MAX_ || !s->name.len || memchr(s->name.p, 0, s->name.len))
        return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\": a name has 1 to %d bytes, none of them NUL",
                       c->m->path, shown(c->what).at, NAME_MAX_ - 1);
    if (!take_u32(c, &rank)) return false;
    if (rank > DIMS_MAX)
        return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\": %u dimensions (at most %d)", c->m->path,
                       shown(c->what).at, rank, DIMS_MAX);
    s->rank = (int)rank;
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t n;
        if (!take_u64(c, &n)) return false;
        if (n > INT64_MAX || __builtin_mul_overflow(count, (int64_t)n, &count))
            return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\": the number of elements overflows", c->m->path,
                           shown(c->what).at);
        s->shape[rank - 1 - i] = (int64_t)n;
    }
    if (!take_u32(c, &type) || !take_u64(c, offset)) return false;
    if (!type_of(type, s, &block, &bytes))
        return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\": no such type: %u", c->m->path, shown(c->what).at,
                       type);
    int64_t fast = rank ? s->shape[rank - 1] : 1;
    if (fast % block)
        return err_set(c->e, ERR_INPUT,
                       "%s: tensor \"%s\": rows of %lld do not divide into blocks of %d (%s)", c->m->path,
                       shown(c->what).at, (long long)fast, block, s->type_name);
    uint64_t size;
    if (__builtin_mul_overflow((uint64_t)(count / block), (uint64_t)bytes, &size) || size > SIZE_MAX / 2)
        return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\": the size overflows", c->m->path,
                       shown(c->what).at);
    s->bytes = (size_t)size;
    s->file = c->m->path;
    return true;
}

static bool take_tensors(Cursor *c, Gguf *g, uint64_t n) {
    uint64_t at = 0; // the running padded sum: where the next tensor has to be
    int64_t alignment = ALIGNMENT;
    if (!gguf_int(g, "general.alignment", 1, 1 << 20, &alignment, c->e)) return false;
    if (alignment & (alignment - 1))
        return err_set(c->e, ERR_INPUT, "%s: general.alignment is %lld, no power of two", c->m->path,
                       (long long)alignment);
    uint64_t *offset = NEWN(c->arena, uint64_t, (size_t)n);
    for (uint64_t i = 0; i < n; i++) {
        Stored s = {0};
        if (!take_tensor(c, &s, &offset[i])) return false;
        stored_add(c->arena, &g->tensors, &s);
        if (offset[i] != at)
            return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\": offset %llu where %llu should follow",
                           c->m->path, shown(c->what).at, (unsigned long long)offset[i],
                           (unsigned long long)at);
        if (__builtin_add_overflow(at, (uint64_t)s.bytes + (uint64_t)alignment - 1, &at))
            return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\": the size overflows", c->m->path,
                           shown(c->what).at);
        at &= ~(uint64_t)(alignment - 1);
    }
    const Stored *twice = stored_seal(c->arena, &g->tensors);
    if (twice)
        return err_set(c->e, ERR_INPUT, "%s: tensor \"%s\" is there twice", c->m->path,
                       shown(twice->name).at);
    uint64_t data = ((uint64_t)c->at + (uint64_t)alignment - 1) & ~(uint64_t)(alignment - 1);
    for (uint64_t i = 0; i < n; i++) {
        Stored *s = &g->tensors.at[i];
        uint64_t room = c->m->len > data ? c->m->len - data : 0;
        if (offset[i] > room || s->bytes > room - offset[i])
            return err_set(c->e, ERR_INPUT,
                           "%s: tensor \"%s\" ends behind the file's end: it is cut; download it again",
                           c->m->path, shown(s->name).at);
        s->data = c->m->p + data + offset[i];
    }
    return true;
}

bool gguf_looks(const Mapped *m) { return m->len >= 4 && memcmp(m->p, "GGUF", 4) == 0; }

bool gguf_read(Arena *a, const Mapped *m, Gguf *out, Err *e) {
    Cursor c = {a, m, 0, e, STR("the header")};
    *out = (Gguf){.file = m->path};
    uint64_t tensors, keys;
    if (!gguf_looks(m))
        return err_set(e, ERR_INPUT, "%s: no GGUF file: it does not begin with \"GGUF\"", m->path);
    c.at = 4;
    if (!take_u32(&c, &out->version)) return false;
    if (out->version && !(out->version & 0xffff))
        return err_set(e, ERR_INPUT, "%s: a big-endian GGUF file; only little-endian ones are read", m->path);
    if (out->version != 2 && out->version != 3)
        return err_set(e, ERR_INPUT, "%s: GGUF version %u; 2 and 3 are read", m->path, out->version);
    if (!take_u64(&c, &tensors) || !take_u64(&c, &keys)) return false;
    // A key takes at least 13 bytes, a tensor 25: counts that cannot be are refused before room is made.
    if (tensors > STORED_MAX || tensors > left(&c) / 25)
        return err_set(e, ERR_INPUT, "%s: %llu tensors cannot be (at most %d, and the file has %zu bytes)",
                       m->path, (unsigned long long)tensors, STORED_MAX, m->len);
    if (keys > KEYS_MAX || keys > left(&c) / 13)
        return err_set(e, ERR_INPUT, "%s: %llu keys cannot be (at most %d, and the file has %zu bytes)",
                       m->path, (unsigned long long)keys, KEYS_MAX, m->len);
    return take_keys(&c, out, keys) && take_tensors(&c, out, tensors);
}

// ---- values

const GgufKey *gguf_find(const Gguf *g, const char *name) {
    for (int i = 0; i < g->keys; i++)
        if (str_is(g->key[i].name, name)) return &g->key[i];
    return NULL;
}

static bool int_at(const GgufKey *k, uint64_t i, int64_t *out) {
    const uint8_t *p = k->p + i * (uint64_t)type_bytes[k->type];
    switch (k->type) {
    case GGUF_U8: *out = *p; return true;
    case GGUF_I8: *out = (int8_t)*p; return true;
    case GGUF_U16: *out = read_u16(p); return true;
    case GGUF_I16: *out = (int16_t)read_u16(p); return true;
    case GGUF_U32: *out = read_u32(p); return true;
    case GGUF_I32: *out = (int32_t)read_u32(p); return true;
    case GGUF_U64: *out = (int64_t)read_u64(p); return read_u64(p) <= INT64_MAX;
    case GGUF_I64: *out = (int64_t)read_u64(p); return true;
    default: return false;
    }
}

bool gguf_int(const Gguf *g, const char *name, int64_t min, int64_t max, int64_t *out, Err *e) {
    const GgufKey *k = gguf_find(g, name);
    if (!k) return true;
    int64_t first = 0, other;
    bool ok = k->n > 0;
    for (uint64_t i = 0; ok && i < k->n; i++) {
        ok = int_at(k, i, i ? &other : &first);
        if (ok && i && other != first)
            return err_set(e, ERR_INPUT, "%s: \"%s\" differs from layer to layer, which is not built",
                           g->file, name);
    }
    if (!ok) return err_set(e, ERR_INPUT, "%s: \"%s\" is no whole number", g->file, name);
    if (first < min || first > max)
        return err_set(e, ERR_INPUT, "%s: \"%s\" is %lld; from %lld to %lld can be", g->file, name,
                       (long long)first, (long long)min, (long long)max);
    *out = first;
    return true;
}

bool gguf_real(const Gguf *g, const char *name, double *out, Err *e) {
    const GgufKey *k = gguf_find(g, name);
    if (!k) return true;
    float f;
    if (k->array || (k->type != GGUF_F32 && k->type != GGUF_F64))
        return err_set(e, ERR_INPUT, "%s: \"%s\" is no real number", g->file, name);
    if (k->type == GGUF_F64) memcpy(out, k->p, sizeof *out);
    if (k->type == GGUF_F32) {
        memcpy(&f, k->p, sizeof f);
        *out = f;
    }
    return true;
}

bool gguf_bool(const Gguf *g, const char *name, bool *out, Err *e) {
    const GgufKey *k = gguf_find(g, name);
    if (!k) return true;
    if (k->array || k->type != GGUF_BOOL)
        return err_set(e, ERR_INPUT, "%s: \"%s\" is no truth value", g->file, name);
    *out = *k->p != 0;
    return true;
}

bool gguf_text(const Gguf *g, const char *name, Str *out, Err *e) {
    const GgufKey *k = gguf_find(g, name);
    if (!k) return true;
    if (k->array || k->type != GGUF_STRING)
        return err_set(e, ERR_INPUT, "%s: \"%s\" is no text", g->file, name);
    *out = (Str){(const char *)k->p + 8, k->bytes - 8};
    return true;
}

bool gguf_texts(Arena *a, const Gguf *g, const char *name, const Str **out, int *n, Err *e) {
    const GgufKey *k = gguf_find(g, name);
    if (!k) return true;
    if (!k->array || k->type != GGUF_STRING)
        return err_set(e, ERR_INPUT, "%s: \"%s\" is no list of texts", g->file, name);
    if (k->n > STORED_MAX * 4)
        return err_set(e, ERR_LIMIT, "%s: \"%s\": %llu texts", g->file, name, (unsigned long long)k->n);
    Str *s = NEWN(a, Str, (size_t)k->n);
    const uint8_t *p = k->p;
    for (uint64_t i = 0; i < k->n; i++) {
        s[i] = (Str){(const char *)p + 8, (size_t)read_u64(p)};
        p += 8 + s[i].len;
    }
    assert(p == k->p + k->bytes); // gguf_read walked the same way
    *out = s;
    *n = (int)k->n;
    return true;
}

bool gguf_ints(Arena *a, const Gguf *g, const char *name, const int32_t **out, int *n, Err *e) {
    const GgufKey *k = gguf_find(g, name);
    if (!k) return true;
    int64_t v = 0;
    if (!k->array || k->n > STORED_MAX * 4 || (k->n && !int_at(k, 0, &v)))
        return err_set(e, ERR_INPUT, "%s: \"%s\" is no list of whole numbers", g->file, name);
    int32_t *x = NEWN(a, int32_t, (size_t)k->n);
    for (uint64_t i = 0; i < k->n; i++) {
        if (!int_at(k, i, &v) || v < INT32_MIN || v > INT32_MAX)
            return err_set(e, ERR_INPUT, "%s: \"%s\": element %llu is no number of 32 bits", g->file, name,
                           (unsigned long long)i);
        x[i] = (int32_t)v;
    }
    *out = x;
    *n = (int)k->n;
    return true;
}
