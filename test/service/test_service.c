// The judging service: one answer for each submission, draws that nobody joins late, equal programs, bounds,
// cancellation, and the end of the world.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "service/service.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static char state_dir[64];
static Referee *referee;
static Arena arena;
static Op softmax, relu;

static int set_up(void **state) {
    (void)state;
    Err e = {0};
    snprintf(state_dir, sizeof state_dir, "/tmp/service-test-XXXXXX");
    RefereeConfig c = {.jobs = 2, .state = mkdtemp(state_dir)};
    if (!referee_open(&c, &referee, &e)) fail_msg("%s", e.msg);
    return op_find(&arena, STR("softmax"), &softmax) && op_find(&arena, STR("relu2"), &relu) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    referee_close(referee);
    arena_free(&arena);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", state_dir);
    return system(command);
}

static Service *open_service(bool known) {
    Service *s;
    Err e = {0};
    if (!service_open(referee, &(ServiceConfig){.known = known}, &s, &e)) fail_msg("%s", e.msg);
    return s;
}

// ---- programs and what became of them

static atomic_int numbers;

// A program of an op that no other test has: the same work, another canonical text.
static Str program(ProgramKind kind, const Op *op) {
    int n;
    const Program *p = op_programs(&arena, &n);
    for (int i = 0; i < n; i++)
        if (p[i].kind == kind && str_eq(p[i].op, op->name))
            return str_of(arena_printf(&arena, "%.*s\nTHIS_ONE = %d\n", STR_ARG(p[i].source), ++numbers));
    fail_msg("no program");
    return STR("");
}

typedef struct {
    atomic_int answers;
    AnswerKind kind;
    Status status;
    uint64_t seed;
    bool replay;
    char sha[65], feedback[600], why[512];
} Got;

static pthread_mutex_t told = PTHREAD_MUTEX_INITIALIZER,
                       held = PTHREAD_MUTEX_INITIALIZER; // by a test: no verdict goes through

static void take(void *arg, const Answer *a) {
    Got *g = arg;
    if (a->kind == ANSWER_JUDGED) {
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&held);
    }
    pthread_mutex_lock(&told);
    g->kind = a->kind;
    if (a->why) snprintf(g->why, sizeof g->why, "%s", a->why->msg);
    if (a->kind == ANSWER_KNOWN) {
        json_int_t seed = json_integer_value(json_object_get(a->known, "seed"));
        g->seed = (uint64_t)seed;
        snprintf(g->feedback, sizeof g->feedback, "%s",
                 json_string_value(json_object_get(a->known, "feedback")));
    } else {
        g->status = a->verdict->decision.status;
        g->seed = a->verdict->judged.seed;
        g->replay = a->verdict->judged.replay;
        memcpy(g->sha, a->verdict->source_sha256, sizeof g->sha);
        snprintf(g->feedback, sizeof g->feedback, "%s", a->verdict->decision.feedback);
    }
    atomic_fetch_add(&g->answers, 1);
    pthread_mutex_unlock(&told);
}

static Submission of(const Op *op, Str source, Got *g) {
    return (Submission){.op = op, .filter = {.dtype = -1}, .source = source, .answered = take, .arg = g};
}

static void submit(Service *s, const Op *op, Str source, Got *g) {
    Submission q = of(op, source, g);
    service_submit(s, &q);
}

static void wait_all(Service *s) {
    Err e = {0};
    if (!service_wait(s, &e)) fail_msg("%s", e.msg);
}

static int kinds(const Got *g, int n, AnswerKind kind) {
    int k = 0;
    for (int i = 0; i < n; i++) k += g[i].answers == 1 && g[i].kind == kind;
    return k;
}

static int seeds(const Got *g, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        bool seen = false;
        for (int j = 0; j < i; j++) seen |= g[j].seed == g[i].seed;
        k += !seen;
    }
    return k;
}

// ---- answers

