import { useCallback, useMemo, useState } from 'react';
import useSWR, { mutate } from 'swr';
import { paths } from '#lib/api-client';
import { entryPath } from '#lib/preview-path';
import type { PreviewMode } from '#lib/preview-path';
import type { EntryRef, SiteWrite } from '#lib/tool-entry';
import type { SiteSettings } from '#server/core/content';

const DEFAULT_HOME_SLUG = 'home';

export interface PreviewState {
  /** Path below the site's root, `/` for the home page. */
  readonly path: string;
  readonly mode: PreviewMode;
  /** The section to bring into view, where a write has just changed it. */
  readonly sectionId: string | null;
  /** Counts reloads: another number shows the same path anew. */
  readonly version: number;
}

export interface Preview extends PreviewState {
  readonly homeSlug: string;
  readonly goTo: (path: string) => void;
  /** The visitor followed a link inside the preview: only the address shown changes. */
  readonly follow: (path: string) => void;
  readonly setMode: (mode: PreviewMode) => void;
  readonly reload: () => void;
  readonly showEntry: (entry: EntryRef) => void;
  /** Shows what was changed, or shows the present page anew when the change concerns the whole site. */
  readonly showWrite: (write: SiteWrite) => void;
}

/** What the preview shows and how to point it elsewhere. All functions stay the same between renders. */
export function usePreview(): Preview {
  const { data } = useSWR<SiteSettings>(paths.settings);
  const homeSlug = data?.homeSlug ?? DEFAULT_HOME_SLUG;
  const [state, setState] = useState<PreviewState>({ path: '/', mode: 'draft', sectionId: null, version: 0 });

  const show = useCallback(
    (change: Partial<PreviewState>) =>
      setState((old) => ({ ...old, sectionId: null, ...change, version: old.version + 1 })),
    [],
  );
  const showEntry = useCallback(
    (entry: EntryRef, sectionId: string | null = null) => show({ path: entryPath(entry, homeSlug), sectionId }),
    [show, homeSlug],
  );

  return useMemo(
    () => ({
      ...state,
      homeSlug,
      goTo: (path: string) => show({ path }),
      follow: (path: string) => setState((old) => (old.path === path ? old : { ...old, path })),
      setMode: (mode: PreviewMode) => show({ mode }),
      reload: () => show({}),
      showEntry: (entry: EntryRef) => showEntry(entry),
      showWrite: ({ entry, sectionId, isGone }: SiteWrite) => {
        for (const key of [paths.entries('page'), paths.entries('post'), paths.settings]) void mutate(key);
        if (isGone) show({ path: '/' });
        else if (entry) showEntry(entry, sectionId);
        else show({});
      },
    }),
    [state, homeSlug, show, showEntry],
  );
}
