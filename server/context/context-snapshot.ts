import { createBudget } from '#server/context/budget';
import { fixedTokens, measure, type Measured, type ModelTarget } from '#server/context/current-tokens';
import { fileCost } from '#server/context/media-tokens';
import { MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import type { ContextDependencies, ContextRequest } from '#server/context/ports';
import type { PlanInput } from '#server/context/plan-compaction';
import { STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import {
  imageTokens,
  pairToolResults,
  resultTextTokens,
  sentThoughts,
  shownImages,
  unseenResults,
} from '#server/context/tool-results';
import { buildView, shownTokens, type StoredView, verbatimMessages } from '#server/context/view';
import { measureView, toModelMessages, type ViewKind, type ViewMessage } from '#server/context/view-messages';
import { createBoundedCache } from '#server/core/bounded-map';
import { createBreathing } from '#server/core/breathe';
import type { NextRequest, RequestMessage, RequestPart } from '#server/core/context-report';
import type { ContextUsage } from '#server/core/events';
import type { Message, Usage } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import { isSaid, toolOutputText } from '#server/core/part-text';
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
  const stored = priceParts(await deps.store.loadView(sessionId), target);
  await breathe();
  const view = buildView(stored, target.modelId, target.acceptsImages);
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
    cachedShare: cachedShare(reports),
    cost: { lastStep: reports.at(-1)?.cost ?? null },
    warning: target.warning,
  };
}

/** By the newest report that tells; our own estimate of a step that was cut, for one, does not. */
function cachedShare(reports: readonly Usage[]): number | null {
  const report = reports.findLast(({ cacheReadTokens }) => cacheReadTokens !== undefined);
  if (report?.cacheReadTokens === undefined || report.inputTokens <= 0) return null;
  return Math.min(1, report.cacheReadTokens / report.inputTokens);
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
      return itemizePart(expanded[place] ?? part.content, around + costOf(part.kind, part.tokens), part.isCleared);
    });
    const tokens = shown.reduce((sum, part) => sum + part.tokens, 0);
    return { role, isSummary: kind === 'summary', tokens, parts: shown };
  });
  return { tokens: measured.estimatedTotal, messages: itemized };
}

type ContentPart = ModelMessage['content'][number];

function itemizePart(part: ContentPart, tokens: number, isCleared: boolean): RequestPart {
  const { type, text } = describe(part);
  const toolName = 'toolName' in part ? part.toolName : null;
  const shown = text.length > SHOWN_CHARS ? text.slice(0, SHOWN_CHARS).toWellFormed() : text;
  return { type, toolName, text: shown, characters: text.length, tokens, isCleared };
}

function describe(part: ContentPart): Pick<RequestPart, 'type' | 'text'> {
  if (part.type === 'tool-call') return { type: part.type, text: JSON.stringify(part.input) };
  if (part.type === 'tool-result') return { type: part.type, text: toolOutputText(part.output) };
  if (part.type !== 'file') return { type: part.type, text: part.text };
  const type = part.mediaType.startsWith('image/') ? 'image' : 'file';
  const source = part.data.startsWith('data:') ? null : part.data;
  return { type, text: [part.filename, part.mediaType, source].filter(Boolean).join(', ') };
}

/**
 * The stored view with the tokens of each part as this model's requests will have them, before its factor: in its own
 * vocabulary, files and images of the newest results by the provider's formula, nothing for what the view leaves out.
 */
export function priceParts(
  stored: StoredView,
  target: Pick<ModelTarget, 'modelId' | 'tokenFactor' | 'acceptsImages'>,
): StoredView {
  const { modelId, tokenFactor, acceptsImages = true } = target;
  const vocabulary = vocabularyOf(modelId);
  const verbatim = verbatimMessages(stored);
  const byCall = pairToolResults(verbatim);
  const results = new Set<Part>(byCall.values());
  const unseen = unseenResults(verbatim, byCall);
  const thoughts = sentThoughts(verbatim, modelId);
  const withMedia = (text: number, media: number) => text + Math.ceil(media / tokenFactor);
  const isSent = (part: Part) => {
    if (part.type === 'text') return isSaid(part);
    if (part.type === 'reasoning') return thoughts.has(part);
    return part.type !== 'tool-result' || results.has(part);
  };
  const price = (part: Part): number | null => {
    if (!isSent(part)) return 0;
    if (part.type === 'file') {
      const { text, media } = fileCost(part, modelId, acceptsImages);
      return withMedia(text, media);
    }
    const images = part.type === 'tool-result' ? shownImages(part) : [];
    if (part.type !== 'tool-result' || images.length === 0) return tokensIn(vocabulary, part);
    const media = acceptsImages && unseen.has(part) ? imageTokens(images, modelId) : 0;
    return withMedia(resultTextTokens(part, acceptsImages, vocabulary), media);
  };
  const priced = (messages: readonly Message[]) =>
    messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => ({ ...part, tokens: price(part) })),
    }));
  const { leading, summary, kept, messages } = stored;
  return { leading: priced(leading), summary, kept: priced(kept), messages: priced(messages) };
}

/** Counts in other vocabularies than the stored one. A part's text stays the same while its count and mark do. */
const counted = createBoundedCache<number>(50_000);

function tokensIn(vocabulary: Vocabulary, part: Part): number | null {
  if (vocabulary === STORED_VOCABULARY) return part.tokens;
  const { id, tokens, compactedAt, excerptChars } = part;
  if (tokens === null) return shownTokens(part, vocabulary);
  return counted([vocabulary, id, tokens, compactedAt, excerptChars].join(' '), () => shownTokens(part, vocabulary));
}
