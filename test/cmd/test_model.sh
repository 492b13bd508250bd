#!/bin/sh
# test_model.sh BINARY - model info and model quantize, over the tiny models of test/model/golden.
. "$(dirname "$0")/lib.sh"
golden=$(dirname "$0")/../model/golden

# Their tokenizers split nothing, which GGUF has no name for: without one, the rest is written.
bare() { # NAME [GOLDEN] : a copy without its tokenizer
    mkdir -p "$tmp/$1"
    cp "$golden/${2:-$1}/config.json" "$golden/${2:-$1}/model.safetensors" "$tmp/$1/"
}
says() { # WORDS FILE
    grep -qF -- "$1" "$2" && return 0
    echo "no \"$1\" in:"
    cat "$2"
    return 1
}

info_words() {
    exits 0 "$bin" model info "$golden/llama" || return 1
    says "llama (safetensors)" "$tmp/out" && says "tensors of F32" "$tmp/out" && says "keys and values of 8 drafts" "$tmp/out"
}
check "model info" info_words

info_json() { # the parameters are those of the tensors: bytes over four
    exits 0 "$bin" model info "$golden/qwen2" --json -n 3 || return 1
    [ "$(json "$tmp/out" tied)" = true ] || return 1
    [ "$(json "$tmp/out" drafts)" = 3 ] || return 1
    sed 's/.*"parameters":\([0-9]*\).*"bytes":\([0-9]*\),"types".*/\1 \2/' "$tmp/out" | awk '{exit !($1 * 4 == $2)}'
}
check "model info --json" info_json

tokenizers() { # one that works, none, and ones that would stop whoever asks the model
    exits 0 "$bin" model info "$golden/llama" && says "byte-level BPE" "$tmp/out" || return 1
    exits 0 "$bin" model info "$golden/llama" --json && says '"tokenizer_error":null' "$tmp/out" || return 1
    bare tokens llama
    exits 0 "$bin" model info "$tmp/tokens" && says "tokenizer      none (" "$tmp/out" || return 1
    sed 's/"ByteLevel"/"Metaspace"/' "$golden/llama/tokenizer.json" >"$tmp/tokens/tokenizer.json"
    exits 0 "$bin" model info "$tmp/tokens" && says "not usable (" "$tmp/out" && says "Metaspace is not supported" "$tmp/out" || return 1
    sed 's/"id": *258/"id": 300/; s/"id":258/"id":300/' "$golden/llama/tokenizer.json" >"$tmp/tokens/tokenizer.json"
    exits 0 "$bin" model info "$tmp/tokens" --json && says '"tokenizer_error":"' "$tmp/out"
}
check "model info opens the tokenizer" tokenizers

odd_name() { # a path is bytes, JSON is text
    odd=$tmp/$(printf 'x\377y')
    mkdir -p "$odd" && cp "$golden/llama/config.json" "$golden/llama/model.safetensors" "$odd/" || return 1
    exits 0 "$bin" model info "$odd" --json && python3 -c 'import json, sys; assert json.load(open(sys.argv[1], encoding="utf-8"))["path"].endswith("x?y")' "$tmp/out" || return 1
    exits 0 "$bin" model quantize "$odd" "$tmp/odd.gguf" --type f16 && exits 0 "$bin" model info "$tmp/odd.gguf"
}
check "a path that is no text" odd_name

quantize() { # NAME
    bare "$1"
    for type in f16 q8_0 q4_k_m q5_k_m q6_k; do
        exits 0 "$bin" model quantize "$tmp/$1" "$tmp/$1-$type.gguf" --type $type || return 1
        exits 0 "$bin" model info "$tmp/$1-$type.gguf" --json || return 1
        [ "$(json "$tmp/out" format)" = gguf ] || return 1
    done
    [ "$(wc -c <"$tmp/$1-q8_0.gguf")" -lt "$(wc -c <"$tmp/$1-f16.gguf")" ]
}
check "model quantize llama" quantize llama
check "model quantize llama3" quantize llama3
check "model quantize qwen2" quantize qwen2

the_same_again() { # a file of the type that is asked for goes through unchanged, whatever the number of threads
    exits 0 "$bin" model quantize "$tmp/llama-q8_0.gguf" "$tmp/again.gguf" --type q8_0 --jobs 3 &&
        cmp "$tmp/llama-q8_0.gguf" "$tmp/again.gguf"
}
check "quantising again changes nothing" the_same_again

wrong() {
    exits 2 "$bin" model || return 1
    exits 2 "$bin" model forget || return 1
    exits 2 "$bin" model info || return 1
    exits 2 "$bin" model info a b || return 1
    exits 2 "$bin" model quantize "$tmp/llama" "$tmp/x.gguf" || return 1
    exits 2 "$bin" model quantize "$tmp/llama" "$tmp/x.gguf" --type q3_k_m && says "q4_k_m" "$tmp/err" || return 1
    exits 2 "$bin" model quantize "$tmp/llama" --type f16 || return 1
    exits 3 "$bin" model info "$tmp/nothing" || return 1
    HF_HUB_CACHE=$tmp exits 3 "$bin" model info hf:org/name && says "hf download org/name" "$tmp/err" || return 1
    exits 3 "$bin" model quantize "$tmp/llama" "$tmp/no/x.gguf" --type f16 || return 1
    exits 3 "$bin" model quantize "$golden/llama" "$tmp/x.gguf" --type f16 && says "GGUF has no name" "$tmp/err" || return 1
    [ ! -e "$tmp/x.gguf" ]
}
check "wrong usage and missing files" wrong

cut_file() {
    head -c 100000 "$tmp/llama-f16.gguf" >"$tmp/cut.gguf"
    exits 3 "$bin" model info "$tmp/cut.gguf" && says "it is cut" "$tmp/err"
}
check "a cut file" cut_file
