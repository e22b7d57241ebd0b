"""The check digits that tell a card or an account from any other long number."""

_VALUES = {ord(letter): str(value) for value, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 10)}
_DOUBLED = {ord(digit): str(sum(divmod(2 * int(digit), 10))) for digit in "0123456789"}


def luhn(digits: str) -> bool:
    """Say whether the last digit checks the others as payment cards do (ISO/IEC 7812-1)."""
    plain, doubled = digits[::-2], digits[-2::-2].translate(_DOUBLED)
    return sum(map(int, plain + doubled)) % 10 == 0


def mod_97(iban: str) -> bool:
    """Say whether an IBAN's check digits are right (ISO 13616-1): in capitals, without gaps."""
    return int((iban[4:] + iban[:4]).translate(_VALUES)) % 97 == 1
