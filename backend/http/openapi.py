"""The OpenAPI document of the API, made from the table of operations and the types it names."""

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from backend.http.bodies import ErrorOut
from backend.http.operations import Operation, Schema
from backend.http.replies import json_reply

PATH: Final = "/api/v1/openapi.json"
_REFERENCE: Final = "#/components/schemas/{model}"
_ALWAYS: Final = (400, 401, 403, 408, 413, 421, 500)
"""What the guard, the router and a bug answer to any request."""
_TEXTS: Final = {
    200: "Done",
    400: "Something in the input makes no sense; `field` names it",
    401: "A valid token is needed",
    403: "This token, or this origin, may not do that",
    404: "There is no such thing, or it is not yours",
    408: "The request did not arrive in time",
    409: "It has moved on",
    413: "The request body is too large",
    421: "The Host is not this machine",
    500: "It went wrong; the text says what is known to have happened",
    503: "Not known to have happened; the same request may be made again",
    504: "The desk stops; wait again when it runs",
}


class DocumentRoute:
    """Offers the document of the operations, itself among them; made when first asked for."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._operations: Sequence[Operation] = ()
        self._document: Schema | None = None

    def operation(self) -> Operation:
        return Operation(
            name="openapi",
            method="GET",
            path=PATH,
            summary="This document",
            handler=self._get,
            replies={200: dict},
        )

    def describe(self, operations: Sequence[Operation]) -> None:
        """Say what the document is about, before anybody asks for it."""
        self._operations = operations

    async def _get(self, _request: Request) -> Response:
        if self._document is None:
            self._document = document(self._operations, self._version)
        return json_reply(self._document)


def document(operations: Iterable[Operation], version: str) -> Schema:
    """The document as JSON."""
    schemas: Schema = {}
    paths: dict[str, Schema] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(
            operation, schemas
        )
    return {
        "openapi": "3.1.0",
        "info": {"title": "Kandesk", "version": version},
        "paths": paths,
        "security": [{"desk": []}],
        "components": {
            "schemas": schemas,
            "securitySchemes": {"desk": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, schemas: Schema) -> Schema:
    replies: Mapping[int, Any] = {
        **dict.fromkeys(_ALWAYS, ErrorOut),
        **operation.replies,
    }
    described: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {
            str(status): _content(_reference(kind, "serialization", schemas), status)
            for status, kind in sorted(replies.items())
        },
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in operation.path_parameters
    ] + [
        {"name": item.name, "in": "query", "description": item.text, "schema": item.schema}
        for item in operation.query
    ]
    if parameters:
        described["parameters"] = parameters
    if operation.body is not None:
        schema = _reference(operation.body, "validation", schemas)
        described["requestBody"] = {
            "required": operation.body_required,
            "content": {"application/json": {"schema": schema}},
        }
    return described


def _content(schema: Schema, status: int) -> Schema:
    text = _TEXTS.get(status) or HTTPStatus(status).phrase
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _reference(kind: Any, mode: Any, schemas: Schema) -> Schema:
    """The schema of a type, its parts among the components of the document."""
    schema = TypeAdapter(kind).json_schema(mode=mode, ref_template=_REFERENCE)
    schemas |= {name: _closed(part) for name, part in schema.pop("$defs", {}).items()}
    if kind is dict or "$ref" in schema:
        return schema
    schemas[kind.__name__] = _closed(schema)
    return {"$ref": _REFERENCE.format(model=kind.__name__)}


def _closed(schema: Schema) -> Schema:
    """No body has a key its type does not name."""
    if schema.get("type") == "object" and "properties" in schema:
        return {"additionalProperties": False, **schema}
    return schema
