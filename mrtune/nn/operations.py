"""What each operation of a traced network does to compact tensors."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx.node import map_aggregate
from torch.nn import functional as F

from mrtune.nn import pointwise, tiny
from mrtune.nn.mask import Mask
from mrtune.nn.norm import BatchStatistics, TaskNorm
from mrtune.nn.plans import Plans
from mrtune.nn.pointwise import is_pointwise
from mrtune.nn.program import SUMS, Step
from mrtune.nn.residual import union_add
from mrtune.nn.squeeze import Squeeze
from mrtune.nn.support import Compact, Support, Value, channels_last, dense, select, tensor_of
from mrtune.nn.take import Channels, Weights
from mrtune.nn.tiny import is_tiny

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """Batch statistics that a norm saw, to be blended into those of each task that uses them."""

    norm: TaskNorm
    gate: nn.Module | None
    units: Support | None  # the channels it was computed on; None for all
    batch: BatchStatistics

    def tell(self, plans: Plans, task: int) -> None:
        """Update the task's statistics of the units that it holds."""
        held = plans.support(self.gate, task) if isinstance(self.gate, Mask) else None
        if held is None:
            self.norm.update(task, self.batch)
        elif held.held:
            batch = self.batch if self.units else self.batch.pick(held.channels)
            self.norm.update(task, batch, held.channels)


@dataclass(frozen=True)
class Pass:
    """One walk through the network, for one task or (task None) for what tasks have in common."""

    task: int | None
    plans: Plans
    weights: Weights
    seen: list[Observation] = field(default_factory=list)

    def __call__(self, step: Step, args: Args, kwargs: Kwargs) -> Any:
        """Do one step on compact tensors."""
        key = step.node.target if step.module is None else type(step.module)
        handler = HANDLERS.get(key, anything) if args else anything
        return handler(self, step, args, kwargs)

    def units(self, gate: nn.Module | None) -> Support | None:
        """Return the units worth computing before a gate; None stands for all."""
        if not isinstance(gate, Mask):
            return None
        if self.task is None:
            return self.plans.support(gate, 0) if self.plans.uniform(gate) else None
        return self.plans.support(gate, self.task)

    def narrow(self, value: Value, support: Support | None) -> Tensor:
        """Return the channels of a support, or of all, of any value."""
        if support is None:
            full: Tensor = dense(value)
            return full
        if isinstance(value, Tensor):
            return select(value, support.channels)
        if value.support is support:
            return value.tensor
        missing = value.tensor.new_zeros(()) if value.fill is None else value.fill
        missing = missing.expand_as(value.tensor[:, :1])
        padded = torch.cat([value.tensor, missing], 1)
        return select(padded, self.plans.places(value.support, support))

    def masked(self, value: Value, gate: nn.Module | None) -> Value:
        """Keep the units that the task holds behind a mask."""
        units = self.units(gate)
        if units is None:
            return value
        tensor = self.narrow(value, units)
        return Compact(tensor if units.held else tensor * 0, units)

    def picked(self, common: Channels, mask: Mask) -> Compact:
        """Keep the units that the task holds of a value common to all tasks."""
        units = self.units(mask) or self.plans.everything(mask)
        tensor = common.pick(self.weights, units)
        return Compact(tensor if units.held else tensor * 0, units)


def compact(tensor: Tensor, support: Support | None) -> Value:
    """Return a tensor with its support, if it has one."""
    return tensor if support is None else Compact(tensor, support)


def replaced(value: Value, tensor: Tensor) -> Value:
    """Return a tensor with the support of a value."""
    return Compact(tensor, value.support) if isinstance(value, Compact) else tensor


