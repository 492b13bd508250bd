#include "service/manifest/entry_choice.h"

#include "lang/parse/lex.h"

#include "base/suggest.h"
#include "host/policy/screen.h"
#include "tile/check/check.h"

static bool is_public(const Node *n) {
    return n->kind == NODE_FUNCTION && !is_jit_function(n) && n->function.name.p[0] != '_';
}

// go = functools.partial(f, ...), go = TABLE["f"]: what it gives is called.
static bool is_given(const Node *module, Str name) {
    const Node *alias, *s = module_binding(module, name, &alias);
    NodeKind kind = s && s->kind == NODE_ASSIGN ? s->assign.value->kind : NODE_NONE;
    return kind == NODE_CALL || kind == NODE_SUBSCRIPT || kind == NODE_LAMBDA || kind == NODE_NAME;
}

// The function of that name, or an error that names the nearest one.
static const Node *named(Arena *a, const Node *module, const char *name, Err *e) {
    const Node *found = module_function(module, str_of(name));
    if (found && !is_jit_function(found)) return found;
    if (found) {
        err_record(e, ERR_USAGE, "--entry %s: that is a kernel; it takes the function that launches it",
                   name);
        return NULL;
    }
    Nearest near = nearest_to(str_of(name));
    const Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind == NODE_FUNCTION) nearest_offer(&near, body->at[i]->function.name);
    err_record(e, ERR_USAGE, "--entry %s: the file defines no such function%s", name,
               nearest_words(a, &near));
    return NULL;
}

// The only public function; NULL where there is none, or more: *several lists those.
static const Node *only_public(Arena *a, const Node *module, const char **several) {
    const Nodes *body = &module->module.body;
    const Node *found = NULL;
    Buf all = BUF(a);
    int n = 0;
    for (int i = 0; i < body->n; i++) {
        if (!is_public(body->at[i])) continue;
        Str name = body->at[i]->function.name;
        if (found && str_eq(found->function.name, name)) continue; // the later one counts
        buf_printf(&all, "%s%.*s", n++ ? ", " : "", STR_ARG(name));
        found = body->at[i];
    }
    if (n < 2) return found;
    *several = buf_cstr(&all);
    return NULL;
}

int times_named(Str source, const char *name) {
    int n = 0;
    Lexer l;
    lex_start(&l, source);
    for (Token t = lex_next(&l); t.kind != TOK_END && t.kind != TOK_ERROR; t = lex_next(&l))
        n += t.kind == TOK_NAME && str_is((Str){source.p + t.at, t.len}, name);
    return n;
}

static bool is_input(const Op *op, Str name) {
    for (int i = 0; i < op->inputs; i++)
        if (str_eq(op->input[i].name, name)) return true;
    return false;
}

// One for each input, none of which hides the function.
static Str parameters(Arena *a, const Op *op, Str function) {
    Buf list = BUF(a);
    for (int i = 0; i < op->inputs; i++) {
        Str name = op->input[i].name;
        if (str_eq(name, function)) do
                name = str_of(arena_printf(a, "%.*s_", STR_ARG(name)));
            while (is_input(op, name));
        buf_printf(&list, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    return buf_str(&list);
}

bool entry_apply(Arena *a, const char *name, const Op *op, Str source, Entered *out, Err *e) {
    *out = (Entered){.source = source};
    DiagList d = DIAGS(a);
    const Node *module = source.len <= SOURCE_MAX ? parse_module(a, source, &d) : NULL;
    if (!module || (name && strcmp(name, "run") == 0)) return true;
    if (!name && (module_function(module, STR("run")) || entry_model(module))) return true;
    if (!name && (times_named(source, "run") || times_named(source, "ModelNew"))) return true;
    // A `run` of the file's own that nothing calls is only replaced.
    if (name && times_named(source, "run") > (module_function(module, STR("run")) ? 1 : 0))
        return err_set(e, ERR_USAGE,
                       "--entry %s: the file has something else that is called `run`: rename it", name);
    Str entry = name ? str_of(name) : (Str){0};
    if (!name || !is_given(module, entry)) {
        const Node *f = name ? named(a, module, name, e) : only_public(a, module, &out->several);
        if (!f) return e->code == ERR_NONE;
        entry = f->function.name;
    }
    Buf text = BUF(a);
    Str list = parameters(a, op, entry);
    buf_str_put(&text, source);
    buf_printf(&text, "\n\ndef run(%.*s):\n    return %.*s(%.*s)\n", STR_ARG(list), STR_ARG(entry),
               STR_ARG(list));
    out->source = buf_str(&text);
    return true;
}
