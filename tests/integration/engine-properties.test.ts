import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import { ContextOverflowError } from '#server/core/errors';
import { type Message, pairToolResults } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import type { Part } from '#server/core/conversation/parts';
import { isSaid } from '#server/core/conversation/part-text';
import { toolImages, toolOutputText } from '#server/core/conversation/part-types/tool-output';
import type { PreparedContext } from '#server/context/context-manager';
import { fixedTokens } from '#server/context/current-tokens';
import { shownInput } from '#server/context/excerpt';
import { mediaTokens } from '#server/context/media-tokens';
import { toModelMessages } from '#server/context/view-messages';
import { blocksOf } from '#server/context/compaction-plan';
import { MESSAGE_OVERHEAD, countPartTokens, tokensOf, toolResultTokens } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';
import { PRUNE_STRATEGY, SUMMARY_LABEL } from '#server/core/conversation/labels';
import { type StoredView, buildView, prunedOutputText, prunedTo, verbatimMessages } from '#server/context/view';
import { isDeep } from '#tests/support/deep';
import { anyScenario, REAL_TEXT_WINDOW, type Scenario, ScenarioRun } from '#tests/support/engine-scenario';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const HISTORIES = Number(process.env['HISTORIES'] ?? (isDeep ? 5_000 : 60));

/** Runs the rounds of a scenario; `check` sees the session after each step, prepared or refused, and which round it was. */
async function play(
  run: ScenarioRun,
  check: (prepared: PreparedContext | ContextOverflowError, round: number) => Promise<void>,
): Promise<void> {
  let sent: PreparedContext | null = null;
  for (const [round, { drafts, report }] of run.scenario.rounds.entries()) {
    const usage =
      sent && report !== null
        ? { inputTokens: Math.round(sent.usage.currentTokens * report), outputTokens: 50, viewKey: sent.viewKey }
        : null;
    run.append(drafts, usage);
    const outcome = await run.manager.prepare(run.request).catch((error: unknown) => {
      if (error instanceof ContextOverflowError) return error;
      throw error;
    });
    sent = outcome instanceof ContextOverflowError ? null : outcome;
    await check(outcome, round);
  }
}

function isShown(message: Message): boolean {
  return message.parts.some((part) => part.type === 'file' || isSaid(part));
}

/** What the user said last, notes of the engine left out. */
function latestRequest(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'user' && isShown(message) && message.parentId === null);
}

function bodyOf(message: Message): object[] {
  return message.parts.flatMap((part): object[] => {
    if (isSaid(part)) return [{ type: 'text', text: part.content.text }];
    return part.type === 'file' ? [{ type: 'file', mediaType: part.content.mediaType, data: part.content.url }] : [];
  });
}

/** Whether these parts are in the content, directly after one another. */
function holds(content: readonly object[], parts: readonly object[]): boolean {
  const [all, some] = [content, parts].map((list) => list.map((part) => JSON.stringify(part)).join('\u0000'));
  return all!.includes(some!);
}

/** A message without the marks and counts that the engine sets. */
function bytesOf({ id, seq, role, status, createdAt, parts }: Message): string {
  return JSON.stringify([id, seq, role, status, createdAt, parts.map((part) => [part.id, part.state, part.content])]);
}

const textsOf = (message: ModelMessage) =>
  message.role === 'tool' ? [] : message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));

const isSummary = (message: ModelMessage) => textsOf(message).some((text) => text.startsWith(SUMMARY_LABEL));

const isStanding = ({ status }: CompactionRecord) => status === 'completed';

