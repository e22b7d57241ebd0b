"""The edges of the flow on Kafka, and the only place that knows aiokafka. Start at source.py."""
