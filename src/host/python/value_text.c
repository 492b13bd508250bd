// Values as text: cut to what fits a message, and in full as str() and f-strings of a program get them. What
// Python would write with an address, or what a value here does not know of itself, has no text for programs:
// one that measures or compares it could tell this interpreter from Python.
#include "host/python/interp.h"

// ---- for messages

static void seq_repr(Buf *out, const Seq *s, const char *open, const char *close, bool tuple, int depth) {
    buf_puts(out, open);
    for (int i = 0; i < s->n && out->len < 300; i++) {
        if (i) buf_puts(out, ", ");
        value_repr(out, s->at[i], depth);
    }
    buf_puts(out, tuple && s->n == 1 ? "," : "");
    buf_puts(out, close);
}

// Texts go into findings and f-strings: whatever is longer than a line or deeper than a few levels is cut.
void value_repr(Buf *out, Value v, int depth) {
    PyValue plain;
    if (depth > 8 || out->len > 300) return buf_puts(out, "...");
    if (value_plain(v, &plain)) {
        if (v.kind == V_STR && v.s.len > 200) plain.s.len = 200;
        return py_repr(out, plain);
    }
    switch (v.kind) {
    case V_TUPLE:
        if (v.seq->flavour != SEQ_SIZE) return seq_repr(out, v.seq, "(", ")", true, depth + 1);
        return seq_repr(out, v.seq, "torch.Size([", "])", false, depth + 1);
    case V_LIST: return seq_repr(out, v.seq, "[", "]", false, depth + 1);
    case V_DICT:
        buf_puts(out, "{");
        for (int i = 0; i < v.dict->n && out->len < 300; i++) {
            if (i) buf_puts(out, ", ");
            value_repr(out, v.dict->key[i], depth + 1);
            buf_puts(out, ": ");
            value_repr(out, v.dict->value[i], depth + 1);
        }
        return buf_puts(out, "}");
    case V_DTYPE:
        buf_puts(out, v.dtype.triton ? "" : "torch.");
        return buf_puts(out, v.dtype.triton ? dtype_info[v.dtype.t].triton : dtype_info[v.dtype.t].torch);
    case V_DEVICE:
        if (v.device.cpu) return buf_puts(out, "cpu");
        return buf_printf(out, "cuda:%d", v.device.index);
    case V_ELLIPSIS: return buf_puts(out, "Ellipsis");
    default: return buf_printf(out, "<%s>", value_type(v));
    }
}

void value_text(Buf *out, Value v) {
    if (v.kind == V_STR)
        buf_str_put(out, v.s);
    else
        value_repr(out, v, 0);
}

// ---- for programs

typedef struct {
    Interp *in;
    Span at;
    Buf *out;
} Speller;

static bool spell(Speller *s, Value v, bool repr);

static bool spell_items(Speller *s, const Value *at, const Value *of, int n) {
    for (int i = 0; i < n; i++) {
        if (i) buf_puts(s->out, ", ");
        if (!spell(s, at[i], true)) return false;
        if (!of) continue;
        buf_puts(s->out, ": ");
        if (!spell(s, of[i], true)) return false;
    }
    return true;
}

static bool spell_seq(Speller *s, Value v) {
    bool size = v.seq->flavour == SEQ_SIZE, tuple = v.kind == V_TUPLE && !size;
    buf_puts(s->out, size ? "torch.Size([" : tuple ? "(" : "[");
    if (!spell_items(s, v.seq->at, NULL, v.seq->n)) return false;
    buf_puts(s->out, size ? "])" : !tuple ? "]" : v.seq->n == 1 ? ",)" : ")");
    return true;
}

static bool is_ascii(Str s) {
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] >= 0x7f) return false; // whether Python escapes a letter, its tables say
    return true;
}

static bool spell_here(Speller *s, Value v, bool repr) {
    PyValue plain;
    if (v.kind == V_STR && !repr) return buf_str_put(s->out, v.s), true;
    if (value_plain(v, &plain) && (v.kind != V_STR || is_ascii(v.s))) return py_repr(s->out, plain), true;
    switch (v.kind) {
    case V_TUPLE:
        if (v.seq->flavour == SEQ_PAIR || v.seq->flavour == SEQ_NAMED) break;
        return spell_seq(s, v);
    case V_LIST: return spell_seq(s, v);
    case V_DICT:
        if (v.dict->ordered) break;
        buf_puts(s->out, "{");
        if (!spell_items(s, v.dict->key, v.dict->value, v.dict->n)) return false;
        buf_puts(s->out, "}");
        return true;
    case V_DTYPE:
        if (v.dtype.triton) break;
        buf_printf(s->out, "torch.%s", dtype_info[v.dtype.t].torch);
        return true;
    case V_DEVICE:
        if (repr) break;
        buf_puts(s->out, v.device.cpu ? "cpu" : "cuda");
        if (v.device.indexed && !v.device.cpu) buf_printf(s->out, ":%d", v.device.index);
        return true;
    case V_ELLIPSIS: buf_puts(s->out, "Ellipsis"); return true;
    default: break;
    }
    if (value_is_tensor(v))
        return host_refuse(s->in, s->at,
                           "the text of a tensor shows its values, which host code may not see");
    return host_unsupported(s->in, s->at, "the text of a value of type '%s'", value_type(v));
}

static bool spell(Speller *s, Value v, bool repr) {
    if (!host_work(s->in, s->at, 1)) return false;
    if (s->out->len > STRING_MAX)
        return host_raise(s->in, s->at, "MemoryError: a string of host code may take 1 MiB");
    if (++s->in->depth > DEPTH_MAX) // a list may hold itself
        return host_raise(s->in, s->at, "RecursionError: maximum recursion depth exceeded");
    bool ok = spell_here(s, v, repr);
    s->in->depth--;
    return ok;
}

bool value_spell(Interp *in, Span at, Value v, bool repr, Buf *out) {
    Buf text = BUF(in->arena);
    if (in->failing) // nobody reads it but people
        repr ? value_repr(&text, v, 0) : value_text(&text, v);
    else if (!spell(&(Speller){in, at, &text}, v, repr))
        return false;
    if (text.len > STRING_MAX || text.len > in->heap_left)
        return host_raise(in, at, "MemoryError: a string of host code may take 1 MiB");
    in->heap_left -= text.len;
    buf_str_put(out, buf_str(&text));
    return host_work(in, at, (int64_t)text.len / 16);
}
