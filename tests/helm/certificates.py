"""Files that a set-up mounts from a Secret, as a test has them: beside its settings file."""

from pathlib import Path

import trustme

MOUNTED = "/etc/streamgauge/tls"


def beside(folder: Path, settings: str) -> str:
    """Write the certificates that settings name into a folder, and return them naming these."""
    if MOUNTED not in settings:
        return settings
    authority = trustme.CA()
    worker = authority.issue_cert("worker")
    authority.cert_pem.write_to_path(folder / "ca.crt")
    worker.cert_chain_pems[0].write_to_path(folder / "tls.crt")
    worker.private_key_pem.write_to_path(folder / "tls.key")
    return settings.replace(MOUNTED, str(folder))
