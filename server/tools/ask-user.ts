import { z } from 'zod';
import { defineTool } from '#server/tools/tool';

/** Asks the user and ends the turn; the next user message is the answer. */
export const askUser = defineTool({
  name: 'ask_user',
  isForEverybody: true,
  description: 'Ask the user one question and wait for the answer.',
  input: z.object({
    question: z.string().min(1).max(1000),
    options: z.array(z.string().min(1).max(200)).max(10).optional().describe('answers to choose from'),
  }),
  endsTurn: true,
  async execute() {
    return { status: 'asked' };
  },
});
