import { z } from 'zod';
import { describeSectionType } from '#server/content/section-types';
import { sectionTypes } from '#server/core/content';
import { defineTool } from '#server/tools/tool';

/** The fields of section types, so that other schemas need not spell them out. */
export const describeSections = defineTool({
  name: 'describe_sections',
  description: 'The fields of section types; read before writing a section.',
  input: z.object({ types: z.array(z.enum(sectionTypes)).optional() }),
  async execute({ types }) {
    return Object.fromEntries((types ?? sectionTypes).map((type) => [type, describeSectionType(type)]));
  },
});
