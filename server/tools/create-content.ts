import { z } from 'zod';
import { sectionTypes } from '#server/core/content';
import { effect } from '#server/tools/effects';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { entryTypeInput, fieldsInput, parentInput, seoInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Creates a page or post as a draft, with its first sections if they are given. */
export const createContent = defineTool({
  name: 'create_content',
  description: 'Create a draft page or post.',
  input: z.object({
    type: entryTypeInput,
    title: z.string().min(1).max(300),
    slug: z.string().optional().describe('default: from title'),
    excerpt: z.string().optional().describe('one or two sentences'),
    author: z.string().optional(),
    tags: z.array(z.string()).optional(),
    image: z.string().optional().describe('URL'),
    parent: parentInput,
    seo: seoInput,
    sections: z
      .array(z.object({ type: z.enum(sectionTypes), fields: fieldsInput.optional().describe('see describe_sections') }))
      .max(50)
      .optional(),
  }),
  writes: true,
  async effect({ type, title }) {
    return effect({ summary: `Creates the draft of a ${type}, "${title}".`, targets: [] });
  },
  async execute({ sections, parent, ...entry }, { content, origin }) {
    const above = parent === undefined || parent === '' ? undefined : (await resolveEntry(content, parent)).id;
    const withFields = sections?.map(({ type, fields }) => ({ type, fields: fields ?? {} }));
    const change = await content.create({ ...entry, parent: above, sections: withFields }, origin);
    return entryResult(change, {
      sections: change.entry.draft.sections.map(({ id, type }) => ({ id, type })),
    });
  },
});
