import useSWR from 'swr';
import type { Page } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { entryAt } from '#components/desk/preview-path';
import type { capabilitiesSchema, EntryItem } from '#server/core/site-lists';
import type { Shape } from '#server/core/shapes';

/** Abilities of the CMS adapter. */
export type Capabilities = Shape<typeof capabilitiesSchema>;

interface Entries {
  /** Pages, then posts, as far as lists go; undefined while they are loaded. */
  readonly entries: readonly EntryItem[] | undefined;
  /** Both lists are there. */
  readonly isWhole: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

/** The pages and posts of the site, as they are being edited. */
export function useEntries(): Entries {
  const pages = useSWR<Page<EntryItem>, unknown>(paths.entries('page'));
  const posts = useSWR<Page<EntryItem>, unknown>(paths.entries('post'));
  const isKnown = pages.data !== undefined || posts.data !== undefined;
  return {
    entries: isKnown ? [...(pages.data?.items ?? []), ...(posts.data?.items ?? [])] : undefined,
    isWhole: pages.data !== undefined && posts.data !== undefined,
    error: pages.error ?? posts.error,
    reload: () => void Promise.all([pages.mutate(), posts.mutate()]),
  };
}

/** The page or post at a path; undefined: none, or not known yet. */
export function useEntryAt(path: string): EntryItem | undefined {
  return entryAt(path, useEntries().entries ?? []);
}

/** Abilities of the connected CMS; undefined while they are not known. */
export function useCapabilities(): Capabilities | undefined {
  return useSWR<Capabilities, unknown>(paths.capabilities).data;
}
