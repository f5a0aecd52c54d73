import { join } from 'node:path';
import { apiDocument as makeDocument, readApiRoutes } from '#app/api-document';

/** Recorded answers of the examples, as `METHOD /path`, by status. */
export const answersFile = join(import.meta.dirname, '../../app/api-answers.json');

/** Every route of the API with what its file says of it. */
export const apiRoutes = await readApiRoutes();

export const apiDocument = await makeDocument();

const operations = Object.entries(apiDocument.paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
  wildcards: path.split('{').length,
  methods,
}));

/** Statuses with which an address may answer by the document; null where it has no such operation. */
export function documentedStatuses(method: string, address: string): readonly number[] | null {
  const [path = ''] = address.split('?');
  const fitting = operations.filter(({ pattern, methods }) => pattern.test(path) && method.toLowerCase() in methods);
  const [nearest] = fitting.toSorted((a, b) => a.wildcards - b.wildcards);
  const responses = nearest?.methods[method.toLowerCase()]?.responses;
  return responses ? Object.keys(responses).map(Number) : null;
}
