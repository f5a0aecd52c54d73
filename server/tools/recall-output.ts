import { z } from 'zod';
import { NotFoundError } from '#server/core/errors';
import { defineTool } from '#server/tools/tool';

/** Characters of one page; small enough that recalling does not itself overflow a 16k window. */
const PAGE_LENGTH = 8_000;

/**
 * Pages through something stored that the view no longer shows whole: a cleared tool output, a cut tool input, a
 * message found by search_history.
 */
export const recallOutput = defineTool({
  name: 'recall_output',
  description: 'Read in full what was cleared, cut or found in this conversation.',
  maxOutputChars: 20_000,
  input: z.object({
    id: z.string().min(1).max(200).describe('prt_...'),
    offset: z.int().min(0).optional().describe('character'),
  }),
  async execute({ id, offset = 0 }, { history }) {
    const whole = await history.readPart(id);
    if (whole === null) throw new NotFoundError('recallable part', id);
    const text = pageAt(whole, offset);
    const next = offset + text.length;
    return { id, text, totalChars: whole.length, ...(next < whole.length ? { nextOffset: next } : {}) };
  },
});

/** A page that does not end inside a surrogate pair. */
function pageAt(whole: string, offset: number): string {
  const end = offset + PAGE_LENGTH;
  const splitsPair = /[\uD800-\uDBFF]/.test(whole.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(whole.charAt(end));
  return whole.slice(offset, splitsPair ? end - 1 : end);
}
