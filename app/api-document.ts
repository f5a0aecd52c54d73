import { exampleOf } from '#app/api-examples';
import { once } from '#server/core/async';
import { type ApiExample, type ApiRoute, openApiDocument } from '#server/http/openapi/openapi-document';
import type { Handler } from '#server/http/route';
import answers from './api-answers.json' with { type: 'json' };
import packageJson from '#package.json' with { type: 'json' };

type RouteModule = Readonly<Record<string, Handler>>;

/** Recorded responses by `METHOD /path`. */
const recorded: Readonly<Record<string, ApiExample['answers']>> = answers;
/** The route modules, by file. */
const files = import.meta.glob<RouteModule>(['./api/**/route.ts', './v1/**/route.ts']);

/** Every API route with its specification and example, except the catch-all routes for unknown addresses. */
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

/** The API's OpenAPI document, built from the routes on first use. */
export const apiDocument = once(async () => openApiDocument(await readApiRoutes(), packageJson.version));
