import type { ApiDocument, ApiOperation, ApiResponse } from '#server/core/api-document';
import { apiDocumentText } from '#server/http/openapi-document';

/** One operation with its place. */
export interface PlacedOperation {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** A page of the reference. */
export interface ReferenceArea {
  /** In the page's address. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** The API's document, for pages that show it. */
export const apiDocument = JSON.parse(apiDocumentText) as ApiDocument;

/** The areas of the reference in their order, none of them empty. */
export const referenceAreas: readonly ReferenceArea[] = apiDocument.tags.map(({ name, description }) => ({
  slug: name.toLowerCase(),
  name,
  description,
  operations: Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ method, path, operation }))
      .filter(({ operation }) => operation.tags[0] === name),
  ),
}));

/** The answers of an operation, those that others share included, by status. */
export function responsesOf({ responses }: ApiOperation): readonly (readonly [string, ApiResponse])[] {
  return Object.entries(responses).map(([status, response]) => [status, sharedOrOwn(response)]);
}

function sharedOrOwn(response: ApiOperation['responses'][string]): ApiResponse {
  if (!('$ref' in response)) return response;
  const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1);
  return apiDocument.components.responses[name] ?? { description: '' };
}
