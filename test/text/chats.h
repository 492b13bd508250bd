// chats.h - for tests of chat templates.
#pragma once
#include "text/chat.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static inline const ChatFamily *family(const char *name) {
    Err e = {0};
    const ChatFamily *f;
    if (!chat_by_name(name, &f, &e)) fail_msg("%s", e.msg);
    return f;
}

static inline const char *detected(Str jinja) {
    Err e = {0};
    const ChatFamily *f;
    if (chat_detect(jinja, &f, &e)) return chat_name(f);
    assert_true(e.code == ERR_INPUT || e.code == ERR_LIMIT);
    assert_non_null(strstr(e.msg, "--chat-family"));
    for (const char *p = e.msg; *p; p++) assert_in_range(*p, ' ', '~');
    return "";
}

static inline Str replaced(Arena *a, Str s, const char *what, const char *with) {
    const char *p = memmem(s.p, s.len, what, strlen(what));
    if (!p) fail_msg("there is no %s", what);
    Buf b = BUF(a);
    buf_put(&b, s.p, (size_t)(p - s.p));
    buf_puts(&b, with);
    buf_put(&b, p + strlen(what), (size_t)(s.p + s.len - p) - strlen(what));
    return buf_str(&b);
}
