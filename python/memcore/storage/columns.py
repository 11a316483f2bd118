"""How the columns of the tables are made: 64-bit integers, words, and enums by value."""

from enum import IntEnum, StrEnum
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Integer, Text
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel

__all__ = ["BIG", "enum_column", "integer", "table_of", "to_memory", "words"]

BIG = BigInteger().with_variant(Integer(), "sqlite")


class _ValueOf(TypeDecorator[Any]):
    """A column that holds the value of an enum's member, and gives the member back."""

    impl = Text
    cache_ok = True

    def __init__(self, members: type[StrEnum] | type[IntEnum]) -> None:
        super().__init__()
        self.members = members
        self.impl_instance = Text() if issubclass(members, StrEnum) else Integer()

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        del dialect
        return None if value is None else self.members(value).value

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        del dialect
        return None if value is None else self.members(value)


def enum_column(
    name: str, members: type[StrEnum] | type[IntEnum], *, nullable: bool = False, **options: Any
) -> Column[Any]:
    """A column of one of the `members`, by value; the database refuses any other value.

    They are told one by one, since SQLite makes an index of a list anew for each row that it looks at.
    """
    told = " OR ".join(f"{name} = {member.value!r}" for member in members)
    return Column(name, _ValueOf(members), CheckConstraint(told), nullable=nullable, **options)


def integer(name: str, *rules: Any, nullable: bool = False, **options: Any) -> Column[Any]:
    """A 64-bit integer."""
    return Column(name, BIG, *rules, nullable=nullable, **options)


def words(name: str, *rules: Any, nullable: bool = False, **options: Any) -> Column[Any]:
    """Text."""
    return Column(name, Text, *rules, nullable=nullable, **options)


def to_memory() -> ForeignKey:
    """A reference to a memory."""
    return ForeignKey("memory.id")


def table_of(model: type[SQLModel]) -> Any:
    """The table of a model; SQLModel sets it when the class is made, which no type says."""
    return getattr(model, "__table__")  # noqa: B009 - as an attribute it would need an ignored type error
