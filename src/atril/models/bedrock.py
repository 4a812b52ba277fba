"""The connection to Amazon Bedrock, with the credentials and the region that AWS's own tools find."""

from __future__ import annotations

from typing import Any, Final

import boto3
from botocore.config import Config

_CONNECT_SECONDS: Final = 5.0


def connect(*, region: str | None, base_url: str | None, timeout: float, connections: int = 10) -> Any:
    """A client that waits `timeout` seconds for each answer and never repeats a request by itself.

    Raises botocore's errors for a region that is missing or a profile that does not exist.
    """
    config = Config(
        read_timeout=timeout,
        connect_timeout=min(timeout, _CONNECT_SECONDS),
        retries={"total_max_attempts": 1},
        max_pool_connections=connections,
    )
    return boto3.Session().client("bedrock-runtime", region_name=region, endpoint_url=base_url, config=config)
