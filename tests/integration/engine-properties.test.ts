import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PRUNE_STRATEGY } from '#server/core/compactions';
import { ContextOverflowError } from '#server/core/errors';
import type { Message } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import type { Part } from '#server/core/parts';
import { toolOutputText } from '#server/core/part-text';
import { toolImages } from '#server/core/tool-result';
import type { PreparedContext } from '#server/context/context-manager';
import { fixedTokens } from '#server/context/current-tokens';
import { shownInput } from '#server/context/excerpt';
import { mediaTokens } from '#server/context/media-tokens';
import { pairToolResults } from '#server/context/tool-results';
import { blocksOf } from '#server/context/plan-compaction';
import { MESSAGE_OVERHEAD, countPartTokens, tokensOf, toolResultTokens } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';
import { SUMMARY_LABEL } from '#server/core/engine-words';
import {
  type StoredView,
  buildView,
  excerptedOutputText,
  toModelMessages,
  verbatimMessages,
} from '#server/context/view';
import { anyScenario, REAL_TEXT_WINDOW, type Scenario, ScenarioRun } from '#tests/support/engine-scenario';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const HISTORIES = Number(process.env['HISTORIES'] ?? 500);

type OnOverflow = (run: ScenarioRun, error: ContextOverflowError) => Promise<void> | void;

/** Runs the rounds of a scenario; `check` sees the session after each step that could be prepared. */
async function play(
  scenario: Scenario,
  check: (run: ScenarioRun, prepared: PreparedContext) => Promise<void> | void,
  onOverflow: OnOverflow = () => undefined,
): Promise<ScenarioRun> {
  const run = new ScenarioRun(scenario);
  let sent: PreparedContext | null = null;
  for (const { drafts, report } of scenario.rounds) {
    const usage =
      sent && report !== null ? { inputTokens: Math.round(sent.usage.currentTokens * report), outputTokens: 50 } : null;
    run.append(drafts, usage);
    sent = await prepareOrOverflow(run, onOverflow);
    if (sent) await check(run, sent);
  }
  return run;
}

async function prepareOrOverflow(run: ScenarioRun, onOverflow: OnOverflow): Promise<PreparedContext | null> {
  try {
    return await run.manager.prepare(run.request);
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error;
    await onOverflow(run, error);
    return null;
  }
}

const forAll = (check: (scenario: Scenario) => Promise<void>) =>
  fc.assert(fc.asyncProperty(anyScenario, check), { numRuns: HISTORIES });

function isShown(message: Message): boolean {
  return message.parts.some((part) => part.type === 'file' || (part.type === 'text' && part.content.text !== ''));
}

/** What the user said last, notes of the engine left out. */
function latestRequest(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message.role === 'user' && isShown(message) && message.parentId === null);
}

function bodyOf(message: Message): object[] {
  return message.parts.flatMap((part): object[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.content.text }];
    return part.type === 'file' ? [{ type: 'file', mediaType: part.content.mediaType, data: part.content.url }] : [];
  });
}

/** A message without the marks and counts that the engine sets. */
function bytesOf({ id, seq, role, status, createdAt, parts }: Message): string {
  return JSON.stringify([id, seq, role, status, createdAt, parts.map((part) => [part.id, part.state, part.content])]);
}

const textsOf = (message: ModelMessage) =>
  message.role === 'tool' ? [] : message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));

const isSummary = (message: ModelMessage) => textsOf(message)[0]?.startsWith(SUMMARY_LABEL) === true;

