# make                 build/ouroboros            make demo    set everything up, then mint a kernel
# make check           every test                 make bench   speed, as ratios; results on stdout
# make pages           man pages and shell completion in build/pages; doc/cli.md
# make soak SOAK=N     the stream's memory after N verdicts, and kill -9 at random moments
# make conformance     against torch, Triton, transformers and llama.cpp (downloads them)
# make sweep           the smith's kernels of every op at full, then the mutation proof    make fuzz SECS=60   each target
# make valgrind        memcheck over the self-test's programs and the unit tests (half an hour)
# MODE=release|debug|asan|tsan|valgrind   CC=gcc|clang   PORTABLE=1 (no vector variants)   V=1 (show commands)
MODE ?= release
B    := build/$(MODE)$(if $(filter clang,$(CC)),-clang)$(if $(PORTABLE),-portable)
Q    := $(if $(V),,@)

PKGS := jansson libseccomp libmd libpcre2-8 libutf8proc
WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wvla -Wformat=2 -Wstrict-prototypes \
        -Wmissing-prototypes -Wundef -Werror
MODE_release := -O3 -DNDEBUG $(if $(filter clang,$(CC))$(PORTABLE),,$(STRINGS))
# `rep stos` and `rep movs`, which gcc takes for structs, start slowly.
STRINGS      := -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign \
                -mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
MODE_debug   := -O0 -g3
MODE_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_tsan    := -O1 -g -fsanitize=thread
MODE_valgrind := -O1 -g
MODE_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
# No contraction, no fast math, no excess precision: the same bits from every compiler and at every level.
FLAGS := -std=c17 -D_GNU_SOURCE -Isrc -Itest $(WARN) -ffp-contract=off -fno-fast-math -fno-math-errno -fexcess-precision=standard \
        -fno-strict-aliasing $(MODE_$(MODE)) $(if $(PORTABLE),-DPORTABLE) $(CFLAGS) $(PKG_CFLAGS)
# Symbols are bound at the start: a child would otherwise look up its own, each time anew. Code and constants
# are one segment that begins with a large page: base/large_text.h.
LIBS = -Wl,-z,now -Wl,-z,max-page-size=0x200000 -Wl,-z,noseparate-code -lm -ldl -pthread \
       $(shell pkg-config --libs $(PKGS) 2>/dev/null)
ifneq ($(findstring clang,$(CC)),)
FLAGS := $(filter-out -fexcess-precision=standard,$(FLAGS))
endif

ISA_base   :=
ISA_avx2   := -mavx2
ISA_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
# Files that are written for one instruction set; they fuse multiply-adds by name, never by the compiler's choice.
ONLY_avx2  := -mavx2 -mfma -mf16c
ONLY_vnni  := $(ISA_avx512) -mfma -mf16c -mavx512vnni -mavx512vbmi
ISAS       := base $(if $(PORTABLE),,avx2 avx512)

SRC   := $(sort $(wildcard src/*/*.c src/*/*/*.c))
SIMD  := $(filter %_simd.c,$(SRC))
PLAIN := $(filter-out %_simd.c,$(SRC))
OBJ    = $(patsubst %.c,$(B)/%.o,$(filter-out src/cmd/%,$(PLAIN))) \
         $(foreach i,$(ISAS),$(patsubst %.c,$(B)/%.$(i).o,$(SIMD))) $(B)/gen/embed.o
CMD    = $(patsubst %.c,$(B)/%.o,$(filter src/cmd/%,$(PLAIN)))
TESTS := $(patsubst %.c,$(B)/%,$(sort $(wildcard test/*/test_*.c test/*/*/test_*.c)))
FUZZ  := $(patsubst %.c,$(B)/%,$(sort $(wildcard test/fuzz/fuzz_*.c)))
BENCH := $(patsubst %.c,$(B)/%,$(sort $(wildcard bench/bench_*.c)))
LINK   = @echo "  ld  $@"; mkdir -p $(@D); $(CC) $(FLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)

all: build/ouroboros
build/ouroboros: $(B)/ouroboros
	$(Q)cp -f $< $@
$(B)/ouroboros: $(CMD) $(B)/libouroboros.a
	$(LINK)
$(B)/libouroboros.a: $(OBJ)
	$(Q)rm -f $@ && ar qcs $@ $^
$(TESTS): $(B)/%: $(B)/%.o $(B)/libouroboros.a
	$(LINK) -lcmocka
$(BENCH): $(B)/%: $(B)/%.o $(B)/libouroboros.a
	$(LINK)
# Static: it travels to machines that lack our libraries.
$(B)/conform: $(B)/test/conformance/conform.o $(B)/libouroboros.a
	$(LINK) -static
# Not static: valgrind replaces what it knows of the C library.
$(B)/inside: $(B)/test/valgrind/inside.o $(B)/libouroboros.a
	$(LINK)
$(B)/conform-check: $(B)/test/conformance/check.o $(B)/libouroboros.a
	$(LINK) -lcmocka
$(B)/text-serve: $(B)/test/conformance/text_serve.o $(B)/libouroboros.a
	$(LINK)
$(B)/model-logits: $(B)/test/conformance/model_logits.o $(B)/libouroboros.a
	$(LINK)
$(FUZZ): $(B)/%: $(B)/%.o $(B)/libouroboros.a
	$(LINK) -fsanitize=fuzzer

