"""Snapshots that options name, as sources of files for `verger.snapshots`."""

import os

from verger.files.folder import open_folder
from verger.snapshots.on_disk import SnapshotFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from verger.snapshots.answer import Question


def snapshot_files(path: str, questions: "Sequence[Question]") -> SnapshotFiles:
    """Return the files of the snapshot at a path, open."""
    if os.path.isdir(path):  # noqa: PTH112 -- without the import below, which costs more than all else
        return SnapshotFiles(path, open_folder(path), questions)
    from verger.snapshots.stored import open_snapshot

    return SnapshotFiles(path, open_snapshot(path), questions)
