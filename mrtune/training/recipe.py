"""How to train, whatever the method and the data."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Recipe(BaseModel):
    """The parameters of the loop."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epochs: float = Field(10.0, gt=0, description="length of the training")
    batch_size: int = Field(256, ge=1, description="largest batch; an epoch is cut evenly")
    lr: float = Field(1e-4, gt=0, description="learning rate of Adam")
    weight_decay: float = Field(0.0, ge=0, description="decoupled weight decay")
    schedule: Literal["constant", "cosine", "linear"] = Field(
        "constant", description="course of the learning rate to the end of training"
    )
    clip: float | None = Field(None, gt=0, description="largest norm of the gradients")
    amp: Literal["none", "bf16", "fp16"] = Field("none", description="automatic mixed precision")
    step: Literal["joint", "alternating"] = Field(
        "joint", description="one update a batch for all tasks, or one for each task"
    )
    execution: Literal["compact", "stacked", "dense"] = Field(
        "compact",
        description="compute a task's units only; all tasks in one batch (for narrow networks); "
        "or mask, task by task",
    )
    compile: bool = Field(False, description="torch.compile the dense execution; for GPUs")
    norm_eval: Literal["task", "batch"] = Field(
        "task", description="evaluate with a task's running statistics, or with the batch's own"
    )
    norm_batches: int = Field(
        8,
        ge=0,
        description="training batches whose statistics an evaluation takes; 0: the running ones",
    )
    report_every: float = Field(1.0, gt=0, description="epochs from one report to the next")
