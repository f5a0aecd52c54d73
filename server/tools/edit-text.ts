import { z } from 'zod';
import {
  type FoundEntry,
  patchesWithSummary,
  type RefusedEntry,
  separateRefused,
} from '#server/site/batches/replace-texts';
import type { ContentBackend } from '#server/site/content-backend';
import { documentChanges } from '#server/site/field-changes';
import {
  similarTexts,
  replaceText,
  type TextPlace,
  occurrencesIn,
  type UnsafePlace,
} from '#server/site/text/text-places';
import type { Entry } from '#server/core/site/content';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { shortTitle, shorten } from '#server/core/text/short-text';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import { serverText } from '#server/core/messages/server-text';
import { effect, entryTarget } from '#server/tools/effects';
import { CHANGED_STATUS_MEANING, markupResult, notesResult, stateResult } from '#server/tools/result-fields';
import { findByRef, isSectionId, refInput } from '#server/tools/schemas';
import { notSearched, otherCapitals, placeLines, remainsElsewhere } from '#server/tools/search-content';
import { defineTool, type EffectContext } from '#server/tools/tool';

/** Largest number of entries in one edit: each is written separately, on a connected site over the network. */
const MAX_ENTRIES = 100;
/** Largest number of places that a refusal names. */
const MAX_NAMED = 8;

const editInput = z.strictObject({
  find: z.string().min(1).max(5_000).describe('exact: case, punctuation, Markdown'),
  replace: z.string().max(50_000),
  refs: z.array(refInput).min(1).max(MAX_ENTRIES).optional().describe('entries or sec_...; default: all drafts'),
  count: z.int().min(1).optional().describe('places you expect, default 1'),
  all: z.boolean().optional().describe('however many'),
  wholeWords: z.boolean().optional().describe('not in longer words or numbers'),
  dryRun: z.boolean().optional().describe('only show the places'),
});
type Input = z.infer<typeof editInput>;

/** Result of the search for the text. */
interface SearchResult {
  readonly found: readonly FoundEntry[];
  /** Places that are not changed. */
  readonly unsafe: readonly (UnsafePlace & { readonly entry: Entry })[];
}

/** Replaces an exact text everywhere in drafts: one call, one undo. */
export const editText = defineTool({
  name: 'edit_text',
  description:
    'Replace exact text wherever it stands in drafts: titles, excerpts, sections, list items, links. One change, one undo. Also for a part of a long text.',
  input: editInput,
  writes: true,
  changesSeveral: ({ dryRun }) => dryRun !== true,
  async effect(input, context): Promise<ToolEffect> {
    if (input.dryRun)
      return effect({
        summary: serverText('shows-places'),
        targets: [],
      });
    const { found: all, unsafe } = await requireExpectedCount(input, context.content);
    const { found, refused } = await withoutRefused(all, context);
    const { changes } = await write(found, context, { dryRun: true });
    return effect({
      summary: serverText('replace-text', { count: found.length, left: unsafe.length }),
      targets: found.map(({ entry }) => entryTarget(entry)),
      changes: found.flatMap(({ entry }, index) =>
        documentChanges(entry.draft, changes[index]?.entry.draft ?? null).map((change) =>
          found.length === 1 ? change : { ...change, field: `${shortTitle(entry.draft.title)} › ${change.field}` },
        ),
      ),
      warnings: refused.map(({ entry, reason }) =>
        serverText('entry-not-changed', { title: shortTitle(entry.draft.title), reason }),
      ),
    });
  },
  async execute(input, context) {
    if (input.dryRun) return rehearsal(input, context);
    const { found: all, unsafe } = await requireExpectedCount(input, context.content);
    const { found, refused } = await withoutRefused(all, context);
    // Afterwards, a replacement that differs only in capitals would be counted as well.
    const capitals = await withOtherCapitals(input, context.content);
    const written = await write(found, context);
    const remaining = await remainsElsewhere(context.content, input, idsOf(found));
    const [first] = written.changes;
    return {
      replaced: countOccurrences(found),
      ...(written.changes.some(({ entry }) => entry.status === 'changed') && {
        statuses: `changed: ${CHANGED_STATUS_MEANING}`,
      }),
      entries: written.changes.map(({ entry, change }, index) => ({
        id: entry.id,
        title: entry.draft.title,
        slug: entry.draft.slug,
        ...stateResult(entry),
        reads: placeLines((found[index]?.places ?? []).map(afterReplacement)),
        ...markupResult({ entry, change }),
      })),
      ...(first && { changeId: first.change.id, note: 'undo takes all of it back.' }),
      ...refusedResult(refused),
      ...notReplaced(unsafe),
      ...remaining,
      ...capitals,
      ...(await notSearched(context.content)),
      ...notesResult(written),
    };
  },
});

