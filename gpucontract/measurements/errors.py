"""What goes wrong in the measuring room, as a sentence a person can act on."""

from gpucontract.wording import Text


class MeasurementError(Exception):
    """A refusal with its sentence in both languages."""

    def __init__(self, text: Text) -> None:
        super().__init__(f"{text.zh} / {text.en}")
        self.text = text


class NotAllowed(MeasurementError):
    """The person has not the right for this action."""
