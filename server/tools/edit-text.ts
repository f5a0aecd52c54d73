import { z } from 'zod';
import { summarizeReplacement } from '#server/content/change-summary';
import type { ContentBackend, EntryPatch } from '#server/content/content-backend';
import { documentChanges } from '#server/content/field-changes';
import { likeTexts, replaceText, type TextPlace, timesIn } from '#server/content/text-places';
import type { Entry } from '#server/core/content';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { shortTitle, shorten } from '#server/core/short-text';
import type { ToolEffect } from '#server/core/tool-effect';
import { effect, entryTarget } from '#server/tools/effects';
import { CHANGED_MEANS, markupResult, notesResult, stateResult } from '#server/tools/results';
import { findByRef, isSectionId, MAX_REFS, refInput } from '#server/tools/schemas';
import { placeLines, remainsElsewhere } from '#server/tools/search-content';
import { defineTool, type EffectContext } from '#server/tools/tool';

/** Most entries of one edit: each is written for itself, on a connected site over the network. */
const MAX_ENTRIES = 100;
/** Most places that a refusal names. */
const MAX_NAMED = 8;

const editInput = z.strictObject({
  find: z.string().min(1).max(5_000).describe('exact: case, punctuation, Markdown'),
  replace: z.string().max(50_000),
  refs: z.array(refInput).min(1).max(MAX_REFS).optional().describe('entries or sec_...; default: all drafts'),
  count: z.int().min(1).optional().describe('places you expect, default 1'),
  all: z.boolean().optional().describe('however many'),
  wholeWords: z.boolean().optional().describe('leave out parts of longer words or numbers'),
  dryRun: z.boolean().optional().describe('only show the places'),
});
type Input = z.infer<typeof editInput>;

/** An entry in which the text stands, and what would be done there. */
interface Found {
  readonly entry: Entry;
  readonly patch: EntryPatch;
  readonly places: readonly TextPlace[];
}

/** Replaces exact text wherever it stands in drafts: one call, one undo. */
export const editText = defineTool({
  name: 'edit_text',
  description:
    'Replace exact text wherever it stands in drafts: titles, excerpts, sections, list items, links. One change, one undo. Also for a part of a long text.',
  input: editInput,
  writes: true,
  changesSeveral: ({ dryRun }) => dryRun !== true,
  async effect(input, context): Promise<ToolEffect> {
    if (input.dryRun) return effect({ summary: 'Changes nothing: shows where the text stands.', targets: [] });
    const found = await expected(input, context.content);
    const { changes } = await write(found, context, { dryRun: true });
    return effect({
      summary: `Replaces text in ${counted(found.length, 'draft')}; visitors see it once they are published.`,
      targets: found.map(({ entry }) => entryTarget(entry)),
      changes: found.flatMap(({ entry }, index) =>
        documentChanges(entry.draft, changes[index]?.entry.draft ?? null).map((change) =>
          found.length === 1 ? change : { ...change, field: `${shortTitle(entry.draft.title)} › ${change.field}` },
        ),
      ),
    });
  },
  async execute(input, context) {
    if (input.dryRun) return rehearsal(input, context.content);
    const found = await expected(input, context.content);
    const written = await write(found, context);
    const left = await remainsElsewhere(context.content, input);
    const [first] = written.changes;
    return {
      replaced: timesOf(found),
      ...(written.changes.some(({ entry }) => entry.status === 'changed') && { statuses: `changed: ${CHANGED_MEANS}` }),
      entries: written.changes.map(({ entry, change }, index) => ({
        id: entry.id,
        title: entry.draft.title,
        slug: entry.draft.slug,
        ...stateResult(entry),
        reads: placeLines((found[index]?.places ?? []).map(oncePlaced)),
        ...markupResult({ entry, change }),
      })),
      ...(first && { changeId: first.change.id, note: 'undo takes all of it back.' }),
      ...left,
      ...notesResult(written),
    };
  },
});

/** A place as it reads once the text there is replaced. */
function oncePlaced({ where, sectionId, section, count, after }: TextPlace) {
  return { where, sectionId, section, count, ...after };
}

async function write(
  found: readonly Found[],
  { content, origin }: EffectContext,
  options?: { readonly dryRun: boolean },
) {
  return content.patchAll(
    found.map(({ patch }) => patch),
    origin,
    options,
  );
}

async function rehearsal(input: Input, content: ContentBackend): Promise<JsonValue> {
  const found = await findPlaces(input, content);
  if (found.length === 0) throw await notFound(input, content);
  return {
    places: timesOf(found),
    entries: found.map(({ entry, places }) => ({ id: entry.id, title: entry.draft.title, places: placeLines(places) })),
    note: `Nothing is changed yet. To replace all of them: the same call with count ${timesOf(found)}, without dryRun.`,
    ...(await remainsElsewhere(content, input)),
  };
}

/** @throws ToolError where the text stands more or less often than the caller said */
async function expected(input: Input, content: ContentBackend): Promise<readonly Found[]> {
  if (input.find === input.replace) throw new InvalidInputError('find and replace are the same text.');
  const found = await findPlaces(input, content);
  const times = timesOf(found);
  const wanted = input.count ?? 1;
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
  return found.map((one) => {
    const { find, replace } = input;
    const others = found.length - 1;
    const summary = summarizeReplacement(one.entry.draft.title, { find, replace, times: timesIn(one.places), others });
    return { ...one, patch: { ...one.patch, summary } };
  });
}

async function findPlaces(
  { find, replace, refs, wholeWords }: Input,
  content: ContentBackend,
): Promise<readonly Found[]> {
  return (await scopeOf(refs, content, find)).flatMap(({ entry, within }) => {
    const { operations, places } = replaceText(entry.draft, { find, wholeWords }, replace, within);
    const patch = { entryId: entry.id, operations, ifRevision: entry.revision };
    return places.length === 0 ? [] : [{ entry, places, patch }];
  });
}

interface Scope {
  readonly entry: Entry;
  /** Sections that are meant; undefined: the whole draft. */
  readonly within?: readonly string[];
}

/** The drafts, or parts of them, that `refs` name; all that hold the text where there are none. */
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

/** Says that the text is not there, and what is there that looks like it. */
async function notFound({ find, refs }: Input, content: ContentBackend): Promise<ToolError> {
  const where = refs === undefined ? 'no draft' : refs.map((ref) => `"${ref}"`).join(' or ');
  const entries = refs === undefined ? await entriesLike(content, find) : await scopeOf(refs, content, find);
  const near = [
    ...new Set(
      entries.flatMap(({ entry }) =>
        likeTexts(entry.draft, find).map((text) => `"${cut(text)}" in "${entry.draft.title}"`),
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

/** Drafts with the words of a text, in which it may stand otherwise, and those with an address that holds it. */
async function entriesLike(content: ContentBackend, find: string): Promise<readonly Scope[]> {
  const hits = await content.search({ text: find.slice(0, 500), limit: 20 });
  const entries = await Promise.all(hits.map(({ id }) => content.find(id)));
  const holding = await content.entriesWith({ find, anyCase: true, anyPart: true });
  return [...entries, ...holding].flatMap((entry) => (entry === null ? [] : [{ entry }]));
}

function timesOf(found: readonly Found[]): number {
  return found.reduce((sum, { places }) => sum + timesIn(places), 0);
}

function listed(found: readonly Found[]): string {
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
