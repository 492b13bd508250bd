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
