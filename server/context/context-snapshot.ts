import { serverText } from '#server/core/messages/server-text';
import { warningFields } from '#server/core/message-data';
import { type ModelTarget, createBudget } from '#server/context/budget';
import { leastNote } from '#server/context/compose-summary';
import { fixedTokens, measure, type Measured, scale, tokensOfView } from '#server/context/current-tokens';
import { countPartTokens, MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import { fileCost } from '#server/context/media-tokens';
import type { ContextRequest } from '#server/context/ports';
import { blocksOf, type PlanInput } from '#server/context/compaction-plan';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { STORED_VOCABULARY, vocabularyOf } from '#server/context/tokens';
import { buildPricedView, buildView, cutToLeast, type StoredView, verbatimMessages } from '#server/context/view';
import {
  measureView,
  toModelMessages,
  type ViewKind,
  type ViewMessage,
  type ViewPart,
} from '#server/context/view-messages';
import { createYielder } from '#server/core/async';
import type { RequestMessage, RequestPart } from '#server/core/conversation/context-report';
import { ContextOverflowError, TooLargeError } from '#server/core/errors';
import type { ContextUsage } from '#server/core/conversation/events';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import type { NewPart, Part } from '#server/core/conversation/parts';
import { stretch } from '#server/core/text/short-text';
import { isRequest } from '#server/core/conversation/part-text';

/** A measured session: the input of a plan, what the model sees, and its cost. */
export interface ContextSnapshot extends PlanInput {
  /** Version of the view in the store, read before the view itself. */
  readonly version: string;
  readonly view: readonly ViewMessage[];
  readonly messages: ModelMessage[];
  readonly measured: Measured;
}

/** Reads the view of a session and measures it for a model. Yields to the event loop between the steps. */
export async function measureContext(
  { session, target, settings: own }: ContextRequest,
  current: ContextSettings,
): Promise<ContextSnapshot> {
  const settings = { ...current, ...own };
  const yieldIfDue = createYielder();
  // Issued in this order: a view that changes in between is newer than its version.
  const [version, unpriced] = await Promise.all([session.viewVersion(), session.loadView()]);
  await yieldIfDue();
  const { view, stored } = buildPricedView(unpriced, target);
  await yieldIfDue();
  const measured = measure(stored, view, target, settings);
  await yieldIfDue();
  const budget = createBudget(target, settings, fixedTokens(target));
  return { version, stored, view, messages: toModelMessages(view), measured, budget, target, settings };
}

/** Share of the usable tokens that the next request takes; above 1 if it does not fit. */
export function usedShare(stored: StoredView, target: ModelTarget, settings: ContextSettings): number {
  const { view, stored: priced } = buildPricedView(stored, target);
  const { usable } = createBudget(target, settings, fixedTokens(target));
  return measure(priced, view, target, settings).currentTokens / usable;
}

/** True if the next request fits the usable tokens. */
export const fits = (snapshot: ContextSnapshot): boolean => snapshot.measured.currentTokens <= snapshot.budget.usable;

/** The figures of a snapshot, as REST and the stream report them. */
export function usageOf({ stored, measured, budget, target, messages }: ContextSnapshot): ContextUsage {
  const { currentTokens, source, breakdown } = measured;
  const reports = stored.messages.flatMap(({ usage }) => usage ?? []);
  // Taken from the newest report that has the figure. Our own estimate for a step that was cut has none.
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
    ...warningFields(target.warning),
  };
}

/** Longest text of a part that is shown, in characters. A choice, not measured. */
const MAX_SHOWN_CHARS = 20_000;

/**
 * The request of a snapshot, piece by piece. The overhead of a message is counted with its first part. Fractions are
 * rounded cumulatively, so that the parts of a kind add up to the breakdown.
 * @param messages those of the snapshot, part by part, including the content of files that the snapshot only names
 */
export function itemizeRequest(
  { view, measured }: Pick<ContextSnapshot, 'view' | 'measured'>,
  messages: readonly ModelMessage[],
): { readonly tokens: number; readonly messages: RequestMessage[] } {
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

/** One part of a request as people see it. */
function itemizePart(part: ViewPart['content'], tokens: number, of: Part | null): RequestPart {
  const { type, text } = describe(part);
  const toolName = 'toolName' in part ? part.toolName : null;
  const isCleared = of !== null && of.type !== 'tool-call' && of.compactedAt !== null;
  return {
    type,
    toolName,
    text: stretch(text, 0, MAX_SHOWN_CHARS),
    characters: text.length,
    tokens,
    isCleared,
  };
}

/** Type and text of a part; a file is only named. */
function describe(part: ViewPart['content']): { readonly type: RequestPart['type']; readonly text: string } {
  if (part.type === 'tool-call') return { type: part.type, text: JSON.stringify(part.input) };
  if (part.type === 'tool-result') return { type: part.type, text: toolOutputText(part.output) };
  if (part.type !== 'file') return { type: part.type, text: part.text };
  const type = part.mediaType.startsWith('image/') ? 'image' : 'file';
  const source = part.data.startsWith('data:') ? null : part.data;
  return { type, text: [part.filename, part.mediaType, source].filter(Boolean).join(', ') };
}

/* What has to fit into a request. */

/** Refuses user messages that cannot fit any context of this model. @throws TooLargeError */
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
    if (tokens > room) throw new TooLargeError('message', room, 'tokens');
  }
}

