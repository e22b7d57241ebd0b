"""What decision models may answer, and what each answer means."""

VERDICTS = (
    ("supported", "the passages state it, or it follows from them directly"),
    ("contradicted", "the passages say something that excludes it"),
    ("not_stated", "the passages say neither, or only a part of it"),
)
AGREEMENT = (
    ("consistent", "the same facts, numbers, dates and names, whatever the words"),
    ("slightly_inconsistent", "a small fact differs, or only one of them has it"),
    ("contradictory", "they cannot both be right"),
)
AGREEMENT_LEVELS = (
    "no fact in common, or they exclude each other",
    "most facts differ",
    "about half of the facts agree",
    "all but a detail agrees",
    "all facts agree",
)
ACCURACY = (
    ("fully_supported", "the reference says it"),
    ("partially_supported", "the reference says a part of it and excludes none"),
    ("contradicted", "the reference excludes it"),
    ("unsupported", "the reference does not speak of it"),
)
