#include "sandbox/fork_servers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/fork_server_child.h"

// One fork server and who uses it: it is closed by the last one that leaves.
typedef struct Seat Seat;
struct Seat {
    ForkServer *fork_server;
    int users;
    Seat *next; // of retired ones
};

struct ForkServers {
    int keeper; // socket; -1: gone
    pid_t keeper_pid;
    pthread_mutex_t lock;
    Seat *seat;    // NULL: lost
    Seat *retired; // still used
    Err why;
};

// ---- the keeper

// A control socket of a fork server to be; -1 when the referee has gone.
static int order_take(int from) {
    char byte;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {&byte, 1};
    struct msghdr msg = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof control.bytes};
    for (;;) {
        ssize_t got = recvmsg(from, &msg, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        int fd = -1;
        if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd))
            memcpy(&fd, CMSG_DATA(c), sizeof fd);
        if (fd >= 0) return fd;
    }
}

static _Noreturn void keep(ChildMain main, int socket) {
    enum { FIRST = 3 };
    setsid();
    prctl(PR_SET_NAME, "keeper", 0, 0, 0);
    for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
    struct sigaction none = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    sigaction(SIGCHLD, &none, NULL);
    if (socket != FIRST && dup2(socket, FIRST) < 0) _exit(1);
    // Standard output is not ours: its reader waits for its end.
    closefrom(FIRST + 1);
    close(0);
    close(1);
    for (int control; (control = order_take(FIRST)) >= 0; close(control))
        if (fork() == 0) fork_server_serve(main, control);
    _exit(0);
}

static bool keeper_ask(int keeper, int control) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } data = {0};
    struct iovec part = {"b", 1};
    struct msghdr msg = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = data.bytes, .msg_controllen = sizeof data.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof control);
    memcpy(CMSG_DATA(c), &control, sizeof control);
    ssize_t sent;
    do sent = sendmsg(keeper, &msg, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

static bool keeper_start(ForkServers *b, ChildMain main, Err *e) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set(e, ERR_IO, "keeper: socket: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) keep(main, pair[1]);
    int error = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return err_set(e, ERR_IO, "keeper: fork: %s", strerror(error));
    }
    b->keeper = pair[0];
    b->keeper_pid = pid;
    return true;
}

// ---- seats

static Seat *seat_new(ForkServer *fork_server) {
    Seat *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->fork_server = fork_server;
    return s;
}

static bool replacement(ForkServers *b, ForkServer **out, Err *e) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set(e, ERR_IO, "fork server: socket: %s", strerror(errno));
    bool ok = keeper_ask(b->keeper, pair[1]);
    close(pair[1]); // so that its end is seen, also if it never starts
    if (ok) return fork_server_adopt(pair[0], out, e);
    close(pair[0]);
    return err_set(e, ERR_IO, "fork server: gone, and its keeper, too");
}

// With the lock held: nobody new sits down there.
static void retire(ForkServers *b) {
    b->seat->next = b->retired;
    b->retired = b->seat;
    b->seat = NULL;
    // The next one may be killed before it is ready, by whatever killed the last.
    enum { TRIES = 5 };
    ForkServer *next;
    for (int i = 0; i < TRIES && !b->seat; i++) {
        b->why = (Err){0};
        if (replacement(b, &next, &b->why)) b->seat = seat_new(next);
    }
}

bool fork_servers_open(ChildMain main, ForkServers **out, Err *e) {
    ForkServers *b = calloc(1, sizeof *b);
    if (!b) abort();
    ForkServer *first;
    b->keeper = -1;
    if (!fork_server_open(main, &first, e)) {
        free(b);
        return false;
    }
    b->seat = seat_new(first);
    pthread_mutex_init(&b->lock, NULL);
    if (keeper_start(b, main, e)) {
        *out = b;
        return true;
    }
    fork_servers_close(b);
    return false;
}

void fork_servers_close(ForkServers *b) {
    if (!b) return;
    if (b->seat) fork_server_close(b->seat->fork_server);
    free(b->seat);
    if (b->keeper >= 0) {
        close(b->keeper); // it ends when it reads this
        while (waitpid(b->keeper_pid, NULL, 0) < 0 && errno == EINTR) {}
    }
    pthread_mutex_destroy(&b->lock);
    free(b);
}

ForkServer *fork_servers_take(ForkServers *b, Err *e) {
    ForkServer *taken = NULL;
    pthread_mutex_lock(&b->lock);
    if (b->seat) {
        b->seat->users++;
        taken = b->seat->fork_server;
    } else {
        err_record(e, b->why.code, "%s", b->why.msg);
    }
    pthread_mutex_unlock(&b->lock);
    return taken;
}

void fork_servers_leave(ForkServers *b, ForkServer *taken, bool failed) {
    pthread_mutex_lock(&b->lock);
    if (failed && b->seat && b->seat->fork_server == taken && !fork_server_serves(taken)) retire(b);
    Seat **at = b->seat && b->seat->fork_server == taken ? &b->seat : &b->retired;
    while ((*at)->fork_server != taken) at = &(*at)->next;
    Seat *s = *at;
    bool last = --s->users == 0 && s != b->seat;
    if (last) *at = s->next;
    pthread_mutex_unlock(&b->lock);
    if (!last) return;
    fork_server_close(s->fork_server);
    free(s);
}

bool fork_servers_lost(ForkServers *b, Err *e) {
    pthread_mutex_lock(&b->lock);
    bool lost = !b->seat;
    if (lost && e) *e = b->why;
    pthread_mutex_unlock(&b->lock);
    return lost;
}
