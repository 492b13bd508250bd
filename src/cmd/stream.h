// stream.h - verdicts for a training loop: JSON Lines in, JSON Lines out, in any order. A request is
// {"id","op","source"[,"level","shape","dtype"]}; the answer is the verdict with the same "id". Requests that
// wait together for the same op, level, shape and dtype are judged as one batch. A bad line gets an answer
// with status referee_error and is never fatal; memory is bounded by STREAM_WAITING lines of at most
// STREAM_LINE_MAX bytes.
#pragma once
#include "cmd/judging.h"

enum { STREAM_WAITING = 64, STREAM_LINE_MAX = 8 << 20 };

// Reads descriptor `in` until its end, writes answers to descriptor `out`. False when the world fails.
MUST_CHECK bool stream_run(Referee *r, int in, int out, Level level, Err *e);
