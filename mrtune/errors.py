"""What mrtune says on purpose when something is wrong.

MrtuneError               exit 1    a failure that mrtune can name
├── UsageError            exit 2    the user's input breaks a rule
│   ├── ParameterError              one value, its rule
│   ├── Mistakes                    several at once, a line each
│   └── DataError                   a data set is absent, unsound, or finds no room
├── StorageFailed         exit 1    the storage of a study does not take or give any more
├── Diverged              exit 1    a loss is no longer a finite number
├── BrokenEnvironment     exit 1    `doctor` found something needed that does not work
└── TrialsFailed          exit 3    the search finished, some of its trials failed

An interruption (Ctrl-C, SIGTERM) exits with 130. Anything else is a bug and shows its traceback.
"""

EXIT_INTERRUPTED = 130


class MrtuneError(Exception):
    """A failure that mrtune can name in one line."""

    exit_code = 1


class UsageError(MrtuneError):
    """The user's input breaks a rule; nothing was changed."""

    exit_code = 2


class ParameterError(UsageError):
    """A parameter whose value breaks its rule."""

    def __init__(self, name: str, rule: str, value: object) -> None:
        super().__init__(f"{name} must be {rule}, got {value!r}")
        self.name = name
        self.rule = rule
        self.value = value


class Mistakes(UsageError):
    """Everything that is wrong with an input, one line for each mistake."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


class DataError(UsageError):
    """A data set is absent, is not laid out as it should be, or its cache finds no room."""


class StorageFailed(MrtuneError):
    """The database of a study does not do what it did before: full, gone, or not allowed."""


class Diverged(MrtuneError):
    """Training has run into a loss that is not a finite number."""


class BrokenEnvironment(MrtuneError):
    """Something that mrtune needs does not work on this machine."""


class TrialsFailed(MrtuneError):
    """The search finished, but some of its trials failed."""

    exit_code = 3
