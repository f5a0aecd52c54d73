import { z } from 'zod';
import { nameInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Most characters of a quotation: a wish, not a letter. */
const MAX_QUOTE = 1_000;

/** Keeps a lasting wish of the user for this conversation, in his words, or lets one go; says which are kept. */
export const keepInMind = defineTool({
  name: 'keep_in_mind',
  isForEverybody: true,
  description:
    'When the user states a lasting wish for this conversation, keep it: quote it word for word. letGo: drop one when the user says so. Neither: list them.',
  input: z.object({
    quote: z.string().max(MAX_QUOTE).optional().describe('exactly as typed'),
    letGo: nameInput(100).optional().describe('kep_...'),
  }),
  writes: true,
  exemptFromPruning: true,
  async execute({ quote, letGo }, { wishes }) {
    if (quote !== undefined) await wishes.keep(quote, letGo);
    else if (letGo !== undefined) await wishes.letGo(letGo);
    return { kept: (await wishes.list()).map(({ id, quote: words }) => ({ id, quote: words })) };
  },
});
