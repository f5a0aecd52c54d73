import type {
  ContentBackend,
  DocumentWriteOptions,
  EntriesChange,
  EntryPatch,
  NewEntry,
  PatchOptions,
  Undone,
} from '#server/site/content-backend';
import { partsOf, Site } from '#server/site/site';
import { replacedPieces, requireNoWriters, seenKey } from '#server/site/concurrent-changes';
import type { SeenRevisions } from '#server/core/site/write-checks/seen-revisions';
import {
  type ChangeOrigin,
  type ChangeSet,
  type DryRunOption,
  type EntryChange,
  siteDocumentKeys,
  type WriteNotes,
} from '#server/core/site/changes';
import type { NavigationItem, PatchOp, SiteSettings } from '#server/core/site/content';
import type { DesignPatch } from '#server/core/site/design/design';
import { ConflictError } from '#server/core/errors';
import { type WriteConflict, writeConflictSchema } from '#server/core/site/write-checks/write-conflict';
import { toJson } from '#server/core/json';
import type { PresenceStore, Writer } from '#server/core/site/presence';
import { shorten } from '#server/core/text/short-text';

/** Largest part of the current content, in characters, that a refusal contains. */
const SHOWN_CHARS = 3_000;

/** What a GuardedSite checks. */
interface GuardOptions {
  /** Lists the people who are writing in an entry. Default: nobody. */
  readonly writersIn?: PresenceStore['writersIn'];
  /** What the model of the conversation has seen. Absent: not known, and not checked. */
  readonly seen?: SeenRevisions;
  /** Called with every piece that a write or a refusal shows to the model, and its revision. */
  readonly note?: (key: string, revision: number) => void;
}

/**
 * A site for tools: a write does not replace what another author has changed since the model saw it, nor a field with a
 * person's cursor in it. The refusal contains the current content, which the model has then seen. All other writes are
 * merged. The checks are those of `server/site/concurrent-changes.ts`; dry runs skip them.
 */
export class GuardedSite extends Site {
  readonly #content: ContentBackend;
  readonly #options: GuardOptions;

  constructor(content: ContentBackend, options: GuardOptions) {
    super(() => partsOf(content));
    this.#content = content;
    this.#options = options;
  }

