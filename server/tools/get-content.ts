import { z } from 'zod';
import { summarizeOperations } from '#server/content/change-summary';
import { diffDocuments } from '#server/content/diff-documents';
import type { Entry, Reference } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { isoTime } from '#server/tools/publication-time';
import { resolveEntry } from '#server/tools/resolve-entry';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** The whole draft of one entry, sections and their ids included; what it differs in from what visitors see. */
export const getContent = defineTool({
  name: 'get_content',
  description: 'The whole draft of a page or post, with its sections and their ids.',
  input: z.object({
    ref: refInput,
    with: z.array(z.enum(['references', 'issues'])).optional(),
  }),
  async execute({ ref, with: extras = [] }, { content }) {
    const entry = await resolveEntry(content, ref);
    const { sections, ...head } = entry.draft;
    const details = Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
    const references = extras.includes('references') ? await content.referencesTo(content.refOf(entry)) : undefined;
    const issues = extras.includes('issues') ? await content.validate(entry.id) : undefined;
    return {
      id: entry.id,
      type: entry.type,
      status: entry.status,
      ...(entry.publishAt !== null && { publishAt: isoTime(entry.publishAt) }),
      revision: entry.revision,
      path: await content.pathOf(entry, 'draft'),
      ...unpublishedChanges(entry),
      ...details,
      sections: sections.map((section) => ({ id: section.id, type: section.type, fields: section.fields })),
      ...(references !== undefined && { references: references.map(referenceLine) }),
      ...(issues !== undefined && { issues: issues.map(({ path, message }) => `${path}: ${message}`) }),
    };
  },
});

/** What publishing would change, in a sentence. */
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