describe('any history, window, strategy and summarizer', () => {
  let overflows = 0;
  let undone = 0;

  // One play of each history is checked for all of them: the failing one is named by its function.
  it('a request is valid, complete, in budget and idempotent, and undo restores everything', async () => {
    // What is asked again between two rounds must not be all that is tried.
    const anyRepeat = fc.boolean();
    await fc.assert(
      fc.asyncProperty(anyScenario, anyRepeat, async (scenario, repeatsAlways) => {
        const run = new ScenarioRun(scenario);
        const before = rememberViews(run);
        await play(run, async (outcome, round) => {
          if (outcome instanceof ContextOverflowError) return needsWhatItSays(run, outcome);
          providerTakesIt(run, outcome);
          isBelowUsable(scenario, outcome);
          await saysEverythingOnce(run, outcome);
          if (repeatsAlways || round === scenario.rounds.length - 1) await isTheSameAgain(run, outcome);
        });
        originalsAreUntouched(run);
        const bringBack = run.store.remember();
        await undoesTheNewestFirst(run, before);
        await nothingIsLeftBehind(run);
        bringBack();
        await undoesInAnyOrder(run);
        await nothingIsLeftBehind(run);
      }),
      { numRuns: HISTORIES },
    );
    expect(overflows).toBeGreaterThan(0);
    expect(undone).toBeGreaterThan(HISTORIES / 2);
  });

  /** No orphan call or result, nothing empty, the user first. */
  function providerTakesIt(run: ScenarioRun, { messages }: PreparedContext): void {
    if (messages.length > 0) expect(findSequenceProblems(messages)).toEqual([]);
    else expect(run.store.originals().filter(isShown)).toEqual([]);
  }

  function isBelowUsable(scenario: Scenario, { usage, messages }: PreparedContext): void {
    expect(usage.currentTokens).toBeLessThanOrEqual(usage.usableTokens);
    if (usage.source !== 'estimated' || scenario.window > REAL_TEXT_WINDOW) return;
    expect(Math.floor(recount(messages) * scenario.tokenFactor)).toBeLessThanOrEqual(usage.usableTokens);
  }

  /** What no compaction can make smaller is above usable alone, and is no more than is said. */
  async function needsWhatItSays(run: ScenarioRun, error: ContextOverflowError): Promise<void> {
    overflows += 1;
    const { usableTokens, currentTokens, neededTokens, needs } = error.details as unknown as OverflowDetails;
    expect(currentTokens, error.message).toBeGreaterThan(usableTokens);
    expect(neededTokens + ROUNDING, error.message).toBeGreaterThan(usableTokens);
    expect(neededTokens).toBe(sumOf(Object.values(needs), (tokens) => tokens));
    const { usage } = await run.manager.inspect(run.request);
    const dearer = Math.max(1, currentTokens / sumOf(Object.values(usage.breakdown), (tokens) => tokens));
    const least = leastRequest(run);
    for (const name of ['fixed', 'request', 'newestStep', 'summary'] as const) {
      expect(needs[name], `${name}: ${error.message}`).toBeLessThanOrEqual(Math.ceil(least[name] * dearer) + 1);
    }
  }

  /** The latest request is in it verbatim, and every message exactly once, unchanged or through the summary. */
  async function saysEverythingOnce(run: ScenarioRun, { messages }: PreparedContext): Promise<void> {
    const latest = latestRequest(run.store.originals());
    if (latest) expect(messages.some(({ content }) => holds(content, bodyOf(latest)))).toBe(true);
    const stored = await run.store.loadView();
    const kept = verbatimMessages(stored);
    const standing = run.store.list().filter((record) => isStanding(record) && record.strategy !== PRUNE_STRATEGY);
    const compacted = standing.flatMap(({ compactedMessageIds }) => compactedMessageIds);
    const all = run.store.originals().map(({ id }) => id);
    expect([...kept.map(({ id }) => id), ...compacted].toSorted()).toEqual(all.toSorted());
    // And what is kept is really sent, once; what is compacted is not.
    const said = messages.flatMap(textsOf).filter((text) => !text.startsWith(SUMMARY_LABEL));
    const keptTexts = kept.flatMap(({ role, parts }) =>
      role === 'tool' ? [] : parts.flatMap((part) => (isSaid(part) ? [part.content.text] : [])),
    );
    // Of two adjacent answers the second is a separate paragraph.
    expect(
      said
        .map((text) => text.replace(/^\n\n(?=m\d{4}:)/, ''))
        .filter((text) => /\bm\d{4}:/.test(text))
        .toSorted(),
    ).toEqual(keptTexts.toSorted());
    expect(messages.filter(isSummary)).toHaveLength(standing.length === 0 ? 0 : 1);
  }

  /** No second compaction, and no model asked again and again in vain. */
  async function isTheSameAgain(run: ScenarioRun, { messages }: PreparedContext): Promise<void> {
    const before = run.store.list().filter(isStanding);
    const again = await run.manager.prepare(run.request);
    expect(run.store.list().filter(isStanding)).toEqual(before);
    expect(again.messages).toEqual(messages);
    expect([again.compaction, again.prunedOutputs]).toEqual([null, 0]);
    await run.manager.prepare(run.request);
    const asked = run.summaries;
    await run.manager.prepare(run.request);
    expect(run.summaries).toBe(asked);
  }

  /** To the byte. */
  function originalsAreUntouched(run: ScenarioRun): void {
    expect(run.store.originals().map(bytesOf)).toEqual(run.appended.map(bytesOf));
  }

  /** Each undo brings back the exact view before it; what was said since stays. */
  async function undoesTheNewestFirst(run: ScenarioRun, before: ReturnType<typeof rememberViews>): Promise<void> {
    for (const { id } of run.store.list().filter(isStanding)) {
      run.store.undo(id);
      const view = await run.store.loadView();
      const former = before.pop();
      const { messages } = await run.manager.inspect(run.request);
      expect({ ...view, messages: view.messages.slice(0, former?.stored.messages.length) }).toEqual(former?.stored);
      if (former?.stored.messages.length === view.messages.length) expect(messages).toEqual(former.messages);
      undone += 1;
    }
    expect(before).toEqual([]);
  }

  /** The oldest prune first, and then the compactions, which only go from the newest on. */
  async function undoesInAnyOrder(run: ScenarioRun): Promise<void> {
    const records = run.store.list().filter(isStanding);
    const isPrune = ({ strategy }: CompactionRecord) => strategy === PRUNE_STRATEGY;
    for (const { id } of records.filter(isPrune).toReversed()) run.store.undo(id);
    for (const { id } of records.filter((record) => !isPrune(record))) run.store.undo(id);
  }

  async function nothingIsLeftBehind({ store, appended }: ScenarioRun): Promise<void> {
    const { messages, ...rest } = await store.loadView();
    expect(rest).toEqual({ leading: [], summary: null, kept: [] });
    expect(messages.map(withoutUsage)).toEqual(appended.map(withoutUsage));
  }
});

