#include "base/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_record(Err *e, ErrCode code, const char *fmt, ...) {
    if (e->code != ERR_NONE) return; // what follows the first cause is usually its echo
    e->code = code;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
}

void err_prefix(Err *e, const char *fmt, ...) {
    char text[sizeof e->msg];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t used = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    // The cause matters more than the context: when both do not fit, the tail of the context is cut.
    size_t cause = strlen(e->msg);
    size_t room = sizeof text - 1 - cause;
    if (room < 3) return;
    if (used > room - 2) used = room - 2;
    memmove(e->msg + used + 2, e->msg, cause + 1);
    memcpy(e->msg, text, used);
    memcpy(e->msg + used, ": ", 2);
}
