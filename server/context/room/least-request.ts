import { leastNote } from '#server/context/summary/compose-note';
import { tokensOfView } from '#server/context/counting/current-tokens';
import type { Look } from '#server/context/look';
import { blocksOf, isRequest } from '#server/context/compaction/plan-compaction';
import { cutToLeast } from '#server/context/prune/plan-excerpts';
import { buildViewAround, verbatimMessages } from '#server/context/view/view';
import { vocabularyOf } from '#server/context/counting/vocabulary';

/** What of a request no pruning and no compaction makes smaller, in the model's tokens. */
export interface LeastRequest {
  /** Instructions and tool schemas. */
  readonly fixed: number;
  /** The newest request of the user with its files. */
  readonly request: number;
  /** The newest step, if something came after that request: what was said, outputs and inputs cut to the least. */
  readonly newestStep: number;
  /** A note that everything older was taken out; 0 where nothing is older. */
  readonly summary: number;
}

/** Longer than any note of this kind gets. */
const LONGEST_LEAST_NOTE = leastNote(1_000, 1_000_000);

/** The least that the next request of a session can have. */
export function leastRequest({ stored, target, budget, measured }: Look): LeastRequest {
  const { modelId } = target;
  const verbatim = verbatimMessages(stored);
  const request = verbatim.findLast(isRequest);
  const newest = blocksOf(stored.messages).at(-1) ?? [];
  const isNewest = (message: (typeof verbatim)[number]) => message === request || newest.includes(message);
  const hasOlder = stored.summary !== null || !verbatim.every(isNewest);
  const view = buildViewAround(
    hasOlder ? { id: null, text: LONGEST_LEAST_NOTE } : null,
    {
      leading: [],
      kept: request && !newest.includes(request) ? [request] : [],
      messages: cutToLeast(newest, vocabularyOf(modelId)),
    },
    modelId,
    target.acceptsImages,
  );
  const note = hasOlder ? view.slice(0, 1) : [];
  const asked = view.filter(({ sourceId }) => sourceId !== null && sourceId === request?.id);
  const rest = view.filter((entry) => !note.includes(entry) && !asked.includes(entry));
  // Where a report says that the request costs more than we count, each thing in it does.
  const dearer = Math.max(1, measured.currentTokens / measured.estimatedTotal);
  const cost = (tokens: number) => Math.ceil(tokens * dearer);
  return {
    fixed: cost(budget.fixed),
    request: cost(tokensOfView(asked, target)),
    newestStep: cost(tokensOfView(rest, target)),
    summary: cost(tokensOfView(note, target)),
  };
}

/** Tokens of all of it. */
export function leastTokens({ fixed, request, newestStep, summary }: LeastRequest): number {
  return fixed + request + newestStep + summary;
}
