// brokers.h - a broker that is there as long as the referee is. If it dies, or no longer answers, another
// takes its place; what was running with the old one fails and may be tried again. The replacement cannot be
// forked from the referee, which has threads and secrets by then: it is forked by the keeper, a process that
// was started beside the first broker and does nothing else.
#pragma once
#include "sandbox/fork_server.h"

typedef struct Brokers Brokers;
MUST_CHECK bool brokers_open(ChildMain main, Brokers **out, Err *e); // before any thread, as broker_open()
void brokers_close(Brokers *b);
// A broker to run jobs with, until brokers_leave(); NULL with the reason when there is none. `failed`: a run
// failed, so that it may be time for another broker.
Broker *brokers_take(Brokers *b, Err *e);
void brokers_leave(Brokers *b, Broker *taken, bool failed);
// No broker, and no way to get another: nothing will ever be judged again. `e` (or NULL) says why.
bool brokers_lost(Brokers *b, Err *e);