  override draftsOnly(): ContentBackend {
    return new GuardedSite(this.#content.draftsOnly(), this.#options);
  }

  override async create(entry: NewEntry, origin: ChangeOrigin, options?: DryRunOption): Promise<EntryChange> {
    const written = await super.create(entry, origin, options);
    if (options?.dryRun !== true) this.#note(written.entry.id, written.entry.revision);
    return written;
  }

  override async patch(
    entryId: string,
    operations: readonly PatchOp[],
    origin: ChangeOrigin,
    options?: PatchOptions,
  ): Promise<EntryChange> {
    if (options?.dryRun === true) return super.patch(entryId, operations, origin, options);
    const conditions = { seen: this.#options.seen, writers: await this.#writersIn(entryId) };
    const written = await this.#explained(() =>
      super.patch(entryId, operations, origin, { ...options, ...conditions }),
    );
    for (const place of replacedPieces(operations)) this.#note(seenKey(entryId, place), written.entry.revision);
    return written;
  }

  override async patchAll(
    patches: readonly EntryPatch[],
    origin: ChangeOrigin,
    options?: DryRunOption,
  ): Promise<EntriesChange> {
    if (options?.dryRun === true) return super.patchAll(patches, origin, options);
    const checked = await Promise.all(
      patches.map(async (patch) => ({ ...patch, writers: await this.#writersIn(patch.entryId) })),
    );
    return this.#explained(() => super.patchAll(checked, origin, options));
  }

  override async setNavigation(
    items: readonly NavigationItem[],
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    if (options?.dryRun === true) return super.setNavigation(items, origin, options);
    const { seen } = this.#options;
    const written = await this.#explained(() => super.setNavigation(items, origin, { ...options, seen }));
    this.#note('navigation', written.revision);
    return written;
  }

  override async updateSettings(
    patch: Partial<SiteSettings>,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    if (options?.dryRun === true) return super.updateSettings(patch, origin, options);
    const { seen } = this.#options;
    const written = await this.#explained(() => super.updateSettings(patch, origin, { ...options, seen }));
    // A model that had missed a change has still the old values of the other settings in mind.
    const hadSeen = seen?.of('settings') ?? null;
    if (hadSeen === null || hadSeen >= written.revision - 1) this.#note('settings', written.revision);
    for (const field of Object.keys(patch))
      this.#note(seenKey('settings', { sectionId: null, field }), written.revision);
    return written;
  }

  override async updateDesign(
    patch: DesignPatch,
    origin: ChangeOrigin,
    options?: DocumentWriteOptions,
  ): Promise<ChangeSet & WriteNotes> {
    if (options?.dryRun === true) return super.updateDesign(patch, origin, options);
    const { seen } = this.#options;
    const written = await this.#explained(() => super.updateDesign(patch, origin, { ...options, seen }));
    this.#note('design', written.revision);
    return written;
  }

  override async undo(changeId: string | undefined, origin: ChangeOrigin, options?: DryRunOption): Promise<Undone> {
    if (options?.dryRun !== true) await this.#explained(() => this.#requireUndoable(changeId, origin.sessionId));
    return super.undo(changeId, origin, options);
  }

  /** @throws ConflictError if a person is writing where the undo would write */
  async #requireUndoable(changeId: string | undefined, sessionId: string | undefined): Promise<void> {
    const id = changeId ?? (await this.newestStanding(sessionId ?? ''))?.id;
    if (id === undefined) return;
    const { change } = await this.change(id);
    const writers = change.inverse.length === 0 ? [] : await this.#writersIn(change.targetId);
    const entry = writers.length === 0 ? null : await this.find(change.targetId);
    if (entry !== null) requireNoWriters(entry, change.inverse, writers);
  }

  /** Runs a write. A conflict is explained to the model, which has then seen the present values. */
  async #explained<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      const parsed = error instanceof ConflictError ? writeConflictSchema.safeParse(error.details) : null;
      if (!parsed?.success || (parsed.data.changed.length === 0 && parsed.data.writers.length === 0)) throw error;
      const conflict = parsed.data;
      const isDocument = siteDocumentKeys.some((key) => key === conflict.targetId);
      const entry = isDocument ? null : await this.find(conflict.targetId);
      for (const place of [...conflict.changed, ...conflict.writers]) {
        const isWhole = place.sectionId === null && place.field === null;
        this.#note(isWhole ? conflict.targetId : seenKey(conflict.targetId, place), conflict.revision);
      }
      const target = entry === null ? `the ${conflict.targetId}` : `"${entry.draft.title}" (${entry.id})`;
      const text = conflict.changed.length > 0 ? changedText(conflict, target) : writersText(conflict, target);
      throw new ConflictError(text, { details: toJson(conflict) });
    }
  }

  async #writersIn(entryId: string): Promise<readonly Writer[]> {
    return (await this.#options.writersIn?.(entryId)) ?? [];
  }

  #note(key: string, revision: number): void {
    this.#options.note?.(key, revision);
  }
}

function shown(values: Readonly<Record<string, unknown>>): string {
  return shorten(JSON.stringify(values), SHOWN_CHARS);
}

function changedText({ targetId, changed }: WriteConflict, target: string): string {
  const names = changed.map(({ sectionId, field }) => field ?? sectionId ?? targetId);
  const now = shown(Object.fromEntries(changed.map(({ value }, index) => [names[index], value])));
  const what = names[0] === targetId ? target : `${names.join(', ')} of ${target}`;
  return `Not written: somebody else has changed ${what} since you saw it. It reads now: ${now}. Keep what they wrote unless the user wants otherwise, and write again.`;
}

function writersText({ writers }: WriteConflict, target: string): string {
  const names = [...new Set(writers.map(({ name }) => name ?? 'The user'))];
  const who = `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} writing there now`;
  const placeOf = ({ sectionId, field }: WriteConflict['writers'][number]) =>
    [sectionId, field].filter((part) => part !== null).join(' › ');
  const places = [...new Set(writers.map(placeOf))].join(', ');
  const now = shown(Object.fromEntries(writers.map((writer) => [placeOf(writer), writer.value])));
  return `Not written: ${who}, in ${places} of ${target}. It reads now: ${now}. Leave that to them and say so. Other fields and sections can be changed meanwhile, without this one.`;
}