def anything(_: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Run an operation that has no compact form at full width."""
    return step.plain(map_aggregate(args, dense), map_aggregate(kwargs, dense))


def channelwise(_: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Run an operation that keeps channels apart and maps zero to zero."""
    value, *rest = args
    if step.overwrites:
        return replaced(value, torch.relu_(tensor_of(value)))
    if not isinstance(value, Compact):
        return step.plain(args, kwargs)
    out = step.plain((value.tensor, *rest), kwargs)
    if not isinstance(out, tuple):
        return Compact(out, value.support)
    # A pooling that returns its arg-max indices: a channel of zeros has some too.
    zeros = value.tensor.new_zeros(1, 1, *value.tensor.shape[2:])
    indices = step.plain((zeros, *rest), kwargs)[1]
    return Compact(out[0], value.support), Compact(out[1], value.support, fill=indices)


def unpool(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Put values back where the indices say."""
    value, indices, *rest = args
    support = value.support if isinstance(value, Compact) else None
    where = run.narrow(indices, support)
    return compact(step.plain((run.narrow(value, support), where, *rest), kwargs), support)


def convolution(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Convolve the channels at hand into the units worth computing."""
    conv, (x,) = step.module, args
    assert isinstance(conv, nn.Conv2d)
    depthwise = conv.groups == conv.in_channels == conv.out_channels
    if not (is_dense(conv) or (depthwise and conv.padding_mode == "zeros")):
        return anything(run, step, args, kwargs)
    units = run.units(step.gate)
    bias = conv.bias
    if units is not None and bias is not None:
        bias = bias.index_select(0, units.channels)
    if conv.groups > 1:
        maps, inputs = run.narrow(x, units), None
    else:
        maps, inputs = tensor_of(x), x.support if isinstance(x, Compact) else None
    out = run.weights.use(
        conv.weight, units, inputs, lambda weight: convolve(conv, maps, weight, bias)
    )
    return compact(out, units)


def is_dense(conv: nn.Conv2d) -> bool:
    """Return whether each output reads each input, and nothing beyond the border."""
    return conv.groups == 1 and conv.padding_mode == "zeros"


def convolve(conv: nn.Conv2d, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Convolve as a layer says, by some of its weights."""
    if is_pointwise(conv):
        return pointwise.product(conv, x, weight, bias)
    if conv.groups == 1 and bias is None and is_tiny(conv, x, weight):
        return tiny.product(x, weight)
    groups = 1 if conv.groups == 1 else x.shape[1]
    x, weight = channels_last(x), channels_last(weight)
    return F.conv2d(x, weight, bias, conv.stride, conv.padding, conv.dilation, groups)


def linear(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Multiply the features at hand by their columns of the weight."""
    module, (x,) = step.module, args
    assert isinstance(module, nn.Linear)
    if not isinstance(x, Compact) or x.tensor.dim() != 2:
        return anything(run, step, args, kwargs)
    return run.weights.use(
        module.weight, None, x.support, lambda weight: F.linear(x.tensor, weight, module.bias)
    )


def norm(run: Pass, step: Step, args: Args, _: Kwargs) -> Any:
    """Normalise the units worth computing."""
    module = step.module
    assert isinstance(module, TaskNorm)
    units = run.units(step.gate)
    x = run.narrow(args[0], units)
    channels = None if units is None else units.channels
    if not module.uses_batch:
        return compact(module.by_task(x, run.task or 0, channels), units)
    out, batch = module.by_batch(x, channels)
    seen = Observation(module, step.gate, units, batch)
    if run.task is None:
        run.seen.append(seen)
    else:
        seen.tell(run.plans, run.task)
    return compact(out, units)


def mask(run: Pass, step: Step, args: Args, _: Kwargs) -> Any:
    """Keep the units that the task holds."""
    return run.masked(args[0], step.module)


def squeeze(run: Pass, step: Step, args: Args, _: Kwargs) -> Any:
    """Apply the task's excitation."""
    assert isinstance(step.module, Squeeze)
    return step.module(dense(args[0]), run.task or 0)


def add(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Add two tensors on the union of their supports."""
    if kwargs or not all(isinstance(v, Compact) for v in args) or args[0].shape != args[1].shape:
        return anything(run, step, args, kwargs)
    a, b = args
    if a.support is b.support:
        return Compact(a.tensor + b.tensor, a.support)
    union = run.plans.union(a.support, b.support)
    return Compact(union_add(a.tensor, b.tensor, union), union.support)


def concatenate(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Concatenate channels."""
    values, *rest = args
    dim = rest[0] if rest else kwargs.get("dim", 0)
    if dim != 1 or not any(isinstance(v, Compact) for v in values):
        return anything(run, step, args, kwargs)
    parts = tuple((v.shape[1], v.support if isinstance(v, Compact) else None) for v in values)
    return Compact(torch.cat([tensor_of(v) for v in values], 1), run.plans.joined(parts))


def flatten(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Flatten each image's channels and positions into features."""
    value, *rest = args
    start = rest[0] if rest else kwargs.get("start_dim", getattr(step.module, "start_dim", 0))
    if not isinstance(value, Compact) or start != 1 or len(rest) > 1 or "end_dim" in kwargs:
        return anything(run, step, args, kwargs)
    positions = value.tensor[0, 0].numel()
    support = value.support if positions == 1 else run.plans.spread(value.support, positions)
    return Compact(value.tensor.flatten(1), support)


def item(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Take an item of a tuple as it is."""
    if isinstance(args[0], tuple | list):
        return step.plain(args, kwargs)
    return anything(run, step, args, kwargs)


def attribute(run: Pass, step: Step, args: Args, kwargs: Kwargs) -> Any:
    """Tell a shape without building the full width."""
    if args[1:] == ("shape",):
        return args[0].shape
    return anything(run, step, args, kwargs)


def size(_: Pass, __: Step, args: Args, kwargs: Kwargs) -> Any:
    """Tell a size without building the full width."""
    dim = args[1] if args[1:] else kwargs.get("dim")
    return args[0].shape if dim is None else args[0].shape[dim]


Handler = Callable[[Pass, Step, Args, Kwargs], Any]

# Keys are module types, functions, and names of methods.
CHANNELWISE: tuple[Any, ...] = (
    *(nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.GELU, nn.SiLU, nn.Hardswish, nn.Tanh),
    *(nn.Identity, nn.Dropout, nn.Dropout2d),
    *(nn.MaxPool2d, nn.AvgPool2d, nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d),
    *(torch.relu, F.relu, F.relu6, F.leaky_relu, F.silu, F.hardswish, "relu"),
    *(F.dropout, F.max_pool2d, F.avg_pool2d, F.adaptive_avg_pool2d),
    *(torch.max_pool2d, F.max_pool2d_with_indices),
)

HANDLERS: dict[Any, Handler] = {
    **dict.fromkeys(CHANNELWISE, channelwise),
    **dict.fromkeys(SUMS, add),
    **dict.fromkeys((torch.flatten, "flatten", nn.Flatten), flatten),
    **dict.fromkeys((nn.MaxUnpool2d, F.max_unpool2d), unpool),
    nn.Conv2d: convolution,
    nn.Linear: linear,
    TaskNorm: norm,
    Mask: mask,
    Squeeze: squeeze,
    torch.cat: concatenate,
    operator.getitem: item,
    getattr: attribute,
    "size": size,
}
