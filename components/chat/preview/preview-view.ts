import { atom, type ReadableAtom } from 'nanostores';
import { useMemo, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { tabSite } from '#components/api/tab-site.ts';
import { changedPlaces, changesAllPages } from '#components/changes/changed-places.ts';
import type { EntryRef, SiteWrite } from '#components/chat/parts/tool-entry.ts';
import type { HistoryPoint } from '#components/history/checkpoints.ts';
import { useStore } from '#components/ui/hooks.ts';
import { refreshContent } from '#components/workspace/content-cache.ts';
import { entryPath, type PreviewMode } from '#components/workspace/preview-path.ts';
import { useApi } from '#components/api/use-api.ts';
import type { ChangeSet } from '#server/core/site/changes';

const NONE: readonly string[] = [];

/** Page, version and site that the preview shows. */
export interface PreviewState {
  /** Path below the site's root, `/` for the home page. */
  readonly path: string;
  readonly mode: PreviewMode;
  /** Sections that were just written and are marked; the preview scrolls to the first one. */
  readonly sectionIds: readonly string[];
  /** Reload counter: a new number reloads the same path. */
  readonly version: number;
  /** Earlier state of the site that is displayed; null for the current state. */
  readonly point: HistoryPoint | null;
}

const HOME: PreviewState = { path: '/', mode: 'draft', sectionIds: NONE, version: 0, point: null };

/** Key in the tab's session storage for the page, one per site. */
const storageKey = () => `throughline-preview:${tabSite() ?? ''}`;

/** The page that this tab showed before a reload; null for a new tab or without storage. */
function storedPath(): string | null {
  try {
    return sessionStorage.getItem(storageKey());
  } catch {
    return null;
  }
}

/** A new version number if the page differs from the one in the server's HTML, so that it is loaded. */
function initialState(path: string | null): PreviewState {
  return path === null || path === HOME.path ? HOME : { ...HOME, path, version: 1 };
}

function storePath(path: string): void {
  try {
    sessionStorage.setItem(storageKey(), path);
  } catch {
    // If storage is full or disabled, the next reload shows the home page.
  }
}

/** State of the preview. If two callers navigate it, the later call wins, however late its data arrives. */
export class PreviewView {
  readonly #storedPath = storedPath();
  readonly #store = atom<PreviewState>(initialState(this.#storedPath));
  /** Counts navigations. */
  #navigations = 0;

  /** The state. */
  readonly store: ReadableAtom<PreviewState> = this.#store;

  get #state(): PreviewState {
    return this.#store.get();
  }

  /** True in a new tab until a page is shown on request. */
  get isUntouched(): boolean {
    return this.#storedPath === null && this.#navigations === 0;
  }

  /** Shows a page and marks its sections that were just written. */
  readonly goTo = (path: string, sectionIds: readonly string[] = NONE): void => {
    this.#navigations += 1;
    this.#load({ path, sectionIds, point: null });
  };

  /** Shows another page of the displayed state. */
  readonly browse = (path: string): void => {
    this.#navigations += 1;
    this.#load({ path });
  };

  /** Shows the site at a checkpoint of the history; null: the current state. */
  readonly showPoint = (point: HistoryPoint | null, path = this.#state.path): void => {
    if (point?.changeId === this.#state.point?.changeId && path === this.#state.path) return;
    this.#navigations += 1;
    this.#load({ point, path, mode: 'draft' });
  };

  /** Called when the visitor followed a link inside the preview: only the displayed address changes. */
  readonly follow = (path: string): void => {
    if (path === this.#state.path) return;
    // Links in a page lead to the current state, so an earlier state has to be loaded for the new path.
    if (this.#state.point !== null) this.#load({ path });
    else this.#update({ ...this.#state, path });
  };

  /** Shows the draft or the published version of the page, in its current state. */
  readonly setMode = (mode: PreviewMode): void => this.#load({ mode, point: null });

  /** Loads the displayed page again. */
  readonly reload = (): void => this.#load({});

  /** Shows a page that was changed, with marks; the present page if it was changed itself. */
  readonly showChanges = async (changes: readonly ChangeSet[]): Promise<void> => {
    this.#navigations += 1;
    const navigations = this.#navigations;
    const { path } = this.#state;
    const places = await changedPlaces(changes).catch(() => null);
    // A page loaded since then already contains the changes.
    if (this.#navigations !== navigations) return;
    const { path: present } = this.#state;
    const place = places?.find((each) => each.path === present);
    // A new change is in no earlier state.
    if (this.#state.point !== null) this.#update({ ...this.#state, point: null });
    if (places === null || place) this.#load(place ?? {});
    // The user followed a link during the request: stays on that page.
    else if (present !== path) this.#noteSiteChange(changes);
    else this.#load(places[0] ?? { path: fallback(changes, present) });
  };

  /** Shows changes by others, with marks, if they are on the present page. */
  readonly noteChanges = async (changes: readonly ChangeSet[]): Promise<void> => {
    // An earlier state does not change.
    if (this.#state.point !== null) return;
    // Automatic update: if the changed pages cannot be read, the preview stays unchanged.
    const places = await changedPlaces(changes).catch(() => null);
    if (places === null) return;
    const place = places.find(({ path }) => path === this.#state.path);
    if (place) this.#load(place);
    else this.#noteSiteChange(changes);
  };

  #noteSiteChange(changes: readonly ChangeSet[]): void {
    if (changesAllPages(changes)) this.#load({});
  }

  #load(change: Partial<PreviewState>): void {
    this.#update({ ...this.#state, sectionIds: NONE, ...change, version: this.#state.version + 1 });
  }

  #update(state: PreviewState): void {
    if (state.path !== this.#state.path) storePath(state.path);
    this.#store.set(state);
  }
}

/** Path to show when every changed page is gone; never one of the deleted pages. */
function fallback(changes: readonly ChangeSet[], path: string): string {
  return changes.some(({ targetType }) => targetType === 'page' || targetType === 'post') ? '/' : path;
}

const DEFAULT_HOME_SLUG = 'home';

/** The state of the preview and the functions that navigate it. */
export interface Preview
  extends PreviewState, Pick<PreviewView, 'goTo' | 'browse' | 'showPoint' | 'follow' | 'setMode' | 'reload'> {
  readonly showEntry: (entry: EntryRef, sectionIds?: readonly string[]) => void;
  /** Shows the changed page, or reloads the present one when the change affects the whole site. */
  readonly showWrite: (write: SiteWrite) => void;
  /** Shows the page that an opened conversation changed last, unless this tab already shows a page on request. */
  readonly showFirst: (write: SiteWrite) => void;
  /** See PreviewView. */
  readonly showChanges: (changes: readonly ChangeSet[]) => void;
  readonly noteChanges: (changes: readonly ChangeSet[]) => void;
}

/**
 * The preview's state and its navigation functions. The functions keep their identity until the site's home page
 * changes.
 */
export function usePreview(): Preview {
  const { data } = useApi(paths.settings);
  const homeSlug = data?.homeSlug ?? DEFAULT_HOME_SLUG;
  const [view] = useState(() => new PreviewView());
  // The server does not know the tab's last page.
  const state = useStore(view.store, HOME);

  const functions = useMemo(() => {
    const { goTo, browse, showPoint, follow, setMode, reload } = view;
    const showChanges = (changes: readonly ChangeSet[]) => void view.showChanges(changes);
    const noteChanges = (changes: readonly ChangeSet[]) => void view.noteChanges(changes);
    const showEntry = (entry: EntryRef, sectionIds?: readonly string[]) => goTo(entryPath(entry, homeSlug), sectionIds);
    const showWrite = ({ entry, sectionIds, isGone }: SiteWrite) => {
      refreshContent();
      if (isGone) goTo('/');
      else if (entry) showEntry(entry, sectionIds);
      else {
        showPoint(null);
        reload();
      }
    };
    const showFirst = (write: SiteWrite) => {
      if (view.isUntouched) showWrite(write);
    };
    return {
      goTo,
      browse,
      showPoint,
      follow,
      setMode,
      reload,
      showChanges,
      noteChanges,
      showEntry,
      showWrite,
      showFirst,
    };
  }, [view, homeSlug]);
  return useMemo(() => ({ ...state, ...functions }), [state, functions]);
}
