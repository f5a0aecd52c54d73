import { translator } from '#components/i18n.ts';
import type { Body, Answer } from '#components/api/routes.ts';
import { atom } from 'nanostores';
import { useSyncExternalStore } from 'react';
import { api } from '#components/api/api-client.ts';
import { mayPass, messageOf, statusOf } from '#components/api/api-error.ts';
import { connection } from '#components/api/connection.ts';
import { undoOne } from '#components/changes/undo-actions.ts';
import {
  contentChanged,
  noteOwnChange,
  contentRefreshes,
  refreshContent,
  reloadPreview,
} from '#components/workspace/content-cache.ts';
import {
  NO_PAGE_STATE,
  type PageEditorState,
  type Pending,
  PendingValues,
  type SaveState,
} from '#components/editor/model/pending-values.ts';
import {
  type FieldPlace,
  hasPlace,
  operationsFor,
  placeKey,
  sameValue,
  valueAt,
  withValue,
} from '#components/editor/model/places.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { type PresenceUpdate, PagePresence } from '#components/editor/model/page-presence.ts';
import { whoWrote } from '#components/editor/model/who-wrote.ts';
import type { PatchOp } from '#server/core/site/content';
import type { ChangeSet } from '#server/core/site/changes';
import { valuesReplacedBy } from '#server/core/site/write-checks/replaced-values';
import type { JsonValue } from '#server/core/json';
import type { PlacedEntry } from '#server/core/site/site-lists';

const t = translator('changes');

/** Typing pause after which input is saved; ms. Long enough for a pause between words, which is not worth a request. */
const TYPING_PAUSE = 800;
/** Delay before a retry when the server fails for a reason other than the input; ms. */
const RETRY_DELAY = 4000;
/**
 * Largest request body that is sent with `keepalive`, so that it outlives the page; bytes. The Fetch standard limits
 * all such bodies of a page together to 64 KiB.
 */
const MAX_KEEPALIVE_BYTES = 60_000;

/**
 * Manual edits of the page at a path: input is displayed immediately and saved automatically.
 *
 * Saves run one at a time, and each names the values that it replaces, so that the server refuses it if another person
 * has changed them; such a value becomes a conflict for the user to decide. Unsaved values survive a reload of the
 * window. The editor loads the page with its first subscriber and stops with its last.
 */
export class PageEditor {
  readonly #path: string | null;
  readonly #store = atom<PageEditorState>(NO_PAGE_STATE);
  readonly #pending = new PendingValues(() => this.#state.entry?.id ?? null);
  #isSaving = false;
  #problem: string | null = null;
  /** The newest change made by typing; further typing at the same place joins this change instead of adding another. */
  #lastTypedChange: { readonly key: string; readonly changeId: string } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reloadTimer: ReturnType<typeof setTimeout> | undefined;
  /** Serializes saves. */
  #queue: Promise<unknown> = Promise.resolve();
  #unsubscribe: (() => void) | null = null;
  /** The preview is outdated; it is reloaded once no text is edited in place. */
  #isPreviewOld = false;
  #isEditedInPlace = false;
  #presence: PagePresence | null = null;

  constructor(path: string | null) {
    this.#path = path;
  }

  readonly getState = (): PageEditorState => this.#state;

