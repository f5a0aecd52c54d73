import { type ModelTarget, createBudget } from '#server/context/budget';
import { leastNote } from '#server/context/compose-summary';
import { fixedTokens, measure, type Measured, scale, tokensOfView } from '#server/context/current-tokens';
import { countPartTokens, fileCost, MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import type { ContextDependencies, ContextRequest } from '#server/context/ports';
import { blocksOf, isRequest, type PlanInput } from '#server/context/strategies';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { STORED_VOCABULARY, vocabularyOf } from '#server/context/tokens';
import { buildPricedView, buildView, cutToLeast, verbatimMessages } from '#server/context/view';
import {
  measureView,
  toModelMessages,
  type ViewKind,
  type ViewMessage,
  type ViewPart,
} from '#server/context/view-messages';
import { createBreathing } from '#server/core/async';
import type { NextRequest, RequestMessage, RequestPart } from '#server/core/context-report';
import { ContextOverflowError, TooLargeError } from '#server/core/errors';
import type { ContextUsage } from '#server/core/events';
import type { Message, NewMessage } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import { toolOutputText } from '#server/core/part-text';
import type { NewPart, Part } from '#server/core/parts';
import { stretch } from '#server/core/short-text';

/** A measured session: all that a plan depends on, what the model sees, and what that costs. */
export interface ContextSnapshot extends PlanInput {
  /** The store's version of the view, read before the view was. */
  readonly version: string;
  readonly view: readonly ViewMessage[];
  readonly messages: ModelMessage[];
  readonly measured: Measured;
}

/** Reads the session's view and measures it for a model, with others let through between the steps. */
export async function measureContext(
  deps: Pick<ContextDependencies, 'store' | 'settings'>,
  { sessionId, target }: Pick<ContextRequest, 'sessionId' | 'target'>,
): Promise<ContextSnapshot> {
  const settings = deps.settings();
  const version = await deps.store.viewVersion(sessionId);
  const breathe = createBreathing();
  const unpriced = await deps.store.loadView(sessionId);
  await breathe();
  const { view, stored } = buildPricedView(unpriced, target);
  await breathe();
  const measured = measure(stored, view, target, settings);
  await breathe();
  const budget = createBudget(target, settings, fixedTokens(target));
  return { version, stored, view, messages: toModelMessages(view), measured, budget, target, settings };
}

export const fits = (snapshot: ContextSnapshot): boolean => snapshot.measured.currentTokens <= snapshot.budget.usable;

/** The figures of a snapshot, as REST and the stream report them. */
export function usageOf({ stored, measured, budget, target, messages }: ContextSnapshot): ContextUsage {
  const { currentTokens, source, breakdown } = measured;
  const reports = stored.messages.flatMap(({ usage }) => usage ?? []);
  // By the newest report that tells; our own estimate of a step that was cut, for one, does not.
  const { cacheReadTokens = 0, inputTokens = 0 } =
    reports.findLast((report) => report.cacheReadTokens !== undefined) ?? {};
  return {
    modelId: target.modelId,
    contextWindow: budget.contextWindow,
    outputReserve: budget.outputReserve,
    usableTokens: budget.usable,
    currentTokens,
    percentUsed: Math.round((currentTokens / budget.usable) * 1_000) / 10,
    availableTokens: Math.max(0, budget.usable - currentTokens),
    isOverflow: currentTokens > budget.usable,
    source,
    breakdown,
    messageCount: messages.length,
    cachedShare: inputTokens > 0 ? Math.min(1, cacheReadTokens / inputTokens) : null,
    cost: { lastStep: reports.at(-1)?.cost ?? null },
    warning: target.warning,
  };
}

/** Longest text of a part that is shown, characters. */
const SHOWN_CHARS = 20_000;

/**
 * The request of a snapshot, piece by piece. A message's own few tokens are with its first part; fractions are rounded
 * along the request, so that the parts of a kind add up to what the breakdown says of it.
 * @param messages those of the snapshot, part for part, with files in them that the snapshot only names
 */
export function itemizeRequest(
  { view, measured }: Pick<ContextSnapshot, 'view' | 'measured'>,
  messages: readonly ModelMessage[],
): Pick<NextRequest, 'tokens' | 'messages'> {
  const counted = measureView(view);
  const passed = new Map<ViewKind, number>();
  const costOf = (kind: ViewKind, tokens: number) => {
    const upTo = (count: number) => (count === 0 ? 0 : Math.round((measured.breakdown[kind] * count) / counted[kind]));
    const before = passed.get(kind) ?? 0;
    passed.set(kind, before + tokens);
    return upTo(before + tokens) - upTo(before);
  };
  const itemized = view.map(({ kind, role, parts }, index): RequestMessage => {
    const expanded = messages[index]?.content ?? [];
    const shown = parts.map((part, place) => {
      const around = place === 0 ? costOf(kind, MESSAGE_OVERHEAD) : 0;
      return itemizePart(expanded[place] ?? part.content, around + costOf(part.kind, part.tokens), part.of);
    });
    const tokens = shown.reduce((sum, part) => sum + part.tokens, 0);
    return { role, isSummary: kind === 'summary', tokens, parts: shown };
  });
  return { tokens: measured.estimatedTotal, messages: itemized };
}

function itemizePart(part: ViewPart['content'], tokens: number, of: Part | null): RequestPart {
  const { type, text } = describe(part);
  const toolName = 'toolName' in part ? part.toolName : null;
  const isCleared = of !== null && of.type !== 'tool-call' && of.compactedAt !== null;
  return {
    type,
    toolName,
    text: stretch(text, 0, SHOWN_CHARS),
    characters: text.length,
    tokens,
    isCleared,
  };
}

function describe(part: ViewPart['content']): Pick<RequestPart, 'type' | 'text'> {
  if (part.type === 'tool-call') return { type: part.type, text: JSON.stringify(part.input) };
  if (part.type === 'tool-result') return { type: part.type, text: toolOutputText(part.output) };
  if (part.type !== 'file') return { type: part.type, text: part.text };
  const type = part.mediaType.startsWith('image/') ? 'image' : 'file';
  const source = part.data.startsWith('data:') ? null : part.data;
  return { type, text: [part.filename, part.mediaType, source].filter(Boolean).join(', ') };
}

/* Everything that has to fit. */

/** Refuses messages of the user that no context of this model could hold. @throws TooLargeError */
export function requireRoom(messages: readonly NewMessage[], target: ModelTarget, settings: ContextSettings): void {
  const room = roomOf(target, settings);
  const vocabulary = vocabularyOf(target.modelId);
  const costOf = (part: NewPart) => {
    const tokens = vocabulary === STORED_VOCABULARY ? part.tokens : undefined;
    if (part.type !== 'file') return scale(tokens ?? countPartTokens(part, vocabulary), target);
    const { text, media } = fileCost(part, target.modelId, target.acceptsImages);
    return scale(text, target) + media;
  };
  for (const { parts } of messages.filter(({ role }) => role === 'user')) {
    const tokens = parts.reduce((sum, part) => sum + costOf(part), 0);
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
function leastRequest({ stored, target, budget, measured }: ContextSnapshot): LeastRequest {
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

const leastTokens = (needs: LeastRequest) => needs.fixed + needs.request + needs.newestStep + needs.summary;

/** Returns whether the next request fits once everything older is taken out. */
export function couldFit(snapshot: ContextSnapshot): boolean {
  return leastTokens(leastRequest(snapshot)) <= snapshot.budget.usable;
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
