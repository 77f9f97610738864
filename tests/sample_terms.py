"""The terms that tests draft contracts from: the demonstration's."""

from gpucontract.web.demo.sample import BUYER, CONTRACT_TERMS, GROUP_TERMS, MOUNT_TERMS, SAMPLE, VENDOR

__all__ = ["BUYER", "CONTRACT_TERMS", "GROUP_TERMS", "MOUNT_TERMS", "SAMPLE", "VENDOR"]