/** What a provider reported is noted after a message was said. */
const withoutUsage = ({ usage: _, ...message }: Message) => message;

/** Each view just before a compaction or prune is saved, as stored and as sent. */
function rememberViews({ store, request }: ScenarioRun) {
  const views: { stored: StoredView; messages: ModelMessage[] }[] = [];
  const remember = async () => {
    const stored = await store.loadView();
    views.push(structuredClone({ stored, messages: toModelMessages(buildView(stored, request.target.modelId)) }));
  };
  const [saveCompaction, savePrune] = [store.saveCompaction.bind(store), store.savePrune.bind(store)];
  store.saveCompaction = async (...args) => {
    await remember();
    return saveCompaction(...args);
  };
  store.savePrune = async (...args) => {
    await remember();
    return savePrune(...args);
  };
  return views;
}

/** Tokens of all texts, calls and files alone, counted apart from the engine's own sums. */
function recount(messages: readonly ModelMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + message.content.reduce((total, part) => total + recountPart(part), 0),
    0,
  );
}

function recountPart(part: ModelMessage['content'][number]): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return counted(part.text);
    case 'tool-call':
      return counted(JSON.stringify(part.input));
    case 'tool-result':
      return counted(toolOutputText(part.output));
    case 'file':
      return 0;
  }
}

const counts = new Map<string, number>();

function counted(text: string): number {
  const known = counts.get(text) ?? countTokens(text);
  if (text.length < 50_000) counts.set(text, known);
  return known;
}

type Needs = Readonly<Record<'fixed' | 'request' | 'newestStep' | 'summary', number>>;

interface OverflowDetails {
  readonly usableTokens: number;
  readonly currentTokens: number;
  readonly neededTokens: number;
  readonly needs: Needs;
}

/** Each of the kinds of tokens is rounded up on its own, and so is what is cut. */
const ROUNDING = 16;
/** The label, the title and the sentence of a note that says nothing more, in our vocabulary. */
const NOTE_TOKENS = 80;
/** The result that stands in for one that is missing. */
const MISSING_RESULT_TOKENS = 50;
/** What opens a conversation that starts with the assistant. */
const OPENING_TOKENS = 25;

/** What no compaction can make smaller, each outputs and inputs cut to the least. */
function leastRequest(run: ScenarioRun): Needs {
  const { target } = run.request;
  const originals = run.store.originals();
  const latest = latestRequest(originals);
  const request = latest ? [latest] : [];
  const newest = (blocksOf(originals).at(-1) ?? []).filter((message) => message !== latest);
  const tokensFor = (messages: readonly Message[], more: number) => {
    const parts = messages.flatMap((message) => message.parts);
    const media = sumOf(parts, (part) => (part.type === 'file' ? mediaTokens(part.content, target.modelId) : 0));
    const said = sumOf(parts, (part) => (part.type === 'file' ? 0 : leastOf(part)));
    return media + Math.ceil((said + more + messages.length * MESSAGE_OVERHEAD) * target.tokenFactor);
  };
  const isUnanswered = (part: Part) => part.type === 'tool-call' && !pairToolResults(newest).has(part.id);
  const missing = newest.flatMap(({ parts }) => parts).filter(isUnanswered).length * MISSING_RESULT_TOKENS;
  const hasOlder = request.length + newest.length < originals.length;
  return {
    fixed: fixedTokens(target),
    request: tokensFor(request, 0),
    newestStep: tokensFor(newest, missing + OPENING_TOKENS),
    summary: hasOlder ? Math.ceil(NOTE_TOKENS * target.tokenFactor) : 0,
  };
}

const sumOf = <T>(items: readonly T[], count: (item: T) => number): number =>
  items.reduce((sum, item) => sum + count(item), 0);

/** Of a part that is no file, cut as far as the engine cuts. */
function leastOf(part: Part): number {
  const tokens = tokensOf(part);
  if (part.type === 'tool-result') {
    const text = prunedOutputText(prunedTo(part, 0));
    const least = toolResultTokens(part.content.toolCallId, text);
    // With an image even a short output is worth cutting.
    return toolImages(part.content.output).length > 0 ? least : Math.min(tokens, least);
  }
  if (part.type !== 'tool-call') return tokens;
  const input = shownInput({ ...part, compactedAt: 0, excerptChars: 0 });
  return Math.min(tokens, countPartTokens({ type: 'tool-call', content: { ...part.content, input } }));
}
