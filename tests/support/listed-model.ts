import type { ModelList } from '#server/core/admin/settings-report';

type ListedModel = ModelList['items'][number];

/** A model of the list of models, as `GET /api/models` returns it: a local one with a window of 16,384 tokens. */
export const listedModel = (id: string, fields: Partial<ListedModel> = {}): ListedModel => ({
  id,
  name: id,
  contextWindow: 16_384,
  maxOutputTokens: 16_384,
  known: true,
  warning: null,
  acceptsImages: false,
  acceptsTools: true,
  memoryBytes: null,
  learnedWindow: null,
  provider: 'openai-compatible',
  turnPrice: 0,
  recommended: null,
  ...fields,
});
