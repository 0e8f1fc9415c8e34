"""What all parts of a scenario have in common."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    ValidationError,
)
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.in_python import show_plainly, summary_of

NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]*$"
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
Telling = Callable[[ValidationError, Mapping[str, Any], type[BaseModel]], list[Problem]]

if TYPE_CHECKING:
    # Pydantic gives its metaclass no public name, and a type checker needs one.
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class _Kind(ModelMetaclass):
    """Makes what is written in Python fail in the words of a file."""

    # Only a call from outside comes by here: what a file holds is checked as a whole. A type
    # checker shall see each part's own fields.
    if not TYPE_CHECKING:

        def __call__(cls, *arguments: Any, **values: Any) -> Any:
            """Build a part; raise ScenarioError with every problem found."""
            try:
                return super().__call__(*arguments, **values)
            except ValidationError as error:
                if Part.told_by is None:
                    raise
                raise ScenarioError(cls.__name__, Part.told_by(error, values, cls)) from None


class Part(BaseModel, metaclass=_Kind):
    """A part of a scenario: unknown fields are refused, and nothing changes afterwards."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        validate_by_name=True,
        validate_by_alias=True,
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **_keywords: Any) -> None:
        """Let Python show the class as people write it."""
        show_plainly(cls)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe it in a sentence: the schema has the fields anyway."""
        described = handler(schema)
        handler.resolve_ref_schema(described)["description"] = summary_of(cls)
        return described

    told_by: ClassVar[Telling | None] = None
    """Says what is wrong with the fields of a part; whoever knows all parts says how, here.

    Until then pydantic's own error stands.
    """


def about(
    description: str, *, unit: str | None = None, source: str | None = None, **limits: Any
) -> FieldInfo:
    """Describe a field: its help text, the unit of a bare number, the source of its default."""
    notes: JsonDict = {
        key: text for key, text in (("unit", unit), ("source", source)) if text is not None
    }
    info: FieldInfo = Field(description=description, json_schema_extra=notes or None, **limits)
    return info
