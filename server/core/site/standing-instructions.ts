import { z } from 'zod';
import { components, count, type Shape } from '#server/core/shapes';

/** Maximum terms, or rules: far above what fits into the token limit of the instructions. */
const MAX_ITEMS = 10_000;

/** A term of the glossary. */
export const glossaryTerm = z.object({
  term: z.string().describe('The term, spelled as on this site'),
  meaning: z.string().describe('What it means here'),
});

/** Instructions that the assistant follows on this site in every conversation. */
export const standingInstructionsSchema = z
  .object({
    voice: z.string().describe('Tone and speaker: plain sentences'),
    glossary: z.array(glossaryTerm).max(MAX_ITEMS).describe('Terms in the spelling that this site uses'),
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
    maxTokens: count.describe('Maximum tokens that they may take'),
  })
  .describe('The standing instructions of a site, which every request to a model contains')
  .register(components, { id: 'StandingReport' });
export type StandingReport = Shape<typeof standingReportSchema>;
