// pool.h - a fixed set of threads for loops whose items are independent. pool_run() calls fn(arg, item,
// worker) for every item in [0, n), the caller's thread taking part, and returns when all are done. Items are
// handed out in order; results must not depend on which worker ran which item. worker is in [0, pool_size()).
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Pool Pool;
Pool *pool_open(int threads); // 0: one per core that this process may use; never NULL
int pool_size(const Pool *p);
void pool_run(Pool *p, size_t n, void (*fn)(void *arg, size_t item, int worker), void *arg);
// Room that belongs to a worker, aligned to 64 bytes: only inside of an item that it runs, and what is in it
// is lost at the next item. It stays allocated, at the largest size ever asked for, until the pool closes.
void *pool_scratch(Pool *p, int worker, size_t bytes);
void pool_close(Pool *p);

// A pool without threads of its own: whoever calls pool_run() works alone, or with threads that have nothing
// else to do and came in by pool_join(). For loops inside of an item of another pool. `seats`: of all, the
// caller's included, at most POOL_SEATS_MAX.
enum { POOL_SEATS_MAX = 32 };
Pool *pool_open_host(int seats);
bool pool_is_host(const Pool *p);
void pool_admit(Pool *host);       // from now on others may join
void pool_dismiss(Pool *host);     // sends them away; who comes now is refused
int pool_guests(const Pool *host); // that are there; negative: it is closed, or has no seat left
bool pool_join(Pool *host);        // works there until dismissed; false: refused
