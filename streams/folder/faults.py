"""What can be wrong with a folder log so that somebody has to mend it."""


class LogFaultError(ValueError):
    """A file is not what it should be. The message names it, and the way out."""


class ShrunkError(LogFaultError):
    """A log lost lines that had been counted: its offsets mean nothing any more. Start again."""
