import type { ApiDocument, ApiOperation, ApiResponse } from '#server/core/api-document';
import { once } from '#server/core/once';
import { type ApiExample, type ApiRoute, openApiDocument } from '#server/http/openapi';
import { exampleOf } from '#server/http/openapi-examples';
import type { Handler } from '#server/http/route';
import answers from './api-answers.json' with { type: 'json' };
import packageJson from '#package.json' with { type: 'json' };

type RouteModule = Readonly<Record<string, Handler>>;

const recorded: Readonly<Record<string, ApiExample['answers']>> = answers;
const files = import.meta.glob<RouteModule>(['./api/**/route.ts', './v1/**/route.ts']);

/** Every route of the API with its specification and example, without those that answer unknown addresses. */
export async function readApiRoutes(): Promise<ApiRoute[]> {
  const known = Object.entries(files).filter(([file]) => !file.includes('[...path]'));
  const routes = await Promise.all(
    known.map(async ([file, load]) => {
      const path = file.replace(/^\.(.*)\/route\.ts$/, '$1').replaceAll(/\[(?:\.{3})?(\w+)\]/g, '{$1}');
      return Object.entries(await load()).map(([method, { spec }]): ApiRoute => {
        const name = `${method} ${path}`;
        return { method, path, spec, example: { ...exampleOf(name), answers: recorded[name] } };
      });
    }),
  );
  return routes.flat();
}

/** The API's document (OpenAPI 3.1), made from the routes when it is first asked for. */
export const apiDocument = once(async () => openApiDocument(await readApiRoutes(), packageJson.version));

/** One operation with its place. */
interface PlacedOperation {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** A page of the reference. */
interface ReferenceArea {
  /** In the page's address. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** The areas of the reference in their order, none of them empty. */
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

/** The answers of an operation by status, with the shared ones filled in. */
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