$(if $(PORTABLE),,$(B)/%_avx2.o): ISA_ONLY := $(ONLY_avx2)
$(if $(PORTABLE),,$(B)/%_vnni.o): ISA_ONLY := $(ONLY_vnni)
$(B)/%.o: %.c $(B)/flags | deps
	@mkdir -p $(@D)
	@echo "  cc  $<"
	$(Q)$(CC) $(FLAGS) $(ISA_ONLY) -MMD -MP -c -o $@ $<
# The model's loops may differ between instruction sets: these two come with every AVX2 machine that isa.c accepts.
$(B)/src/model/%_simd.avx2.o: ISA_avx2 += -mfma -mf16c
define simd_rule
$(B)/%_simd.$(1).o: %_simd.c $(B)/flags | deps
	@mkdir -p $$(@D)
	@echo "  cc  $$< ($(1))"
	$(Q)$$(CC) $$(FLAGS) $$(ISA_$(1)) -DISA=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,base avx2 avx512,$(eval $(call simd_rule,$(i))))

# The op suite, the self-test programs and the prompt profiles are data: embedded as text.
EMBEDDED := $(sort $(wildcard src/op/suite/*.py src/op/suite/*/*.py test/exploit/*.py src/propose/profile/*.txt))
$(B)/gen/embedded: FORCE
	@mkdir -p $(@D)
	@echo '$(EMBEDDED)' | cmp -s - $@ || echo '$(EMBEDDED)' >$@
$(B)/gen/embed.c: tools/embed.sh $(EMBEDDED) $(B)/gen/embedded
	@mkdir -p $(@D)
	$(Q)sh tools/embed.sh $(EMBEDDED) >$@.part && mv $@.part $@
$(B)/gen/embed.o: $(B)/gen/embed.c $(B)/flags
	$(Q)$(CC) $(FLAGS) -c -o $@ $<

$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(FLAGS)' | cmp -s - $@ || echo '$(CC) $(FLAGS)' >$@

deps:
	@sh tools/deps.sh

# What the program prints about itself: doc/cli.md is committed, and test_cli_rows.sh compares.
pages: all
	@sh tools/pages.sh build/ouroboros build/pages
	@./build/ouroboros help --markdown >doc/cli.md
check:
	@sh tools/check.sh
demo:
	@sh tools/deps.sh build
	@$(MAKE) --no-print-directory all
	./build/ouroboros mint add_rmsnorm_gelu
tests: $(TESTS) $(B)/ouroboros
bench: $(BENCH) $(B)/ouroboros
	@bad=0; for b in $(BENCH); do $$b || bad=1; done; exit $$bad
# Beside Triton's interpreter: the same kernels, the same tensors. PYTHON has torch and triton.
PYTHON ?= $(firstword $(wildcard build/conformance/venv/bin/python) python3)
bench-interpreter: $(B)/conform
	@$(PYTHON) bench/interpreter.py --conform $<
sweep: all
	@sh tools/sweep.sh
	@sh tools/prove.sh
# What goes along to a machine with a GPU: see test/conformance/gpu.py.
conformance-kit: all $(B)/conform
	@python3 test/conformance/prepare.py --conform $(B)/conform
# SOAK=N verdicts (or what SOAK_SECONDS allow; SOAK_SAME of 100 repeated) through one stream: memory must not grow. Then
# kill -9 at random moments until SOAK_KILLED verdicts were told: none may be lost.
SOAK ?= 1000000
SOAK_SECONDS ?= 86400
SOAK_KILLED ?= 10000
# What runs in children, and the unit tests that need no sandbox, under memcheck.
valgrind:
	@$(MAKE) --no-print-directory MODE=valgrind build/valgrind/inside $(patsubst %.c,build/valgrind/%,$(sort $(wildcard test/*/test_*.c test/*/*/test_*.c)))
	@sh tools/valgrind.sh build/valgrind
soak: $(B)/bench/bench_stream all
	$< --soak $(SOAK) $(SOAK_SECONDS) $(SOAK_SAME)
	VERDICTS=$(SOAK_KILLED) KILLS=100000 sh test/cmd/test_stream.sh build/ouroboros
conformance: all $(B)/conform $(B)/conform-check $(B)/text-serve $(B)/model-logits
	@sh tools/conformance.sh $(B)
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CC=clang fuzz-run
fuzz-run: $(FUZZ)
	@sh tools/fuzz.sh $(B)/test/fuzz
layers:
	@sh tools/layers.sh
format:
	clang-format -i $(wildcard src/*/*.[ch] src/*/*/*.[ch] test/*/*.[ch] test/*/*/*.[ch] bench/*.[ch])
compile_commands.json: Makefile $(SRC)
	@for f in $(SRC); do printf ',\n{"directory":"%s","file":"%s","command":"$(CC) $(FLAGS) -DISA=base -c %s"}' \
	  "$(CURDIR)" $$f $$f; done | sed '1s/,/[/' >$@ && echo ']' >>$@
clean:
	rm -rf build compile_commands.json
FORCE:
.PHONY: all pages check demo tests bench bench-interpreter soak sweep conformance conformance-kit valgrind fuzz fuzz-run layers format deps clean FORCE
.DELETE_ON_ERROR:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
