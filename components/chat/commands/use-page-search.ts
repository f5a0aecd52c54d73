import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { useSettled } from '#components/ui/hooks.ts';
import { readablePath } from '#components/workspace/preview-path.ts';
import type { EntryType } from '#server/core/site/content';

/** Typing pause after which the server is asked; milliseconds. */
const SEARCH_DELAY = 150;
/** Pages, and posts, listed for a query. A choice, not measured. */
const MAX_FOUND = 6;

/** A page or post that contains the query, or a section of it. */
export interface FoundPage {
  readonly key: string;
  readonly type: EntryType;
  readonly title: string;
  readonly path: string;
  /** The section that contains the query; null: the title or another field of the page does. */
  readonly sectionId: string | null;
  /** The text around the place, or the path. */
  readonly detail: string;
}

/** The pages and posts whose titles, or sections whose texts, contain the query; empty without a query. */
export function usePageSearch(query: string): readonly FoundPage[] {
  const asked = useSettled(query, SEARCH_DELAY);
  const address = (type: EntryType) => (asked === '' ? null : paths.entryList(type, { search: asked }, MAX_FOUND));
  const pages = useApi(address('page'));
  const posts = useApi(address('post'));
  // Results of an earlier query would open another page than the one that is meant.
  if (query === '' || asked !== query) return [];
  const items = [...(pages.data?.items ?? []), ...(posts.data?.items ?? [])];
  return items
    .map(({ id, type, title, path, match }) => ({
      key: id,
      type,
      title,
      path,
      sectionId: match?.sectionId ?? null,
      detail: match?.snippet ?? readablePath(path),
    }))
    .toSorted((a, b) => Number(a.sectionId !== null) - Number(b.sectionId !== null));
}
