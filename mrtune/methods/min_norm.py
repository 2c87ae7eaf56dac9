"""The shortest vector in the convex hull of some gradients."""

import torch
from torch import Tensor


def min_norm_weights(gramian: Tensor, tolerance: float, max_iters: int) -> Tensor:
    """Minimise wᵀGw over the simplex by pairwise Frank-Wolfe, float64 [task].

    Each step moves weight from the worst task that has any to the best one, with an exact line
    search. Unlike the plain Frank-Wolfe of common solvers, which zigzags, this converges linearly.
    The duality gap that ends it is relative to the largest squared gradient norm.
    """
    scale = float(gramian.diagonal().max())
    if scale <= 0:
        return torch.full_like(gramian[0], 1 / len(gramian))
    matrix = (gramian / scale).double().cpu()
    weights = torch.full((len(matrix),), 1 / len(matrix), dtype=torch.float64)
    for _ in range(max_iters):
        slope = matrix @ weights
        best = int(slope.argmin())
        worst = int(torch.where(weights > 0, slope, -torch.inf).argmax())
        if float(slope[worst] - slope[best]) <= tolerance:
            break
        curvature = float(matrix[best, best] + matrix[worst, worst] - 2 * matrix[best, worst])
        free = float(slope[worst] - slope[best]) / curvature if curvature > 0 else float("inf")
        move = min(free, float(weights[worst]))
        weights[best] += move
        weights[worst] = 0.0 if move == float(weights[worst]) else weights[worst] - move
    return weights.to(gramian.device)
