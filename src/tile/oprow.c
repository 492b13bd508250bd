// The tables of names: op.def, unsupported.def, and the language reference printed from them.
#include "tile/checker.h"

const OpRow oprows[] = {
#define OP(id, names, signature, doc) {check_##id, #id, names, signature, doc},
#include "tile/op.def"
#undef OP
};
const int oprow_count = sizeof oprows / sizeof *oprows;

static const struct {
    const char *names, *feature;
} unsupported[] = {
#define UNSUPPORTED(names, feature) {names, feature},
#include "tile/unsupported.def"
#undef UNSUPPORTED
};

static bool listed(const char *names, const char *dot, Str name) {
    size_t skip = strlen(dot);
    for (const char *p = names; *p;) {
        const char *end = strchr(p, ' ');
        size_t n = end ? (size_t)(end - p) : strlen(p);
        if (n == name.len + skip && memcmp(p, dot, skip) == 0 && memcmp(p + skip, name.p, name.len) == 0)
            return true;
        p += n;
        while (*p == ' ') p++;
    }
    return false;
}

static const OpRow *row_of(const char *dot, Str name) {
    if (name.len == 0 || *name.p == '.') return NULL;
    for (int i = 0; i < oprow_count; i++)
        if (listed(oprows[i].names, dot, name)) return &oprows[i];
    return NULL;
}
const OpRow *oprow_named(Str name) { return row_of("", name); }
const OpRow *oprow_member(Str name) { return row_of(".", name); }

const char *oprow_unsupported(Str name) {
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (listed(unsupported[i].names, "", name)) return unsupported[i].feature;
    return NULL;
}

// ---- printing ----

static void put_names(Buf *out, const OpRow *row) {
    bool first = true;
    for (const char *p = row->names; *p;) {
        size_t n = strcspn(p, " ");
        bool bare = *p != '.' && strncmp(p, "libdevice.", 10) != 0 && strncmp(p, "triton.", 7) != 0 &&
                    strncmp(p, "desc.", 5) != 0;
        buf_printf(out, "%s%s%s%.*s", first ? "" : ", ", bare ? "tl." : "", *p == '.' ? "x" : "", (int)n, p);
        first = false;
        p += n;
        while (*p == ' ') p++;
    }
    buf_printf(out, "(%s)\n    %s\n", row->signature, row->doc);
}

void language_reference(Buf *out) {
    buf_puts(
        out,
        "What kernels may use. `tl` is triton.language; a method's receiver is its first parameter.\n\n");
    for (int i = 0; i < oprow_count; i++) put_names(out, &oprows[i]);
    buf_puts(out, "\nTypes: tl.");
    for (int t = 0; t < DT_COUNT; t++) {
        const char *name = t == DT_F16    ? "float16"
                           : t == DT_BF16 ? "bfloat16"
                           : t == DT_F32  ? "float32"
                           : t == DT_F64  ? "float64"
                                          : dtype_info[t].triton;
        buf_printf(out, "%s%s", t ? ", tl." : "", name);
    }
    buf_puts(out, "\n\nValid Triton that this version does not run:\n");
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        buf_printf(out, "    %s\n", unsupported[i].feature);
}
