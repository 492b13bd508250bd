# GNU make. `make help` names the targets; more of them are in tools/install.mk and tools/long.mk.
# MODE=release|debug|asan|tsan|valgrind|verdicts   CC=gcc|clang   PORTABLE=1 (no vector variants)   V=1 (show commands)
MODE ?= release
B    := build/$(MODE)$(if $(filter clang,$(CC)),-clang)$(if $(PORTABLE),-portable)
Q    := $(if $(V),,@)

PKGS := jansson libseccomp libmd libpcre2-8 libutf8proc sqlite3
WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wvla -Wformat=2 -Wstrict-prototypes \
        -Wmissing-prototypes -Wundef -Werror
MODE_release := -O3 -DNDEBUG
MODE_debug   := -Og -g3
# The release build for test/same_verdicts.sh alone. See COLD.
MODE_verdicts := $(MODE_release)
# Lines and functions are all that a report names: more of -g makes a fourth of the time to compile.
# -O1 takes twice as long as -Og to compile what the sanitizers add, so only loops that tests spend their time in get it: see HOT.
# clang compiles so in half of gcc's time, and its -O0 runs no slower than gcc's -Og.
MODE_asan    := $(if $(filter clang,$(CC)),-O0,-Og) -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_tsan    := -Og -g1 -fsanitize=thread
MODE_valgrind := -O1 -g
MODE_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
# Of OpenBLAS only the header: training loads the library when it begins.
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) openblas 2>/dev/null)
# No contraction, no fast math, no excess precision: the same bits from every compiler and at every level.
FLAGS := -std=c17 -D_GNU_SOURCE -Isrc -Itest $(WARN) -ffp-contract=off -fno-fast-math -fno-math-errno -fexcess-precision=standard \
        -fno-strict-aliasing $(MODE_$(MODE)) $(if $(PORTABLE),-DPORTABLE) $(CFLAGS) $(PKG_CFLAGS)
# Symbols are bound at the start: a child would otherwise look up its own, each time anew.
LIBS := -Wl,-z,now -Wl,-z,separate-code -lm -ldl -pthread \
       $(shell pkg-config --libs $(PKGS) 2>/dev/null)
ifneq ($(findstring clang,$(CC)),)
FLAGS := $(filter-out -fexcess-precision=standard,$(FLAGS))
# One copy of the sanitizers for all tests, as gcc has it: a program with its own takes twice as long to link.
ifeq ($(MODE),asan)
SANITIZERS := $(dir $(shell $(CC) -print-file-name=libclang_rt.asan-x86_64.so))
LIBS += -Wl,-rpath,$(SANITIZERS)
endif
endif

ISA_base   :=
ISA_avx2   := -mavx2
ISA_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
# Files that are written for one instruction set; they fuse multiply-adds by name, never by the compiler's choice.
ONLY_avx2  := -mavx2 -mfma -mf16c
ONLY_vnni  := $(ISA_avx512) -mfma -mf16c -mavx512vnni -mavx512vbmi
ISAS       := base $(if $(PORTABLE),,avx2 avx512)
# This machine's own, which all tests run but the few that go through all of them (base/isa.c chooses alike), and the others.
OWN_ISA    := $(lastword base $(filter $(ISAS),$(patsubst avx512vl,avx512,$(shell grep -m 1 ^flags /proc/cpuinfo))))
OTHER_ISAS := $(filter-out $(OWN_ISA),$(ISAS))

