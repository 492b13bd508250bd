#include "corpus/program_hashes.h"

#include "host/host.h"
#include "op/suite.h"
#include "propose/distinct.h"
#include "service/request.h"

static Sha256 structure_of(Str source, Sha256 canonical) {
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    Node *module = source.len <= SOURCE_MAX ? parse_module(&a, source, &diags) : NULL;
    Sha256 out = canonical;
    if (module && host_normalize(&a, module, &diags)) {
        Buf text = BUF(&a);
        print_canonical(&text, module);
        out = sha256_of(buf_str(&text));
    }
    arena_free(&a);
    return out;
}

Identity identity_of(Str source) {
    if (source.len > SOURCE_MAX) {
        Sha256 text = sha256_of(source);
        return (Identity){text, text, text};
    }
    Identity id = {.canonical = program_hash(source)};
    id.structure = structure_of(source, id.canonical);
    if (!program_structure(source, &id.skeleton)) id.skeleton = id.canonical;
    return id;
}

const char *domain_key(Arena *a, const Op *op, const DrawFilter *filter) {
    Buf b = BUF(a);
    buf_printf(&b, "%s %s", op->domain.contiguous ? "contiguous" : "any",
               op->domain.published ? "published" : "declared");
    if (filter->dtype >= 0) buf_printf(&b, " %s", dtype_info[filter->dtype].torch);
    if (filter->m > 0) buf_printf(&b, " %lldx%lld", (long long)filter->m, (long long)filter->n);
    return buf_cstr(&b);
}

const char *module_key(Arena *a, const Op *op) {
    char hash[65];
    sha256_hex(op->hash, hash);
    return arena_printf(a, "module %.16s", hash);
}

bool domain_of_key(Str key, DomainAsked *asked, DrawFilter *filter) {
    Str layout, values, more;
    *asked = (DomainAsked){0};
    *filter = (DrawFilter){.dtype = -1};
    if (!str_piece(&key, ' ', &layout) || !str_piece(&key, ' ', &values)) return false;
    if (!layout_by_name(layout, &asked->layout)) return false;
    asked->published = str_is(values, "published");
    if (!asked->published && !str_is(values, "declared")) return false;
    while (str_piece(&key, ' ', &more))
        if (!filter_dtype(more, &filter->dtype) && !filter_shape(more, &filter->m, &filter->n)) return false;
    return true;
}
