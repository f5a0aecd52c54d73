import { z } from 'zod';
import { orNull, type LocalReader } from '#server/models/catalog/local/local-server';
import { modelName, tokenFigure, validRows } from '#server/models/catalog/token-figure';

const listSchema = z.object({ data: z.array(z.unknown()) });
/** vLLM adds `max_model_len`; others tell names only. */
const rowSchema = z.object({ id: modelName, max_model_len: tokenFigure });

/** Any other server, by the list that all of them have (GET {base}/models). */
export const readOpenAiCompatible: LocalReader = async (server) => {
  const list = listSchema.safeParse(await orNull(server.list()));
  if (!list.success) return null;
  const models = validRows(rowSchema, list.data.data).map((row) => ({
    name: row.id,
    loadedContext: row.max_model_len,
    longestContext: null,
  }));
  return { models, single: false };
};
