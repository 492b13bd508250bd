#!/bin/sh
# Training from the command line: a vocabulary, a new model, an adapter for it, going on, and what is refused.
. "$(dirname "$0")/lib.sh"
"$bin" propose softmax -n 9 --seed 2 --json >"$tmp/data"
"$bin" propose relu2 -n 9 --seed 2 --json >>"$tmp/data"
printf "# op: softmax\n" >"$tmp/p"
run() { # FOLDER OPTIONS... : a small model for a few steps
    folder=$1
    shift
    "$bin" train sft --fresh 1x32 --tokenizer "$tmp/tokenizer.json" --data "$tmp/data" -o "$folder" --batch 1500 --warmup 2 \
        --hold-out 0.2 --jobs 2 "$@"
}
steps() { # FOLDER : its steps, without what the clock says
    sed 's/,"seconds".*//' "$1/metrics.jsonl"
}
check tokenizer exits 0 "$bin" train tokenizer --data "$tmp/data" --vocab 400 -o "$tmp/tokenizer.json"
check tokenizer_says_how_many grep -qx "$tmp/tokenizer.json: 400 tokens" "$tmp/out"
check a_new_model exits 0 run "$tmp/a" --steps 8 --evaluate-every 4 --json
check json sh -c "[ \"$(json "$tmp/out" end)\" = done ] && [ \"$(json "$tmp/out" steps)\" = 8 ]"
check json_obeys_its_schema python3 "$(dirname "$0")/schema.py" --mutate train_sft "$tmp/out"
check metrics sh -c "[ \$(grep -c '\"kind\":\"step\"' $tmp/a/metrics.jsonl) = 8 ] && [ \$(grep -c '\"kind\":\"evaluation\"' $tmp/a/metrics.jsonl) = 2 ]"
check events sh -c "ls $tmp/a/events.out.tfevents.* >/dev/null"
check it_generates exits 0 "$bin" generate "$tmp/a/checkpoint-000008" --prompt "$tmp/p" --max-tokens 4 --seed 1
check it_becomes_gguf exits 0 "$bin" model quantize "$tmp/a/checkpoint-000008" "$tmp/m.gguf" --type f16

# Ended in the middle and gone on: the same steps.
check ends_early exits 0 run "$tmp/b" --steps 8 --evaluate-every 4 --save-every 3 --json
cp -r "$tmp/b" "$tmp/c"
rm -r "$tmp/c/checkpoint-000008"
check there_is_a_run exits 2 run "$tmp/c" --steps 8 --evaluate-every 4 --save-every 3
check says_resume grep -q -e '--resume goes on' "$tmp/err"
check goes_on exits 0 run "$tmp/c" --steps 8 --evaluate-every 4 --save-every 3 --resume
steps "$tmp/a" >"$tmp/sa"
steps "$tmp/c" >"$tmp/sc"
check with_the_same_steps cmp "$tmp/sa" "$tmp/sc"
check with_the_same_model cmp "$tmp/a/checkpoint-000008/model.safetensors" "$tmp/c/checkpoint-000008/model.safetensors"
check other_options_do_not_go_on exits 2 run "$tmp/c" --steps 8 --rate 0.5 --resume

# Threads change no byte; another seed does.
run_on() { # THREADS SEED FOLDER : batches of several units
    "$bin" train sft --fresh 1x32 --tokenizer "$tmp/tokenizer.json" --data "$tmp/data" -o "$3" --batch 3000 --warmup 2 --hold-out 0.2 \
        --steps 3 --evaluate-every 3 --jobs "$1" --seed "$2"
}
for jobs in 1 2 5; do
    check "on_$jobs" exits 0 run_on $jobs 1 "$tmp/j$jobs"
    steps "$tmp/j$jobs" >"$tmp/sj$jobs"
done
for jobs in 2 5; do
    check "the_same_steps_on_$jobs" cmp "$tmp/sj1" "$tmp/sj$jobs"
    for file in model.safetensors optimizer.safetensors training.json; do
        check "the_same_${file%.*}_on_$jobs" cmp "$tmp/j1/checkpoint-000003/$file" "$tmp/j$jobs/checkpoint-000003/$file"
    done
