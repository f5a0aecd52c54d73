import type { Message, Usage } from '#server/core/messages';
import { type SummaryFacts, composeLedgerSummary, composeNarrativeSummary } from '#server/context/compose-summary';
import type { Summarizer } from '#server/context/ports';
import { renderTranscript } from '#server/context/render-transcript';
import { countTokens } from '#server/context/tokens';

export interface WrittenSummary {
  readonly text: string;
  readonly tokens: number;
  /** `reactive-overflow` with a model's narrative, `ledger` from the facts alone. */
  readonly strategy: 'reactive-overflow' | 'ledger';
  readonly modelId: string | null;
  readonly usage: Usage | null;
}

export interface SummarySource {
  readonly facts: SummaryFacts;
  /** Messages this compaction replaces; what came before them is in `previousSummary`. */
  readonly head: readonly Message[];
  readonly previousSummary: string | null;
  readonly instructions: string | undefined;
}

/** Longest narrative, in tokens (design section 8). */
const MAX_NARRATIVE_TOKENS = 2_000;
/** Of the summary's tokens, the narrative's share; the rest is kept exactly by code. */
const NARRATIVE_SHARE = 0.55;

/**
 * Writes a summary: a model's narrative where there is one, checked, else (no model, an error, an empty, cut-off or
 * oversized text) the ledger summary. Never throws for what the summarizer does, except when the caller aborts.
 */
export async function writeSummary(
  source: SummarySource,
  summarizer: Summarizer | null,
  signal: AbortSignal | undefined,
): Promise<WrittenSummary> {
  const narrative = summarizer ? await tryNarrative(source, summarizer, signal) : null;
  const text = narrative ? composeNarrativeSummary(narrative.text, source.facts) : composeLedgerSummary(source.facts);
  return {
    text,
    tokens: countTokens(text),
    strategy: narrative ? 'reactive-overflow' : 'ledger',
    modelId: narrative && summarizer ? summarizer.modelId : null,
    usage: narrative?.usage ?? null,
  };
}

async function tryNarrative(source: SummarySource, summarizer: Summarizer, signal: AbortSignal | undefined) {
  const limit = Math.floor(Math.min(MAX_NARRATIVE_TOKENS, source.facts.tokens * NARRATIVE_SHARE));
  try {
    const result = await summarizer.summarize({
      transcript: renderTranscript(source.head, source.previousSummary, summarizer.inputTokens),
      instructions: source.instructions,
      maxOutputTokens: limit,
      signal,
    });
    const usable =
      result.finishReason === 'stop' && result.text.trim() !== '' && countTokens(result.text) <= limit * 1.2;
    return usable ? result : null;
  } catch (error) {
    if (signal?.aborted) throw error;
    return null;
  }
}
