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
    'Keep a lasting wish of the user for this conversation. letGo: drop one the user is done with. Neither: list them.',
  input: z.object({
    quote: z.string().max(MAX_QUOTE).optional().describe('word for word'),
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
