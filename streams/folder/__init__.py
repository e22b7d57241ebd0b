"""The embedded log: topics as folders of JSON lines. It knows nothing of what the lines mean."""
