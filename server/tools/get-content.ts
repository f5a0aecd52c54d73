import { z } from 'zod';
import { summarizeOperations } from '#server/content/change-summary';
import type { ContentBackend } from '#server/content/content-backend';
import { diffDocuments } from '#server/content/diff-documents';
import type { Entry, Reference, Section } from '#server/core/content';
import { InvalidInputError, NotFoundError, ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { sectionName } from '#server/core/section-name';
import { sectionPage } from '#server/tools/long-texts';
import { isoTime, marksResult } from '#server/tools/results';
import { findByRef, isSectionId, MAX_REFS, refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Characters of sections that one call shows; below what a tool's output may have. */
const MAX_SHOWN = 22_000;

const getInput = z.object({
  ref: refInput.optional().describe('also one sec_...'),
  refs: z.array(refInput).min(1).max(MAX_REFS).optional(),
  from: z.coerce.string().max(40).meta({ isName: true }).optional().describe('next page of a long section'),
  with: z.array(z.enum(['outline', 'references', 'issues'])).optional(),
});

/** The whole draft of one or several entries, sections and their ids included; what differs from what visitors see. */
export const getContent = defineTool({
  name: 'get_content',
  description: 'The whole draft of pages or posts, with section ids; long fields in pages.',
  input: getInput,
  async execute({ ref, refs = [], from, with: extras = [] }, { content, noteSeen }) {
    const wanted = [...new Set([...(ref === undefined ? [] : [ref]), ...refs])];
    const [only] = wanted;
    if (only === undefined) throw new InvalidInputError('Say what to read: ref, or refs.');
    if (from !== undefined && (wanted.length > 1 || !isSectionId(only))) {
      throw new InvalidInputError('from goes with the id of one section as ref (sec_...).');
    }
    const room = { left: extras.includes('outline') ? 0 : MAX_SHOWN };
    if (wanted.length === 1) return readOne(content, only, { from, extras, room, noteSeen });
    const entries: JsonValue[] = [];
    for (const each of wanted) entries.push(await readOrTell(content, each, { extras, room, noteSeen }));
    return { entries };
  },
});

/** Things checked for `issues`; an empty list says nothing of anything else. */
const CHECKED =
  'links, pictures and their alternative texts, excerpt or search description, empty or oversized sections, address, page above; not the wording';

interface Reading {
  readonly from?: string | undefined;
  readonly extras: readonly ('outline' | 'references' | 'issues')[];
  /** Room still left; a call of several shares it. */
  readonly room: { left: number };
  /** Told of every entry or section that is shown whole. */
  readonly noteSeen?: ((key: string, revision: number) => void) | undefined;
}

/** One of several: what cannot be read is told in its place. */
async function readOrTell(content: ContentBackend, ref: string, reading: Reading): Promise<JsonValue> {
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
  { from, extras, room, noteSeen }: Reading,
): Promise<Record<string, JsonValue>> {
  const entry = await findByRef(content, ref);
  if (isSectionId(ref)) {
    const section = oneSection(entry, ref, from);
    noteSeen?.(ref, entry.revision);
    return { ...headOf(entry), title: entry.draft.title, sections: [section] };
  }
  const { sections, ...head } = entry.draft;
  const details = Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
  const references = extras.includes('references') ? await content.referencesTo(content.refOf(entry)) : undefined;
  const issues = extras.includes('issues') ? await content.validate(entry.id) : undefined;
  const siteNotes = await content.cautions(entry);
  const shown = sections.map((section) => sectionIn(section, room));
  const isCut = shown.some((section) => 'notShown' in section);
  if (!isCut) noteSeen?.(entry.id, entry.revision);
  else for (const section of shown) if (!('notShown' in section)) noteSeen?.(section.id, entry.revision);
  return {
    ...headOf(entry),
    path: await content.pathOf(entry, 'draft'),
    ...unpublishedChanges(entry),
    ...details,
    sections: shown,
    ...(siteNotes.length > 0 && { siteNotes }),
    ...(isCut && { note: 'Only named here: get_content with the id of a section shows it.' }),
    ...(references !== undefined && { references: references.map(referenceLine) }),
    ...(issues !== undefined && {
      issues: issues.map(({ path, message }) => `${path}: ${message}`),
      checked: CHECKED,
    }),
  };
}

function headOf(entry: Entry): Record<string, JsonValue> {
  const { id, type, status, publishAt, revision } = entry;
  return {
    id,
    type,
    status,
    ...marksResult(entry),
    ...(publishAt !== null && { publishAt: isoTime(publishAt) }),
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

/** A section, its first page, or only its name and size where there is no room left. */
function sectionIn(section: Section, room: { left: number }): ShownSection {
  const { id, type } = section;
  const shown = { id, type, ...sectionPage(section) };
  const size = JSON.stringify(shown).length;
  if (size > room.left)
    return { id, type, notShown: `${sectionName(section)}, ${JSON.stringify(section.fields).length} characters` };
  room.left -= size;
  return shown;
}

/** Describes in a sentence the changes that are not published yet. */
function unpublishedChanges({ status, draft, published }: Entry): Record<string, JsonValue> {
  if (status !== 'changed' || published === null) return {};
  return { unpublished: summarizeOperations(diffDocuments(published, draft), published) };
}

function referenceLine({ kind, from, text, isPublished }: Reference): JsonValue {
  const { type, id, title, sectionId } = from;
  return {
    kind,
    from: type === id ? id : `${id} "${title}"`,
    ...(sectionId !== undefined && { sectionId }),
    text,
    ...(!isPublished && { draftOnly: true }),
  };
}
