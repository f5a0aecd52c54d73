import { z } from 'zod';
import { NotFoundError } from '#server/core/errors';
import { defineTool } from '#server/tools/tool';

/** Characters of one page; small enough that recalling does not itself overflow a 16k window. */
const PAGE_LENGTH = 8_000;

/** Pages through a stored tool output that was cleared from the view. */
export const recallOutput = defineTool({
  name: 'recall_output',
  description: 'Read a tool output that was cleared from the conversation.',
  maxOutputChars: 20_000,
  input: z.object({
    id: z.string().min(1).describe('prt_...'),
    offset: z.int().min(0).optional().describe('character'),
  }),
  async execute({ id, offset = 0 }, { history }) {
    const output = await history.readToolOutput(id);
    if (output === null) throw new NotFoundError('stored tool output', id);
    const text = output.slice(offset, offset + PAGE_LENGTH);
    const next = offset + text.length;
    return { id, text, totalChars: output.length, ...(next < output.length ? { nextOffset: next } : {}) };
  },
});
