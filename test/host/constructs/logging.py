import logging
import warnings

logger = logging.getLogger(__name__)
logger.setLevel(logging.INFO)


def run(x):
    logger.info("rows %d", x.shape[0])
    if x.shape[1] > 100:
        logger.debug(f"long {x.shape}")
        warnings.warn("long rows", stacklevel=2)
    print("block", 256, sep=" ")
    return launch(x)
# --- parse_reject: `logging`
import logging


def run(x):
    logging.getLogger().handlers[0].stream.write("ok")
    return launch(x)
# --- ok: Accepted
import functools
import logging
import warnings

log = logging.getLogger("kernels")
log.addHandler(logging.NullHandler())


def told(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        log.info("calling %s with %d", f.__name__, len(args))
        return f(*args, **kwargs)

    return wrapper


@told
def go(x, options=None):
    warnings.warn(f"unused: {sorted(options or {})}", RuntimeWarning, stacklevel=2)
    return launch(x)


def run(x):
    return go(x)
# --- parse_reject: __name__
import logging

log = logging.getLogger("kernels")


def run(x):
    return launch(x, 256 if run.__name__ == "run" else 128)
# --- parse_reject: `logging`
import logging

log = logging.getLogger("kernels")
log.addHandler(logging.FileHandler("kept"))


def run(x):
    return launch(x)
