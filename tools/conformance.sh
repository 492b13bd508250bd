#!/bin/sh
# conformance.sh BUILD - Ouroboros against torch, Triton, transformers and llama.cpp: a virtual environment below build/, then
# tokenizers, the kit, the oracle, the machine, the checker, weights, the forward pass, training, data sets and seedling. A missing peer fails.
# Counts go to standard output; doc/conformance.md keeps the last ones.
#   WRONG=n RIGHT=n SMITH=n LOOPS=n TREES=n   sizes; JOBS=n processes of Triton; GPU=file   what test/conformance/gpu.py
#   wrote on a GPU, instead of the recorded test/conformance/h200.jsonl.gz; SEEDLING=/file   another one than the shipped one
set -e
build=${1:-build/release}
home=$PWD/build/conformance
venv=$home/venv
wanted="torch==2.11.0 triton==3.6.0 numpy<2.3" # the interpreter of Triton 3.6 does not know later numpys
wanted="$wanted transformers==5.23.0 peft==0.21.2 tokenizers==0.23.3 safetensors jinja2 gguf==0.19.0 llama-cpp-python==0.3.36"
wanted="$wanted tensorboard==2.21.0 datasets==5.2.0 trl==1.16.0"
# llama.cpp is built here, for this machine: without AMX, on which it may crash.
flags=""
for f in -mno-amx-tile -mno-amx-int8 -mno-amx-bf16; do
    echo 'int main(void) { return 0; }' | cc -x c "$f" -fsyntax-only - 2>/dev/null && flags="$flags $f"
done
mkdir -p "$home"
if [ "$(cat "$venv/wanted" 2>/dev/null)" != "$wanted$flags" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    # shellcheck disable=SC2086
    CFLAGS="$flags" CXXFLAGS="$flags" "$venv/bin/python" -m pip install --quiet --disable-pip-version-check $wanted
    echo "$wanted$flags" >"$venv/wanted"
fi
"$venv/bin/python" -c 'import torch, triton, transformers, peft, gguf, llama_cpp, tensorboard, datasets, trl' || { echo "conformance: a peer cannot be imported" >&2; exit 1; }
python3 test/conformance/prepare.py --conform "$build/conform"
failed=0
cd test/conformance
peer() { # NAME ARGUMENT... : runs on, so that one disagreement does not hide another
    echo "== $1"
    "$venv/bin/python" "$@" || failed=1
}
root=$OLDPWD
gpu=${GPU:-$home/h200.jsonl} # what an H200 gave is recorded beside the scripts
[ -n "$GPU" ] || gzip -dc h200.jsonl.gz >"$gpu"
# SDIST=file: the source distribution of llama-cpp-python, for the real vocabularies and templates that it carries
peer text.py --serve "$root/$build/text-serve" --strings "${STRINGS:-100000}" ${SDIST:+--sdist "$SDIST"}
peer oracle.py --kit "$home/kit" --conform "$root/$build/conform"
# KERNELBENCH=folder: its levels 1 and 2 besides the problems of test/module
# shellcheck disable=SC2086
peer modules.py "$root/build/ouroboros" "$root"/test/module/problem/*.py ${KERNELBENCH:+$KERNELBENCH/level[12]/*.py}
peer vm.py --kit "$home/kit" --conform "$root/$build/conform" --smith "${SMITH:-412}" --gpu "$gpu"
peer trees.py "$root/$build/conform" "${TREES:-20000}"
peer names.py "$root/build/ouroboros"
peer resources.py "$root/$build/conform-check" "${LOOPS:-150}"
peer accept.py --kit "$home/kit" --ouroboros "$root/build/ouroboros" --check "$root/$build/conform-check" \
    --conform "$root/$build/conform" --wrong "${WRONG:-1700}" --right "${RIGHT:-500}" --jobs "${JOBS:-2}"
echo "== compile_kernels"
"$root/$build/compile-kernels" "$venv/bin/python" "$(mktemp -d)" || failed=1
rm -rf "$home/kernels"
"$root/build/ouroboros" export --champions "$root/champions" -o "$home/kernels" && peer export.py "$home/kernels" softmax softmax_scale swiglu qknorm_rope add_layernorm_gelu || failed=1
peer weights.py "$root/build/ouroboros"
peer model.py --logits "$root/$build/model-logits"
peer training.py "$root/build/ouroboros"
peer datasets_read.py "$root/build/ouroboros"
peer seedling.py "$root/build/ouroboros" "${SEEDLING:-$root/models/seedling.gguf}"
exit $failed
