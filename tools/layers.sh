#!/bin/sh
# layers.sh - arrows point left: a file may include its own room and rooms to the left of it. A room is a folder
# with code in it, one or two levels below src/. Pairs that are in order and still forbidden stand below.
order="base base/numeric lang lang/parse tensor
tile/code tile/cover tile/loops tile/compute tile/vm tile/check tile/ops
host host/policy host/desugar host/module_level host/normalize host/varies host/python host/candidate host/reference op module
gpu sandbox/unreached sandbox sandbox/child cases/values cases/domain cases cases/modules rank judge/verdict judge/decide judge/shapes judge mutate explain measure/compile measure/timing measure store service/manifest service prove
text weights/format weights weights/quant model/product model train/engine train
graph grammar propose mint corpus package cmd/line cmd/shared cmd"
# FOLDER:FOLDER - what the first may not know of the second: who proposes does not know how programs are judged.
forbidden="grammar:judge propose:judge graph:judge grammar:service propose:service graph:service
grammar:sandbox propose:sandbox graph:sandbox grammar:cases propose:cases graph:cases
grammar:mutate propose:mutate grammar:prove propose:prove graph:prove text:judge weights:judge model:judge
train:judge train:service train:cases train:sandbox train:mutate train:prove"
bad=0
order=" $(echo $order | sed "s/ /  /g") "
forbidden=" $(echo $forbidden) "
for f in $(find src -name '*.[ch]' -o -name '*.def' | sort); do
    here=$(dirname "${f#src/}")
    case $here in op/suite) continue ;; esac
    case "$order" in *" $here "*) ;; *) echo "$f: the room $here is not in the order of tools/layers.sh"; bad=1 ;; esac
    for dep in $(sed -n 's/^ *# *include "\(.*\)\/[^/]*"$/\1/p' "$f" | sort -u); do
        [ "$dep" = "$here" ] && continue
        case "$dep" in op/suite) dep=op; [ "$here" = op ] && continue ;; esac
        case "$order" in
        *" $dep "*" $here "*) ;;
        *) echo "$f: $here may not include $dep"; bad=1 ;;
        esac
        case "$forbidden" in *" ${here%%/*}:${dep%%/*} "*) echo "$f: $here may not know $dep"; bad=1 ;; esac
    done
done
exit $bad
