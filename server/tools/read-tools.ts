import { z } from 'zod';
import { summarizeOperations } from '#server/site/change-summary';
import type { ContentBackend } from '#server/site/content-backend';
import { type Entry, entryTypes, type Section } from '#server/core/site/content';
import { type ChangeSet, siteDocumentKeys } from '#server/core/site/changes';
import { InvalidInputError, NotFoundError, ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { sectionName } from '#server/core/site/section-name';
import { oneLine } from '#server/core/text/short-text';
import { sectionPage } from '#server/tools/long-texts';
import { changeResult, marksResult, scheduleResult, referenceLine } from '#server/tools/result-fields';
import { isoTime } from '#server/tools/times';
import {
  findByRef,
  isSectionId,
  MAX_REFS,
  nameInput,
  refInput,
  resolveEntry,
  writtenInput,
} from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';
import { assetIdIn } from '#server/tools/media-tools';
import { diffDocuments } from '#server/site/diff-documents';

/* Tools that read a page or post: its draft, and the changes to it. */

/** Largest number of characters of sections in one call; below the limit of a tool's output. */
const MAX_SECTION_CHARS = 22_000;

const getInput = z.object({
  ref: refInput.optional().describe('also one sec_...'),
  refs: z.array(refInput).min(1).max(MAX_REFS).optional(),
  from: writtenInput(40).describe('next page of a long section'),
  with: z
    .array(z.enum(['outline', 'references', 'issues']))
    .max(3)
    .meta({ isName: true })
    .optional(),
});

/**
 * The whole draft of one or several entries, including sections and their ids, and its differences from what visitors
 * see.
 */
export const getContent = defineTool({
  name: 'get_content',
  description: 'Whole drafts with section ids (anchors: /slug#sec_...), unpublished changes.',
  input: getInput,
  async execute({ ref, refs = [], from, with: extras = [] }, { content, noteSeen }) {
    const wanted = [...new Set([...(ref === undefined ? [] : [ref]), ...refs])];
    const [only] = wanted;
    if (only === undefined) throw new InvalidInputError('Say what to read: ref, or refs.');
    if (from !== undefined && (wanted.length > 1 || !isSectionId(only))) {
      throw new InvalidInputError('from goes with the id of one section as ref (sec_...).');
    }
    const budget = { left: extras.includes('outline') ? 0 : MAX_SECTION_CHARS };
    if (wanted.length === 1) return readOne(content, only, { from, extras, budget, noteSeen });
    const entries: JsonValue[] = [];
    for (const each of wanted) entries.push(await readOrError(content, each, { extras, budget, noteSeen }));
    return { entries };
  },
});

/** Largest number of changes in one list. */
const MAX_CHANGES = 50;

/** What `issues` covers; an empty list says nothing about other problems. */
const CHECKS_COVERED =
  'links, pictures and their alternative texts, anchors, Markdown in plain fields, excerpt or search description, empty or oversized sections, address, page above; not the wording';

/** How an entry is read. */
interface Reading {
  readonly from?: string | undefined;
  readonly extras: readonly ('outline' | 'references' | 'issues')[];
  /** Characters of sections that may still be shown, shared by all entries of a call; reduced by what is shown. */
  readonly budget: { left: number };
  /** Called for every entry or section that is shown in full. */
  readonly noteSeen?: ((key: string, revision: number) => void) | undefined;
}

/** Reads one of several entries; an error is returned as its result. */
async function readOrError(content: ContentBackend, ref: string, reading: Reading): Promise<JsonValue> {
  try {
    return await readOne(content, ref, reading);
  } catch (error) {
    if (error instanceof ThroughlineError) return { ref, error: error.message };
    throw error;
  }
}

async function readOne(
  content: ContentBackend,
  ref: string,
  { from, extras, budget, noteSeen }: Reading,
): Promise<Record<string, JsonValue>> {
  const entry = await findByRef(content, ref);
  if (isSectionId(ref)) {
    const section = oneSection(entry, ref, from);
    noteSeen?.(ref, entry.revision);
    return { ...identityOf(entry), title: entry.draft.title, sections: [section] };
  }
  const { sections, ...head } = entry.draft;
  const details = Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
  const references = extras.includes('references') ? await content.referencesTo(content.refOf(entry)) : undefined;
  const issues = extras.includes('issues') ? await content.validate(entry.id) : undefined;
  const siteNotes = (await content.cautions(entry)).map(({ text }) => text);
  const here = await content.pathOf(entry, 'draft');
  const address = await content.addressOf(entry, 'draft');
  const shown = sections.map((section) => sectionWithinBudget(section, budget));
  const isCut = shown.some((section) => 'notShown' in section);
  if (!isCut) noteSeen?.(entry.id, entry.revision);
  else for (const section of shown) if (!('notShown' in section)) noteSeen?.(section.id, entry.revision);
  return {
    ...identityOf(entry),
    path: here,
    ...(address !== here && { address }),
    ...unpublishedChanges(entry),
    ...details,
    sections: shown,
    ...(siteNotes.length > 0 && { siteNotes }),
    ...(isCut && { note: 'Only named here: get_content with the id of a section shows it.' }),
    ...(references !== undefined && { references: references.map(referenceLine) }),
    ...(issues !== undefined && {
      issues: issues.map(({ path, message }) => `${path}: ${message}`),
      checked: CHECKS_COVERED,
    }),
  };
}

function identityOf(entry: Entry): Record<string, JsonValue> {
  const { id, type, status, publishAt, revision } = entry;
  return {
    id,
    type,
    status,
    ...marksResult(entry),
    ...(publishAt !== null && { publishAt: isoTime(publishAt) }),
    ...scheduleResult(entry),
    revision,
  };
}

function oneSection(entry: Entry, sectionId: string, from: string | undefined): JsonValue {
  const section = entry.draft.sections.find(({ id }) => id === sectionId);
  if (section === undefined) throw new NotFoundError('section', sectionId);
  const { id, type } = section;
  return { id, type, ...sectionPage(section, from) };
}

type ShownSection = Record<string, JsonValue> & { readonly id: string };

/** A section or its first page; only its name and size if it exceeds the remaining budget, which is reduced otherwise. */
function sectionWithinBudget(section: Section, budget: { left: number }): ShownSection {
  const { id, type } = section;
  const shown = { id, type, ...sectionPage(section) };
  const size = JSON.stringify(shown).length;
  if (size > budget.left)
    return { id, type, notShown: `${sectionName(section)}, ${JSON.stringify(section.fields).length} characters` };
  budget.left -= size;
  return shown;
}

/** Describes the unpublished changes in a sentence. */
function unpublishedChanges({ status, draft, published }: Entry): Record<string, JsonValue> {
  if (status !== 'changed' || published === null) return {};
  return { unpublished: summarizeOperations(diffDocuments(published, draft), published).text };
}

function changeJson(change: ChangeSet, state: ChangeState): Record<string, JsonValue> {
  return {
    ...changeResult(change),
    revision: change.revision,
    by: change.origin.actor,
    at: isoTime(change.createdAt),
    state,
  };
}

/** State of a change, between draft and published. */
type ChangeState = 'undone' | 'visitors see it' | 'in effect' | 'draft' | 'in the trash';

/** Largest number of changes of one entry that are searched for its publication. */
const MAX_SINCE_PUBLISHED = 200;

/** Determines for each change if visitors see its effect. */
async function changeStates(
  content: ContentBackend,
  changes: readonly ChangeSet[],
): Promise<(change: ChangeSet) => ChangeState> {
  const published = new Map<string, number | null>();
  for (const { targetId, targetType } of changes) {
    if (published.has(targetId) || !isEntryType(targetType)) continue;
    published.set(targetId, await publishedRevision(content, targetId));
  }
  return ({ undoneBy, targetId, targetType, revision }) => {
    if (undoneBy !== null) return 'undone';
    // Visitors do not see instructions, and a picture may be shown by a draft only.
    if (targetType === 'standing-instructions' || targetType === 'asset') return 'in effect';
    if (!isEntryType(targetType)) return 'visitors see it';
    const until = published.get(targetId) ?? null;
    if (until === null) return 'in the trash';
    return revision <= until ? 'visitors see it' : 'draft';
  };
}

const isEntryType = (type: ChangeSet['targetType']) => entryTypes.some((each) => each === type);

/** The newest revision of which visitors see everything; 0 for an unpublished entry, null for a trashed one. */
async function publishedRevision(content: ContentBackend, id: string): Promise<number | null> {
  const entry = await content.find(id);
  if (entry === null) return null;
  if (entry.status !== 'changed') return entry.status === 'published' ? entry.revision : 0;
  const changes = await content.changes({ targetId: id, limit: MAX_SINCE_PUBLISHED });
  return changes.find(({ action, undoneBy }) => action === 'publish' && undoneBy === null)?.revision ?? 0;
}

/** A change on one line: `chg_..., revision 4, 2027-01-05T09:00+01:00, by user, draft: Changed "Pricing": ...` */
function lineOf(change: ChangeSet, state: ChangeState): string {
  const { id, revision, createdAt, origin, summary, targetId, undoneBy } = change;
  const by = origin.actor === 'assistant' ? '' : `, by ${origin.actor}`;
  const now = undoneBy === null ? state : `${state} by ${undoneBy}`;
  return `${id}, ${targetId} revision ${revision}, ${minuteOf(createdAt)}${by}, ${now}: ${oneLine(summary, MAX_SUMMARY)}`;
}

/** `2027-01-05T09:00+01:00`, in this server's zone. */
const minuteOf = (time: number) => isoTime(time).replace(/:\d\d(?=[-+])/, '');

/** Longest summary in a line, in characters. */
const MAX_SUMMARY = 200;

/**
 * The newest changes of this conversation or by everyone, of one target or of the whole site; or the details of one
 * change.
 */
export const listRevisions = defineTool({
  name: 'list_revisions',
  description:
    'Newest changes of this conversation, with everybody of all, and whether visitors see them; of ref ("navigation", "settings", "standing-instructions" too); with changeId what it altered.',
  maxOutputChars: 12_000,
  withoutConversation: {
    description:
      'Newest changes of the site, and whether visitors see them; of ref ("navigation", "settings", "standing-instructions" too); with changeId what it altered.',
    fields: { everybody: null },
  },
  input: z.strictObject({
    ref: refInput.optional(),
    everybody: z.boolean().optional().describe('also what others changed'),
    changeId: nameInput(100).optional(),
    limit: z.int().min(1).max(MAX_CHANGES).optional().describe('default 10'),
  }),
  async execute({ ref, everybody = false, changeId, limit = 10 }, { content, origin: { sessionId } }) {
    if (changeId !== undefined) {
      const { change, fields } = await content.change(changeId);
      return {
        ...changeJson(change, (await changeStates(content, [change]))(change)),
        fields: fields as unknown as JsonValue,
      };
    }
    const isSiteDocument = siteDocumentKeys.some((key) => key === ref);
    const targetId =
      ref === undefined || isSiteDocument ? ref : (assetIdIn(ref) ?? (await resolveEntry(content, ref)).id);
    // A call without a conversation lists the changes of everybody.
    const onlySessionId = everybody ? undefined : sessionId;
    const changes = await content.changes({ targetId, sessionId: onlySessionId, limit });
    const stateOf = await changeStates(content, changes);
    const undos = new Set(changes.map(({ undoneBy }) => undoneBy));
    const notes = [
      ...(changes.length === limit
        ? [
            limit < MAX_CHANGES
              ? `There may be older ones: limit ${MAX_CHANGES}.`
              : 'There may be older ones than these.',
          ]
        : []),
      ...(onlySessionId === undefined ? [] : ['Of this conversation alone; with everybody true, of all.']),
    ];
    return {
      // A change and its undo are one line.
      changes: changes.filter(({ id }) => !undos.has(id)).map((change) => lineOf(change, stateOf(change))),
      ...(notes.length > 0 && { note: notes.join(' ') }),
    };
  },
});
