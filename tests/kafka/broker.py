"""A real Apache Kafka (KRaft) on 127.0.0.1.

Tests start their own `Cluster`, whose processes die with the test run, however that ends.
"""

import asyncio
import base64
import ctypes
import signal
import subprocess
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from tests.kafka.apache import JVM, LOG4J, PROPERTIES, classpath, java
from tests.kafka.forger import Forger
from tests.kafka.proxy import Proxy, free_port

PATIENCE_SECONDS = 60


def die_with_parent() -> None:
    """Have the kernel end this process when the one that started it ends (Linux only)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class WayIn(NamedTuple):
    """One more listener of a node: its name, its port, and its protocol as Kafka says it.

    `advertised`: where clients are sent on to, if not there.
    """

    name: str
    port: int
    protocol: str
    advertised: str = ""

    @property
    def here(self) -> str:
        return f"127.0.0.1:{self.port}"


@dataclass
class Cluster:
    """One to three nodes, each broker and controller, with their data in `folder`.

    `detached`: the nodes outlive this process; otherwise they end with it, even by kill -9.
    `advertised` maps a node to the port that clients are sent to (a proxy's); `settings` are a
    broker's own, beside ours. `ways_in` are of one node alone; `users` are SCRAM's, as Kafka's tool
    takes them.
    """

    folder: Path
    nodes: int = 1
    detached: bool = False
    advertised: dict[int, int] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    ways_in: Sequence[WayIn] = ()
    users: Sequence[str] = ()
    ports: dict[int, int] = field(init=False)
    _processes: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        numbers = range(1, self.nodes + 1)
        self.ports = {node: free_port() for node in numbers}
        controllers = {node: free_port() for node in numbers}
        voters = ",".join(f"{n}@127.0.0.1:{port}" for n, port in controllers.items())
        # A cluster id must not begin with a dash, or the tool takes it for an option.
        cluster_id = "A" + base64.urlsafe_b64encode(uuid.uuid4().bytes).decode()[1:22]
        (self.folder / "log4j2.yaml").write_text(LOG4J)
        for node in numbers:
            properties = PROPERTIES.format(
                node=node,
                port=self.ports[node],
                advertised=self.advertised.get(node, self.ports[node]),
                controller=controllers[node],
                voters=voters,
                data=self.folder / f"data{node}",
                copies=min(3, self.nodes),
                ways_in="".join(f",{w.name}://{w.here}" for w in self.ways_in),
                ways_out="".join(f",{w.name}://{w.advertised or w.here}" for w in self.ways_in),
                protocols="".join(f",{w.name}:{w.protocol}" for w in self.ways_in),
            )
            more = "".join(f"{name}={value}\n" for name, value in self.settings.items())
            (self.folder / f"{node}.properties").write_text(properties + more)
            tool = ("kafka.tools.StorageTool", "format", "-t", cluster_id)
            users = [argument for user in self.users for argument in ("--add-scram", user)]
            done = self._java(*tool, "-c", f"{node}.properties", *users, log="format.log")
            if done.wait(PATIENCE_SECONDS):
                raise RuntimeError((self.folder / "format.log").read_text())

    def _java(self, *arguments: str, log: str) -> subprocess.Popen[bytes]:
        command = [java(), *JVM, "-Dlog4j2.configurationFile=log4j2.yaml", "-cp", classpath()]
        with (self.folder / log).open("ab") as out:
            return subprocess.Popen(  # noqa: S603 - our own java on our own jars
                [*command, *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=None if self.detached else die_with_parent,
            )

    @property
    def address(self) -> str:
        """Where clients begin, as `host:port,host:port`."""
        ports = (self.advertised.get(node, port) for node, port in self.ports.items())
        return ",".join(f"127.0.0.1:{port}" for port in ports)

    @property
    def pids(self) -> list[int]:
        """The process ids of the nodes that were started."""
        return [process.pid for process in self._processes.values()]

    def alive(self) -> bool:
        """Say whether every node that was started still runs."""
        return all(process.poll() is None for process in self._processes.values())

    def start(self, node: int) -> None:
        """Start one node and do not wait for it."""
        self._processes[node] = self._java(
            "kafka.Kafka", f"{node}.properties", log=f"node{node}.log"
        )

    def start_all(self) -> None:
        """Start every node and do not wait for them."""
        for node in self.ports:
            self.start(node)

    def end(self, node: int, how: signal.Signals) -> None:
        """End one node by SIGKILL, or by SIGTERM: then it hands its partitions over first."""
        process = self._processes[node]
        process.send_signal(how)
        process.wait(PATIENCE_SECONDS)

    def signal(self, node: int, number: signal.Signals) -> None:
        """Send a signal to one node; after SIGKILL return when it is gone."""
        process = self._processes[node]
        process.send_signal(number)
        if number is signal.SIGKILL:
            process.wait(PATIENCE_SECONDS)

    def stop(self) -> None:
        """End every node: a test's data is worth no farewell."""
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait(PATIENCE_SECONDS)


async def ready(address: str, *, nodes: int = 1, alive: Callable[[], bool] = lambda: True) -> None:
    """Return once all nodes are registered: before that a topic's creation can fail."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await _registered(address) >= nodes:
            if not alive():
                raise RuntimeError("a node ended before it was ready: see its log")
            await asyncio.sleep(0.1)


async def _registered(address: str) -> int:
    host, port = address.split(",")[0].split(":")
    try:  # aiokafka logs every refusal as an error
        _, writer = await asyncio.open_connection(host, int(port))
    except OSError:
        return 0
    writer.close()
    admin = AIOKafkaAdminClient(bootstrap_servers=address, request_timeout_ms=5000)
    try:
        await admin.start()
        return len((await admin.describe_cluster())["brokers"])
    except (KafkaError, OSError):
        return 0
    finally:
        await admin.close()


@asynccontextmanager
async def running(
    folder: Path,
    *,
    nodes: int = 1,
    settings: Mapping[str, str] | None = None,
    proxy: Proxy | Forger | None = None,
) -> AsyncIterator[Cluster]:
    """Yield a cluster of one's own, ready: for a test that breaks it.

    With a proxy, clients are sent to that instead of to the (one) node.
    """
    advertised = {} if proxy is None else {1: proxy.port}
    cluster = Cluster(folder, nodes, advertised=advertised, settings=settings or {})
    try:
        if proxy is not None:
            proxy.target = cluster.ports[1]
        cluster.start_all()
        await ready(cluster.address, nodes=nodes, alive=cluster.alive)
        yield cluster
    finally:
        cluster.stop()
