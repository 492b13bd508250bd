// Any bytes as a chat template: of a family or refused with a message, never a crash. What is recognised has
// to be recognised again by what of it runs.
#include "text/chat.h"
#include "text/chat_jinja.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena a = {0};
    Err e = {0};
    Str jinja = str_dup(&a, (Str){(const char *)data, size});
    const ChatFamily *f, *again;
    if (!chat_detect(jinja, &f, &e)) {
        for (const char *p = e.msg; *p; p++)
            if (*p < ' ' || *p > '~') __builtin_trap();
    } else if (!chat_detect(chat_live(f), &again, &e) || again != f) {
        __builtin_trap();
    }
    Buf live = BUF(&a), twice = BUF(&a);
    Err why = {0};
    if (jinja_live(&a, jinja, &live, &why) && live.len &&
        (!jinja_live(&a, buf_str(&live), &twice, &why) || !str_eq(buf_str(&live), buf_str(&twice))))
        __builtin_trap();
    for (int i = 0; chat_at(i); i++) {
        Buf b = BUF(&a);
        size_t half = size / 2;
        chat_render(chat_at(i), &(ChatTurn){.system = {jinja.p, half}, .user = {jinja.p + half, size - half}},
                    &b);
        Str reply = chat_reply(chat_at(i), jinja);
        if (reply.len > size) __builtin_trap();
    }
    arena_free(&a);
    return 0;
}
