# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__version__: str
__all__: list[str]

_Operator: TypeAlias = Literal["sum", "min", "max", "prod", "and", "or", "xor"]
_Comparison: TypeAlias = Literal["<", "<=", "==", "!=", ">", ">="]
_Backend: TypeAlias = Literal["auto", "cpu", "cuda", "sim"]
_In: TypeAlias = ArrayLike | DeviceArray
_Scalar = TypeVar("_Scalar", bound=np.generic)
_Axis: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None

class Error(RuntimeError): ...

class FindingError(Error):
    findings: list[Finding]

class FindingWarning(UserWarning): ...

class Finding(NamedTuple):
    severity: str
    check: str
    message: str
    file: str | None
    line: int
    other_file: str | None
    other_line: int
    times: int
    seed: int

class Context:
    handle: Any
    def __init__(
        self,
        backend: _Backend = "auto",
        *,
        isa: str | None = None,
        threads: int = 0,
        device: int = 0,
        openmp: bool = False,
    ) -> None: ...
    def __enter__(self) -> Context: ...
    def __exit__(self, *exception: type[BaseException] | BaseException | TracebackType | None) -> None: ...
    @property
    def backend(self) -> str: ...
    @property
    def isa(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def why(self) -> str: ...
    def reserve(self, nbytes: int) -> None: ...
    def synchronize(self) -> None: ...
    def findings(self) -> list[Finding]: ...

class DeviceArray:
    memory: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    size: int
    def __init__(self, memory: Any, shape: Sequence[int], dtype: DTypeLike) -> None: ...
    @property
    def ndim(self) -> int: ...
    @property
    def device(self) -> str: ...
    def __len__(self) -> int: ...
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __getitem__(self, index: slice) -> DeviceArray: ...
    def reshape(self, *shape: Any) -> DeviceArray: ...
    def to_host(self) -> NDArray[Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...

class HistogramResult(tuple[Any, Any]):
    @property
    def counts(self) -> Any: ...
    @property
    def edges(self) -> Any: ...
    def _repr_html_(self) -> str: ...

class HistogramResult2D(tuple[Any, ...]):
    def _repr_html_(self) -> str | None: ...

class ExactSum:
    def __init__(self, data: bytes | None = None) -> None: ...
    def add(self, a: _In, b: _In | None = None) -> ExactSum: ...
    def __iadd__(self, other: ExactSum) -> ExactSum: ...
    def round(self, dtype: DTypeLike = "float64") -> Any: ...
    def __copy__(self) -> ExactSum: ...
    def __deepcopy__(self, memo: Any) -> ExactSum: ...
    def __float__(self) -> float: ...
    def __bytes__(self) -> bytes: ...
    def __eq__(self, other: object) -> bool: ...

class Kernel:
    name: str
    block: int
    backend: str
    context: Context
    members: list[dict[str, Any]]
    findings: list[Finding]
    def __init__(
        self,
        source: str | PathLike[str],
        name: str | None,
        backend: str,
        isa: str | None,
        warp_size: int | None,
    ) -> None: ...
    def __getitem__(self, shape: int | tuple[int, int]) -> Any: ...
    def launch(self, grid: int, block: int, *args: Any, **named: Any) -> Any: ...

def library_version() -> str: ...
def to_device(a: _In, context: Context | None = None) -> DeviceArray: ...
def from_dlpack(a: Any) -> DeviceArray: ...
def kernel(
    source: str | PathLike[str],
    name: str | None = None,
    *,
    backend: Literal["sim", "cpu", "cuda"] = "sim",
    isa: str | None = None,
    warp_size: int | None = None,
) -> Kernel: ...
def unwritten(shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Any: ...
def sum(
    a: _In,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: ArrayLike = True,
    *,
    exact: bool = False,
) -> Any: ...
def prod(
    a: _In,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: ArrayLike = True,
) -> Any: ...
def min(
    a: _In,
    axis: _Axis = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: ArrayLike = True,
) -> Any: ...
def max(
    a: _In,
    axis: _Axis = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: ArrayLike = True,
) -> Any: ...
def argmin(a: _In, axis: SupportsIndex | None = None, out: Any = None, *, keepdims: bool = False) -> Any: ...
def argmax(a: _In, axis: SupportsIndex | None = None, out: Any = None, *, keepdims: bool = False) -> Any: ...
@overload
def cumulative_sum(
    x: DeviceArray,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> DeviceArray: ...
@overload
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> NDArray[Any]: ...
@overload
def cumulative_prod(
    x: DeviceArray,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> DeviceArray: ...
@overload
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> NDArray[Any]: ...
@overload
def cumsum(
    a: DeviceArray, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None
) -> DeviceArray: ...
@overload
def cumsum(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None
) -> NDArray[Any]: ...
@overload
def cumprod(
    a: DeviceArray, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None
) -> DeviceArray: ...
@overload
def cumprod(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None
) -> NDArray[Any]: ...
@overload
def scan(
    a: DeviceArray,
    op: _Operator = "sum",
    *,
    exclusive: bool = False,
    initial: Any = None,
    flags: _In | None = None,
    keys: _In | None = None,
    offsets: _In | None = None,
    axis: SupportsIndex = -1,
    dtype: DTypeLike | None = None,
    out: Any = None,
) -> DeviceArray: ...
@overload
def scan(
    a: ArrayLike,
    op: _Operator = "sum",
    *,
    exclusive: bool = False,
    initial: Any = None,
    flags: _In | None = None,
    keys: _In | None = None,
    offsets: _In | None = None,
    axis: SupportsIndex = -1,
    dtype: DTypeLike | None = None,
    out: Any = None,
) -> NDArray[Any]: ...
def reduce(
    a: _In,
    op: _Operator = "sum",
    axis: _Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
) -> Any: ...
@overload
def reduce_rows(
    a: DeviceArray,
    op: _Operator = "sum",
    *,
    dtype: DTypeLike | None = None,
    out: Any = None,
    initial: Any = None,
) -> DeviceArray: ...
@overload
def reduce_rows(
    a: ArrayLike,
    op: _Operator = "sum",
    *,
    dtype: DTypeLike | None = None,
    out: Any = None,
    initial: Any = None,
) -> NDArray[Any]: ...
@overload
def reduce_segments(
    a: DeviceArray,
    offsets: _In,
    op: _Operator = "sum",
    *,
    dtype: DTypeLike | None = None,
    out: Any = None,
    initial: Any = None,
) -> DeviceArray: ...
@overload
def reduce_segments(
    a: ArrayLike,
    offsets: _In,
    op: _Operator = "sum",
    *,
    dtype: DTypeLike | None = None,
    out: Any = None,
    initial: Any = None,
) -> NDArray[Any]: ...
def reduce_by_key(
    keys: _In, values: _In, op: _Operator = "sum", *, dtype: DTypeLike | None = None, initial: Any = None
) -> tuple[Any, Any]: ...
def argmin_segments(a: _In, offsets: _In, *, return_values: bool = False) -> Any: ...
def argmax_segments(a: _In, offsets: _In, *, return_values: bool = False) -> Any: ...
def argmin_by_key(keys: _In, values: _In, *, return_values: bool = False) -> tuple[Any, ...]: ...
def argmax_by_key(keys: _In, values: _In, *, return_values: bool = False) -> tuple[Any, ...]: ...
def dot_exact(a: _In, b: _In, dtype: DTypeLike | None = None) -> Any: ...
def histogram(
    a: _In,
    bins: int | str | ArrayLike = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: _In | None = None,
) -> HistogramResult: ...
def histogram_bin_edges(
    a: _In,
    bins: int | str | ArrayLike = 10,
    range: tuple[float, float] | None = None,
    weights: _In | None = None,
) -> NDArray[Any]: ...
def histogram_rows(
    a: _In, bins: int | ArrayLike = 10, range: tuple[float, float] | None = None
) -> HistogramResult2D: ...
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: int | ArrayLike | Sequence[int | ArrayLike] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> HistogramResult2D: ...
def histogramdd(
    sample: ArrayLike,
    bins: int | Sequence[int | ArrayLike] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> HistogramResult2D: ...
def log_edges(lo: float, hi: float, bins: int, dtype: DTypeLike = "float64") -> NDArray[Any]: ...
def power_edges(
    lo: float, hi: float, bins: int, power: float, dtype: DTypeLike = "float64"
) -> NDArray[Any]: ...
def bincount(x: _In, /, weights: _In | None = None, minlength: int = 0) -> NDArray[Any]: ...
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> NDArray[np.int64]: ...
@overload
def partition(
    a: _In, test: _Comparison | _In, value: Any = None, *, payloads: None = None
) -> tuple[Any, Any]: ...
@overload
def partition(
    a: _In, test: _Comparison | _In, value: Any = None, *, payloads: Sequence[_In]
) -> tuple[Any, Any, list[tuple[Any, Any]]]: ...
@overload
def select(a: _In, test: _Comparison | _In, value: Any = None, *, payloads: None = None) -> Any: ...
@overload
def select(
    a: _In, test: _Comparison | _In, value: Any = None, *, payloads: Sequence[_In]
) -> tuple[Any, list[Any]]: ...
@overload
def where(a: DeviceArray, test: _Comparison | _In, value: Any = None) -> DeviceArray: ...
@overload
def where(a: ArrayLike, test: _Comparison | _In, value: Any = None) -> NDArray[np.int64]: ...
@overload
def compress(
    condition: _In, a: DeviceArray, axis: SupportsIndex | None = None, out: Any = None
) -> DeviceArray: ...
@overload
def compress(
    condition: _In, a: ArrayLike, axis: SupportsIndex | None = None, out: Any = None
) -> NDArray[Any]: ...
def unique_consecutive(a: _In, return_index: bool = False, return_counts: bool = False) -> Any: ...
def run_lengths(a: _In) -> tuple[Any, Any]: ...
def multisplit(
    a: _In,
    bins: int | ArrayLike | None = None,
    *,
    range: tuple[float, float] | None = None,
    pivot: Any = None,
    bits: tuple[int, int] | None = None,
    payloads: Sequence[_In] | None = None,
    order: bool = False,
) -> tuple[Any, ...]: ...

_Kind: TypeAlias = Literal["quicksort", "heapsort", "mergesort", "stable"]

@overload
def sort(
    a: _In,
    axis: SupportsIndex | None = -1,
    kind: _Kind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    payloads: None = None,
) -> Any: ...
@overload
def sort(
    a: _In,
    axis: SupportsIndex | None = -1,
    kind: _Kind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    payloads: Sequence[_In],
) -> tuple[Any, list[Any]]: ...
@overload
def argsort(
    a: DeviceArray,
    axis: SupportsIndex | None = -1,
    kind: _Kind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> DeviceArray: ...
@overload
def argsort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: _Kind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> NDArray[np.int64]: ...
def searchsorted(
    a: _In,
    v: _In,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
    *,
    descending: bool = False,
) -> Any: ...
def is_sorted(a: _In, *, descending: bool = False) -> bool: ...
@overload
def merge(a: _In, b: _In, *, descending: bool = False, return_index: Literal[False] = False) -> Any: ...
@overload
def merge(a: _In, b: _In, *, descending: bool = False, return_index: Literal[True]) -> tuple[Any, Any]: ...
def topk(
    a: _In, k: SupportsIndex, axis: SupportsIndex | None = -1, *, largest: bool = True
) -> tuple[Any, Any]: ...
@overload
def nth_element(
    a: _In, nth: SupportsIndex, axis: SupportsIndex | None = -1, *, return_index: Literal[False] = False
) -> Any: ...
@overload
def nth_element(
    a: _In, nth: SupportsIndex, axis: SupportsIndex | None = -1, *, return_index: Literal[True]
) -> tuple[Any, Any]: ...
def median(
    a: _In, axis: _Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any: ...
def mean(
    a: ArrayLike,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    exact: bool = True,
) -> Any: ...
def var(
    a: ArrayLike,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    correction: float | None = None,
    mean: ArrayLike | None = None,
) -> Any: ...
def std(
    a: ArrayLike,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    correction: float | None = None,
    mean: ArrayLike | None = None,
) -> Any: ...
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = None,
    out: NDArray[Any] | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Any: ...
@overload
def any(
    a: ArrayLike,
    axis: None = None,
    out: None = None,
    keepdims: Literal[False] = False,
    *,
    where: ArrayLike = True,
) -> np.bool_: ...
@overload
def any(
    a: ArrayLike,
    axis: _Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Any: ...
@overload
def all(
    a: ArrayLike,
    axis: None = None,
    out: None = None,
    keepdims: Literal[False] = False,
    *,
    where: ArrayLike = True,
) -> np.bool_: ...
@overload
def all(
    a: ArrayLike,
    axis: _Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Any: ...
def nonzero(a: ArrayLike) -> tuple[NDArray[np.int64], ...]: ...
def argpartition(
    a: ArrayLike,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: None = None,
) -> NDArray[np.int64]: ...
def lexsort(keys: Sequence[ArrayLike] | NDArray[Any], axis: SupportsIndex = -1) -> Any: ...
@overload
def unique(
    a: NDArray[_Scalar],
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> NDArray[_Scalar]: ...
@overload
def unique(
    a: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any: ...
def group_by(
    keys: NDArray[_Scalar],
    values: ArrayLike,
    op: _Operator = "sum",
    *,
    dtype: DTypeLike | None = None,
    initial: Any = None,
) -> tuple[NDArray[_Scalar], NDArray[Any]]: ...