describe('whatever the history, the window, the strategy and the summarizer', () => {
  it('a provider would take the request: no orphan call or result, nothing empty, the user first', async () => {
    await forAll(async (scenario) => {
      await play(scenario, (run, { messages }) => {
        if (messages.length > 0) expect(findSequenceProblems(messages)).toEqual([]);
        else expect(run.store.originals().filter(isShown)).toEqual([]);
      });
    });
  });

  it('it is below usable, or a typed error: what no compaction can make smaller is above usable alone', async () => {
    let overflows = 0;
    await forAll(async (scenario) => {
      await play(
        scenario,
        (_, prepared) => {
          expect(prepared.usage.currentTokens).toBeLessThanOrEqual(prepared.usage.usableTokens);
          if (prepared.usage.source === 'estimated' && scenario.window <= REAL_TEXT_WINDOW) {
            const recounted = Math.floor(recount(prepared.messages) * scenario.tokenFactor);
            expect(recounted).toBeLessThanOrEqual(prepared.usage.usableTokens);
          }
        },
        async (run, error) => {
          overflows += 1;
          const { usableTokens, currentTokens, neededTokens, needs } = error.details as unknown as OverflowDetails;
          expect(currentTokens, error.message).toBeGreaterThan(usableTokens);
          expect(neededTokens + ROUNDING, error.message).toBeGreaterThan(usableTokens);
          expect(neededTokens).toBe(sumOf(Object.values(needs), (tokens) => tokens));
          // And it needs no more than it says.
          const { usage } = await run.manager.inspect(run.request);
          const dearer = Math.max(1, currentTokens / sumOf(Object.values(usage.breakdown), (tokens) => tokens));
          const least = leastRequest(run);
          for (const name of ['fixed', 'request', 'newestStep', 'summary'] as const) {
            expect(needs[name], `${name}: ${error.message}`).toBeLessThanOrEqual(Math.ceil(least[name] * dearer) + 1);
          }
        },
      );
    });
    expect(overflows).toBeGreaterThan(0);
  });

  it('the latest request is in it verbatim, and every message exactly once, as it is or through the summary', async () => {
    await forAll(async (scenario) => {
      await play(scenario, async (run, { messages }) => {
        const latest = latestRequest(run.store.originals());
        if (latest) expect(messages.map(({ content }) => content)).toContainEqual(bodyOf(latest));
        const stored = await run.store.loadView(run.store.sessionId);
        const verbatim = verbatimMessages(stored).map(({ id }) => id);
        const standing = run.store
          .list()
          .filter(({ status, strategy }) => status === 'completed' && strategy !== PRUNE_STRATEGY);
        const compacted = standing.flatMap(({ compactedMessageIds }) => compactedMessageIds);
        const all = run.store.originals().map(({ id }) => id);
        expect([...verbatim, ...compacted].toSorted()).toEqual(all.toSorted());
        // And what is kept is really sent, once; what is compacted is not.
        const said = messages.filter((message) => !isSummary(message)).flatMap(textsOf);
        const kept = verbatimMessages(stored).flatMap(({ role, parts }) =>
          role === 'tool' ? [] : parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])),
        );
        expect(said.filter((text) => /\bm\d{4}:/.test(text)).toSorted()).toEqual(kept.toSorted());
        expect(messages.filter(isSummary)).toHaveLength(standing.length === 0 ? 0 : 1);
      });
    });
  });

  it('preparing twice is preparing once: no second compaction, and no model asked again and again in vain', async () => {
    await forAll(async (scenario) => {
      await play(scenario, async (run, { messages }) => {
        const standing = () => run.store.list().filter(({ status }) => status === 'completed');
        const before = standing();
        const again = await run.manager.prepare(run.request);
        expect(standing()).toEqual(before);
        expect(again.messages).toEqual(messages);
        expect([again.compaction, again.prunedOutputs]).toEqual([null, 0]);
        await run.manager.prepare(run.request);
        const asked = run.summaries;
        await run.manager.prepare(run.request);
        expect(run.summaries).toBe(asked);
      });
    });
  });

  it('undoing every compaction and prune, the newest first, brings back the exact view before each', async () => {
    let undone = 0;
    await forAll(async (scenario) => {
      const run = new ScenarioRun(scenario);
      const before = rememberViews(run);
      for (const { drafts } of scenario.rounds) {
        run.append(drafts, null);
        await prepareOrOverflow(run, () => undefined);
      }
      const records = run.store.list().filter(({ status }) => status === 'completed');
      for (const { id } of records) {
        run.store.undo(id);
        const view = await run.store.loadView(run.store.sessionId);
        const former = before.pop();
        // What was said since stays; everything before is as it was.
        const { messages } = await run.manager.inspect(run.request);
        expect({ ...view, messages: view.messages.slice(0, former?.stored.messages.length) }).toEqual(former?.stored);
        if (former?.stored.messages.length === view.messages.length) expect(messages).toEqual(former.messages);
        undone += 1;
      }
      expect(before).toEqual([]);
    });
    expect(undone).toBeGreaterThan(HISTORIES / 2);
  });

  it('the stored originals stay as they were, to the byte, and undone in any order nothing is left behind', async () => {
    await forAll(async (scenario) => {
      const run = new ScenarioRun(scenario);
      for (const { drafts } of scenario.rounds) {
        run.append(drafts, null);
        await prepareOrOverflow(run, () => undefined);
      }
      expect(run.store.originals().map(bytesOf)).toEqual(run.appended.map(bytesOf));
      const records = run.store.list().filter(({ status }) => status === 'completed');
      const isPrune = ({ strategy }: { strategy: string }) => strategy === PRUNE_STRATEGY;
      const [prunes, compactions] = [records.filter(isPrune), records.filter((record) => !isPrune(record))];
      for (const { id } of prunes.toReversed()) run.store.undo(id);
      for (const { id } of compactions) run.store.undo(id);
      const { messages, ...rest } = await run.store.loadView(run.store.sessionId);
      expect(rest).toEqual({ leading: [], summary: null, kept: [] });
      expect(messages).toEqual(run.appended);
    });
  });
});

/** Each view just before a compaction or prune is saved, as stored and as sent. */
function rememberViews({ store, request }: ScenarioRun) {
  const views: { stored: StoredView; messages: ModelMessage[] }[] = [];
  const remember = async () => {
    const stored = await store.loadView(store.sessionId);
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
    const text = excerptedOutputText(toolOutputText(part.content.output), 0, part.id);
    const least = toolResultTokens(part.content.toolCallId, text);
    // With an image even a short output is worth cutting.
    return toolImages(part.content.output).length > 0 ? least : Math.min(tokens, least);
  }
  if (part.type !== 'tool-call') return tokens;
  const input = shownInput({ ...part, compactedAt: 0, excerptChars: 0 });
  return Math.min(tokens, countPartTokens({ type: 'tool-call', content: { ...part.content, input } }));
}
