#include "judge/verdict/journal.h"
#include "base/io.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// One call of journal_commit(), on its caller's stack while it waits.
typedef struct Commit Commit;
struct Commit {
    const Str *json;
    int n;
    off_t *at; // or NULL
    bool done, ok;
    Err why;
    Commit *next;
};

struct Journal {
    Arena arena;   // of this struct
    Arena scratch; // the leader's
    int fd;
    pthread_mutex_t lock; // of everything below
    pthread_cond_t changed;
    Commit *first, **last; // waiting, in order
    bool led;              // somebody writes
    bool broken;
};

enum { PREFIX = JOURNAL_PREFIX };

// ---- lines ----

uint32_t journal_crc(Str s) {
    // Four bits at a time: the table fits the eye.
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < s.len; i++) {
        crc ^= (unsigned char)s.p[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static bool is_object(Str s) {
    return s.len >= 2 && s.len <= JOURNAL_RECORD_MAX && s.p[0] == '{' && s.p[s.len - 1] == '}';
}

// The record of a line without its newline; false when it is damaged.
static bool line_record(Str line, Str *json) {
    if (line.len < PREFIX || line.p[PREFIX - 1] != ' ') return false;
    uint32_t crc = 0;
    for (int i = 0; i < PREFIX - 1; i++) {
        char c = line.p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
        crc = crc << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *json = (Str){line.p + PREFIX, line.len - PREFIX};
    return is_object(*json) && journal_crc(*json) == crc;
}

size_t journal_lines(Str text, bool (*fn)(void *arg, Str json), void *arg, int *damaged, bool *stopped) {
    size_t at = 0;
    *stopped = false;
    while (at < text.len) {
        const char *end = memchr(text.p + at, '\n', text.len - at);
        if (!end) break;
        Str json, line = {text.p + at, (size_t)(end - text.p) - at};
        at += line.len + 1;
        if (!line_record(line, &json)) {
            if (*damaged < INT_MAX) ++*damaged;
        } else if (!fn(arg, json)) {
            *stopped = true;
            break;
        }
    }
    return at;
}

// ---- the file ----

static bool file_lock(int fd, int how, Err *e) {
    while (flock(fd, how) != 0)
        if (errno != EINTR) return err_set(e, ERR_IO, "journal: lock: %s", strerror(errno));
    return true;
}

static bool read_at(int fd, char *p, size_t n, off_t at, Err *e) {
    while (n) {
        ssize_t got = pread(fd, p, n, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return err_set(e, ERR_IO, "journal: read: %s", strerror(errno));
        if (got == 0) return err_set(e, ERR_IO, "journal: it became shorter while it was read");
        p += got;
        n -= (size_t)got;
        at += got;
    }
    return true;
}

// Where the last whole line ends. Under the lock nobody is in the middle of a write.
static bool whole_size(int fd, off_t *size, off_t *whole, Err *e) {
    struct stat st;
    if (fstat(fd, &st) != 0) return err_set(e, ERR_IO, "journal: %s", strerror(errno));
    off_t at = *size = st.st_size;
    char part[4096];
    // Nearly always the last byte is a newline and one byte is all that is read.
    for (size_t n = 1; at > 0; n = sizeof part) {
        if ((off_t)n > at) n = (size_t)at;
        at -= (off_t)n;
        if (!read_at(fd, part, n, at, e)) return false;
        const char *end = memrchr(part, '\n', n);
        if (!end) continue;
        *whole = at + (end - part) + 1;
        return true;
    }
    *whole = 0;
    return true;
}

static bool tail_cut(int fd, off_t *size, Err *e) {
    off_t all;
    if (!whole_size(fd, &all, size, e)) return false;
    if (all != *size && ftruncate(fd, *size) != 0)
        return err_set(e, ERR_IO, "journal: cannot cut a torn line off: %s", strerror(errno));
    return true;
}

static bool path_of(const char *dir, char path[PATH_MAX], Err *e) {
    if (snprintf(path, PATH_MAX, "%s/%s", dir, JOURNAL_FILE) < PATH_MAX) return true;
    return err_set(e, ERR_IO, "%s: %s", dir, strerror(ENAMETOOLONG));
}

// A new file is only there for good when its directory says so on the disk.
static bool dir_sync(const char *dir, Err *e) {
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    if (!ok) err_record(e, ERR_IO, "%s: %s", dir, strerror(errno));
    if (fd >= 0) close(fd);
    return ok;
}

bool journal_open(const char *dir, Journal **out, Err *e) {
    char path[PATH_MAX];
    if (!io_make_dirs(dir, e) || !path_of(dir, path, e)) return err_ctx(e, "journal");
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0) return err_set(e, ERR_IO, "journal: %s: %s", path, strerror(errno));
    struct stat st;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!ok) err_record(e, ERR_IO, "journal: %s is not a file", path);
    off_t size;
    ok = ok && dir_sync(dir, e) && file_lock(fd, LOCK_EX, e) && tail_cut(fd, &size, e) &&
         file_lock(fd, LOCK_UN, e);
    if (!ok) {
        close(fd); // and with it the lock
        return false;
    }
    Arena a = {0};
    Journal *j = NEW(&a, Journal);
    j->arena = a;
    j->fd = fd;
    j->last = &j->first;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->changed, NULL);
    *out = j;
    return true;
}

void journal_close(Journal *j) {
    if (!j) return;
    close(j->fd);
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->changed);
    arena_free(&j->scratch);
    Arena a = j->arena;
    arena_free(&a);
}

