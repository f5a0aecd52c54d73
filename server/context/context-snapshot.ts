import { createBudget } from '#server/context/budget';
import { fixedTokens, measure, type Measured } from '#server/context/current-tokens';
import { MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import type { ContextDependencies, ContextRequest } from '#server/context/ports';
import type { PlanInput } from '#server/context/plan-compaction';
import { buildPricedView } from '#server/context/view';
import {
  measureView,
  toModelMessages,
  type ViewKind,
  type ViewMessage,
  type ViewPart,
} from '#server/context/view-messages';
import { createBreathing } from '#server/core/breathe';
import type { NextRequest, RequestMessage, RequestPart } from '#server/core/context-report';
import type { ContextUsage } from '#server/core/events';
import type { ModelMessage } from '#server/core/model-messages';
import { toolOutputText } from '#server/core/part-text';
import type { Part } from '#server/core/parts';

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

export function fits(snapshot: ContextSnapshot): boolean {
  return snapshot.measured.currentTokens <= snapshot.budget.usable;
}

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
    text: text.slice(0, SHOWN_CHARS).toWellFormed(),
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
