"""How the settings are read, checked and explained: a YAML file, changed by the environment."""
