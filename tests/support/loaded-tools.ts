import type { LoadedTools } from '#server/core/conversation/sessions';

/** The loaded tools of conversations, in a map that the test can read. */
export const loadedTools = (stored: Map<string, readonly string[]>): LoadedTools => ({
  read: (id) => Promise.resolve(stored.get(id) ?? []),
  update: (id, decide) => {
    const names = decide(stored.get(id) ?? []);
    stored.set(id, names);
    return Promise.resolve(names);
  },
});
