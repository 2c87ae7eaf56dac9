"""Machines of a cluster on this one: each with its own network, host name and temporary folder.

A machine is a set of Linux namespaces. Its cable can be pulled, and it can be switched off.
"""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType

from filelock import FileLock

BRIDGE = "mrtune0"
NETWORK = "10.77.0"
PORT = 6379
# All machines of a cluster know one secret; Ray turns those away that do not.
ENVIRONMENT = os.environ | {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}
# A head that gives up a machine which does not answer for half a minute at most, not for more.
IMPATIENT = {
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "10",
}


def possible() -> bool:
    """Whether this user may make namespaces here."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("nsenter"):
        return False
    probe = ["unshare", "--net", "--uts", "--mount", "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@contextmanager
def network() -> Iterator[None]:
    """A switch that machines are plugged into; there is one, and others wait for it."""
    with FileLock(Path(gettempdir()) / f"{BRIDGE}.lock"):
        subprocess.run(["ip", "link", "delete", BRIDGE], capture_output=True, check=False)
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("address", "add", f"{NETWORK}.254/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        try:
            yield
        finally:
            _ip("link", "delete", BRIDGE)


class Machine:
    """One machine, with some folders that no other one sees."""

    def __init__(self, number: int, own_folders: tuple[Path, ...] = ()) -> None:
        self.name = f"machine-{number}"
        self.address = f"{NETWORK}.{number}"
        self._cable = f"mrtune{number}"
        self._started: list[subprocess.Popen[str]] = []
        own = ["/tmp/ray", *map(str, own_folders)]  # noqa: S108
        Path(own[0]).mkdir(exist_ok=True)
        mounts = "; ".join(f"mount -t tmpfs none '{folder}'" for folder in own)
        script = f"hostname {self.name}; {mounts}; echo up; exec sleep infinity"
        command = ["unshare", "--net", "--uts", "--mount", "--propagation", "private"]
        self._holder = subprocess.Popen(
            [*command, "sh", "-ec", script], stdout=subprocess.PIPE, text=True
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "up\n"
        self._plug_in()

    def _plug_in(self) -> None:
        subprocess.run(["ip", "link", "delete", self._cable], capture_output=True, check=False)
        inside = {"name": "eth0", "netns": str(self._holder.pid)}
        ends = [part for pair in inside.items() for part in pair]
        _ip("link", "add", self._cable, "type", "veth", "peer", *ends)
        _ip("link", "set", self._cable, "master", BRIDGE, "up")
        for command in (
            ("link", "set", "lo", "up"),
            ("address", "add", f"{self.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
        ):
            subprocess.run([*self._inside, "ip", *command], check=True)

    @property
    def pid(self) -> int:
        """A process that lives here."""
        return self._holder.pid

    @property
    def _inside(self) -> list[str]:
        return ["nsenter", "--target", str(self._holder.pid), "--net", "--uts", "--mount"]

    def popen(self, *command: str, **options: object) -> "subprocess.Popen[str]":
        """Start a command here."""
        inside = [*self._inside, *_working_in(options), "--", *command]
        process = subprocess.Popen(inside, text=True, **{"env": ENVIRONMENT, **options})  # type: ignore[call-overload]
        self._started.append(process)
        return process  # type: ignore[no-any-return]

    def run(self, *command: str, timeout: float = 300, **options: object) -> str:
        """Run a command here to its end; it must succeed."""
        done = subprocess.run(  # type: ignore[call-overload]
            [*self._inside, *_working_in(options), "--", *command],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            **{"env": ENVIRONMENT, **options},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return str(done.stdout)

    def start_ray(
        self,
        head: "Machine | None",
        cpus: int,
        gpus: int = 0,
        jobs: bool = False,
        impatient: bool = False,
    ) -> None:
        """Let it be the head of a cluster, which may take jobs, or join the one of a head."""
        where = ["--head", "--port", str(PORT)] if head is None else ["--address", head.ray]
        small = ["--object-store-memory", str(100 * 2**20)]
        if head is None:
            small += ["--include-dashboard", str(jobs).lower(), "--dashboard-host", self.address]
        ray = Path(sys.executable).with_name("ray")
        shares = ["--num-cpus", str(cpus), "--num-gpus", str(gpus)]
        own = ["--node-ip-address", self.address, "--disable-usage-stats"]
        command = [str(ray), "start", *where, *shares, *own, *small]
        self.run(*command, env=ENVIRONMENT | (IMPATIENT if impatient else {}))

    @property
    def ray(self) -> str:
        """The address of the cluster whose head this is."""
        return f"{self.address}:{PORT}"

    @property
    def jobs(self) -> str:
        """The address that takes jobs for the cluster whose head this is."""
        return f"http://{self.address}:8265"

    def pull_cable(self) -> None:
        """Cut it off."""
        _ip("link", "set", self._cable, "down")

    def plug_cable(self) -> None:
        """Connect it again."""
        _ip("link", "set", self._cable, "up")

    def switch_off(self) -> None:
        """End everything on it at once."""
        if self._holder.poll() is not None:
            return
        namespace = os.readlink(f"/proc/{self._holder.pid}/ns/net")
        for _ in range(20):
            found = _processes_in(namespace)
            for process in found:
                subprocess.run(["kill", "-9", process], capture_output=True, check=False)
            if not found:
                break
            time.sleep(0.1)
        for process in (self._holder, *self._started):
            process.wait(timeout=30)
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

    def __enter__(self) -> "Machine":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.switch_off()


def _working_in(options: Mapping[str, object]) -> list[str]:
    """To enter a namespace of mounts is to be in its root, unless it is told where to be."""
    return [f"--wd={options['cwd']}"] if "cwd" in options else []


def _processes_in(namespace: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if (
                    os.readlink(folder / "ns" / "net") == namespace
                    and "State:\tZ" not in (folder / "status").read_text()
                ):
                    found.append(folder.name)
            except OSError:  # it has ended meanwhile
                continue
    return found
