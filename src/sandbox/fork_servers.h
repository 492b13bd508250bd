// fork_servers.h - a fork server that is there as long as the referee is. If it dies, or no longer answers,
// another takes its place; what was running with the old one fails and may be tried again. The replacement
// cannot be forked from the referee, which has threads and secrets by then: it is forked by the keeper, a
// process that was started beside the first fork server and does nothing else.
#pragma once
#include "sandbox/fork_server.h"

typedef struct ForkServers ForkServers;
MUST_CHECK bool fork_servers_open(ChildMain main, ForkServers **out,
                                  Err *e); // before any thread, as fork_server_open()
void fork_servers_close(ForkServers *b);
// A fork server to run jobs with, until fork_servers_leave(); NULL with the reason when there is none.
// `failed`: a run failed, so that it may be time for another fork server.
ForkServer *fork_servers_take(ForkServers *b, Err *e);
void fork_servers_leave(ForkServers *b, ForkServer *taken, bool failed);
// No fork server, and no way to get another: nothing will ever be judged again. `e` (or NULL) says why.
bool fork_servers_lost(ForkServers *b, Err *e);
