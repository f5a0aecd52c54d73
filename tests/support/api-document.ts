import { join } from 'node:path';
import { apiDocument as makeDocument, readApiRoutes } from '#app/api-document';

/** Recorded answers of the examples, as `METHOD /path`, by status. */
export const answersFile = join(import.meta.dirname, '../../app/api-answers.json');

/** Every route of the API with what its file says of it. */
export const apiRoutes = await readApiRoutes();

export const apiDocument = await makeDocument();
