import { z } from 'zod';
import { type KeptWish, sameQuote } from '#server/core/kept-wishes';
import { nameInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Most characters of a quotation: a wish, not a letter. */
const MAX_QUOTE = 1_000;

const lineOf = ({ id, quote }: KeptWish) => ({ id, quote });

/** Keeps a lasting wish of the user for this conversation, in his words, or lets one go; says how many are kept, and which only where it is asked. */
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
    const gone = quote === undefined && letGo !== undefined ? await wishes.letGo(letGo) : null;
    if (quote !== undefined) await wishes.keep(quote, letGo);
    const kept = await wishes.list();
    const count = kept.length;
    if (gone !== null) return { letGo: lineOf(gone), count };
    if (quote === undefined) return { kept: kept.map(lineOf), count };
    return { kept: kept.filter((wish) => sameQuote(wish.quote, quote)).map(lineOf), count };
  },
});
