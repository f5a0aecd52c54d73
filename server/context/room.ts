import { createBudget } from '#server/context/budget';
import { leastNote } from '#server/context/compose-summary';
import type { ContextSnapshot } from '#server/context/context-snapshot';
import { fixedTokens, type ModelTarget, scale, tokensOfView } from '#server/context/current-tokens';
import { fileCost } from '#server/context/part-tokens';
import { countPartTokens } from '#server/context/part-tokens';
import { blocksOf, isRequest } from '#server/context/plan-compaction';
import { cutToLeast } from '#server/context/prune';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { STORED_VOCABULARY, vocabularyOf } from '#server/context/tokens';
import { buildView, verbatimMessages } from '#server/context/view';
import { ContextOverflowError, TooLargeError } from '#server/core/errors';
import type { Message, NewMessage } from '#server/core/messages';
import type { NewPart } from '#server/core/parts';

/** Refuses messages of the user that no context of this model could hold. @throws TooLargeError */
export function requireRoom(messages: readonly NewMessage[], target: ModelTarget, settings: ContextSettings): void {
  const room = roomOf(target, settings);
  for (const { role, parts } of messages) {
    if (role !== 'user') continue;
    const tokens = parts.reduce((sum, part) => sum + costOf(part, target), 0);
    if (tokens > room) throw new TooLargeError('The message', room, 'tokens');
  }
}

/** The largest message of the user that a context of this model can hold, by our count of tokens. */
export function roomForRequest(target: ModelTarget, settings: ContextSettings): number {
  return Math.floor(roomOf(target, settings) / target.tokenFactor);
}

/** Share of the room: the newest request is never cut, so it has to leave something for a summary and an answer. */
const REQUEST_SHARE = 0.75;

function roomOf(target: ModelTarget, settings: ContextSettings): number {
  const { usable, room, fixed } = createBudget(target, settings, fixedTokens(target));
  return Math.max(0, Math.min(Math.floor(room * REQUEST_SHARE), usable - fixed));
}

/** Images by the formula of the model's provider, which is in its own tokens already. */
function costOf(part: NewPart, target: ModelTarget): number {
  const vocabulary = vocabularyOf(target.modelId);
  if (part.type === 'file') {
    const { text, media } = fileCost(part, target.modelId, target.acceptsImages);
    return scale(text, target) + media;
  }
  const tokens = vocabulary === STORED_VOCABULARY ? part.tokens : undefined;
  return scale(tokens ?? countPartTokens(part, vocabulary), target);
}

/** The parts of a request that no pruning and no compaction makes smaller, by name. */
const NAMES = {
  fixed: 'instructions and tools',
  request: 'the newest message',
  newestStep: "the assistant's newest step",
  summary: 'a note about everything older',
} as const;

/** Tokens of each, outputs and inputs cut to the least; 0 where there is none. */
type LeastRequest = Readonly<Record<keyof typeof NAMES, number>>;

/** Longer than any note of this kind gets. */
const LONGEST_LEAST_NOTE = leastNote(1_000, 1_000_000);

/** The least that the next request of a session can have. */
export function leastRequest({ stored, target, budget, measured }: ContextSnapshot): LeastRequest {
  const { modelId, acceptsImages } = target;
  const verbatim = verbatimMessages(stored);
  const request = verbatim.findLast(isRequest);
  const newest = blocksOf(stored.messages).at(-1) ?? [];
  const asked = request ? [request] : [];
  const older = asked.filter((message) => !newest.includes(message));
  const hasOlder = stored.summary !== null || verbatim.length > older.length + newest.length;
  const note = hasOlder ? { id: null, text: LONGEST_LEAST_NOTE } : null;
  // Where a report says that the request costs more than we count, each thing in it does.
  const dearer = Math.max(1, measured.currentTokens / measured.estimatedTotal);
  const cost = (summary: typeof note, messages: readonly Message[]) =>
    tokensOfView(
      buildView({ leading: [], summary: null, kept: [], messages }, modelId, acceptsImages, summary),
      target,
    ) * dearer;
  const whole = cost(note, [...older, ...cutToLeast(newest, vocabularyOf(modelId))]);
  const [summaryTokens, requestTokens] = [cost(note, []), cost(null, asked)];
  return {
    fixed: Math.ceil(budget.fixed * dearer),
    request: Math.ceil(requestTokens),
    newestStep: Math.ceil(Math.max(0, whole - summaryTokens - requestTokens)),
    summary: Math.ceil(summaryTokens),
  };
}

export function leastTokens(needs: LeastRequest): number {
  return needs.fixed + needs.request + needs.newestStep + needs.summary;
}

/** Names what does not fit, in words and in `details`: tokens that are usable, that it has, and needs for what. */
export function overflowError(snapshot: ContextSnapshot): ContextOverflowError {
  const { currentTokens } = snapshot.measured;
  const usableTokens = snapshot.budget.usable;
  const needs = leastRequest(snapshot);
  const neededTokens = leastTokens(needs);
  const canShorten = needs.request >= Math.max(needs.fixed, needs.newestStep);
  const usable = `but only ${counted(usableTokens)} are usable.`;
  const listed = Object.entries(NAMES)
    .map(([name, of]) => ({ tokens: needs[name as keyof LeastRequest], of }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ tokens, of }) => `${counted(tokens)} for ${of}`);
  const message =
    neededTokens > usableTokens
      ? `Even with everything older taken out, the request needs ${counted(neededTokens)} tokens (${listed.join(', ')}), ` +
        `${usable} ${canShorten ? 'Shorten the newest message or choose' : 'Choose'} a model with a larger window.`
      : `The request needs ${counted(currentTokens)} tokens ${usable} ` +
        (snapshot.settings.autoCompact ? '' : 'Automatic compaction is switched off. ') +
        'Compact the conversation, or choose a model with a larger window.';
  const details = { usableTokens, currentTokens, neededTokens, needs: { ...needs } };
  return new ContextOverflowError(message, { details });
}

const counted = (tokens: number) => tokens.toLocaleString('en-US');