const idsOf = (found: readonly FoundEntry[]) => new Set(found.map(({ entry }) => entry.id));

/** A place with its text after the replacement. */
function afterReplacement({ where, sectionId, section, count, after }: TextPlace) {
  return { where, sectionId, section, count, ...after };
}

async function write(
  found: readonly FoundEntry[],
  { content, origin }: EffectContext,
  options?: { readonly dryRun: boolean },
) {
  return content.patchAll(
    found.map(({ patch }) => patch),
    origin,
    options,
  );
}

/** The entries that can be changed, and the others. @throws the refusal, if no other entries remain */
async function withoutRefused(all: readonly FoundEntry[], { content, origin }: EffectContext) {
  const { found, refused } = await separateRefused(all, { content, origin });
  const last = refused.at(-1);
  if (last !== undefined && found.length === 0) throw last.error;
  return { found, refused };
}

function refusedResult(refused: readonly RefusedEntry[]): Record<string, JsonValue> {
  if (refused.length === 0) return {};
  const named = refused.map(({ entry, reason }) => ({
    id: entry.id,
    title: entry.draft.title,
    reason: reason.text,
  }));
  return { notChanged: named };
}

async function rehearsal(input: Input, context: EffectContext): Promise<JsonValue> {
  const { content } = context;
  const { found, unsafe } = await findPlaces(input, content);
  if (found.length + unsafe.length === 0) throw await notFound(input, content);
  const { refused } = await withoutRefused(found, context);
  return {
    places: countOccurrences(found),
    entries: found.map(({ entry, places }) => ({ id: entry.id, title: entry.draft.title, places: placeLines(places) })),
    note: `Nothing is changed yet. To replace all of them: the same call with count ${countOccurrences(found)}, without dryRun.`,
    ...refusedResult(refused),
    ...notReplaced(unsafe),
    ...(await remainsElsewhere(content, input, idsOf(found))),
    ...(await withOtherCapitals(input, content)),
    ...(await notSearched(content)),
  };
}

/** Result field for places that differ only in capitals and stay as they are; otherwise empty. */
async function withOtherCapitals({ find, refs, wholeWords }: Input, content: ContentBackend) {
  const entries =
    refs === undefined
      ? await content.entriesWith({ find, wholeWords, anyCase: true })
      : (await scopeOf(refs, content, find)).map(({ entry }) => entry);
  return otherCapitals(entries, { find, wholeWords });
}

/** @throws ToolError if the text occurs more or less often than the caller stated */
async function requireExpectedCount(input: Input, content: ContentBackend): Promise<SearchResult> {
  if (input.find === input.replace) throw new InvalidInputError('find and replace are the same text.');
  const { found, unsafe } = await findPlaces(input, content);
  const times = countOccurrences(found);
  const wanted = input.count ?? 1;
  if (times === 0 && unsafe.length > 0) {
    const lines = unsafe.slice(0, MAX_NAMED).map(({ entry, text }) => `"${cut(text)}" in "${entry.draft.title}"`);
    throw new ToolError(`Nothing is changed. ${MARKUP_IN_TEXT} ${lines.join('; ')}.`);
  }
  if (times === 0) throw await notFound(input, content);
  if (input.all !== true && times !== wanted) {
    throw new ToolError(
      `Nothing is changed: the text stands in ${counted(times, 'place')}, not ${wanted}. ${listed(found)} Give count ${times} (or all) to replace every one, refs for some of them, or a longer text that stands once.`,
    );
  }
  if (found.length > MAX_ENTRIES) {
    throw new ToolError(
      `It stands in ${found.length} drafts; one call changes at most ${MAX_ENTRIES}. Name some in refs.`,
    );
  }
  const patches = patchesWithSummary(found, input);
  const summarized = found.map((one, index) => ({ ...one, patch: patches[index] ?? one.patch }));
  return { found: summarized, unsafe };
}