// ---- group commit ----

static bool lines_append(Journal *j, Str text, off_t *start, Err *e) {
    if (!tail_cut(j->fd, start, e)) return false;
    if (io_write_all(j->fd, text.p, text.len, e)) return true;
    // Half a group (a full disk, say) would be taken for records that somebody was promised.
    (void)!ftruncate(j->fd, *start);
    return err_ctx(e, "journal");
}

static bool group_write(Journal *j, const Commit *group, Err *e) {
    ArenaMark mark = arena_mark(&j->scratch);
    Buf text = BUF(&j->scratch);
    for (const Commit *c = group; c; c = c->next)
        for (int i = 0; i < c->n; i++) {
            buf_printf(&text, "%08x ", journal_crc(c->json[i]));
            buf_str_put(&text, c->json[i]);
            buf_putc(&text, '\n');
        }
    off_t at = 0;
    bool ok = file_lock(j->fd, LOCK_EX, e);
    if (ok) {
        ok = lines_append(j, buf_str(&text), &at, e);
        // Others may write while we wait for the disk: their lines come after ours.
        flock(j->fd, LOCK_UN);
    }
    arena_reset(&j->scratch, mark);
    if (!ok) return false;
    for (const Commit *c = group; c; c = c->next)
        for (int i = 0; i < c->n; i++) {
            if (c->at) c->at[i] = at;
            at += (off_t)(PREFIX + c->json[i].len + 1);
        }
    if (fdatasync(j->fd) == 0) return true;
    // The kernel forgets what it could not write, and says so only once.
    j->broken = true;
    return err_set(e, ERR_IO, "journal: the disk did not take it: %s", strerror(errno));
}

// Writes everything that waits, its own commit included. Called and left with the lock held; who came
// meanwhile is led by the first of them that wakes up.
static void lead(Journal *j) {
    Commit *group = j->first;
    j->first = NULL;
    j->last = &j->first;
    Err why = {0};
    bool ok = false;
    if (j->broken) {
        err_record(&why, ERR_IO, "journal: an earlier write did not reach the disk");
    } else {
        j->led = true;
        pthread_mutex_unlock(&j->lock);
        ok = group_write(j, group, &why);
        pthread_mutex_lock(&j->lock);
        j->led = false;
    }
    for (Commit *c = group, *next; c; c = next) {
        next = c->next; // once it is done, its caller's stack is not ours to read
        c->ok = ok;
        c->why = why;
        c->done = true;
    }
    pthread_cond_broadcast(&j->changed);
}

bool journal_commit(Journal *j, const Str *json, int n, Err *e) {
    return journal_append(j, json, n, NULL, e);
}

bool journal_append(Journal *j, const Str *json, int n, off_t *at, Err *e) {
    for (int i = 0; i < n; i++)
        if (!is_object(json[i]) || memchr(json[i].p, '\n', json[i].len) || memchr(json[i].p, 0, json[i].len))
            return err_set(e, ERR_INPUT, "journal: a record is not a JSON object on one line");
    if (n <= 0) return true;
    Commit mine = {.json = json, .n = n, .at = at};
    pthread_mutex_lock(&j->lock);
    *j->last = &mine;
    j->last = &mine.next;
    while (!mine.done && j->led) pthread_cond_wait(&j->changed, &j->lock);
    if (!mine.done) lead(j);
    pthread_mutex_unlock(&j->lock);
    if (!mine.ok) return err_set(e, mine.why.code, "%s", mine.why.msg);
    return true;
}

