import { useSyncExternalStore } from 'react';
import { api } from '#components/api/api-client';
import { mayPass, messageOf, statusOf } from '#components/api/api-error';
import { connection } from '#components/api/connection';
import { undoOne } from '#components/changes/undo-actions';
import { changesStrings } from '#components/changes/words';
import { contentChanged, noteOwnChange, onContentRefreshed, refreshContent } from '#components/desk/content-cache';
import { askDesk } from '#components/desk/desk-requests';
import {
  NO_PAGE_STATE,
  type PageEditorState,
  type Pending,
  PendingValues,
  type SaveState,
} from '#components/editor/pending-values';
import {
  type FieldPlace,
  hasPlace,
  operationsFor,
  placeKey,
  sameValue,
  valueAt,
  withValue,
} from '#components/editor/places';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import { type Heard, PagePresence, whoWrote } from '#components/editor/page-presence';
import type { PatchOp } from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';
import { valuesReplacedBy } from '#server/core/replaced-values';
import type { JsonValue } from '#server/core/json';
import type { PlacedEntry } from '#server/core/site-lists';

/** Without another letter for so long, what was typed is saved; ms. */
const TYPING_PAUSE = 800;
/** After a failure of the server, not of what was sent; ms. */
const RETRY_DELAY = 4000;
/** Browsers take no more along when a page is closed; bytes. */
const MOST_KEPT_ALIVE = 60_000;

/** Edits by hand of the page at a path: what is typed is shown at once, and saved by itself. */
export class PageEditor {
  readonly #path: string | null;
  readonly #listeners = new Set<() => void>();
  readonly #pending = new PendingValues(() => this.#state.entry?.id ?? null);
  #state: PageEditorState = NO_PAGE_STATE;
  #isSaving = false;
  #problem: string | null = null;
  /** The newest change that was typed here, which the next letters join. */
  #typed: { readonly key: string; readonly changeId: string } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rereading: ReturnType<typeof setTimeout> | undefined;
  /** Saves one after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  #stop: (() => void) | null = null;
  /** The preview is loaded anew once nobody writes in its place. */
  #isPreviewOld = false;
  #isInPlace = false;
  #presence: PagePresence | null = null;

  constructor(path: string | null) {
    this.#path = path;
  }

  readonly getState = (): PageEditorState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#path !== null) this.#stop ??= this.#start();
    return () => {
      this.#listeners.delete(listener);
      // Another component of the same page may only be about to subscribe.
      setTimeout(() => this.#listeners.size === 0 && this.#end(), 0);
    };
  };

  /** Typing: shown at once, saved by itself after a pause. Null takes an optional value away. */
  readonly setValue = (place: FieldPlace, value: JsonValue): void => {
    const { entry } = this.#state;
    if (entry === null) return;
    const isElsewhere = this.#pending.write(entry.draft, place, value);
    this.#problem = null;
    this.#show();
    if (isElsewhere) void this.flush();
    else this.#saveSoon(TYPING_PAUSE);
  };

