import { useMemo, useState, useSyncExternalStore } from 'react';
import useSWR from 'swr';
import { paths } from '#lib/api/api-client';
import { refreshContent } from '#lib/changes/content-cache';
import { entryPath } from '#lib/preview/preview-path';
import { type PreviewState, PreviewView } from '#lib/preview/preview-view';
import type { EntryRef, SiteWrite } from '#lib/chat/tool-entry';
import type { ChangeSet, SiteSettings } from '#server/core/content';

const DEFAULT_HOME_SLUG = 'home';

export interface Preview extends PreviewState, Pick<PreviewView, 'goTo' | 'follow' | 'setMode' | 'reload'> {
  readonly showEntry: (entry: EntryRef, sectionIds?: readonly string[]) => void;
  /** Shows what was changed, or shows the present page anew when the change concerns the whole site. */
  readonly showWrite: (write: SiteWrite) => void;
  /** See PreviewView. */
  readonly showChanges: (changes: readonly ChangeSet[]) => void;
  readonly noteChanges: (changes: readonly ChangeSet[]) => void;
}

/** What the preview shows and how to point it elsewhere. All functions stay the same until the site's home page is another one. */
export function usePreview(): Preview {
  const { data } = useSWR<SiteSettings>(paths.settings);
  const homeSlug = data?.homeSlug ?? DEFAULT_HOME_SLUG;
  const [view] = useState(() => new PreviewView());
  const state = useSyncExternalStore(view.subscribe, view.getState, view.getState);

  const functions = useMemo(() => {
    const { goTo, follow, setMode, reload } = view;
    const showChanges = (changes: readonly ChangeSet[]) => void view.showChanges(changes);
    const noteChanges = (changes: readonly ChangeSet[]) => void view.noteChanges(changes);
    const showEntry = (entry: EntryRef, sectionIds?: readonly string[]) => goTo(entryPath(entry, homeSlug), sectionIds);
    const showWrite = ({ entry, sectionIds, isGone }: SiteWrite) => {
      refreshContent();
      if (isGone) goTo('/');
      else if (entry) showEntry(entry, sectionIds);
      else reload();
    };
    return { goTo, follow, setMode, reload, showChanges, noteChanges, showEntry, showWrite };
  }, [view, homeSlug]);
  return useMemo(() => ({ ...state, ...functions }), [state, functions]);
}