async function findPlaces({ find, replace, refs, wholeWords }: Input, content: ContentBackend): Promise<SearchResult> {
  const all = (await scopeOf(refs, content, find)).map(({ entry, within }) => {
    const { operations, places, unsafe } = replaceText(entry.draft, { find, wholeWords }, replace, within);
    const patch = { entryId: entry.id, operations, ifRevision: entry.revision };
    return { found: { entry, places, patch }, unsafe: unsafe.map((place) => ({ ...place, entry })) };
  });
  return {
    found: all.flatMap(({ found }) => (found.places.length === 0 ? [] : [found])),
    unsafe: all.flatMap(({ unsafe }) => unsafe),
  };
}

const MARKUP_IN_TEXT = 'Tags or marks run through the words that would change; update_section sets these texts:';
/** Largest number of unchanged places that are listed. */
const MAX_UNSAFE_LISTED = 25;

function notReplaced(unsafe: SearchResult['unsafe']): Record<string, JsonValue> {
  if (unsafe.length === 0) return {};
  const places = unsafe.slice(0, MAX_UNSAFE_LISTED).map(({ entry, where, section, sectionId, text }) => ({
    id: entry.id,
    title: entry.draft.title,
    in: section === undefined ? where : `${section} › ${where}`,
    ...(sectionId !== undefined && { sectionId }),
    text,
  }));
  return { notReplaced: { why: MARKUP_IN_TEXT, total: unsafe.length, places } };
}

/** A draft to search. */
interface Scope {
  readonly entry: Entry;
  /** Sections to search; undefined: the whole draft. */
  readonly within?: readonly string[];
}

/** The drafts, or parts of them, that `refs` name; without refs, all that contain the text. */
async function scopeOf(refs: Input['refs'], content: ContentBackend, find: string): Promise<readonly Scope[]> {
  if (refs === undefined) return (await content.entriesWith(find)).map((entry) => ({ entry }));
  const scopes = new Map<string, Scope>();
  for (const ref of refs) {
    const entry = await findByRef(content, ref);
    const known = scopes.get(entry.id);
    const isWhole = !isSectionId(ref) || (known !== undefined && known.within === undefined);
    scopes.set(entry.id, isWhole ? { entry } : { entry, within: [...(known?.within ?? []), ref] });
  }
  return [...scopes.values()];
}

/** Error that the text was not found, with similar texts that exist. */
async function notFound({ find, refs }: Input, content: ContentBackend): Promise<ToolError> {
  const where = refs === undefined ? 'no draft' : refs.map((ref) => `"${ref}"`).join(' or ');
  const entries = refs === undefined ? await entriesWithSimilarText(content, find) : await scopeOf(refs, content, find);
  const near = [
    ...new Set(
      entries.flatMap(({ entry }) =>
        similarTexts(entry.draft, find).map((text) => `"${cut(text)}" in "${entry.draft.title}"`),
      ),
    ),
  ].slice(0, MAX_NAMED);
  const hint =
    near.length > 0
      ? `Like it: ${near.join('; ')}. Take the text as it stands.`
      : 'Text must be as stored, with its Markdown; get_content shows it, search_content finds single words.';
  const there = refs === undefined ? `It stands in ${where}` : `It does not stand in ${where}`;
  return new ToolError(`Nothing is changed. ${there}: "${cut(find)}". ${hint}`);
}

/**
 * Drafts with the words of a text, which may contain it in another spelling, and drafts with an address that contains
 * it.
 */
async function entriesWithSimilarText(content: ContentBackend, find: string): Promise<readonly Scope[]> {
  const hits = await content.search({ text: find.slice(0, 500), limit: 20 });
  const entries = await Promise.all(hits.map(({ id }) => content.find(id)));
  const holding = await content.entriesWith({ find, anyCase: true, anyPart: true });
  return [...entries, ...holding].flatMap((entry) => (entry === null ? [] : [{ entry }]));
}

function countOccurrences(found: readonly FoundEntry[]): number {
  return found.reduce((sum, { places }) => sum + occurrencesIn(places), 0);
}

function listed(found: readonly FoundEntry[]): string {
  const lines = found.flatMap(({ entry, places }) =>
    places.map(({ where, section, count, partOf }) => {
      const part = section === undefined ? where : `${section} section, ${where}`;
      const facts = [...(count > 1 ? [String(count)] : []), ...(partOf === undefined ? [] : [`in "${partOf}"`])];
      return `"${shortTitle(entry.draft.title)}" ${part}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
    }),
  );
  const rest = lines.length > MAX_NAMED ? ` and ${lines.length - MAX_NAMED} more` : '';
  return `${lines.slice(0, MAX_NAMED).join('; ')}${rest}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function cut(text: string): string {
  return shorten(text, 80);
}
