import { z } from 'zod';
import { components } from '#server/core/shapes';
import { MAX_ANSWER_CHARS, starterKits } from '#server/core/site/starter/starter-kits';

const answer = (max: number) => z.string().trim().min(1).max(max);

/** The kit and the answers from which a site starts. */
export const startBody = z
  .strictObject({
    kit: z.enum(starterKits).describe('Kind of business whose pages and texts are taken'),
    siteName: answer(MAX_ANSWER_CHARS.siteName).optional().describe('Name of the site; absent: as it is set'),
    what: answer(MAX_ANSWER_CHARS.what).optional().describe('What the site is about, in a sentence: its tagline'),
    audience: answer(MAX_ANSWER_CHARS.audience).optional().describe('For whom it is: a text of the start page'),
    action: answer(MAX_ANSWER_CHARS.action)
      .optional()
      .describe('What visitors should do: the label of the main button'),
    language: z
      .string()
      .max(35)
      .optional()
      .describe('Language tag of the site (BCP 47); absent: as it is set. German texts for `de`, otherwise English'),
    step: z
      .number()
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe('Makes only this step, from 0, to show progress; the result names the next one. Absent: all steps'),
  })
  .register(components, { id: 'StartBody' });