static void each_submission_gets_its_verdict_once(void **state) {
    (void)state;
    enum { N = 150 };
    static Got g[N];
    Service *s = open_service(false);
    service_gather(s, GATHER_FAST);
    for (int i = 0; i < N; i++)
        submit(s, i % 3 ? &softmax : &relu,
               program(i % 2 ? PROGRAM_GOLD : PROGRAM_WRONG, i % 3 ? &softmax : &relu), &g[i]);
    wait_all(s);
    for (int i = 0; i < N; i++) {
        assert_int_equal(g[i].answers, 1);
        assert_int_equal(g[i].kind, ANSWER_JUDGED);
        if ((g[i].status == STATUS_ok) != (i % 2 == 1)) fail_msg("%d: %s", i, g[i].feedback);
    }
    // 100 of one op are at least two draws; none is shared by two ops.
    assert_true(seeds(g, N) >= 3);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++)
            if (g[i].seed == g[k].seed) assert_int_equal(i % 3 > 0, k % 3 > 0);
    service_close(s);
}

static void what_is_submitted_together_shares_a_draw(void **state) {
    (void)state;
    enum { N = 5, SETS = 4 };
    Got g[SETS][N] = {0};
    Service *s = open_service(true);
    Str gold = program(PROGRAM_GOLD, &softmax);
    for (int k = 0; k < SETS; k++) {
        Submission q[N];
        // The same program in every one: none answers for another.
        for (int i = 0; i < N; i++)
            q[i] = of(&softmax, i ? program(PROGRAM_WRONG, &softmax) : gold, &g[k][i]);
        service_submit_together(s, q, N);
    }
    wait_all(s);
    for (int k = 0; k < SETS; k++) {
        assert_int_equal(kinds(g[k], N, ANSWER_JUDGED), N);
        assert_int_equal(seeds(g[k], N), 1);
        assert_int_equal(g[k][0].status, STATUS_ok);
        for (int i = 1; i < N; i++) assert_int_not_equal(g[k][i].status, STATUS_ok);
    }
    service_close(s);
}

static void one_round_and_wait(void **state) {
    (void)state;
    Service *s = open_service(true);
    Arena a = {0};
    Err e = {0};
    uint64_t seed = 12;
    Str source[2] = {program(PROGRAM_GOLD, &softmax), program(PROGRAM_WRONG, &softmax)};
    Verdict v[2];
    Submission q[2];
    for (int i = 0; i < 2; i++)
        q[i] = (Submission){.op = &softmax, .filter = {.dtype = -1}, .seed = &seed, .source = source[i]};
    assert_true(service_judge(s, &a, q, 2, v, &e));
    assert_true(verdict_accepted(&v[0]) && !verdict_accepted(&v[1]));
    assert_true(v[0].judged.replay && v[0].judged.seed == 12 && v[1].judged.seed == 12);
    // A replay is never answered from the journal, nor one program for another.
    q[0].seed = NULL;
    for (int i = 0; i < 2; i++) assert_true(service_judge(s, &a, q, 1, v, &e) && verdict_accepted(&v[0]));
    arena_free(&a);
    service_close(s);
}

static void no_draw_is_an_answer_and_not_the_end(void **state) {
    (void)state;
    Service *s = open_service(false);
    Got g[2] = {0};
    Submission q = of(&softmax, program(PROGRAM_GOLD, &softmax), &g[0]);
    q.filter.dtype = DT_I64; // no case of the op has it
    service_submit(s, &q);
    submit(s, &softmax, program(PROGRAM_GOLD, &softmax), &g[1]);
    wait_all(s);
    assert_true(g[0].answers == 1 && g[0].kind == ANSWER_UNDRAWN && g[0].status == STATUS_referee_error);
    assert_true(*g[0].why && strcmp(g[0].why, g[0].feedback) == 0);
    assert_true(g[1].answers == 1 && g[1].status == STATUS_ok);
    service_close(s);
}

// ---- who shares a draw, in the journal's words

enum { LATE = 40 };
typedef struct {
    const Got *got;
    bool frozen[LATE], judged[LATE];
    bool late;
    int seen;
} Records;

