import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { createOfflineModel } from '#server/models/offline/offline-model';
import type { CreateProvider } from '#server/models/providers/provider';

/** The offline assistant, always there. */
export const builtIn: CreateProvider = ({ OFFLINE_CHUNK_DELAY_MS: chunkDelayMs }) => ({
  find: (id) =>
    id === OFFLINE_MODEL_ID
      ? { id, provider: 'built-in', create: () => createOfflineModel({ modelId: id, chunkDelayMs }) }
      : null,
});
