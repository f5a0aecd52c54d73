import type { ContentBackend } from '#server/site/content-backend';

/**
 * The content of one site, for code that keeps a reference to it although the connection may be renewed or the site
 * disconnected later. Each call goes to the adapter that is current when it starts.
 * @param present returns the current adapter; may throw, and so do the calls then
 * @param shape any adapter: its method names are used, so adapters must be plain objects
 */
export function contentOfSite(present: () => ContentBackend, shape: ContentBackend): ContentBackend {
  let drafts: ContentBackend | undefined;
  return {
    ...forwardTo(present, shape),
    draftsOnly: () => (drafts ??= contentOfSite(() => present().draftsOnly(), shape)),
    assets: forwardTo(() => present().assets, shape.assets),
  };
}

/** An object with the methods of `shape`, which call those of the current `target`. */
function forwardTo<T extends object>(target: () => T, shape: T): T {
  const methods = Object.keys(shape).map((name) => {
    const call = (...given: unknown[]) =>
      (target() as Record<string, (...args: unknown[]) => unknown>)[name]?.(...given);
    return [name, call] as const;
  });
  return Object.fromEntries(methods) as T;
}