static bool see_record(void *arg, Str json) {
    Records *r = arg;
    json_t *o = json_loadb(json.p, json.len, 0, NULL);
    bool source = strcmp(json_string_value(json_object_get(o, "record")), "source") == 0;
    const char *sha = json_string_value(json_object_get(o, source ? "sha256" : "source_sha256"));
    for (int i = 0; sha && i < LATE; i++) {
        if (strcmp(sha, r->got[i].sha) != 0) continue;
        r->seen++;
        // Of its draw, nobody has a verdict yet: the draw was made after this.
        for (int k = 0; source && k < LATE; k++) r->late |= r->judged[k] && r->got[k].seed == r->got[i].seed;
        if (source) r->frozen[i] = true;
        if (!source) {
            r->late |= !r->frozen[i];
            r->judged[i] = true;
        }
    }
    json_decref(o);
    return true;
}

static bool all_drawn_after(const Got *got) {
    Records r = {.got = got};
    int damaged;
    Err e = {0};
    assert_true(journal_scan(state_dir, see_record, &r, &damaged, &e));
    assert_int_equal(r.seen, 2 * LATE);
    return !r.late;
}

static void no_source_joins_a_draw_made_before_it_came(void **state) {
    (void)state;
    static Got g[LATE];
    Service *s = open_service(false);
    for (int i = 0; i < LATE; i++) {
        submit(s, &softmax, program(i % 5 ? PROGRAM_WRONG : PROGRAM_GOLD, &softmax), &g[i]);
        usleep(i % 4 ? 500 : 20000);
    }
    wait_all(s);
    assert_int_equal(kinds(g, LATE, ANSWER_JUDGED), LATE);
    assert_true(seeds(g, LATE) > 1 && seeds(g, LATE) < LATE); // some were shared, some came too late
    assert_true(all_drawn_after(g));
    // The check itself: had the last come into the first's draw, it would be seen.
    uint64_t was = g[LATE - 1].seed;
    g[LATE - 1].seed = g[0].seed;
    assert_false(all_drawn_after(g));
    g[LATE - 1].seed = was;
    service_close(s);
}

static void slow_ones_gather_while_one_is_judged(void **state) {
    (void)state;
    enum { N = 12 };
    Got g[N] = {0};
    Service *s = open_service(false);
    service_gather(s, GATHER_SLOW);
    pthread_mutex_lock(&held); // the first round cannot end
    for (int i = 0; i < N; i++) submit(s, &softmax, program(PROGRAM_GOLD, &softmax), &g[i]);
    pthread_mutex_unlock(&held);
    wait_all(s);
    assert_int_equal(kinds(g, N, ANSWER_JUDGED), N);
    assert_int_equal(seeds(g, N), 2);
    service_close(s);
}

// ---- equal programs

