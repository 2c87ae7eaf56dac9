"""What methods and metrics are called on pages."""

from collections.abc import Mapping

# In the order of the paper's tables, then those beyond it.
METHODS: Mapping[str, str] = {
    "stl": "STL",
    "mtl": "MTL",
    "gradnorm": "GradNorm",
    "mgda": "MGDA-UB",
    "se": "SE-MTL",
    "tr": "TR",
    "mr": "MR",
    "uw": "UW",
    "dwa": "DWA",
    "famo": "FAMO",
    "pcgrad": "PCGrad",
    "cagrad": "CAGrad",
    "fairgrad": "FairGrad",
    "aligned": "Aligned-MTL",
    "imtl-g": "IMTL-G",
    "upgrad": "UPGrad",
}

METRICS: Mapping[str, str] = {
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F-score",
    "accuracy": "Accuracy",
    "miou": "mIoU",
    "pixel_accuracy": "Pixel accuracy",
    "depth_abs_error": "Depth, absolute error",
    "depth_rel_error": "Depth, relative error (%)",
    "normals_mean_angle": "Normals, mean angle (°)",
    "normals_median_angle": "Normals, median angle (°)",
    "f": "F-score",
    "iou": "IoU",
}


def method_name(method: str) -> str:
    """Name a method as the paper does."""
    return METHODS.get(method, method)


def metric_name(metric: str) -> str:
    """Name a metric, with its unit where it has one."""
    return METRICS.get(metric, metric)


def method_order(method: str) -> tuple[int, str]:
    """Sort methods as the paper's tables do, unknown ones last."""
    return (list(METHODS).index(method) if method in METHODS else len(METHODS), method)
