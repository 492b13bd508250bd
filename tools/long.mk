# long.mk - what takes longer than `make check`: speed, memory over days, other programs as witnesses, random inputs.
# Static: it travels to machines that lack our libraries.
$(B)/conform: $(B)/test/conformance/conform.o $(B)/libouroboros.a
	$(LINK) -static
# Not static: valgrind replaces what it knows of the C library.
$(B)/inside: $(B)/test/valgrind/inside.o $(B)/libouroboros.a
	$(LINK)
$(B)/conform-check: $(B)/test/conformance/check.o $(B)/libouroboros.a
	$(LINK) -lcmocka
$(B)/compile-kernels: $(B)/test/conformance/compile_kernels.o $(B)/libouroboros.a
	$(LINK)
$(B)/gpu-floors: $(B)/test/conformance/gpu_floors.o $(B)/libouroboros.a
	$(LINK)
$(B)/text-serve: $(B)/test/conformance/text_serve.o $(B)/libouroboros.a
	$(LINK)
$(B)/model-logits: $(B)/test/conformance/model_logits.o $(B)/libouroboros.a
	$(LINK)
$(FUZZ): $(B)/%: $(B)/%.o $(B)/libouroboros.a
	$(LINK) -fsanitize=fuzzer

#: make bench             speed, as ratios; results on stdout
bench: $(BENCH) $(B)/ouroboros
	@bad=0; for b in $(filter-out %/bench_launches,$(BENCH)); do $$b || bad=1; done; exit $$bad
#: make bench-rank        the rank model beside measured times; ops that it was not fitted to apart
bench-rank: $(B)/bench/bench_fit $(B)/bench/bench_times
	@$(B)/bench/bench_fit && $(B)/bench/bench_times
#: make compare OLD=REV   processor time of referee and stream beside a revision's, ten alternating pairs
compare: all
	@sh tools/compare.sh $(OLD) build/ouroboros
# Beside Triton's interpreter: the same kernels, the same tensors. PYTHON has torch and triton.
PYTHON ?= $(firstword $(wildcard build/conformance/venv/bin/python) python3)
#: make bench-interpreter beside Triton's interpreter (PYTHON= has torch and triton)
bench-interpreter: $(B)/conform
	@$(PYTHON) bench/interpreter.py --conform $<
#: make bench-training    training beside PyTorch and PEFT (PYTHON= has torch, transformers and peft)
bench-training: all
	@$(PYTHON) bench/training.py build/ouroboros
#: make seedling          the default model from nothing, in build/seedling; SEEDLING= another folder, JOBS= threads
SEEDLING ?= build/seedling
seedling: all
	@JOBS="$(JOBS)" sh bench/seedling.sh build/ouroboros $(SEEDLING)
#: make modules-full      right ModelNew of test/module at level full (ten minutes of a core)
modules-full: all
	@LEVEL=full sh test/cmd/test_module_levels.sh build/ouroboros
#: make bench-modules     verdicts a second on modules of level 1; KERNELBENCH= a folder with candidates, LEVEL=, COPIES=, PROBLEMS=
LEVEL  ?= quick
COPIES ?= 12
bench-modules: all
	@[ -n "$(KERNELBENCH)" ] || { echo "make bench-modules needs KERNELBENCH=folder: see bench/module_candidates.py" >&2; exit 2; }
	@python3 bench/module_speed.py build/ouroboros "$(KERNELBENCH)" $(LEVEL) $(COPIES) "$(PROBLEMS)"
#: make labels            whether what a wrong program is called depends on the seed
labels: all
	@sh tools/labels.sh
#: make ladder            the stream at level ladder, with wrong, repeated and new programs
ladder: all
	@sh bench/ladder.sh
#: make sweep             the built-in smith's kernels of every op at full, then the mutation proof
sweep: all
	@sh tools/sweep.sh
	@sh tools/prove.sh
# What goes along to a machine with a GPU: see test/conformance/gpu.py.
#: make conformance-kit   what goes along to a machine with a GPU
conformance-kit: all $(B)/conform
	@python3 test/conformance/prepare.py --conform $(B)/conform
# SOAK=N verdicts (or what SOAK_SECONDS allow; SOAK_SAME of 100 repeated) through one stream: memory must not grow. Then
# kill -9 at random moments until SOAK_KILLED verdicts were told: none may be lost.
SOAK ?= 1000000
SOAK_SECONDS ?= 86400
SOAK_KILLED ?= 10000
# What runs in children, and the unit tests that need no sandbox, under memcheck.
#: make valgrind          memcheck over the self-test and the unit tests (half an hour)
valgrind:
	@$(MAKE) --no-print-directory MODE=valgrind build/valgrind/inside $(patsubst %.c,build/valgrind/%,$(sort $(wildcard test/*/test_*.c test/*/*/test_*.c)))
	@sh tools/valgrind.sh build/valgrind
#: make soak SOAK=N       the stream's memory after N verdicts, and kill -9 at random moments
soak: $(B)/bench/bench_stream all
	$< --soak $(SOAK) $(SOAK_SECONDS) $(SOAK_SAME)
	VERDICTS=$(SOAK_KILLED) KILLS=100000 sh test/cmd/test_stream.sh build/ouroboros
#: make conformance       against torch, Triton, transformers and llama.cpp (downloads them)
conformance: all $(B)/conform $(B)/conform-check $(B)/compile-kernels $(B)/text-serve $(B)/model-logits
	@sh tools/conformance.sh $(B)
#: make fuzz SECS=60      each libFuzzer target for so long
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CC=clang fuzz-run
fuzz-run: $(FUZZ)
	@sh tools/fuzz.sh $(B)/test/fuzz
.PHONY: bench-modules modules-full seedling bench bench-rank bench-training compare bench-interpreter soak sweep labels ladder conformance conformance-kit valgrind fuzz fuzz-run
