// request.h - one line of the stream:
// {"id","op" or "module","source"[,"level","shape","dtype","layout","policy","manifest","time","tf32",
// "ragged","shapes","library","group","of"]}. Any bytes are allowed; what cannot be judged, or has a key that
// looks like one of these, says why.
#pragma once
#include "cases/draw.h"
#include "service/stream_groups.h"
#include "service/stream_times.h"

enum { STREAM_REQUEST_MAX = 8 << 20 }; // bytes: a source of SOURCE_MAX with every character escaped fits

// At which levels a program is judged, one after the other while it is accepted.
typedef enum { LEVELS_QUICK, LEVELS_FULL, LEVELS_LADDER } Levels; // LADDER: quick, then full
bool levels_by_name(Str name, Levels *out);

typedef struct {
    Str id; // its JSON text; "null" when the line gave none
    Str op, source;
    Str module;        // the text of a reference in module form, in place of op; p NULL: the line has an op
    bool tf32, shapes; // with a module: shapes: the published ones, too
    bool ragged;       // with a module: what is wrong at odd sizes is rejected
    int library;       // with a module: DomainAsked.library
    Str manifest;      // its JSON text (service/manifest/manifest.h); empty when the line gave none
    Levels levels;
    CellPlace place[TIMED_CELLS_MAX]; // where the GPU is to time it, once accepted at full
    int places;                       // 0: it is not
    Str group;                        // p NULL: it has none
    int of;                           // how many requests the group has
    DrawFilter filter;
    LayoutAsked layout;
    const char *bad; // why the line cannot be judged; NULL: it can
} StreamRequest;
// A line longer than STREAM_REQUEST_MAX may be cut: it is answered all the same. Texts live in `a`. `number`
// is for messages, `levels` are taken where the line names no level.
void stream_request_read(Arena *a, Str line, long number, Levels levels, StreamRequest *out);

// "8192x4096", each side from 1 to 2^20; "fp16" and its like.
MUST_CHECK bool filter_shape(Str text, int64_t *m, int64_t *n);
MUST_CHECK bool filter_dtype(Str name, int *out);
