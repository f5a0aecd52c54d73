import { z } from 'zod';
import { components, count, type Shape } from '#server/core/shapes';

/** Maximum terms, or rules: far above what fits into the token limit of the instructions. */
const MAX_ITEMS = 10_000;

/** Instructions that the assistant follows on this site in every conversation. */
export const standingInstructionsSchema = z
  .object({
    voice: z.string().describe('Tone and speaker: plain sentences'),
    glossary: z
      .array(z.object({ term: z.string(), meaning: z.string() }))
      .max(MAX_ITEMS)
      .describe('Terms in the spelling that this site uses'),
    rules: z.array(z.string()).max(MAX_ITEMS).describe('"Never ...", "Always ...": one sentence each'),
  })
  .register(components, { id: 'StandingInstructions' });
export type StandingInstructions = Shape<typeof standingInstructionsSchema>;

/** The standing instructions, with the number of tokens that they take. */
export const standingReportSchema = z
  .strictObject({
    ...standingInstructionsSchema.shape,
    revision: count.describe('Number of writes; 0 if there were none'),
    tokens: count.describe('Tokens that they add to every request'),
    maxTokens: count,
  })
  .register(components, { id: 'StandingReport' });
export type StandingReport = Shape<typeof standingReportSchema>;