static int records_of(const char *what) {
    char command[200];
    snprintf(command, sizeof command, "grep -c '\"record\":\"%s\"' %s/%s", what, state_dir, JOURNAL_FILE);
    FILE *f = popen(command, "r");
    int n = -1;
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

static void equal_requests_share_a_verdict(void **state) {
    (void)state;
    enum { N = 20 };
    Got g[N] = {0}, again = {0}, fresh = {0};
    Str source = program(PROGRAM_GOLD, &softmax),
        respelled = str_of(arena_printf(&arena, "# another spelling\n\n%.*s", STR_ARG(source)));
    Service *s = open_service(true);
    int verdicts = records_of("verdict"), duplicates = records_of("duplicate");
    for (int i = 0; i < N; i++) submit(s, &softmax, i % 2 ? respelled : source, &g[i]);
    wait_all(s);
    assert_int_equal(kinds(g, N, ANSWER_JUDGED), 1);
    assert_int_equal(kinds(g, N, ANSWER_KNOWN), N - 1);
    assert_int_equal(seeds(g, N), 1);
    submit(s, &softmax, source, &again);
    wait_all(s);
    assert_true(again.kind == ANSWER_KNOWN && again.seed == g[0].seed);
    service_close(s);
    assert_int_equal(records_of("verdict"), verdicts + 1);
    assert_int_equal(records_of("duplicate"), duplicates + N);
    s = open_service(false); // who wants no answers from memory gets none
    submit(s, &softmax, source, &fresh);
    wait_all(s);
    assert_true(fresh.kind == ANSWER_JUDGED && fresh.seed != g[0].seed);
    service_close(s);
}

static void a_finding_is_judged_for_each_spelling(void **state) {
    (void)state;
    Got g[3] = {0};
    const char *first = arena_printf(&arena, "def run(x):\n    a = x.item()\n    return a\nTHIS_ONE = %d\n",
                                     ++numbers),
               *second = arena_printf(&arena, "# more\n%s", first);
    Service *s = open_service(true);
    submit(s, &softmax, str_of(first), &g[0]);
    submit(s, &softmax, str_of(second), &g[1]); // follows the first, and is not answered by it
    submit(s, &softmax, str_of(first), &g[2]);
    wait_all(s);
    assert_true(g[0].kind == ANSWER_JUDGED && g[1].kind == ANSWER_JUDGED && g[2].kind == ANSWER_KNOWN);
    assert_non_null(strstr(g[0].feedback, "line 2:"));
    assert_non_null(strstr(g[1].feedback, "line 3:"));
    assert_string_equal(g[0].feedback, g[2].feedback);
    service_close(s);
}

// ---- cancellation

static void what_has_no_draw_is_cancelled(void **state) {
    (void)state;
    enum { N = 100 };
    static Got g[N];
    Got follower = {0}, later = {0};
    Str source[N];
    Service *s = open_service(true);
    for (int i = 0; i < N; i++) source[i] = program(PROGRAM_GOLD, i < 90 ? &softmax : &relu);
    // With the first rounds held, the rest has no draw.
    pthread_mutex_lock(&held);
    service_gather(s, GATHER_SLOW);
    for (int i = 0; i < N; i++) submit(s, i < 90 ? &softmax : &relu, source[i], &g[i]);
    submit(s, &relu, source[N - 1], &follower);
    service_cancel(s, false);
    // Nobody waits for it: what was cancelled is told already.
    assert_true(follower.answers == 1 && follower.kind == ANSWER_CANCELLED);
    assert_true(g[N - 1].answers == 1 && g[N - 1].kind == ANSWER_CANCELLED);
    assert_int_equal(g[N - 1].status, STATUS_referee_error);
    pthread_mutex_unlock(&held);
    wait_all(s);
    int judged = kinds(g, N, ANSWER_JUDGED), cancelled = kinds(g, N, ANSWER_CANCELLED);
    assert_true(judged >= 1 && cancelled >= 1);
    assert_int_equal(judged + cancelled, N);
    submit(s, &relu, source[N - 1], &later); // and is no hindrance to what comes later
    wait_all(s);
    assert_true(later.kind == ANSWER_JUDGED && later.status == STATUS_ok);
    service_close(s);
}

static void one_round_more_is_judged(void **state) {
    (void)state;
    enum { N = 150 };
    static Got g[N];
    Service *s = open_service(false);
    service_gather(s, GATHER_FAST);
    for (int i = 0; i < 10; i++) submit(s, &softmax, program(PROGRAM_GOLD, &softmax), &g[i]);
    usleep(50000);
    assert_int_equal(kinds(g, N, ANSWER_JUDGED), 0); // it gathers
    for (int i = 10; i < 15; i++) submit(s, &relu, program(PROGRAM_GOLD, &relu), &g[i]);
    service_cancel(s, true);
    wait_all(s);
    assert_int_equal(kinds(g, 10, ANSWER_JUDGED), 10);
    assert_int_equal(kinds(g + 10, 5, ANSWER_CANCELLED), 5);
    service_close(s);
}

static void closing_answers_everything(void **state) {
    (void)state;
    enum { N = 30 };
    Got g[N] = {0};
    Service *s = open_service(false);
    for (int i = 0; i < N; i++)
        submit(s, i % 2 ? &softmax : &relu, program(PROGRAM_GOLD, i % 2 ? &softmax : &relu), &g[i]);
    service_close(s);
    assert_int_equal(kinds(g, N, ANSWER_JUDGED) + kinds(g, N, ANSWER_CANCELLED), N);
}

// ---- bounds

static atomic_int roused;
static void count_roused(void *arg) {
    (void)arg;
    roused++;
}

static void who_submits_too_much_waits(void **state) {
    (void)state;
    enum { MORE_THAN = SERVICE_WAITING + 100 };
    static Got g[MORE_THAN];
    Service *s;
    Err e = {0};
    assert_true(service_open(referee, &(ServiceConfig){.roused = count_roused}, &s, &e));
    int n = 0;
    pthread_mutex_lock(&held);
    for (; n < MORE_THAN && service_room(s); n++)
        submit(s, &softmax, str_of(arena_printf(&arena, "def %d(", n)), &g[n]);
    assert_int_equal(n, SERVICE_WAITING);
    assert_int_equal(roused, 0);
    service_cancel(s, false);
    assert_true(roused > 0 && service_room(s));
    pthread_mutex_unlock(&held);
    for (; n < MORE_THAN; n++) submit(s, &softmax, str_of(arena_printf(&arena, "def %d(", n)), &g[n]);
    wait_all(s);
    int judged = kinds(g, MORE_THAN, ANSWER_JUDGED);
    assert_true(judged >= 100);
    assert_int_equal(judged + kinds(g, MORE_THAN, ANSWER_CANCELLED), MORE_THAN);
    service_close(s);
}

// The same by bytes, and without asking: service_submit() itself waits.
static void who_submits_large_ones_waits(void **state) {
    (void)state;
    enum { LARGE = SOURCE_MAX + 1, N = SERVICE_BYTES / LARGE + 40 };
    static Got g[N];
    Service *s = open_service(false);
    Str large = {arena_raw(&arena, LARGE, 1), LARGE};
    memset((char *)(uintptr_t)large.p, '#', LARGE);
    for (int i = 0; i < N; i++) submit(s, &softmax, large, &g[i]);
    assert_true(kinds(g, N, ANSWER_JUDGED) >= 39); // for the last ones to have had room
    wait_all(s);
    for (int i = 0; i < N; i++) assert_int_equal(g[i].status, STATUS_parse_reject);
    service_close(s);
}

// Several clients' threads, one service.
static void *many_submit(void *arg) {
    Service *s = arg;
    enum { N = 25 };
    Got g[N] = {0};
    // The same programs as the other threads'.
    for (int i = 0; i < N; i++)
        submit(s, &softmax, i % 2 ? STR("def (") : STR("def run(x):\n    return x\n"), &g[i]);
    Err e = {0};
    bool ok = service_wait(s, &e);
    return ok && kinds(g, N, ANSWER_JUDGED) + kinds(g, N, ANSWER_KNOWN) == N ? arg : NULL;
}

static void threads_may_share_it(void **state) {
    (void)state;
    Service *s = open_service(true);
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&thread[i], NULL, many_submit, s), 0);
    for (int i = 0; i < 4; i++) {
        void *ok;
        pthread_join(thread[i], &ok);
        assert_non_null(ok);
    }
    service_close(s);
}