SRC   := $(sort $(wildcard src/*/*.c src/*/*/*.c))
SIMD  := $(filter %_simd.c,$(SRC))
PLAIN := $(filter-out %_simd.c,$(SRC))
# Kernels run in a child process, which has one thread: ThreadSanitizer finds nothing in the virtual machine.
# (tile/cover is called by host code, which threads of the parent run, too.)
CHILD_ONLY := $(filter src/tile/compute/%.c src/tile/vm/%.c src/tile/loops/%.c,$(PLAIN))
# Loops of products: product.c tells ThreadSanitizer what they read and write, each piece at once.
TOLD := $(filter-out src/model/product/product.c,$(filter src/model/product/%.c,$(PLAIN)))
# FROM=build/release, as in `make check`: objects of that build which this one links as they are. ThreadSanitizer takes what it
# would not look at; a build without vector variants, whatever neither says PORTABLE nor includes a file that does; clang's for
# test/same_verdicts.sh, what has no part in a verdict, and loops that do not run.
ifneq ($(FROM),)
COLD   := cmd corpus explain measure model mutate package prove store text train weights
LOOPS  := $(foreach i,$(ISAS),$(patsubst %.c,%.$(i).o,$(filter src/tile/loops/%,$(SIMD))))
SAYING := $(addprefix -e ,$(shell grep -rl PORTABLE src --include='*.[ch]'))
ALIKE  := gen/embed.o $(if $(filter build/tsan,$(B)),$(patsubst %.c,%.o,$(CHILD_ONLY) $(TOLD)) $(LOOPS)) \
          $(if $(filter build/verdicts-clang,$(B)),$(COLD:%=src/%/%.o) $(addsuffix .o,$(addprefix src/%.,$(OTHER_ISAS)))) \
          $(if $(filter build/release-portable,$(B)),$(patsubst $(FROM)/%.d,%.o,$(shell find $(FROM)/src -name '*.d' | xargs grep -LF $(SAYING))))
endif
OBJECTS = $(addprefix $(FROM)/,$(filter $(ALIKE),$(1))) $(addprefix $(B)/,$(filter-out $(ALIKE),$(1)))
# Loops take longest to compile: they are no build's last objects, for which a core waits.
OBJ    := $(call OBJECTS,$(foreach i,$(ISAS),$(patsubst %.c,%.$(i).o,$(SIMD))) \
          $(patsubst %.c,%.o,$(filter-out src/cmd/%,$(PLAIN))) gen/embed.o gen/version.o)
CMD    := $(call OBJECTS,$(patsubst %.c,%.o,$(filter src/cmd/%,$(PLAIN))))
TESTS := $(patsubst %.c,$(B)/%,$(sort $(wildcard test/*/test_*.c test/*/*/test_*.c)))
FUZZ  := $(patsubst %.c,$(B)/%,$(sort $(wildcard test/fuzz/fuzz_*.c)))
BENCH := $(patsubst %.c,$(B)/%,$(sort $(wildcard bench/bench_*.c)))
LINKER = $(CC) $(FLAGS) $(if $(SANITIZERS),-shared-libasan)
LINK   = $(info ld  $@)$(Q)$(LINKER) -o $@ $(filter %.o %.a %.so,$^) $(LIBS)
# Of several hundred tests; gold takes a third of the time, where binutils still bring it.
QUICK_LINK = $(subst -Wl$(COMMA)-z$(COMMA)separate-code,-fuse-ld=gold,$(LINK))
ifeq ($(shell command -v ld.gold 2>/dev/null),)
QUICK_LINK = $(LINK)
endif
COMMA := ,
# One program is all tests, and has the name of each: see test/together.c. Apart are tests that bring a malloc of their own or
# have arguments. Few that are asked for by name are linked alone: one is changed then. Memcheck would read all names at each start.
APART    := $(addprefix $(B)/test/,base/numeric/test_rng sandbox/child/test_child)
ASKED    := $(if $(filter tests,$(MAKECMDGOALS)),$(TESTS),$(filter $(TESTS),$(MAKECMDGOALS)))
TOGETHER := $(if $(filter release asan tsan,$(MODE)),$(if $(word 20,$(ASKED)),$(filter-out $(APART),$(ASKED))))

all: build/ouroboros
build/ouroboros: $(B)/ouroboros
	$(Q)cp -f $< $@
# From all objects: of an archive, the linker would take the first of two functions of one name, and say nothing.
$(B)/ouroboros: $(CMD) $(OBJ)
	$(LINK)
$(B)/libouroboros.a: $(OBJ)
	$(Q)rm -f $@ && ar qcs $@ $^
