"""The names under which a study and its trials keep what Optuna has no place for."""

# Of a study.
WORKLOAD = "workload"  # the name of a trainer, or the path of its file
SPACE = "space"  # the search space, as a mapping
SETTINGS = "settings"  # how it is searched: target, seed, grace, …
FOLDER = "folder"  # in what --runs names, of this study alone
CONTROL = "control"  # what the user asks of it: run, pause, stop, cancel
CONFIRMING = "confirming"  # how many seeds, where it confirms another study
STOPPED = "stopped"  # the numbers of trials that the user stops one by one
DRIVER = "driver:"  # + id: a process that searches, and when it was last seen

# Of a trial.
CONFIG = "config"  # the number of the first trial with the same configuration
DEFAULT = "default"  # whether it is the trainer's own configuration
SEED = "seed"  # of the training
OWNER = "owner"  # the id of the driver that runs it
SLOT = "slot"  # the folder with its checkpoints and its log
SETTING = "setting"  # the flat configuration that the trainer is built from
CURVES = "curves"  # metric → its value at each report
METRICS = "metrics"  # all metrics of the last report
RUNGS = "rungs"  # each rung that it came to, with the verdict there
FAILURE = "failure"  # reason and traceback
RETRIES = "retries"  # how often its worker was lost
PLACE = "place"  # host and device
NETWORK = "network"  # its size, and what its roaming follows from
PROVENANCE = "provenance"  # revision, versions, data fingerprint
SECONDS = "seconds"  # of work, over all attempts