// ---- the world fails

static void a_full_disk_loses_no_answer(void **state) {
    (void)state;
    enum { N = 80 };
    static Got g[N];
    Got after = {0};
    struct rlimit was, none = {.rlim_cur = 1};
    Service *s = open_service(true);
    Str last = program(PROGRAM_GOLD, &softmax), source[N];
    for (int i = 0; i < N; i++) source[i] = program(PROGRAM_GOLD, i < 70 ? &softmax : &relu);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    none.rlim_max = was.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    for (int i = 0; i < N; i++) submit(s, i < 70 ? &softmax : &relu, source[i], &g[i]);
    Err e = {0};
    bool ok = service_wait(s, &e);
    submit(s, &softmax, last, &after); // at once: nothing is ever judged again
    assert_int_equal(after.kind, ANSWER_LOST);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_false(ok);
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.msg, "journal"));
    assert_true(service_failed(s));
    assert_int_equal(kinds(g, N, ANSWER_LOST), N);
    Verdict v;
    Arena a = {0};
    Submission q = {.op = &softmax, .filter = {.dtype = -1}, .source = last};
    assert_false(service_judge(s, &a, &q, 1, &v, &e));
    arena_free(&a);
    service_close(s);
    // The journal itself is whole: the next service goes on.
    Got again = {0};
    s = open_service(false);
    submit(s, &softmax, last, &again);
    wait_all(s);
    assert_int_equal(again.status, STATUS_ok);
    service_close(s);
}

