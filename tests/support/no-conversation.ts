import type { HistoryReader, SessionPreferences } from '#server/tools/tool';

/* What tools reach of a conversation in which nothing was said yet. */

export const noHistory: HistoryReader = {
  search: () => Promise.resolve([]),
  readFrom: () => Promise.resolve([]),
  readPart: () => Promise.resolve(null),
  imagesOf: () => Promise.resolve([]),
};

export const noWishes: SessionPreferences = {
  list: () => Promise.resolve([]),
  keep: (quote) => Promise.resolve(quote),
  letGo: () => Promise.reject(new Error('No wish is kept here.')),
};
