import { z } from 'zod';

/**
 * Schemas that the API's document (server/http/openapi) describes once, by name: `schema.register(components, { id })`.
 * A registry of its own: names in zod's would also end up in what models are told of the tools.
 */
export const components = z.registry<{ readonly id: string }>();