static void a_client_may_end_it(void **state) {
    (void)state;
    enum { N = 10 };
    Got g[N] = {0};
    Service *s = open_service(false);
    Err mine = {0}, e = {0};
    err_record(&mine, ERR_IO, "nobody reads any more");
    service_gather(s, GATHER_FAST);
    for (int i = 0; i < N; i++) submit(s, &softmax, program(PROGRAM_GOLD, &softmax), &g[i]);
    service_fail(s, &mine);
    assert_false(service_wait(s, &e));
    assert_string_equal(e.msg, mine.msg);
    assert_int_equal(kinds(g, N, ANSWER_LOST), N);
    service_close(s);
}

// ---- cores: children wait at a gate, in memory that they share with the test

static struct {
    atomic_int inside, go; // nobody leaves before it opens
} * gate;

static int child_at_gate(const ChildJob *job) {
    gate->inside++;
    while (!gate->go) {}
    return child_interpret(job);
}

// How many children there are at a time.
static int at_a_time(int jobs) {
    enum { N = 6 };
    char dir[] = "/tmp/service-gate-XXXXXX";
    Got g[N] = {0};
    Err e = {0};
    Referee *had = referee;
    memset(gate, 0, sizeof *gate);
    RefereeConfig c = {.jobs = jobs, .state = mkdtemp(dir), .child = child_at_gate};
    if (!referee_open(&c, &referee, &e)) fail_msg("%s", e.msg);
    Service *s = open_service(false);
    for (int i = 0; i < N; i++) submit(s, &softmax, program(PROGRAM_GOLD, &softmax), &g[i]);
    for (int i = 0; i < 2000 && atomic_load(&gate->inside) <= jobs; i++) usleep(1000);
    usleep(50000); // for one too many
    int n = atomic_load(&gate->inside);
    gate->go = 1;
    wait_all(s);
    assert_int_equal(kinds(g, N, ANSWER_JUDGED), N);
    service_close(s);
    referee_close(referee);
    referee = had;
    return system(arena_printf(&arena, "rm -r %s", dir)) == 0 ? n : -1;
}

static void a_core_does_not_wait_for_a_child_to_start(void **state) {
    (void)state;
    gate = mmap(NULL, sizeof *gate, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(gate != MAP_FAILED);
    assert_int_equal(at_a_time(2), 3);
    assert_int_equal(at_a_time(1), 1); // asked for one core
}

int main(void) {
#define TEST(f) cmocka_unit_test(f)
    const struct CMUnitTest tests[] = {
        TEST(each_submission_gets_its_verdict_once),
        TEST(what_is_submitted_together_shares_a_draw),
        TEST(one_round_and_wait),
        TEST(no_draw_is_an_answer_and_not_the_end),
        TEST(no_source_joins_a_draw_made_before_it_came),
        TEST(slow_ones_gather_while_one_is_judged),
        TEST(equal_requests_share_a_verdict),
        TEST(a_finding_is_judged_for_each_spelling),
        TEST(what_has_no_draw_is_cancelled),
        TEST(one_round_more_is_judged),
        TEST(closing_answers_everything),
        TEST(who_submits_too_much_waits),
        TEST(who_submits_large_ones_waits),
        TEST(threads_may_share_it),
        TEST(a_full_disk_loses_no_answer),
        TEST(a_client_may_end_it),
        TEST(a_core_does_not_wait_for_a_child_to_start),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