/** Size of the largest user message that a context of this model can contain, in our token count. */
export function roomForRequest(target: ModelTarget, settings: ContextSettings): number {
  return Math.floor(roomOf(target, settings) / target.tokenFactor);
}

/**
 * Share of the usable tokens. The newest request is never cut, so it has to leave space for a summary and an answer. A
 * choice, not measured.
 */
const REQUEST_SHARE = 0.75;

/** Tokens of the largest user message, for the model. */
function roomOf(target: ModelTarget, settings: ContextSettings): number {
  const { usable, room, fixed } = createBudget(target, settings, fixedTokens(target));
  return Math.max(0, Math.min(Math.floor(room * REQUEST_SHARE), usable - fixed));
}

/**
 * Tokens of each part of a request that neither pruning nor compaction makes smaller, with outputs and inputs cut to their
 * minimum. 0: the request has no such part.
 */
type LeastRequest = Readonly<Record<'fixed' | 'request' | 'newestStep' | 'summary', number>>;

/** A note that is longer than any real one. */
const LONGEST_LEAST_NOTE = leastNote(1_000, 1_000_000);

/** The minimal size of the next request of a session. */
function leastRequest({ stored, target, budget, measured }: ContextSnapshot): LeastRequest {
  const { modelId, acceptsImages } = target;
  const verbatim = verbatimMessages(stored);
  const request = verbatim.findLast(isRequest);
  const newest = blocksOf(stored.messages).at(-1) ?? [];
  const asked = request ? [request] : [];
  const older = asked.filter((message) => !newest.includes(message));
  const hasOlder = stored.summary !== null || verbatim.length > older.length + newest.length;
  const note = hasOlder ? { id: null, text: LONGEST_LEAST_NOTE } : null;
  // If a report says that the request costs more than we count, each part of it is scaled accordingly.
  const costFactor = Math.max(1, measured.currentTokens / measured.estimatedTotal);
  const cost = (summary: typeof note, messages: readonly Message[]) =>
    tokensOfView(
      buildView({ leading: [], summary: null, kept: [], messages }, modelId, acceptsImages, summary),
      target,
    ) * costFactor;
  const whole = cost(note, [...older, ...cutToLeast(newest, vocabularyOf(modelId))]);
  const [summaryTokens, requestTokens] = [cost(note, []), cost(null, asked)];
  return {
    fixed: Math.ceil(budget.fixed * costFactor),
    request: Math.ceil(requestTokens),
    newestStep: Math.ceil(Math.max(0, whole - summaryTokens - requestTokens)),
    summary: Math.ceil(summaryTokens),
  };
}

const leastTokens = (needs: LeastRequest) => needs.fixed + needs.request + needs.newestStep + needs.summary;

/** Returns whether the next request fits after everything older is removed. */
export function couldFit(snapshot: ContextSnapshot): boolean {
  return leastTokens(leastRequest(snapshot)) <= snapshot.budget.usable;
}

/**
 * Describes what does not fit, as a message and in `details`: usable tokens, current tokens, and the tokens that each
 * part needs.
 */
export function overflowError(snapshot: ContextSnapshot): ContextOverflowError {
  const { currentTokens } = snapshot.measured;
  const usableTokens = snapshot.budget.usable;
  const needs = leastRequest(snapshot);
  const neededTokens = leastTokens(needs);
  const canShorten = needs.request >= Math.max(needs.fixed, needs.newestStep);
  const parts = Object.entries(needs)
    .map(([of, tokens]) => ({ of, tokens }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((one, other) => other.tokens - one.tokens)
    .map((part) => serverText('request-part', part));
  const text =
    neededTokens > usableTokens
      ? serverText('request-above-window', {
          needed: neededTokens,
          usable: usableTokens,
          needs: parts,
          isFixed: !canShorten,
        })
      : serverText('request-above-window-now', {
          needed: currentTokens,
          usable: usableTokens,
          isAutomatic: snapshot.settings.autoCompact,
        });
  const details = { usableTokens, currentTokens, neededTokens, needs: { ...needs } };
  return new ContextOverflowError(text, { details });
}