$(filter-out $(TOGETHER),$(TESTS)): $(B)/%: $(B)/%.o $(B)/libouroboros.a
	$(QUICK_LINK) -lcmocka
# With sanitizers at fixed addresses: it starts hundreds of times, and each time would adjust a hundred thousand of them.
$(B)/test/together: $(B)/test/together.o $(TOGETHER:%=%.o) $(OBJ)
	$(QUICK_LINK) $(if $(filter asan tsan,$(MODE)),-no-pie) -lcmocka
$(TOGETHER): %: %.o $(B)/test/together
	$(Q)ln -f $(B)/test/together $@
$(B)/test/planted: $(B)/test/planted.o $(B)/libouroboros.a
	$(QUICK_LINK)
$(BENCH): $(B)/%: $(B)/%.o $(B)/libouroboros.a
	$(LINK)
# A driver for tests, whose GPU is the virtual machine: a library that stands alone, and the process that it starts.
VM_GPU := $(B)/test/gpu/libcuda.so $(B)/test/gpu/vm_device
$(B)/test/gpu/libcuda.so: test/gpu/libcuda.c test/gpu/vm_device.h | $(B)/flags
	$(info ld  $@)$(Q)$(CC) -std=c17 -O1 -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror -o $@ $< -ldl
# For tests that start no thread: see tools/threaded_tests.sh.
$(B)/test/no_threads.so: test/no_threads.c | $(B)/flags
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE -O1 -fPIC -shared -Wall -Wextra -Werror -o $@ $<
$(B)/test/gpu/vm_device: $(B)/test/gpu/vm_device.o $(B)/libouroboros.a
	$(LINK)
$(filter $(B)/test/gpu/% $(B)/test/measure/%,$(TESTS)): | $(VM_GPU)

ifeq ($(MODE),asan)
HOT := $(addprefix $(B)/src/,base/%.o tensor/%.o tile/cover/%.o tile/compute/%.o tile/vm/%.o tile/loops/%.o cases/%.o judge/decide/compare%.o host/reference/%.o \
       model/product/product_plain.o model/sample.o)
$(HOT) $(B)/%_simd.$(OWN_ISA).o: OPTIMIZED := -O1
# AddressSanitizer looks at every element that these loops touch. With a branch for each pointer as well clang leaves them
# scalar, and tests of kernels take half as long again.
LOOP_CHECKS := $(if $(filter clang,$(CC)),-fno-sanitize=pointer-overflow$(COMMA)alignment$(COMMA)null)
# Its -O1 does not vectorise unless told. AddressSanitizer looks at both ends of a vector: one of 16 bytes has no room for a whole red
# zone between them, and a wider one has.
ifneq ($(filter clang,$(CC)),)
LONG_LOOPS := base/numeric/rng cases/values/rows judge/decide/compare tensor/bound tensor/dtype
$(LONG_LOOPS:%=$(B)/src/%_simd.$(OWN_ISA).o): LOOP_CHECKS += -fvectorize -mprefer-vector-width=128
endif
endif
# The loops of other machines run in few tests, and there long enough to feel only where random numbers are drawn.
ifneq ($(filter asan tsan,$(MODE)),)
$(foreach i,$(OTHER_ISAS),$(B)/src/%_simd.$(i).o): ISA_ONLY := -O0
$(OTHER_ISAS:%=$(B)/src/base/numeric/rng_simd.%.o): ISA_ONLY :=
endif
# -O3 takes a fourth longer than -O2 to compile what no loop over numbers is in.
ifneq ($(filter release verdicts,$(MODE)),)
FEW_LOOPS := grammar graph lang module mutate op rank sandbox service text \
             host/desugar host/module_level host/normalize host/policy host/python host/varies tile/check
