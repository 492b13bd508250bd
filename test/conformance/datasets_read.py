"""Exports of the corpus in Hugging Face `datasets` and in TRL: run by `make conformance`, or alone:

    python3 test/conformance/datasets_read.py build/ouroboros

Needs torch, transformers, tokenizers, datasets, trl. A small corpus is built and exported in every format. `datasets` loads
each folder as it is, with the same rows as the files; TRL's SFTTrainer makes its tokens of the chat and prompt-completion rows
and learns from completions alone, one step of a tiny model. Control: a file whose line is cut is refused."""
import json
import os
import subprocess
import sys
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TQDM_DISABLE="1")
import datasets
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

BIN = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/ouroboros")
FORMATS = ("chat", "prompt-completion", "kernelbook")
TEMPLATE = ("{% for m in messages %}<|{{ m['role'] }}|>{% if m['role'] == 'assistant' %}{% generation %}{{ m['content'] }}<end>"
            "{% endgeneration %}{% else %}{{ m['content'] }}<end>{% endif %}{% endfor %}"
            "{% if add_generation_prompt %}<|assistant|>{% endif %}")
failed = 0


def check(name, ok, more=""):
    global failed
    failed += not ok
    print(("ok " if ok else "not ok ") + name + (f" ({more})" if more else ""), flush=True)


def run(*args):
    done = subprocess.run([BIN, *args], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{args}: exit {done.returncode}: {done.stderr}")


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def load(folder, cache):
    files = {s: f"{folder}/{s}.jsonl" for s in ("train", "validation", "test") if os.path.getsize(f"{folder}/{s}.jsonl")}
    whole = datasets.load_dataset(folder, cache_dir=cache)
    for split, path in files.items():
        rows = lines(path)
        got = whole[split]
        check(f"{os.path.basename(folder)}: datasets has the {len(rows)} rows of {split}",
              len(got) == len(rows) and all(got[i][k] == v for i, r in enumerate(rows) for k, v in r.items()))
    return whole


def tokenizer_of_bytes():
    words = ["<end>"] + sorted(pre_tokenizers.ByteLevel.alphabet())
    t = Tokenizer(models.BPE({w: i for i, w in enumerate(words)}, []))
    t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=t, eos_token="<end>", pad_token="<end>", chat_template=TEMPLATE)


def one_step(name, rows, work):
    config = AutoConfig.for_model("llama", hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
                                  vocab_size=300, max_position_embeddings=8192)
    options = SFTConfig(output_dir=f"{work}/{name}", max_steps=1, per_device_train_batch_size=2, report_to=[], use_cpu=True,
                        max_length=8192, completion_only_loss=True if name != "chat" else None,
                        assistant_only_loss=name == "chat", save_strategy="no", logging_steps=1)
    torch.manual_seed(1)
    trainer = SFTTrainer(model=AutoModelForCausalLM.from_config(config), args=options, train_dataset=rows,
                         processing_class=tokenizer_of_bytes())
    batch = next(iter(trainer.get_train_dataloader()))
    learned, seen = int((batch["labels"] != -100).sum()), int(batch["attention_mask"].sum()) if "attention_mask" in batch else batch["labels"].numel()
    loss = trainer.train().training_loss
    check(f"{name}: TRL learns from it, completions alone", 0 < learned < seen and 0 < loss < 20,
          f"{learned} of {seen} tokens, loss {loss:.2f}")


def main():
    with tempfile.TemporaryDirectory() as work:
        state = f"{work}/state"
        run("corpus", "build", "--ops", "softmax,relu2", "-n", "8", "--seed", "1", "--state", state)
        for form in FORMATS:
            folder = f"{work}/{form}"
            run("corpus", "export", "--format", form, "-o", folder, "--state", state)
            whole = load(folder, f"{work}/cache")
            if form != "kernelbook":
                one_step(form, whole["train"], work)
        os.makedirs(f"{work}/cut")
        text = open(f"{work}/chat/train.jsonl", encoding="utf-8").read()
        open(f"{work}/cut/train.jsonl", "w", encoding="utf-8").write(text[: len(text) // 2])
        try:
            datasets.load_dataset(f"{work}/cut", cache_dir=f"{work}/cache")
            check("a cut file is refused", False)
        except Exception:
            check("a cut file is refused", True)
    print(f"{failed} failed" if failed else "all as expected")
    sys.exit(failed != 0)


main()
