"""Sweeps on a Dask cluster: each worker models some of the caches."""

from __future__ import annotations

from collections.abc import Sequence

from distributed import Client, KilledWorker

from accache.base.diagnostics import CompileError, Reporter
from accache.l1.gpus import Gpu
from accache.l1.study import Question, Record, answer_anywhere
from accache.l1.trace import Trace

_SECONDS = 10


def answers_of_cluster(address: str, trace: Trace, gpus: Sequence[Gpu], question: Question) -> list[Record]:
    """What ``study.answers`` says, from the workers of a scheduler; the trace is sent to them, no file is shared.

    Raises:
        CompileError: nothing answers at the address, workers lack accache, or the trace does not tell what is asked.
    """
    try:
        client = Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Reporter().fail("ACC812", address=address, reason=error) from error
    with client:
        try:
            (sent,) = client.scatter([trace], broadcast=True, hash=False)
            futures = client.map(answer_anywhere, [sent] * len(gpus), gpus, question=question, pure=False)
            return list(client.gather(futures))
        except CompileError:
            raise
        except (
            OSError,
            ImportError,
            RuntimeError,
            KilledWorker,
        ) as error:  # RuntimeError: a worker cannot read its task
            raise Reporter().fail("ACC813", address=address, reason=error) from error
