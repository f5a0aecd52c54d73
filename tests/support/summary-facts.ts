import type { SummaryFacts } from '#server/context/compose-summary';
import { readTurns } from '#server/context/record/record';
import { countTokens } from '#server/context/tokens';
import { viewShares } from '#server/context/budget';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';

/** A change in a site's journal: a page that was made, unless told otherwise. */
export function pageChange(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  const { id = 'pag_k7m2p9', title = 'Rye' } = changes;
  const recorded = { kind: 'page', id, slug: title.toLowerCase(), title, action: 'create', undone: false, at: 1 };
  return { ...recorded, summary: `Created the page "${title}"`, ...changes };
}

/**
 * The facts of a summary of these messages, for a view with so many tokens of room.
 * @param room default: 8,000
 */
export async function factsOf(
  messages: readonly Message[],
  {
    room = 8_000,
    journal = [],
    ...changes
  }: Partial<SummaryFacts> & { readonly room?: number; readonly journal?: readonly LedgerEntry[] } = {},
): Promise<SummaryFacts> {
  const shares = viewShares(room);
  return {
    round: 1,
    messages,
    journal,
    turns: await readTurns(messages, journal),
    things: [],
    wishes: [],
    letGo: [],
    standing: '',
    kept: [],
    cutsTurn: false,
    shares,
    tokens: shares.summary,
    messageTokens: Math.floor(room * 0.05),
    count: (text) => countTokens(text),
    ...changes,
  };
}
