import { ForbiddenError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { ServerText } from '#server/core/coded-message';
import { messageOfText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { Entry } from '#server/core/site/content';
import {
  MAX_REPLACED_ENTRIES,
  type ReplacedEntry,
  type Replacement,
  type ReplacementRequest,
} from '#server/core/site/bulk/replacements';
import { shortTitle } from '#server/core/text/short-text';
import { summarizeReplacement } from '#server/site/change-summary';
import type { ContentBackend, EntryPatch } from '#server/site/content-backend';
import { occurrencesIn, replaceText, type TextPlace, type UnsafePlace } from '#server/site/text/text-places';

/** An entry that contains a text, and the replacements in it. */
export interface FoundEntry {
  readonly entry: Entry;
  readonly patch: EntryPatch;
  readonly places: readonly TextPlace[];
}

/** An entry that is not changed, and why. */
export interface RefusedEntry {
  readonly entry: Entry;
  readonly reason: ServerText;
}

/**
 * Separates the entries that cannot be changed (created with a page builder, for example), so that they do not prevent
 * changing the others.
 */
export async function separateRefused<Found extends FoundEntry>(
  all: readonly Found[],
  { content, origin }: { readonly content: ContentBackend; readonly origin: ChangeOrigin },
): Promise<{ readonly found: readonly Found[]; readonly refused: readonly (RefusedEntry & { error: unknown })[] }> {
  const found: Found[] = [];
  const refused: (RefusedEntry & { error: unknown })[] = [];
  for (const one of all) {
    try {
      await content.patch(one.entry.id, one.patch.operations, origin, { dryRun: true });
      found.push(one);
    } catch (error) {
      if (!(error instanceof InvalidInputError || error instanceof ForbiddenError)) throw error;
      refused.push({ entry: one.entry, reason: error.text, error });
    }
  }
  return { found, refused };
}

/** The patches of a replacement, each with its summary for the journal. */
export function patchesWithSummary(
  found: readonly FoundEntry[],
  { find, replace }: Pick<ReplacementRequest, 'find' | 'replace'>,
): EntryPatch[] {
  const others = found.length - 1;
  return found.map(({ entry, patch, places }) => ({
    ...patch,
    summary: summarizeReplacement(entry.draft.title, { find, replace, times: occurrencesIn(places), others }),
  }));
}

/**
 * Replaces a text in drafts, as one edit that one undo reverses; with `dryRun` only returns the places.
 * @throws InvalidInputError for a replacement by the same text
 */
export async function replaceTexts(
  content: ContentBackend,
  request: ReplacementRequest,
  origin: ChangeOrigin,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Replacement> {
  const { find, replace, wholeWords, anyCase } = request;
  if (find === replace) throw new InvalidInputError(serverText('same-text'));
  const query = { find, wholeWords, anyCase, asShown: true };
  const revisions = new Map(request.entries?.map(({ id, revision }) => [id, revision]));
  const missing: ReplacedEntry[] = [];
  const scope: Entry[] = request.entries ? [] : await content.entriesWith(query);
  for (const { id } of request.entries ?? []) {
    const entry = await content.find(id);
    if (entry?.id === id) scope.push(entry);
    else missing.push(missingEntry(id));
  }
  const matching = scope.flatMap((entry) => {
    const { operations, places, unsafe } = replaceText(entry.draft, query, replace);
    if (places.length + unsafe.length === 0) return [];
    const patch = { entryId: entry.id, operations, ifRevision: entry.revision };
    return [
      { entry, places, patch, unsafe, isOutdated: (revisions.get(entry.id) ?? entry.revision) !== entry.revision },
    ];
  });
  const listed = matching.slice(0, MAX_REPLACED_ENTRIES);
  const usable = listed.filter(({ places, isOutdated }) => places.length > 0 && !isOutdated);
  const { found, refused } = await separateRefused(usable, { content, origin });
  const reasons = new Map(refused.map(({ entry, reason }) => [entry.id, reason]));
  for (const { entry, isOutdated } of listed)
    if (isOutdated)
      reasons.set(entry.id, serverText('changed-since-preview', { title: shortTitle(entry.draft.title) }));
  const written =
    dryRun || found.length === 0 ? { changes: [] } : await content.patchAll(patchesWithSummary(found, request), origin);
  return {
    entries: [
      ...missing,
      ...listed.map(({ entry, places, unsafe }) => replacedEntry(entry, places, unsafe, reasons.get(entry.id))),
    ],
    total: matching.length,
    changes: written.changes.map(({ change }) => change),
  };
}

function missingEntry(id: string): ReplacedEntry {
  const { text } = new NotFoundError('entry', id);
  const refusal = { message: text.text, reason: messageOfText(text) };
  return { id, title: id, revision: 0, places: [], unsafe: [], refusal };
}

function replacedEntry(
  { id, revision, draft }: Entry,
  places: readonly TextPlace[],
  unsafe: readonly UnsafePlace[],
  refusal: ServerText | undefined,
): ReplacedEntry {
  const placeOf = ({ where, sectionId }: UnsafePlace) => {
    const section = draft.sections.find((each) => each.id === sectionId);
    return { where, ...(section && { sectionId: section.id, section: section.type }) };
  };
  return {
    id,
    title: draft.title,
    revision,
    places: places.map((place) => ({
      ...placeOf(place),
      count: place.count,
      occurrences: [...place.occurrences],
    })),
    unsafe: unsafe.map((place) => ({ ...placeOf(place), before: place.text })),
    refusal: refusal === undefined ? null : { message: refusal.text, reason: messageOfText(refusal) },
  };
}
