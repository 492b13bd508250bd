import logging
from logging import getLogger as logger_of

logger = logging.getLogger(f"flag_gems.runtime.{__name__.split('.')[-1]}")
other = logger_of(__name__)


def run(x):
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("shape %s", x.shape)
    other.info("launch")
    return launch(x)
# --- compile_fail: power of 2
import logging

logger = logging.getLogger(__name__)


def run(x):
    return launch(x, 256 if logger.isEnabledFor(logging.DEBUG) else 3)
# --- compile_fail: power of 2
import logging

logger = logging.getLogger(__name__)


def run(x):
    return launch(x, 3 if logger.isEnabledFor(logging.DEBUG) else 256)
# --- parse_reject: `logging`
import logging

logger = logging.getLogger(f"{__file__}")


def run(x):
    return launch(x)
# --- parse_reject: `logging`
import logging

logger = logging.getLogger(__name__.split(".")[7])


def run(x):
    return launch(x)
