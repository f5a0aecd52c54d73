import { z } from 'zod';
import { changeResult } from '#server/tools/results';
import { defineTool } from '#server/tools/tool';

/** Takes one change back. */
export const undo = defineTool({
  name: 'undo',
  description: "Take back a change; default: this conversation's newest.",
  input: z.object({ changeId: z.string().min(1).optional().describe('chg_...') }),
  writes: true,
  async execute({ changeId }, { content, origin }) {
    return changeResult(await content.undo(changeId, origin));
  },
});