$(foreach room,$(FEW_LOOPS),$(B)/src/$(room)/%.o): OPTIMIZED := -O2
# And -O2 takes half as long again as -O1 to compile what no verdict waits for.
UNHURRIED := cmd corpus explain gpu measure mint package propose prove store weights/format
$(foreach room,$(UNHURRIED),$(B)/src/$(room)/%.o): OPTIMIZED := -O1
endif
# What takes long in a test is the library: its own code is compiled quickly.
$(B)/test/%.o: ISA_ONLY := -O0
$(addsuffix .o,$(filter-out $(APART),$(TESTS))): OPTIMIZED = -include test/together.h -DTEST_MAIN=$(subst /,_,$*)
$(addsuffix .o,$(filter-out $(APART),$(TESTS))): test/together.h
$(B)/test/together.o: $(B)/gen/together.def
$(B)/test/together.o: OPTIMIZED := -I$(B)
$(B)/gen/together.def: FORCE | $(B)/flags
	@printf 'TEST("%s", %s)\n' $(foreach t,$(TOGETHER:$(B)/%=%),$(t) $(subst /,_,$(t))) >$@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
# gcc's -O3 makes twice the code of these loops, in twice the time, and -O2 takes half as long again as this. It is no faster:
# passes between -O1 and -O2 break loops up (pow) before they can be vectorised.
VECTORISED := $(if $(findstring clang,$(CC)),-O3,-O1 -ftree-vectorize -fvect-cost-model=dynamic -fexpensive-optimizations -ftree-vrp -fthread-jumps)
ifeq ($(MODE)$(findstring clang,$(CC)),release)
$(B)/src/tile/loops/%.o: ISA_ONLY := $(VECTORISED)
endif
ifeq ($(MODE),tsan)
# -Og calls what -O1 inlines, and each call is told: of these rooms that makes tests longer than -O1 the build.
CALLING := base cases judge lang mutate tensor host/python
$(foreach room,$(CALLING),$(B)/src/$(room)/%.o): OPTIMIZED := -O1
$(B)/src/%_simd.$(OWN_ISA).o: OPTIMIZED := -O3
# gcc vectorises no loop that reports each number: these report what they read and write of a piece (base/build.h).
BY_RANGE := base/numeric/rng cases/values/rows judge/decide/compare tensor/bound tensor/dtype
$(foreach i,$(ISAS),$(BY_RANGE:%=$(B)/src/%_simd.$(i).o)): OPTIMIZED := $(VECTORISED) -fno-sanitize=thread -DTSAN_BY_RANGE
$(patsubst %.c,$(B)/%.o,$(TOLD)): OPTIMIZED := -O3 -fno-sanitize=thread
$(B)/src/model/product/product.o: OPTIMIZED := -DTSAN_BY_RANGE
$(patsubst %.c,$(B)/%.o,$(CHILD_ONLY)): ISA_ONLY := -fno-sanitize=thread
$(B)/src/tile/loops/%.o: ISA_ONLY := -fno-sanitize=thread
endif
$(if $(PORTABLE),,$(B)/%_avx2.o): ISA_ONLY := $(ONLY_avx2)
$(if $(PORTABLE),,$(B)/%_vnni.o): ISA_ONLY := $(ONLY_vnni)
$(B)/%.o: %.c $(B)/flags | deps
	$(info cc  $<)$(Q)$(CC) $(FLAGS) $(OPTIMIZED) $(ISA_ONLY) -MMD -MP -c -o $@ $<
# The model's loops may differ between instruction sets: these two come with every AVX2 machine that isa.c accepts.
$(B)/src/model/%_simd.avx2.o $(B)/src/train/%_simd.avx2.o: ISA_avx2 += -mfma -mf16c
# Nobody looks at the processor's floating-point flags, so a loop may compute what it then does not choose: gcc vectorises
# choices only then. No result has other bits.
define simd_rule
$(B)/%_simd.$(1).o: %_simd.c $(B)/flags | deps
	$$(info cc  $$< ($(1)))$(Q)$$(CC) $$(FLAGS) -fno-trapping-math $$(ISA_$(1)) $$(OPTIMIZED) $$(LOOP_CHECKS) $$(ISA_ONLY) -DISA=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,base avx2 avx512,$(eval $(call simd_rule,$(i))))

