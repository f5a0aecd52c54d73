import { z } from 'zod';
import { sectionTypes } from '#server/core/content';
import { defineTool } from '#server/tools/tool';

/** The fields of section types, so that other schemas need not spell them out. */
export const describeSections = defineTool({
  name: 'describe_sections',
  description: 'The fields of section types; read before writing a section.',
  input: z.object({ types: z.array(z.enum(sectionTypes)).optional() }),
  async execute({ types }, { content }) {
    const { sections } = await content.types();
    const wanted = sections.filter(({ name }) => types === undefined || types.some((type) => type === name));
    return Object.fromEntries(wanted.map(({ name, description }) => [name, description]));
  },
});
