import { z } from 'zod';
import type { Message } from '#server/core/messages';
import { type CompactionPlan, blocksOf, headOf, rawTokens } from '#server/context/compaction/plan-compaction';
import type { ModelResult } from '#server/context/strategies/strategy';

/** What the pruning agent answers: the ids of the messages that stay, and what the others were about. */
const prunedConversationSchema = z.object({
  prunedConversation: z.array(z.object({ id: z.string() })),
  summary: z.string().trim().min(1),
  originalTokens: z.number().positive(),
  prunedTokens: z.number().min(0),
});

/**
 * The plan with the agent's choice: what it keeps of the replaced messages stays behind the summary. Null when the
 * answer breaks a rule: no valid JSON, an unknown id, a call parted from its result, or more kept than fits.
 * @param roomTokens verbatim tokens (our vocabulary) that the plan has room for, its tail included
 */
export function applyPrunedConversation(answer: string, plan: CompactionPlan, roomTokens: number): ModelResult | null {
  const parsed = prunedConversationSchema.safeParse(parseJson(answer));
  if (!parsed.success) return null;
  const { prunedConversation, summary, ...claims } = parsed.data;
  const chosen = new Set(prunedConversation.map(({ id }) => id));
  const all = [...headOf(plan), ...plan.tail];
  if ([...chosen].some((id) => !all.some((message) => message.id === id))) return null;

  const blocks = blocksOf(plan.replaced);
  const isChosen = (message: Message) => chosen.has(message.id);
  if (blocks.some((block) => block.some(isChosen) && !block.every(isChosen))) return null;
  const kept = blocks.filter((block) => block.every(isChosen)).flat();
  const replaced = plan.replaced.filter((message) => !kept.includes(message));
  const keptAfter = [...kept, ...plan.keptAfter].toSorted((a, b) => a.seq - b.seq);
  if (replaced.length === 0 || rawTokens([...keptAfter, ...plan.tail]) > roomTokens) return null;
  return { plan: { ...plan, replaced, keptAfter }, text: summary, claims };
}

/** Models like to wrap JSON in a code fence. */
function parseJson(text: string): unknown {
  const bare = text
    .trim()
    .replace(/^```(?:json)?\s*/i, '')
    .replace(/```$/, '');
  try {
    return JSON.parse(bare);
  } catch {
    return null;
  }
}
