"""Verdicts on Triton kernels from the Ouroboros referee, without dependencies.

    with Referee() as referee:
        verdict = referee.judge("softmax", source)
        print(verdict.status, verdict.feedback)

`KernelReward` is a reward function for GRPO-style trainers. See README.md.
"""

from .client import Referee, RefereeError, Verdict
from .reward import KernelReward, RewardTable, extract_kernel

__all__ = ["KernelReward", "Referee", "RefereeError", "RewardTable", "Verdict", "extract_kernel"]
__version__ = "0.1"
