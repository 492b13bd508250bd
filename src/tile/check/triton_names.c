// What stands under the dotted paths of Triton: modules, types, rows of op.def and the builtins; names of
// older versions, and what to write instead of those that never were.
#include "tile/check/checker.h"

static const Str modules[] = {STR_INIT("triton"),
                              STR_INIT("triton.language"),
                              STR_INIT("triton.language.math"),
                              STR_INIT("triton.language.core"),
                              STR_INIT("triton.language.standard"),
                              STR_INIT("triton.language.random"),
                              STR_INIT("triton.language.target_info"),
                              STR_INIT("triton.language.extra"),
                              STR_INIT("triton.language.extra.cuda"),
                              STR_INIT("triton.language.extra.libdevice"),
                              STR_INIT("triton.language.extra.cuda.libdevice"),
                              STR_INIT("triton.language.PropagateNan")};

// The path inside triton.language as op.def spells it: "math.exp", "libdevice.tanh", "load".
static Str language_name(Str path) {
    if (str_starts(path, "triton.language.libdevice.")) return (Str){0}; // of older versions
    static const struct {
        const char *from, *to;
    } prefix[] = {{"triton.language.core.", ""},
                  {"triton.language.standard.", ""},
                  {"triton.language.extra.libdevice.", "libdevice."},
                  {"triton.language.extra.cuda.libdevice.", "libdevice."},
                  {"triton.language.", ""}};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (str_starts(path, prefix[i].from)) {
            size_t skip = strlen(prefix[i].from) - strlen(prefix[i].to);
            return (Str){path.p + skip, path.len - skip};
        }
    return (Str){0};
}

typedef struct {
    Str module, name;
} Split;
static Split split(Str path) {
    const char *dot = memrchr(path.p, '.', path.len);
    if (!dot) return (Split){{0}, path};
    size_t n = (size_t)(dot - path.p);
    return (Split){{path.p, n}, {dot + 1, path.len - n - 1}};
}

Found triton_find(Arena *a, Str path, Val *out, const char **why) {
    Split s = split(path);
    DType t;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (str_eq(path, modules[i])) return *out = (Val){.kind = VAL_MODULE, .path = path}, FOUND;
    if (str_is(s.module, "triton.language.PropagateNan") && (str_is(s.name, "ALL") || str_is(s.name, "NONE")))
        return *out = val_str(s.name), FOUND;
    bool language = str_is(s.module, "triton.language") || str_is(s.module, "triton.language.core");
    if (language && dtype_by_triton_name(s.name, &t)) {
        // fp32, i64 and the like are how types print, not names in tl.
        bool real = str_starts(s.name, "int") || str_starts(s.name, "uint") || str_starts(s.name, "float") ||
                    str_starts(s.name, "bfloat");
        if (real) return *out = val_dtype(t), FOUND;
    }
    if (language && str_is(s.name, "TRITON_MAX_TENSOR_NUMEL")) return *out = val_int(TILE_LANES_MAX), FOUND;
    if (language && str_is(s.name, "pi32_t"))
        return *out = val_type((TileType){.elem = DT_I32, .pointer = true}), FOUND;
    Str spelled = str_is(s.module, "triton") ? path : language_name(path);
    const OpRow *row = spelled.len ? oprow_named(spelled) : NULL;
    if (row) return *out = (Val){.kind = VAL_OP, .op = {.row = row, .name = s.name}}, FOUND;
    if (language) {
        const Builtin *b = builtin_named(str_join(a, STR("tl"), '.', s.name));
        if (b) return *out = (Val){.kind = VAL_BUILTIN, .builtin = {.row = b, .name = s.name}}, FOUND;
    }
    const char *feature = spelled.len ? oprow_unsupported(spelled) : NULL;
    *why = feature
               ? arena_printf(a, "%.*s: %s", STR_ARG(path), feature)
               : arena_printf(a, "module '%.*s' has no attribute '%.*s'", STR_ARG(s.module), STR_ARG(s.name));
    return feature ? FOUND_UNSUPPORTED : FOUND_NOTHING;
}