  get #state(): PageEditorState {
    return this.#store.get();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const end = this.#store.listen(listener);
    if (this.#path !== null) this.#unsubscribe ??= this.#start();
    return () => {
      end();
      // Another component of the same page may subscribe in the same tick.
      setTimeout(() => this.#store.lc === 0 && this.#stopIfUnused(), 0);
    };
  };

  /** Typed input: displayed immediately, saved automatically after a pause. Null removes an optional value. */
  readonly setValue = (place: FieldPlace, value: JsonValue): void => {
    const { entry } = this.#state;
    if (entry === null) return;
    const hasOtherPlaces = this.#pending.write(entry.draft, place, value);
    this.#problem = null;
    this.#updateState();
    if (hasOtherPlaces) void this.flush();
    else this.#saveSoon(TYPING_PAUSE);
  };

  /**
   * Changes the structure (or several values together) and saves immediately. False: the change was refused, and the
   * user has been informed.
   * @param toastText description for a toast with an undo button; without it, no toast
   */
  readonly apply = async (operations: readonly PatchOp[], toastText?: string): Promise<boolean> => {
    await this.flush();
    return this.#serialize(async () => {
      const { entry } = this.#state;
      if (entry === null) return false;
      try {
        const expects = valuesReplacedBy(entry.draft, operations);
        const { change } = await this.#patch(entry, { operations, expects });
        this.#lastTypedChange = null;
        this.#afterWrite(change, true);
        if (toastText !== undefined) toastWithAction(toastText, t('undo'), () => undoOne(change));
        return true;
      } catch (error) {
        reportFailure(error);
        await this.#reload();
        return false;
      }
    });
  };

  /** Saves pending values now. Resolves when they are saved or refused. */
  readonly flush = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#serialize(() => this.#savePending());
  };

  /**
   * Reports the field with the cursor; null: none. Until the cursor leaves it, saving it does not reload the preview,
   * unless the field is edited `beside` the page, in a panel, where the preview should show each saved state.
   */
  readonly setFocusedField = (place: FieldPlace | null, where: 'in-place' | 'beside' = 'in-place'): void => {
    this.#isEditedInPlace = place !== null && where === 'in-place';
    this.#presence?.moveTo(place);
    if (place === null) void this.#endWriting();
  };

  async #endWriting(): Promise<void> {
    await this.flush();
    if (this.#isPreviewOld && !this.#isEditedInPlace) this.#reloadPreview();
  }

  /** Resolves the displayed conflict: saves the user's value over the other one, or discards it. */
  readonly resolve = (choice: 'mine' | 'theirs'): void => {
    const { conflict } = this.#state;
    if (conflict === null) return;
    if (choice === 'theirs' || conflict.isGone) {
      this.#pending.drop(conflict.place);
      this.#updateState();
      return;
    }
    this.#pending.overrule(conflict.place);
    this.#updateState();
    void this.flush();
  };

  #start(): () => void {
    const abort = new AbortController();
    const { signal } = abort;
    void this.#reload();
    const hide = () => document.visibilityState === 'hidden' && this.#sendBeforeClose();
    document.addEventListener('visibilitychange', hide, { signal });
    window.addEventListener('pagehide', () => this.#sendBeforeClose(), { signal });
    const ends = [
      contentRefreshes.listen(() => void this.#reload()),
      connection.subscribe(() => connection.state === 'online' && this.#resumeAfterReconnect()),
    ];
    return () => {
      abort.abort();
      clearTimeout(this.#reloadTimer);
      this.#presence?.end();
      this.#presence = null;
      for (const end of ends) end();
    };
  }

  /** Called when the server can be reached again. */
  #resumeAfterReconnect(): void {
    if (this.#state.entry === null) void this.#reload();
    if (this.#pending.size > 0) void this.flush();
  }

  #stopIfUnused(): void {
    if (this.#unsubscribe === null) return;
    this.#sendBeforeClose();
    this.#unsubscribe();
    this.#unsubscribe = null;
    if (this.#path !== null && this.#pending.size === 0) editors.delete(this.#path);
  }

  /** Sends all pending values immediately, without waiting for the running request, because the page may be closing. */
  #sendBeforeClose(): void {
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

  async #savePending(): Promise<void> {
    for (let [next] = this.#pending.sendable; next !== undefined; [next] = this.#pending.sendable) {
      if (!(await this.#saveOne(next))) break;
    }
    this.#updateState();
  }

  /** Saves one value, or marks it as a conflict. False: the remaining values have to wait. */
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
    const joins = this.#lastTypedChange?.key === key ? this.#lastTypedChange.changeId : undefined;
    this.#isSaving = true;
    this.#pending.markSent(pending);
    this.#updateState();
    try {
      const expects = valuesReplacedBy(entry.draft, operations);
      const { change } = await this.#patch(entry, { operations, expects, ...(joins !== undefined && { joins }) });
      this.#lastTypedChange = { key, changeId: change.id };
      if (!this.#pending.settle(pending)) this.#saveSoon(TYPING_PAUSE);
      this.#afterWrite(change, !this.#isEditedInPlace);
      return true;
    } catch (error) {
      this.#pending.unsend(place);
      return await this.#afterFailure(error);
    } finally {
      this.#isSaving = false;
    }
  }

  /** Reloads the server's state. True: the same value can be tried again. */
  async #afterFailure(error: unknown): Promise<boolean> {
    const status = statusOf(error);
    if (status === 409 || status === 404) {
      const before = this.#state.entry?.revision;
      await this.#reload();
      if (this.#state.entry !== null && this.#state.entry.revision !== before) return true;
    }
    // The banner reports a lost connection; the input is sent when the connection is back.
    this.#problem = status === 0 ? null : messageOf(error);
    if (mayPass(status)) this.#saveSoon(RETRY_DELAY);
    return false;
  }

  #saveSoon(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), delay);
  }

  /** Runs `work` after all earlier work. */
  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #patch(entry: PlacedEntry, body: EntryPatchBody): Promise<WrittenEntry> {
    const written = await this.#send(entry, body);
    const { path, publishedPath, previewUrl, editUrl } = entry;
    // A new slug or parent means a new path, which the next read returns.
    this.#applyServerEntry({ ...written.entry, path, publishedPath, previewUrl, editUrl });
    return written;
  }

  #send({ type, id }: PlacedEntry, body: EntryPatchBody): Promise<WrittenEntry> {
    const keepalive = JSON.stringify(body).length * 2 < MAX_KEEPALIVE_BYTES;
    return api.patchEntry(type, id, body, keepalive);
  }

  async #reload(): Promise<void> {
    if (this.#path === null) return;
    try {
      const entry = await api.entryAt(this.#path);
      const isOther = this.#state.entry?.id !== entry?.id;
      if (entry === null) {
        // Renamed or deleted: unsaved input is kept and can still be read.
        if (this.#pending.size === 0) this.#set({ ...NO_PAGE_STATE, others: this.#state.others });
        return;
      }
      if (isOther) this.#set({ ...this.#state, entry: null, others: [] });
      this.#applyServerEntry(entry);
      if (this.#unsubscribe !== null && (isOther || this.#presence === null)) this.#joinPage(entry);
    } catch (error) {
      // A loaded page is read again with the next change; for one that is not loaded no change events arrive.
      if (this.#state.entry !== null || this.#unsubscribe === null || !mayPass(statusOf(error))) return;
      clearTimeout(this.#reloadTimer);
      this.#reloadTimer = setTimeout(() => void this.#reload(), RETRY_DELAY);
    }
  }

  #joinPage(entry: PlacedEntry): void {
    this.#presence?.end();
    this.#presence = new PagePresence(entry.id, (update) => this.#applyPresence(entry.id, update));
    this.#restoreUnsaved(entry);
  }

  /** Shows who else is on the page, and reloads the page if the server has a newer revision. */
  #applyPresence(entryId: string, { others, revision }: PresenceUpdate): void {
    if (this.#state.entry?.id !== entryId) return;
    if (JSON.stringify(others) !== JSON.stringify(this.#state.others)) this.#set({ ...this.#state, others });
    if (revision === null || revision <= this.#state.entry.revision) return;
    // After the running saves, which may have created that revision.
    void this.#serialize(async () => {
      if (revision > (this.#state.entry?.revision ?? revision)) refreshContent();
    });
  }

  /** Sends texts that were not saved when the page was closed. */
  #restoreUnsaved(entry: PlacedEntry): void {
    this.#pending.restore(entry);
    this.#updateState();
    if (this.#pending.size > 0) void this.flush();
  }

  /** Takes over an entry from the server, unless a newer revision is known. */
  #applyServerEntry(entry: PlacedEntry): void {
    const known = this.#state.entry;
    if (known !== null && known.id === entry.id && known.revision > entry.revision) return;
    this.#set({ ...this.#state, entry });
    this.#updateState();
  }

  #afterWrite(change: ChangeSet, reloadsPreview: boolean): void {
    noteOwnChange(change);
    if (reloadsPreview) this.#reloadPreview();
    else this.#isPreviewOld = true;
  }

  #reloadPreview(): void {
    this.#isPreviewOld = false;
    contentChanged();
    reloadPreview();
  }

  /** Publishes the current state: the server's entry with the pending values. */
  #updateState(): void {
    const { entry } = this.#state;
    const shown = entry && this.#pending.applyTo(entry.draft);
    const { conflict } = this.#pending;
    const save = this.#saveState();
    const savedAt =
      save === 'saved' && this.#lastTypedChange !== null && this.#state.save !== 'saved'
        ? Date.now()
        : this.#state.savedAt;
    this.#set({ ...this.#state, document: shown, conflict, save, savedAt, problem: this.#problem });
  }

  #saveState(): SaveState {
    if (this.#pending.conflict !== null) return 'conflict';
    if (this.#isSaving) return 'saving';
    if (this.#pending.size === 0) return 'saved';
    return this.#problem === null ? 'waiting' : 'failed';
  }

  #set(state: PageEditorState): void {
    this.#store.set(state);
  }
}

/** Body of a PATCH of an entry. */
type EntryPatchBody = Body<'PATCH', '/api/content/{collection}/{ref}'>;
type WrittenEntry = Answer<'PATCH', '/api/content/{collection}/{ref}'>;

/** Editors of the open pages, by path. */
const editors = new Map<string, PageEditor>();
const NO_PAGE = new PageEditor(null);

/** The editor of the page at a path; null: an editor without a page. */
export function pageEditorAt(path: string | null): PageEditor {
  if (path === null) return NO_PAGE;
  const editor = editors.get(path) ?? new PageEditor(path);
  editors.set(path, editor);
  return editor;
}

/**
 * Saves the pending values of an entry, or of all pages by default. @returns false if some of them could not be saved
 */
export async function flushEditors(entryId?: string): Promise<boolean> {
  const isSelected = (editor: PageEditor) => entryId === undefined || editor.getState().entry?.id === entryId;
  const selected = [...editors.values()].filter(isSelected);
  await Promise.all(selected.map((editor) => editor.flush()));
  return selected.every((editor) => editor.getState().save === 'saved');
}

/** The page at a path with its unsaved values; all users of a path share one editor. */
export function usePageEditor(path: string | null): { editor: PageEditor; state: PageEditorState } {
  const editor = pageEditorAt(path);
  const state = useSyncExternalStore(editor.subscribe, editor.getState, () => NO_PAGE_STATE);
  return { editor, state };
}
