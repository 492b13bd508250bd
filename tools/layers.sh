#!/bin/sh
# layers.sh - arrows point left: a folder may include itself and any folder to its left.
order="base gpu lang tensor tile host op referee store text weights model smith train serve cmd"
bad=0
for f in $(find src -name '*.[ch]' -o -name '*.def' | sort); do
    here=$(echo "$f" | cut -d/ -f2)
    for dep in $(sed -n 's/^ *# *include "\([a-z]*\)\/.*/\1/p' "$f" | sort -u); do
        [ "$dep" = "$here" ] && continue
        case " $order " in
        *" $dep "*"$here "*) ;;
        *) echo "$f: $here may not include $dep"; bad=1 ;;
        esac
    done
done
exit $bad
