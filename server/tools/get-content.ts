import { z } from 'zod';
import { resolveEntry } from '#server/tools/resolve-entry';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** The whole draft of one entry, sections and their ids included. */
export const getContent = defineTool({
  name: 'get_content',
  description: 'The whole draft of a page or post, with its sections and their ids.',
  input: z.object({ ref: refInput }),
  async execute({ ref }, { content }) {
    const { id, type, status, revision, draft } = await resolveEntry(content, ref);
    const { sections, ...head } = draft;
    const details = Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
    return {
      id,
      type,
      status,
      revision,
      ...details,
      sections: sections.map((section) => ({ id: section.id, type: section.type, fields: section.fields })),
    };
  },
});
