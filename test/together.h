// Comes before everything else in a unit test (the Makefile includes it): its main() gets a name of its own,
// so that many tests can be linked as one program (together.c). A test that is linked alone starts there,
// too.
#define main(...)                                                 \
    TEST_MAIN(void);                                              \
    __attribute__((weak)) int(main)(void) { return TEST_MAIN(); } \
    int TEST_MAIN(void)