done
check of_another_seed exits 0 run_on 1 4 "$tmp/j1s"
check is_another_model sh -c "! cmp -s $tmp/j1/checkpoint-000003/model.safetensors $tmp/j1s/checkpoint-000003/model.safetensors"

check plot exits 0 "$bin" plot "$tmp/a" "$tmp/c/" -o "$tmp/plot.svg"
check plot_is_xml python3 -c "import sys, xml.dom.minidom; d = xml.dom.minidom.parse(sys.argv[1]); assert len(d.getElementsByTagName('polyline')) == 4" "$tmp/plot.svg"
mkdir "$tmp/no"
printf '{"kind":"step","step":1}\n' >"$tmp/no/metrics.jsonl"
check plot_of_a_damaged_run exits 3 "$bin" plot "$tmp/no"
check plot_names_the_line grep -q "metrics.jsonl, line 1: \"loss\" is missing" "$tmp/err"

# An adapter, beside a folder and beside a quantised file.
model=$tmp/a/checkpoint-000008
lora="--lora 2 --data $tmp/data --batch 1500 --steps 3 --warmup 1 --jobs 2"
check an_adapter exits 0 "$bin" train sft --model "$model" $lora -o "$tmp/l"
check it_counts sh -c "$bin generate $model --prompt $tmp/p --max-tokens 4 --temperature 0 --adapter $tmp/l/checkpoint-000003"
check beside_gguf exits 0 "$bin" train sft --model "$tmp/m.gguf" $lora -o "$tmp/g"
check from_an_adapter exits 0 "$bin" train sft --model "$model" $lora --adapter "$tmp/l/checkpoint-000003" -o "$tmp/l2"
check a_gguf_file_is_not_trained exits 2 "$bin" train sft --model "$tmp/m.gguf" --data "$tmp/data" -o "$tmp/x"

# Samples of the model, judged.
check gate exits 0 run "$tmp/j" --steps 2 --gate softmax --samples 2 --max-tokens 20 --gate-every 2
check gate_is_told grep -q "step 2: 0 of 2 samples are accepted: softmax 0/2" "$tmp/err"
check gate_is_kept grep -q '"kind":"gate","step":2,"samples":2,"valid":0,"ops":{"softmax":' "$tmp/j/metrics.jsonl"
check gate_of_what_is_not_there exits 2 run "$tmp/j2" --steps 2 --gate gelu

# Lines that cannot be used.
{
    cat "$tmp/data"
    printf '{"prompt":"a"}\nnot json\n{"prompt":"a","completion":"b\377"}\n'
} >"$tmp/bad"
check bad_lines exits 0 "$bin" train sft --fresh 1x32 --tokenizer "$tmp/tokenizer.json" --data "$tmp/bad" -o "$tmp/d" --batch 1500 --steps 1
lines=$(wc -l <"$tmp/data")
check bad_lines_are_told grep -q "$tmp/bad, line $((lines + 1)): neither" "$tmp/err"
# Those longer than the context count, too.
long=$(grep -c "documents of at most 1024 are learned from" "$tmp/err")
check and_counted grep -q "$((long + 3)) of $((lines + 3)) lines cannot be used" "$tmp/err"
printf 'x\n' >"$tmp/none"
check no_line exits 3 "$bin" train sft --fresh 1x32 --tokenizer "$tmp/tokenizer.json" --data "$tmp/none" -o "$tmp/e"
check no_file exits 3 "$bin" train sft --fresh 1x32 --tokenizer "$tmp/tokenizer.json" --data "$tmp/nowhere" -o "$tmp/e"
check no_model exits 2 "$bin" train sft --data "$tmp/data" -o "$tmp/e"
check odd_width exits 2 "$bin" train sft --fresh 1x33 --tokenizer "$tmp/tokenizer.json" --data "$tmp/data" -o "$tmp/e"
check small_vocabulary exits 3 "$bin" train tokenizer --data "$tmp/data" --vocab 100 -o "$tmp/t"
