import { z } from 'zod';
import { count, type Shape } from '#server/core/shapes';

/** Maximum terms, or rules: far above what fits into the token limit of the instructions. */
const MAX_ITEMS = 10_000;

/** Instructions that the assistant follows on this site in every conversation. */
export const standingInstructionsSchema = z.object({
  /** Tone and speaker: plain sentences. */
  voice: z.string(),
  /** Terms in the spelling that this site uses. */
  glossary: z.array(z.object({ term: z.string(), meaning: z.string() })).max(MAX_ITEMS),
  /** "Never ...", "Always ...": one sentence each. */
  rules: z.array(z.string()).max(MAX_ITEMS),
});
export type StandingInstructions = Shape<typeof standingInstructionsSchema>;

/** The standing instructions, with the number of tokens that they take. */
export const standingReportSchema = z.strictObject({
  ...standingInstructionsSchema.shape,
  /** Number of writes; 0 if there were none. */
  revision: count,
  /** Tokens that they add to every request. */
  tokens: count,
  maxTokens: count,
});
export type StandingReport = Shape<typeof standingReportSchema>;
