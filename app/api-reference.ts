import type { ApiDocument, ApiOperation, ApiResponse } from '#server/core/api-document';

/** One operation with its method and path. */
interface PlacedOperation {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** A page of the reference. */
interface ReferenceArea {
  /** Part of the page's address. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** The areas of the reference in order, without empty ones. */
export function referenceAreas({ tags, paths }: ApiDocument): ReferenceArea[] {
  return tags.map(({ name, description }) => ({
    slug: name.toLowerCase(),
    name,
    description,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .map(([method, operation]) => ({ method, path, operation }))
        .filter(({ operation }) => operation.tags[0] === name),
    ),
  }));
}

/** Responses of an operation by status, with shared responses resolved. */
export function responsesOf(
  { components }: ApiDocument,
  { responses }: ApiOperation,
): readonly (readonly [string, ApiResponse])[] {
  return Object.entries(responses).map(([status, response]) => {
    if (!('$ref' in response)) return [status, response];
    const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1);
    return [status, components.responses[name] ?? { description: '' }];
  });
}
