import { paths } from '#components/api/paths.ts';
import { entryAt } from '#components/workspace/preview-path.ts';
import { useApi } from '#components/api/use-api.ts';
import type { capabilitiesSchema } from '#server/core/site/site-capabilities';
import type { EntryItem } from '#server/core/site/site-lists';
import type { Shape } from '#server/core/shapes';

/** What the connected CMS supports, as its adapter reports. */
export type Capabilities = Shape<typeof capabilitiesSchema>;

/** The lists of entries, as far as loaded. */
interface Entries {
  /** Pages, then posts, to the extent that the lists are loaded; undefined while loading. */
  readonly entries: readonly EntryItem[] | undefined;
  /** True once both lists are loaded. */
  readonly isWhole: boolean;
  /** True if the site has more than the newest ones, which are loaded. */
  readonly hasMore: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

/** The drafts of the site's pages and posts. */
export function useEntries(): Entries {
  const pages = useApi(paths.entries('page'));
  const posts = useApi(paths.entries('post'));
  const isKnown = pages.data !== undefined || posts.data !== undefined;
  return {
    entries: isKnown ? [...(pages.data?.items ?? []), ...(posts.data?.items ?? [])] : undefined,
    isWhole: pages.data !== undefined && posts.data !== undefined,
    hasMore: [pages, posts].some(({ data }) => (data?.nextCursor ?? null) !== null),
    error: pages.error ?? posts.error,
    reload: () => void Promise.all([pages.mutate(), posts.mutate()]),
  };
}

/** The page or post at a path; undefined if there is no such entry or if it is not loaded yet. */
export function useEntryAt(path: string): EntryItem | undefined {
  return entryAt(path, useEntries().entries ?? []);
}

/** What the connected CMS supports; undefined while loading. */
export function useCapabilities(): Capabilities | undefined {
  return useApi(paths.capabilities).data;
}

/** True if the design has a draft that visitors do not see; false while loading. */
export function useIsDesignWaiting(): boolean {
  const can = useCapabilities();
  return useApi(can?.design === true ? paths.design : null).data?.hasUnpublishedChanges ?? false;
}
