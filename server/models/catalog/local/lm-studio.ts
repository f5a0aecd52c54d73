import { z } from 'zod';
import { orNull, type LocalReader } from '#server/models/catalog/local/local-server';
import { modelName, tokenFigure, validRows } from '#server/models/catalog/token-figure';

const listSchema = z.object({ data: z.array(z.unknown()) });
const rowSchema = z.object({
  id: modelName,
  type: z.string().catch(''),
  state: z.string(),
  max_context_length: tokenFigure,
  /** Only while it is loaded. */
  loaded_context_length: tokenFigure,
});

/** LM Studio's list of models (GET /api/v0/models). */
export const readLmStudio: LocalReader = async (server) => {
  const list = listSchema.safeParse(await orNull(server.ask('/api/v0/models')));
  if (!list.success) return null;
  const rows = validRows(rowSchema, list.data.data);
  if (rows.length === 0 && list.data.data.length > 0) return null;
  const answering = rows.filter(({ type }) => type !== 'embeddings');
  const models = answering.map((row) => ({
    name: row.id,
    loadedContext: row.state === 'loaded' ? row.loaded_context_length : null,
    longestContext: row.max_context_length,
    // A vision language model.
    ...(row.type === 'vlm' && { acceptsImages: true }),
  }));
  return { models, single: false };
};
