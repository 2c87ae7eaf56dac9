"""A real server of objects, which can be away for a while, and what it holds as others see it."""

import subprocess
import sys
from types import TracebackType

import boto3

BUCKET = "bucket"
REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "sesame"}


class ObjectStore:
    """A server in a process of its own, with a bucket; its objects survive that it shuts."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.places.s3_server", host],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._address = f"{host}:{self._answer()}"
        self._client = boto3.client(
            "s3",
            endpoint_url=f"http://{self._address}",
            region_name=REGION,
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        )
        self._client.create_bucket(Bucket=BUCKET)

    def uri(self, path: str, bucket: str = BUCKET) -> str:
        """What --runs says for a prefix."""
        return f"s3://{bucket}/{path}?scheme=http&endpoint_override={self._address}&region={REGION}"

    def keys(self, prefix: str) -> list[str]:
        """Name the objects with something in them; pyarrow marks folders by empty ones."""
        found = self._client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
        return [thing["Key"] for thing in found if thing["Size"]]

    def shut(self) -> None:
        """Turn everybody away."""
        self._ask()

    def open(self) -> None:
        """Be there again, with all objects."""
        self._ask()

    def _ask(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline().strip()
        assert answer, "the server has ended"
        return answer

    def __enter__(self) -> "ObjectStore":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()
        self._process.communicate(timeout=30)
