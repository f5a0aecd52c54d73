import { letOthersThrough } from '#server/core/breathe';
import type { CompactionTrigger } from '#server/core/compactions';
import type { CompactionReason, PruneData } from '#server/core/events';
import { pruneLimits } from '#server/context/room/budget';
import type { ContextDependencies, ContextRequest } from '#server/context/context-request';
import { calmTokens, scale } from '#server/context/counting/current-tokens';
import type { Look } from '#server/context/look';
import { planExcerpts } from '#server/context/prune/plan-excerpts';
import { countCleared, type PruneRules, planPrune } from '#server/context/prune/plan-prune';
import type { PruneCommit } from '#server/context/ports';
import { verbatimMessages } from '#server/context/view/view';
import { vocabularyOf } from '#server/context/counting/vocabulary';

type Deps = Pick<ContextDependencies, 'store'>;

const NOTHING_PRUNED: PruneData = { outputsPruned: 0, tokensSaved: 0, prunedTools: [], compactionId: null };

/** Tokens that clearing old images and outputs would save, however few. */
export async function prunableTokens(look: Look): Promise<number> {
  await countCleared(look.stored.messages);
  const rules = { ...pruneRules(look), minimum: 0, imagesFirst: false };
  return scale(planPrune(look.stored.messages, rules).tokensSaved, look.target);
}

/**
 * Clears old images and tool outputs where that saves enough to be worth the lost prompt cache; only images where those
 * are enough, unless somebody asked for it.
 */
export async function pruneSession(
  deps: Deps,
  request: ContextRequest,
  trigger: CompactionTrigger,
  look: Look,
): Promise<PruneData> {
  await countCleared(look.stored.messages);
  const { parts, tokensSaved, tools } = planPrune(look.stored.messages, {
    ...pruneRules(look),
    imagesFirst: trigger !== 'manual',
  });
  return savePrune(deps, request, look, { trigger, parts, rawSaved: tokensSaved, prunedTools: tools });
}

/** Outputs and inputs are each rounded up on their own when they are priced. */
const ROUNDING = 2;

/**
 * When no compaction is enough: the largest outputs are cut to what fits, and where that is not enough, what calls were made with
 * too; each names how to read the rest.
 * @param most tokens that the request may have
 */
export async function excerptSession(
  deps: Deps,
  request: ContextRequest,
  reason: CompactionReason,
  look: Look,
  most: number,
): Promise<PruneData> {
  const { measured, budget, target, settings } = look;
  // What was reported of this view no longer holds once it is cut; the estimate may be above it.
  const tokens = Math.max(measured.currentTokens, measured.estimatedTotal);
  const messages = verbatimMessages(look.stored);
  // Room is left for reading on: the first page of the rest must not push the excerpts out again.
  const roomy = budget.usable - (budget.usable - budget.target) * settings.readingShare;
  const limits = [
    Math.min(roomy, calmTokens(budget.usable, settings), most),
    Math.min(budget.usable, (tokens + most) / 2),
  ];
  const vocabulary = vocabularyOf(target.modelId);
  const trigger = reason === 'provider-overflow' ? reason : 'tool-response';
  for (const inputs of [false, true]) {
    for (const limit of limits) {
      // Where a report says that the request costs more than we count, so does what is cut of it.
      const share = (tokens - limit + ROUNDING) / tokens;
      const excess = Math.ceil((share * measured.estimatedTotal) / target.tokenFactor);
      const parts = planExcerpts(messages, { excess, inputs, vocabulary });
      if (parts.length > 0)
        return savePrune(deps, request, look, { trigger, parts, rawSaved: excess, prunedTools: [] });
    }
  }
  return NOTHING_PRUNED;
}

/**
 * What a request may have that a provider has refused although it seemed to fit: our count or its window is not what we
 * think, so we go by what was refused.
 */
export function refusedAim({ measured, budget, settings }: Look): number {
  const refused = Math.max(0, measured.currentTokens - budget.fixed);
  return Math.min(budget.target, budget.fixed + Math.floor(refused * settings.targetShare));
}

function pruneRules({ budget, settings }: Look): Omit<PruneRules, 'imagesFirst'> {
  return {
    ...pruneLimits(budget, settings),
    protectedTurns: settings.minTurnsToKeep,
    exemptTools: settings.exemptTools,
    inputExcerptChars: settings.inputExcerptChars,
    largeCallTokens: settings.inputExcerptFrom,
    worthwhileShare: settings.inputExcerptMaxShare,
  };
}

interface PruneOrder {
  readonly trigger: CompactionTrigger;
  readonly parts: PruneCommit['parts'];
  /** In our vocabulary. */
  readonly rawSaved: number;
  readonly prunedTools: readonly string[];
}

async function savePrune(
  { store }: Deps,
  { sessionId, listener }: ContextRequest,
  { measured, target }: Look,
  { trigger, parts, rawSaved, prunedTools }: PruneOrder,
): Promise<PruneData> {
  if (parts.length === 0) return NOTHING_PRUNED;
  await letOthersThrough();
  const tokensBefore = measured.currentTokens;
  const tokensSaved = scale(rawSaved, target);
  const tokensAfter = Math.max(0, tokensBefore - tokensSaved);
  const commit = { trigger, tokensBefore, tokensAfter, parts, modelId: target.modelId };
  const { id: compactionId } = await store.savePrune(sessionId, commit);
  const data = { outputsPruned: parts.length, tokensSaved, prunedTools, compactionId };
  listener?.onPrune?.(data);
  return data;
}
