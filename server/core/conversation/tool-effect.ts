import { z } from 'zod';
import { referenceSchema } from '#server/core/site/content';
import { fieldChangeSchema } from '#server/core/site/changes';
import { codedMessageSchema } from '#server/core/coded-message';
import { components, count, type Shape } from '#server/core/shapes';

/** An entry, picture or document that a call would change, in its state when the approval was requested. */
const targetSchema = z
  .object({
    type: z.string().min(1).describe('Kind of the thing: `page`, `post`, `asset`, `settings` or another'),
    id: z.string().min(1).describe('Id of the entry or picture, or the name of the document of the site'),
    title: z.string().describe('Its title when the approval was requested'),
    revision: count.describe('An approval is valid for this revision: after later changes it is requested again'),
    path: z.string().optional().describe('Path of the preview of a page or post, on its site'),
  })
  .describe('A thing that a call would change')
  .register(components, { id: 'EffectTarget' });
export type EffectTarget = Shape<typeof targetSchema>;

/**
 * What a tool call would change, determined without running it. An approval shows the effect, stores it, and holds only for
 * this effect.
 */
export const toolEffectSchema = z
  .object({
    summary: z.string().min(1).describe('One plain sentence: `Publishes "Pricing" at /pricing`'),
    message: codedMessageSchema.optional().describe('`summary` as data; effects that older versions stored have none'),
    targets: z.array(targetSchema).describe('Entries, pictures and documents that the call would change'),
    changes: z.array(fieldChangeSchema).describe('Differences that visitors (or, for settings, all users) would see'),
    references: z.array(referenceSchema).describe('References to the targets that would become invalid'),
    warnings: z.array(z.string()).describe('Other warnings, one sentence each: `It is the home page.`'),
    notices: z.array(codedMessageSchema).optional().describe('`warnings` as data, in the same order'),
    digest: z.string().optional().describe('Equal for equal effects; effects that older versions stored have none'),
    omitted: z
      .object({
        changes: count.describe('Number of omitted differences'),
        references: count.describe('Number of omitted references'),
        warnings: count.describe('Number of omitted warnings'),
      })
      .optional()
      .describe('How many are not in this answer; the complete effect is at the approval itself'),
  })
  .describe('What a tool call would change, determined without running it')
  .register(components, { id: 'ToolEffect' });
export type ToolEffect = Shape<typeof toolEffectSchema>;
