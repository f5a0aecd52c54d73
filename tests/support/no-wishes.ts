import type { SessionWishes } from '#server/tools/tool';

/** A conversation that keeps no wishes, for calls of other tools. */
export const noWishes: SessionWishes = {
  list: () => Promise.resolve([]),
  keep: () => Promise.resolve(),
  letGo: () => Promise.reject(new Error('No wish is kept here.')),
};
