import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiExample, type ApiRoute, openApiDocument } from '#server/http/openapi';
import { exampleOf } from '#server/http/openapi-examples';
import type { Handler } from '#server/http/route';

/** What came back for each example when they were run, as `METHOD /path`, by status. */
export const answersFile = join(import.meta.dirname, '..', 'fixtures', 'api-answers.json');
const answers = JSON.parse(readFileSync(answersFile, 'utf8')) as Readonly<Record<string, ApiExample['answers']>>;

type RouteModule = Readonly<Record<string, Handler>>;

const modules = import.meta.glob<RouteModule>(['/app/api/**/route.ts', '/app/v1/**/route.ts'], { eager: true });

/** Every route of the API with what its file says of it; those that answer addresses that do not exist left out. */
export const apiRoutes: readonly ApiRoute[] = Object.entries(modules)
  .filter(([file]) => !file.includes('[...path]'))
  .flatMap(([file, module]) => {
    const path = file
      .replace(/^\/app/, '')
      .replace(/\/route\.ts$/, '')
      .replaceAll(/\[(?:\.{3})?(\w+)\]/g, '{$1}');
    return Object.entries(module).map(([method, { spec }]) => {
      const name = `${method} ${path}`;
      const example = { ...exampleOf(name), answers: answers[name] };
      return { method, path, spec, example };
    });
  });

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as {
  version: string;
};

export const apiDocument = openApiDocument(apiRoutes, version);