# The op suite, the self-test programs, the prompt profiles and what compile workers run are data: embedded as text.
EMBEDDED := $(sort $(wildcard src/op/suite/*.py src/op/suite/*/*.py src/op/suite/held_out.txt test/exploit/*.py src/propose/profile/*.txt src/measure/*.py src/measure/compile/*.py src/module/library/*.py src/package/python/*.py) clients/python/build_backend/plain_wheel.py)
# Every build has the same.
build/gen/embedded: FORCE
	@mkdir -p $(@D)
	@echo '$(EMBEDDED)' | cmp -s - $@ || echo '$(EMBEDDED)' >$@
build/gen/embed.c: tools/embed.sh $(EMBEDDED) build/gen/embedded
	$(Q)sh tools/embed.sh $(EMBEDDED) >$@.$$$$ && mv $@.$$$$ $@
# What git says of the sources, for --version: another file only if that is another one.
$(B)/gen/version.c: tools/version.sh FORCE | $(B)/flags
	@sh tools/version.sh --c >$@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
$(B)/gen/version.o: $(B)/gen/version.c src/base/version.h $(B)/flags
	$(Q)$(CC) $(FLAGS) -c -o $@ $<
$(B)/gen/embed.o: build/gen/embed.c src/op/embed.h $(B)/flags
	$(Q)$(CC) $(FLAGS) -c -o $@ $<

# All folders at once: a process for each object is seconds of a build.
FOLDERS := $(sort $(dir $(SRC) $(wildcard test/*.c test/*/*.c test/*/*/*.c bench/*.c))) gen
$(B)/flags: FORCE
	@mkdir -p $(addprefix $(B)/,$(FOLDERS))
	@echo '$(CC) $(FLAGS)' | cmp -s - $@ || echo '$(CC) $(FLAGS)' >$@

deps:
	@sh tools/deps.sh

#: make pages             man pages and completion in build/pages, and doc/cli.md
# What the program prints about itself: doc/cli.md is committed, and test_cli_rows.sh compares.
pages: all
	@sh tools/pages.sh build/ouroboros build/pages
	@./build/ouroboros help --markdown >doc/cli.md
help:
	@sed -n 's/^#: //p' $(firstword $(MAKEFILE_LIST)) tools/install.mk tools/long.mk
JOBS := $(shell nproc 2>/dev/null || echo 2)
#: make                   build/ouroboros
#: make demo              install what is missing, build, and mint a kernel
demo:
	@sh tools/deps.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all
	./build/ouroboros mint add_rmsnorm_gelu
#: make t FILE=src/...    build and run the test of one file
t:
	@[ -n "$(FILE)" ] || { echo "make t needs FILE=src/... or FILE=test/..." >&2; exit 2; }
	@tests=$$(sh tools/tests_of.sh "$(FILE)") && sh tools/t.sh $(B) $$tests
#: make quick             before a commit: house rules, unit tests, thirty programs of the self-test
quick:
	@sh tools/deps.sh check
	@sh tools/quick.sh
#: make check             every test; ends with "N passed, N failed"
check:
	@sh tools/check.sh
#: make tests             build every unit test
tests: $(TESTS) $(VM_GPU) $(B)/test/no_threads.so $(if $(filter asan,$(MODE)),$(B)/test/planted) $(B)/ouroboros
#: make layers format     the order of rooms; clang-format
layers:
	@sh tools/layers.sh
format:
	clang-format -i $(wildcard src/*/*.[ch] src/*/*/*.[ch] test/*/*.[ch] test/*/*/*.[ch] bench/*.[ch])
compile_commands.json: Makefile $(SRC)
	@for f in $(SRC); do printf ',\n{"directory":"%s","file":"%s","command":"$(CC) $(FLAGS) -DISA=base -c %s"}' \
	  "$(CURDIR)" $$f $$f; done | sed '1s/,/[/' >$@ && echo ']' >>$@
#: make clean             remove build/
clean:
	rm -rf build compile_commands.json
FORCE:
include tools/install.mk tools/long.mk
.PHONY: all pages help check quick t demo tests layers format deps clean FORCE
.DELETE_ON_ERROR:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