Str triton_old_name(Arena *a, Str path) {
    static const struct {
        const char *name, *is;
    } old[] = {
#define OLD(name, is) {name, is},
#include "tile/check/old_names.def"
#undef OLD
    };
    Val v;
    const char *why;
    Split s = split(path);
    Str now = {0};
    for (size_t i = 0; i < sizeof old / sizeof *old && str_is(s.module, "triton.language"); i++)
        if (str_is(s.name, old[i].name)) now = str_of(arena_printf(a, "triton.language.%s", old[i].is));
    if (str_is(s.module, "triton.language.libdevice") || str_is(s.module, "triton.language.math"))
        now = str_of(arena_printf(a, "triton.language.extra.libdevice.%.*s", STR_ARG(s.name)));
    return now.len && triton_find(a, now, &v, &why) != FOUND_NOTHING ? now : (Str){0};
}

const char *triton_instead(Arena *a, Str path) {
    static const struct {
        const char *name, *is;
    } known[] = {{"libdevice", "from triton.language.extra import libdevice"},
                 {"transpose", "tl.trans"},
                 {"mean", "tl.sum(x, axis) / n"},
                 {"bitcast", "x.to(dtype, bitcast=True)"},
                 {"random", "tl.rand(seed, offsets)"},
                 {"pi", "math.pi"},
                 {"inf", "float(\"inf\")"},
                 {"concat", "tl.join, or tl.cat(a, b, can_reorder=True)"},
                 {"matmul", "tl.dot"},
                 {"relu", "tl.maximum(x, 0.0)"},
                 {"silu", "x * tl.sigmoid(x)"},
                 {"clip", "tl.clamp"},
                 {"power", "libdevice.pow"},
                 {"prod", "tl.reduce with a function of two values"},
                 {"any", "tl.max of the mask as int32"},
                 {"all", "tl.min of the mask as int32"},
                 {"block_id", "tl.program_id"},
                 {"block_idx", "tl.program_id"},
                 {"thread_id", "tl.arange: a program computes on whole tiles"},
                 {"grid_dim", "tl.num_programs"},
                 {"_experimental_descriptor_load", "desc.load(offsets)"},
                 {"_experimental_descriptor_store", "desc.store(offsets, value)"}};
    Split s = split(path);
    if (!str_starts(s.module, "triton.language")) return "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_is(s.name, known[i].name)) return arena_printf(a, "; there is %s", known[i].is);
    if (str_is(s.module, "triton.language.extra.libdevice") ||
        str_is(s.module, "triton.language.extra.cuda.libdevice"))
        return "";
    Str there = str_of(arena_printf(a, "libdevice.%.*s", STR_ARG(s.name)));
    if (!oprow_named(there)) return "";
    return arena_printf(a, "; there is %.*s (from triton.language.extra import libdevice)", STR_ARG(there));
}

const char *triton_import_fault(Arena *a, Str module, Str name, bool old_names) {
    static const char *const listed[] = {"triton.language",
                                         "triton.language.math",
                                         "triton.language.libdevice",
                                         "triton.language.extra",
                                         "triton.language.extra.cuda",
                                         "triton.language.extra.libdevice",
                                         "triton.language.extra.cuda.libdevice"};
    if (str_is(module, INDUCTOR_HELPERS) && !str_is(name, "libdevice") && !str_is(name, "math"))
        return arena_printf(a, "of %s only libdevice and math are known here", INDUCTOR_HELPERS);
    size_t at = 0, all = sizeof listed / sizeof *listed;
    while (at < all && !str_is(module, listed[at])) at++;
    if (at == all) return NULL; // its names are not all known here
    Str path = str_of(arena_printf(a, "%.*s.%.*s", STR_ARG(module), STR_ARG(name)));
    Val v;
    const char *why;
    if (triton_find(a, path, &v, &why) != FOUND_NOTHING || (old_names && triton_old_name(a, path).len))
        return NULL;
    return arena_printf(a, "cannot import name '%.*s' from '%.*s'%s", STR_ARG(name), STR_ARG(module),
                        triton_instead(a, path));
}
