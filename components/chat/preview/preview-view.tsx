import { useMemo, useState, useSyncExternalStore } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { tabSite } from '#components/api/tab-site';
import { changedPlaces, changesAllPages } from '#components/changes/changed-places';
import type { EntryRef, SiteWrite } from '#components/chat/session/tool-entry';
import type { DrawnPoint } from '#components/thread/use-thread';
import { refreshContent } from '#components/desk/content-cache';
import { entryPath, type PreviewMode } from '#components/desk/preview-path';
import type { SiteSettings } from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';

const NONE: readonly string[] = [];

/** Page, version and site that the preview shows. */
export interface PreviewState {
  /** Path below the site's root, `/` for the home page. */
  readonly path: string;
  readonly mode: PreviewMode;
  /** Sections that were just written, to be marked; the first one is brought into view. */
  readonly sectionIds: readonly string[];
  /** Counts reloads: another number shows the same path anew. */
  readonly version: number;
  /** Earlier state of the site that is shown; null: as it is now. */
  readonly point: DrawnPoint | null;
}

const HOME: PreviewState = { path: '/', mode: 'draft', sectionIds: NONE, version: 0, point: null };

/** Entry of the tab's own storage that a page is kept in, for each site. */
const keptKey = () => `throughline-preview:${tabSite() ?? ''}`;

/** The page that this tab showed before it was loaded again; `/` where it is new, or keeps nothing. */
function keptPath(): string {
  try {
    return sessionStorage.getItem(keptKey()) ?? HOME.path;
  } catch {
    return HOME.path;
  }
}

/** Loaded anew where it is another page than that of the server's HTML. */
function initialState(): PreviewState {
  const path = keptPath();
  return path === HOME.path ? HOME : { ...HOME, path, version: 1 };
}

function keepPath(path: string): void {
  try {
    sessionStorage.setItem(keptKey(), path);
  } catch {
    // Storage that is full or switched off keeps nothing: the next reload shows the home page.
  }
}

/** State of the preview. When two callers direct it elsewhere, the later request wins, however late an answer comes. */
export class PreviewView {
  readonly #listeners = new Set<() => void>();
  #state: PreviewState = initialState();
  /** Counts how often it was sent somewhere. */
  #sent = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = (): PreviewState => this.#state;

  /** What the server draws, which does not know what the tab has shown. */
  readonly getServerState = (): PreviewState => HOME;

  /** Shows a page, marking sections of it that were just written. */
  readonly goTo = (path: string, sectionIds: readonly string[] = NONE): void => {
    this.#sent += 1;
    this.#load({ path, sectionIds, point: null });
  };

  /** Shows another page of the state that is shown. */
  readonly browse = (path: string): void => {
    this.#sent += 1;
    this.#load({ path });
  };

  /** Shows the site as it was at a point of the thread; null: as it is now. */
  readonly draw = (point: DrawnPoint | null, path = this.#state.path): void => {
    if (point?.changeId === this.#state.point?.changeId && path === this.#state.path) return;
    this.#sent += 1;
    this.#load({ point, path, mode: 'draft' });
  };

  /** The visitor followed a link inside the preview: only the address shown changes. */
  readonly follow = (path: string): void => {
    if (path === this.#state.path) return;
    // Links of the page lead to it as it is now.
    if (this.#state.point !== null) this.#load({ path });
    else this.#update({ ...this.#state, path });
  };

  readonly setMode = (mode: PreviewMode): void => this.#load({ mode, point: null });

  readonly reload = (): void => this.#load({});

  /** Shows where something was changed, with marks; the present page where it was changed there. */
  readonly showChanges = async (changes: readonly ChangeSet[]): Promise<void> => {
    this.#sent += 1;
    const sent = this.#sent;
    const { path } = this.#state;
    const places = await changedPlaces(changes).catch(() => null);
    // What was loaded since has them.
    if (this.#sent !== sent) return;
    const { path: present } = this.#state;
    const place = places?.find((each) => each.path === present);
    // What was written just now is in no earlier state.
    if (this.#state.point !== null) this.#update({ ...this.#state, point: null });
    if (places === null || place) this.#load(place ?? {});
    // A link was followed meanwhile: nobody is taken away from where it leads.
    else if (present !== path) this.#noteSiteChange(changes);
    else this.#load(places[0] ?? { path: fallback(changes, present) });
  };

  /** Shows changes by others, with marks, if they are on the present page. */
  readonly noteChanges = async (changes: readonly ChangeSet[]): Promise<void> => {
    // An earlier state stays what it is.
    if (this.#state.point !== null) return;
    // Nobody asked for it: where they cannot be read, the page stays as it is.
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
    if (state.path !== this.#state.path) keepPath(state.path);
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Path to open when every changed page is gone: not one of the deleted pages. */
function fallback(changes: readonly ChangeSet[], path: string): string {
  return changes.some(({ targetType }) => targetType === 'page' || targetType === 'post') ? '/' : path;
}

const DEFAULT_HOME_SLUG = 'home';

export interface Preview
  extends PreviewState, Pick<PreviewView, 'goTo' | 'browse' | 'draw' | 'follow' | 'setMode' | 'reload'> {
  readonly showEntry: (entry: EntryRef, sectionIds?: readonly string[]) => void;
  /** Shows what was changed, or shows the present page anew when the change concerns the whole site. */
  readonly showWrite: (write: SiteWrite) => void;
  /** See PreviewView. */
  readonly showChanges: (changes: readonly ChangeSet[]) => void;
  readonly noteChanges: (changes: readonly ChangeSet[]) => void;
}

/**
 * The preview's state and the functions to direct it. All functions stay the same until the site's home page changes.
 */
export function usePreview(): Preview {
  const { data } = useSWR<SiteSettings>(paths.settings);
  const homeSlug = data?.homeSlug ?? DEFAULT_HOME_SLUG;
  const [view] = useState(() => new PreviewView());
  const state = useSyncExternalStore(view.subscribe, view.getState, view.getServerState);

  const functions = useMemo(() => {
    const { goTo, browse, draw, follow, setMode, reload } = view;
    const showChanges = (changes: readonly ChangeSet[]) => void view.showChanges(changes);
    const noteChanges = (changes: readonly ChangeSet[]) => void view.noteChanges(changes);
    const showEntry = (entry: EntryRef, sectionIds?: readonly string[]) => goTo(entryPath(entry, homeSlug), sectionIds);
    const showWrite = ({ entry, sectionIds, isGone }: SiteWrite) => {
      refreshContent();
      if (isGone) goTo('/');
      else if (entry) showEntry(entry, sectionIds);
      else {
        draw(null);
        reload();
      }
    };
    return { goTo, browse, draw, follow, setMode, reload, showChanges, noteChanges, showEntry, showWrite };
  }, [view, homeSlug]);
  return useMemo(() => ({ ...state, ...functions }), [state, functions]);
}

/** Rest after which a point is shown; ms. */
const REST = 140;

/** Shows points of the thread while one draws along it: the last one when the pointer rests, and "now" at once. */
export class Drawing {
  readonly #show: (point: DrawnPoint | null, path?: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(show: (point: DrawnPoint | null, path?: string) => void) {
    this.#show = show;
  }

  readonly draw = (point: DrawnPoint | null, path?: string): void => {
    this.stop();
    if (point === null) this.#show(null);
    else this.#timer = setTimeout(() => this.#show(point, path), REST);
  };

  readonly stop = (): void => clearTimeout(this.#timer);
}