  /**
   * Changes to the structure (and several values at once), saved at once. False: they were refused; the user was told.
   * @param words what was done, for a toast with the way back; none without them
   */
  readonly apply = async (operations: readonly PatchOp[], words?: string): Promise<boolean> => {
    await this.flush();
    return this.#inOrder(async () => {
      const { entry } = this.#state;
      if (entry === null) return false;
      try {
        const expects = valuesReplacedBy(entry.draft, operations);
        const { change } = await this.#patch(entry, { operations, expects });
        this.#typed = null;
        this.#wrote(change, true);
        if (words !== undefined) toastWithAction(words, changesStrings.undo, () => undoOne(change));
        return true;
      } catch (error) {
        reportFailure(error);
        await this.#reload();
        return false;
      }
    });
  };

  /** Saves now what waits. Resolves when it is saved, or refused. */
  readonly flush = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#inOrder(() => this.#saveAll());
  };

  /**
   * Says which field the cursor is in; null: none. Until it leaves, the preview is not loaded anew for what is saved of
   * it, unless it is written `beside` the page, where the page is to follow.
   */
  readonly writing = (place: FieldPlace | null, where: 'in-place' | 'beside' = 'in-place'): void => {
    this.#isInPlace = place !== null && where === 'in-place';
    this.#presence?.write(place);
    if (place === null) void this.#endWriting();
  };

  async #endWriting(): Promise<void> {
    await this.flush();
    if (this.#isPreviewOld && !this.#isInPlace) this.#showPreview();
  }

  /** Ends the conflict that is shown. Mine is saved over theirs, or dropped. */
  readonly resolve = (choice: 'mine' | 'theirs'): void => {
    const { conflict } = this.#state;
    if (conflict === null) return;
    if (choice === 'theirs' || conflict.isGone) {
      this.#pending.drop(conflict.place);
      this.#show();
      return;
    }
    this.#pending.overrule(conflict.place);
    this.#show();
    void this.flush();
  };

  #start(): () => void {
    const abort = new AbortController();
    const { signal } = abort;
    void this.#reload();
    const hide = () => document.visibilityState === 'hidden' && this.#leave();
    document.addEventListener('visibilitychange', hide, { signal });
    window.addEventListener('pagehide', () => this.#leave(), { signal });
    const ends = [
      onContentRefreshed(() => void this.#reload()),
      connection.subscribe(() => connection.state === 'online' && this.#goOn()),
    ];
    return () => {
      abort.abort();
      clearTimeout(this.#rereading);
      this.#presence?.end();
      this.#presence = null;
      for (const end of ends) end();
    };
  }

  /** The server is there again. */
  #goOn(): void {
    if (this.#state.entry === null) void this.#reload();
    if (this.#pending.size > 0) void this.flush();
  }

  #end(): void {
    if (this.#stop === null) return;
    this.#leave();
    this.#stop();
    this.#stop = null;
    if (this.#path !== null && this.#pending.size === 0) editors.delete(this.#path);
  }

  /** The page may be gone in a moment: all that waits is sent at once, what is on its way need not have arrived. */
  #leave(): void {
    if (this.#isSaving) {
      const { entry } = this.#state;
      if (entry === null) return;
      for (const pending of this.#pending.sendable) {
        if (sameValue(pending.sent, pending.value)) continue;
        const known = pending.sent === undefined ? entry.draft : withValue(entry.draft, pending.place, pending.sent);
        const operations = operationsFor(known, pending.place, pending.value);
        void this.#send(entry, { operations, expects: valuesReplacedBy(known, operations) }).catch(() => undefined);
        this.#pending.markAlsoSent(pending);
      }
      return;
    }
    if (this.#pending.size > 0) void this.flush();
  }

  async #saveAll(): Promise<void> {
    for (let [next] = this.#pending.sendable; next !== undefined; [next] = this.#pending.sendable) {
      if (!(await this.#saveOne(next))) break;
    }
    this.#show();
  }

  /** False: not now. */
  async #saveOne(pending: Pending): Promise<boolean> {
    const { entry } = this.#state;
    if (entry === null) return false;
    const { place, value, base, alsoSent = [] } = pending;
    const key = placeKey(place);
    const present = valueAt(entry.draft, place);
    const isGone = !hasPlace(entry.draft, place);
    if (!isGone && sameValue(present, value)) {
      this.#pending.drop(place);
      return true;
    }
    const isKnown = [base, ...alsoSent].some((known) => sameValue(present, known));
    if (isGone || !isKnown) {
      const by = await whoWrote(entry.id, place);
      this.#pending.markConflict(place, { theirs: present, by, isGone });
      return true;
    }
    const operations = operationsFor(entry.draft, place, value);
    const joins = this.#typed?.key === key ? this.#typed.changeId : undefined;
    this.#isSaving = true;
    this.#pending.markSent(pending);
    this.#show();
    try {
      const expects = valuesReplacedBy(entry.draft, operations);
      const { change } = await this.#patch(entry, { operations, expects, ...(joins !== undefined && { joins }) });
      this.#typed = { key, changeId: change.id };
      if (!this.#pending.settle(pending)) this.#saveSoon(TYPING_PAUSE);
      this.#wrote(change, !this.#isInPlace);
      return true;
    } catch (error) {
      this.#pending.unsend(place);
      return await this.#afterFailure(error);
    } finally {
      this.#isSaving = false;
    }
  }

  /** True: the same is tried again, after looking at what is there now. */
  async #afterFailure(error: unknown): Promise<boolean> {
    const status = statusOf(error);
    if (status === 409 || status === 404) {
      const before = this.#state.entry?.revision;
      await this.#reload();
      if (this.#state.entry !== null && this.#state.entry.revision !== before) return true;
    }
    // Told by the banner; the words wait, and go on their way when the line is back.
    this.#problem = status === 0 ? null : messageOf(error);
    if (mayPass(status)) this.#saveSoon(RETRY_DELAY);
    return false;
  }

  #saveSoon(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), delay);
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #patch(entry: PlacedEntry, body: EntryPatchBody): Promise<WrittenEntry> {
    const written = await this.#send(entry, body);
    const { path, publishedPath, previewUrl, editUrl } = entry;
    // Another slug or parent: elsewhere from now on, which the next reading tells.
    this.#receive({ ...written.entry, path, publishedPath, previewUrl, editUrl });
    return written;
  }

  #send({ type, id }: PlacedEntry, body: EntryPatchBody): Promise<WrittenEntry> {
    const keepalive = JSON.stringify(body).length * 2 < MOST_KEPT_ALIVE;
    return api.patchEntry(type, id, body, keepalive);
  }

  async #reload(): Promise<void> {
    if (this.#path === null) return;
    try {
      const entry = await api.entryAt(this.#path);
      const isOther = this.#state.entry?.id !== entry?.id;
      if (entry === null) {
        // Renamed or deleted: what is not saved waits, and can still be read.
        if (this.#pending.size === 0) this.#set({ ...NO_PAGE_STATE, others: this.#state.others });
        return;
      }
      if (isOther) this.#state = { ...this.#state, entry: null, others: [] };
      this.#receive(entry);
      if (this.#stop !== null && (isOther || this.#presence === null)) this.#begin(entry);
    } catch (error) {
      // A page that is known is read again with the next change; of one that is not, no change is heard.
      if (this.#state.entry !== null || this.#stop === null || !mayPass(statusOf(error))) return;
      clearTimeout(this.#rereading);
      this.#rereading = setTimeout(() => void this.#reload(), RETRY_DELAY);
    }
  }

  #begin(entry: PlacedEntry): void {
    this.#presence?.end();
    this.#presence = new PagePresence(entry.id, (heard) => this.#hear(entry.id, heard));
    this.#takeUp(entry);
  }

  /** Others may have come, gone, or written. */
  #hear(entryId: string, { others, revision }: Heard): void {
    if (this.#state.entry?.id !== entryId) return;
    if (JSON.stringify(others) !== JSON.stringify(this.#state.others)) this.#set({ ...this.#state, others });
    if (revision === null || revision <= this.#state.entry.revision) return;
    // Behind what is on its way from here, which may have made that revision.
    void this.#inOrder(async () => {
      if (revision > (this.#state.entry?.revision ?? revision)) refreshContent();
    });
  }

  /** Texts that were not saved when the page was closed go on their way now. */
  #takeUp(entry: PlacedEntry): void {
    this.#pending.takeUp(entry);
    this.#show();
    if (this.#pending.size > 0) void this.flush();
  }

  #receive(entry: PlacedEntry): void {
    const known = this.#state.entry;
    if (known !== null && known.id === entry.id && known.revision > entry.revision) return;
    this.#state = { ...this.#state, entry };
    this.#show();
  }

  #wrote(change: ChangeSet, isShown: boolean): void {
    noteOwnChange(change);
    if (isShown) this.#showPreview();
    else this.#isPreviewOld = true;
  }

  #showPreview(): void {
    this.#isPreviewOld = false;
    contentChanged();
    askDesk('reload-preview', null);
  }

  /** Tells what there is now: the server's entry, with what waits. */
  #show(): void {
    const { entry } = this.#state;
    const shown = entry && this.#pending.applyTo(entry.draft);
    const { conflict } = this.#pending;
    const save = this.#saveState();
    const savedAt =
      save === 'saved' && this.#typed !== null && this.#state.save !== 'saved' ? Date.now() : this.#state.savedAt;
    this.#set({ ...this.#state, document: shown, conflict, save, savedAt, problem: this.#problem });
  }

  #saveState(): SaveState {
    if (this.#pending.conflict !== null) return 'conflict';
    if (this.#isSaving) return 'saving';
    if (this.#pending.size === 0) return 'saved';
    return this.#problem === null ? 'waiting' : 'failed';
  }

  #set(state: PageEditorState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Body of a PATCH of an entry. */
type EntryPatchBody = Parameters<typeof api.patchEntry>[2];
type WrittenEntry = Awaited<ReturnType<typeof api.patchEntry>>;

/** Editors of the open pages, by path. */
const editors = new Map<string, PageEditor>();
const NO_PAGE = new PageEditor(null);

/** The editor of the page at a path; null: of none. */
export function pageEditorAt(path: string | null): PageEditor {
  if (path === null) return NO_PAGE;
  const known = editors.get(path) ?? new PageEditor(path);
  editors.set(path, known);
  return known;
}

/** Saves what waits of an entry; default: of all pages. @returns false where some of it could not be saved */
export async function flushEditors(entryId?: string): Promise<boolean> {
  const isMeant = (editor: PageEditor) => entryId === undefined || editor.getState().entry?.id === entryId;
  const meant = [...editors.values()].filter(isMeant);
  await Promise.all(meant.map((editor) => editor.flush()));
  return meant.every((editor) => editor.getState().save === 'saved');
}

/** The page at a path with what is not saved of it; all that use one path share it. */
export function usePageEditor(path: string | null): { editor: PageEditor; state: PageEditorState } {
  const editor = pageEditorAt(path);
  const state = useSyncExternalStore(editor.subscribe, editor.getState, () => NO_PAGE_STATE);
  return { editor, state };
}