// ---- scanning ----

typedef struct {
    int fd;
    off_t at, size;
    Buf rest;  // from the start of a line
    bool skip; // inside a line that is too long to be a record, or that starts before the first wanted one
    bool (*fn)(void *arg, Str json);
    bool (*fn_at)(void *arg, Str json, off_t at); // one of the two
    void *arg;
} Scan;

static bool scan_record(void *arg, Str json) {
    Scan *s = arg;
    if (s->fn) return s->fn(s->arg, json);
    return s->fn_at(s->arg, json, s->at - (off_t)s->rest.len + (json.p - s->rest.p) - PREFIX);
}

static bool scan_all(Scan *s, int *damaged, Err *e) {
    enum { STEP = 1 << 16 };
    char part[STEP];
    while (s->at < s->size) {
        size_t n = s->size - s->at < STEP ? (size_t)(s->size - s->at) : STEP;
        if (!read_at(s->fd, part, n, s->at, e)) return false;
        s->at += (off_t)n;
        const char *from = part;
        if (s->skip) {
            const char *end = memchr(part, '\n', n);
            if (!end) continue;
            s->skip = false;
            from = end + 1;
        }
        buf_put(&s->rest, from, (size_t)(part + n - from));
        bool stopped;
        size_t used = journal_lines(buf_str(&s->rest), scan_record, s, damaged, &stopped);
        if (stopped) return true;
        s->rest.len -= used;
        if (s->rest.len && used) memmove(s->rest.p, s->rest.p + used, s->rest.len);
        if (s->rest.len > JOURNAL_RECORD_MAX + PREFIX) {
            s->skip = true;
            s->rest.len = 0;
            if (*damaged < INT_MAX) ++*damaged;
        }
    }
    return true;
}

// Whole lines stay as they are for ever, so the lock is not needed while they are read.
static bool scan_size(int fd, off_t *whole, Err *e) {
    off_t all;
    if (!file_lock(fd, LOCK_SH, e)) return false;
    bool ok = whole_size(fd, &all, whole, e);
    flock(fd, LOCK_UN);
    return ok;
}

bool journal_size(Journal *j, off_t *bytes, Err *e) { return scan_size(j->fd, bytes, e); }

bool journal_each(Journal *j, off_t from, bool (*fn)(void *arg, Str json, off_t at), void *arg, int *damaged,
                  Err *e) {
    Arena a = {0};
    // One byte earlier: a newline there means that a line starts at `from`.
    Scan s = {.fd = j->fd, .at = from > 0 ? from - 1 : 0, .skip = from > 0, .fn_at = fn, .arg = arg};
    s.rest = BUF(&a);
    *damaged = 0;
    bool ok = scan_size(j->fd, &s.size, e) && scan_all(&s, damaged, e);
    arena_free(&a);
    return ok;
}

bool journal_scan(const char *dir, bool (*fn)(void *arg, Str json), void *arg, int *damaged, Err *e) {
    char path[PATH_MAX];
    *damaged = 0;
    if (!path_of(dir, path, e)) return err_ctx(e, "journal");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 && errno == ENOENT) return true;
    if (fd < 0) return err_set(e, ERR_IO, "journal: %s: %s", path, strerror(errno));
    Arena a = {0};
    Scan s = {.fd = fd, .rest = BUF(&a), .fn = fn, .arg = arg};
    bool ok = scan_size(fd, &s.size, e) && scan_all(&s, damaged, e);
    close(fd);
    arena_free(&a);
    return ok;
}

static bool read_line(void *arg, Str json) {
    *(Str *)arg = json;
    return false;
}

bool journal_read(Journal *j, Arena *a, off_t at, Str *json) {
    enum { USUAL = 2048 }; // most records are shorter
    for (size_t room = USUAL;; room *= 4) {
        if (room > JOURNAL_RECORD_MAX + PREFIX + 1) room = JOURNAL_RECORD_MAX + PREFIX + 1;
        char *text = arena_raw(a, room, 1);
        ssize_t n;
        do n = pread(j->fd, text, room, at);
        while (n < 0 && errno == EINTR);
        if (n <= 0) return false;
        const char *end = memchr(text, '\n', (size_t)n);
        if (end) {
            int damaged = 0;
            bool stopped;
            journal_lines((Str){text, (size_t)(end - text) + 1}, read_line, json, &damaged, &stopped);
            return stopped;
        }
        if ((size_t)n < room || room == JOURNAL_RECORD_MAX + PREFIX + 1) return false;
    }
}
