"""Profiles: sets of parameters with a name, put into the parameter file, and taken out of it again.

Every process watches the file, so all of them follow. What somebody wrote into it by hand is kept as a profile before
another takes its place.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.errors import InvalidInputError, NotFoundError, ParamsError, shown
from memcore.learning.activating import put_in, take_out
from memcore.params import RetrievalParams, overridden, params_from_text
from memcore.records.tuning import Activation, Profile
from memcore.storage import profiles

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from memcore.params import ParamsFile
    from memcore.storage.database import Database

__all__ = ["Profiles", "changed", "document_of"]


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles of one store; `named` are those of the package, by name."""

    database: Database
    file: ParamsFile
    named: Mapping[str, Mapping[str, Any] | RetrievalParams]

    def all(self) -> list[Profile]:
        """Those of the package first, then those that were saved, by name."""
        present = self.file.current()
        found = [_profile(name, self.of(name), present, named=True) for name in self.named]
        with self.database.read() as connection:
            saved = profiles.stored(connection)
        for one in saved:
            try:
                params = params_from_text(one.document)
            except ParamsError as error:
                found.append(
                    Profile(one.name, named=False, active=False, recorded_at=one.recorded_at, problem=str(error))
                )
            else:
                found.append(_profile(one.name, params, present, named=False, recorded_at=one.recorded_at))
        return found

    def of(self, name: str) -> RetrievalParams:
        """The parameters of a profile.

        Raises:
            NotFoundError: there is none of that name.
            ParamsError: it holds something that is no set of parameters.
        """
        return params_from_text(self._document(name)) if name not in self.named else self._named(name)

    def save(self, name: str, params: RetrievalParams, now: datetime) -> Profile:
        """Save a set under a name; one that was saved under it before is replaced.

        Raises:
            InvalidInputError: a profile of the package has this name.
        """
        if name in self.named:
            raise InvalidInputError(f"name: {shown(name)} is a profile of the package; give another name")
        with self.database.write() as connection:
            profiles.put(connection, name, document_of(params), now)
        return _profile(name, params, self.file.current(), named=False, recorded_at=now)

    def activate(self, name: str, now: datetime) -> Activation:
        """Put a profile into the parameter file.

        Raises:
            NotFoundError: there is none of that name.
            ParamsError: it holds something that is no set of parameters.
            InvalidInputError: there is no parameter file to write, the database being one in memory.
            StorageError: the file or the store cannot be written; the file is as it was.
        """
        path, params = self._path(), self.of(name)
        document = document_of(params)
        kept = put_in(self.database, path, name, document, now)
        return Activation(name, str(path), kept_as=kept, changes=changed(RetrievalParams(), params))

    def rollback(self, now: datetime) -> Activation:
        """Put back what was in the parameter file before the last activation of this file that stands.

        Raises:
            NotFoundError: there is none; the message names the other file of which one stands.
            StorageError: the file or the store cannot be written; the file is as it was.
        """
        path = self._path()
        last, document, kept = take_out(self.database, path, now)
        try:
            changes = changed(RetrievalParams(), params_from_text(document))
        except ParamsError:  # what was there before could not be used either, and the file is as it was then
            changes = {}
        return Activation(last.profile, str(path), rolled_back=True, kept_as=kept, changes=changes)

    def _path(self) -> Path:
        if self.file.path is None:
            raise InvalidInputError(
                "params: a database in memory has no parameter file; open it with params=, the path of one"
            )
        return self.file.path

    def _named(self, name: str) -> RetrievalParams:
        return overridden(RetrievalParams(), self.named[name])

    def _document(self, name: str) -> bytes:
        with self.database.read() as connection:
            saved = {one.name: one.document for one in profiles.stored(connection)}
        if name not in saved:
            known = ", ".join([*self.named, *saved])
            raise NotFoundError(f"profile: there is none called {shown(name)}; there are {known}")
        return saved[name]


def document_of(params: RetrievalParams) -> bytes:
    """The text of a parameter file with every value."""
    return (json.dumps(params.model_dump(mode="json"), indent=2) + "\n").encode()


def changed(before: RetrievalParams, after: RetrievalParams) -> dict[str, Any]:
    """What a set of parameters has otherwise than another one."""
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    return {name: value for name, value in new.items() if old[name] != value}


def _profile(
    name: str, params: RetrievalParams, present: RetrievalParams, *, named: bool, recorded_at: datetime | None = None
) -> Profile:
    changes = changed(RetrievalParams(), params)
    return Profile(name, named=named, active=params == present, recorded_at=recorded_at, changes=changes)
