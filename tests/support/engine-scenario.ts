import fc from 'fast-check';
import { strategyNames } from '#server/core/admin/strategy-names';
import type { Message, NewMessage, Usage } from '#server/core/conversation/messages';
import type { NewPart } from '#server/core/conversation/parts';
import { ContextManager } from '#server/context/context-manager';
import { withTokens } from '#server/context/part-tokens';
import { blocksOf, rawTokens } from '#server/context/compaction-plan';
import { countTokens } from '#server/context/tokens';
import type { ContextRequest, Summarizer, SummaryAnswer } from '#server/context/ports';
import { NOTE_LABEL } from '#server/core/conversation/labels';
import { TestSession } from '#tests/support/test-session';
import { engineWith } from '#tests/support/small-engine';

/** Texts are as long as they count up to this window; above, the counts of parts are made up, to stay quick. */
export const REAL_TEXT_WINDOW = 64_000;

/** How large a part is, as a share of the window; 0 is a few words. */
const share = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.constantFrom(0.01, 0.04) },
  { weight: 3, arbitrary: fc.constantFrom(0.12, 0.3) },
  { weight: 1, arbitrary: fc.constantFrom(0.6, 1.5) },
);

const call = fc.record({
  /** Few ids, so that they come again. */
  id: fc.integer({ min: 0, max: 12 }),
  tool: fc.constantFrom('get_content', 'update_section', 'get_settings'),
  input: share,
  output: share,
  /** Pixels of a side of an image in its result. */
  image: fc.option(fc.constantFrom(64, 1_000), { freq: 8 }),
  end: fc.constantFrom('result', 'result', 'result', 'error', 'missing', 'late'),
});

const draft = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      text: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, share),
      image: fc.option(fc.constantFrom(64, 1_000, 4_000), { freq: 8 }),
      isNote: fc.nat(12).map((n) => n === 0),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      text: fc.option(share, { freq: 2 }),
      reasoning: fc.boolean(),
      calls: fc.array(call, { maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('orphan' as const, 'empty' as const, 'empty-request' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('blank' as const),
      role: fc.constantFrom('user' as const, 'assistant' as const),
      text: fc.constantFrom(' ', '\n\n', '\u00a0\t'),
    }),
  },
);
export type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;

/** What the provider reports for a step, as a multiple of what the engine thought the request has. */
const report = fc.constantFrom(null, null, 1, 0.7, 1.4, 0, 40);

/** A session and everything that its context depends on. */
export const anyScenario = fc.record({
  window: fc
    .double({ min: Math.log(4_000), max: Math.log(1_000_000), noNaN: true })
    .map((log) => Math.floor(Math.exp(log))),
  fixed: fc.constantFrom<number[]>(0, 0.05, 0.18),
  modelId: fc.constantFrom('test/unknown', 'openai/gpt-4o-mini', 'anthropic/claude-sonnet-4.5'),
  tokenFactor: fc.constantFrom(0.8, 1, 1.1, 1.6),
  strategy: fc.constantFrom(...strategyNames),
  summarizer: fc.constantFrom('none', 'honest', 'failing', 'empty', 'oversized', 'careless'),
  minTurnsToKeep: fc.integer({ min: 1, max: 4 }),
  /** After each of these, a step is prepared. */
  rounds: fc.array(fc.record({ drafts: fc.array(draft, { minLength: 1, maxLength: 10 }), report }), {
    minLength: 1,
    maxLength: 3,
  }),
});
export type Scenario = typeof anyScenario extends fc.Arbitrary<infer T> ? T : never;

/** A scenario, set up. */
export class ScenarioRun {
  readonly scenario: Scenario;
  readonly store: TestSession;
  readonly manager: ContextManager;
  readonly request: ContextRequest;
  /** How often a model was asked. */
  summaries = 0;
  /** The appended messages, unchanged. */
  readonly appended: Message[] = [];
  #time = 1_000;
  #count = 0;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.store = new TestSession(() => (this.#time += 1));
    const settings = { minTurnsToKeep: scenario.minTurnsToKeep, exemptTools: new Set(['get_settings']) };
    this.manager = engineWith(settings, () => this.#time);
    const fixed = Math.floor((scenario.window * scenario.fixed) / scenario.tokenFactor);
    this.request = {
      session: this.store,
      target: {
        modelId: scenario.modelId,
        contextWindow: scenario.window,
        maxOutputTokens: 8_000,
        tokenFactor: scenario.tokenFactor,
        warning: null,
        fixed: { instructions: Math.floor(fixed / 3), tools: fixed - Math.floor(fixed / 3) },
      },
      summarizer: this.#summarizer(),
      strategy: scenario.strategy,
    };
  }

  /** Says and does what a round holds, the first answer with the provider's report on the request before it. */
  append(drafts: readonly Draft[], usage: Usage | null): void {
    const late: NewPart[] = [];
    const messages = drafts.flatMap((each) => this.#messagesOf(each, late));
    const stored = this.store.appendMany(late.length === 0 ? messages : [...messages, { role: 'tool', parts: late }]);
    this.appended.push(...structuredClone(stored));
    const answer = stored.find(({ role }) => role === 'assistant');
    if (answer && usage) this.store.setUsage(answer.id, usage);
  }

  #messagesOf(each: Draft, late: NewPart[]): NewMessage[] {
    const { modelId } = this.scenario;
    switch (each.kind) {
      case 'request':
        return [{ role: 'user', parts: this.#requestParts(each), ...(each.isNote && { parentId: 'msg_request' }) }];
      case 'step':
        return this.#stepMessages(each, late);
      case 'orphan':
        return [{ role: 'tool', parts: [this.#result('call_lost', 'get_content', 0.01, false)] }];
      case 'empty':
        return [{ role: 'assistant', modelId, status: 'failed', parts: [] }];
      case 'blank':
        return [{ role: each.role, modelId, parts: [withTokens({ type: 'text', content: { text: each.text } })] }];
      case 'empty-request':
        return [{ role: 'user', parts: [] }];
    }
  }

  #requestParts({ text, image, isNote }: Extract<Draft, { kind: 'request' }>): NewPart[] {
    const label = isNote ? `${NOTE_LABEL} ` : '';
    const said = this.#sized(text, (filler): NewPart => ({ type: 'text', content: { text: `${label}${filler}` } }));
    // The engine's own notes show nothing.
    if (image === null || isNote) return [said];
    const content = {
      mediaType: 'image/png',
      url: `https://example.org/${this.#count}.png`,
      width: image,
      height: image,
    };
    return [said, withTokens({ type: 'file', content })];
  }

  #stepMessages({ text, reasoning, calls }: Extract<Draft, { kind: 'step' }>, late: NewPart[]): NewMessage[] {
    const { modelId } = this.scenario;
    const parts: NewPart[] = [{ type: 'step-start', content: {}, tokens: 0 }];
    const providerMetadata = { test: { signature: 'x' } };
    if (reasoning) parts.push(withTokens({ type: 'reasoning', content: { text: 'Let me see.', providerMetadata } }));
    if (text !== null) parts.push(this.#sized(text, (filler) => ({ type: 'text', content: { text: filler } })));
    const results: NewPart[] = [];
    for (const { id, tool, input, output, image, end } of calls) {
      const toolCallId = `call_${id}`;
      const state = end === 'missing' ? 'running' : end === 'error' ? 'error' : 'completed';
      parts.push(
        this.#sized(input, (filler) => ({
          type: 'tool-call',
          state,
          content: { toolCallId, toolName: tool, input: { ref: 'home', body: filler } },
        })),
      );
      if (end === 'missing') continue;
      (end === 'late' ? late : results).push(this.#result(toolCallId, tool, output, end === 'error', image));
    }
    const step: NewMessage = { role: 'assistant', modelId, parts };
    return results.length === 0 ? [step] : [step, { role: 'tool', parts: results }];
  }

  #result(toolCallId: string, toolName: string, size: number, isError: boolean, image: number | null = null): NewPart {
    const type = isError ? 'error-text' : 'text';
    const picture = { type: 'file', mediaType: 'image/png', filename: 'plan.png', url: '@blob:blb_1' };
    return this.#sized(size, (value) => ({
      type: 'tool-result',
      state: isError ? 'error' : 'completed',
      content: {
        toolCallId,
        toolName,
        output:
          image === null || isError
            ? { type, value }
            : {
                type: 'content',
                value: [
                  { type: 'text', text: value },
                  { ...picture, width: image, height: image },
                ],
              },
      },
    }));
  }

  /** A part with a text of about that share of the window, all of them different. */
  #sized(size: number, make: (filler: string) => NewPart): NewPart {
    this.#count += 1;
    const marker = `m${String(this.#count).padStart(4, '0')}:`;
    const wanted = Math.floor(size * this.scenario.window);
    const isReal = this.scenario.window <= REAL_TEXT_WINDOW;
    const filler = fillerOf(isReal ? wanted : Math.min(wanted, 300));
    const part = make(`${marker} ${filler.text}`);
    const overhead = withTokens(make(marker)).tokens ?? 0;
    return { ...part, tokens: overhead + 2 + (isReal ? filler.tokens : Math.max(wanted, filler.tokens)) };
  }

  #summarizer(): Summarizer | null {
    const { summarizer, window } = this.scenario;
    if (summarizer === 'none') return null;
    const answer = (text: string): Promise<SummaryAnswer> => {
      this.summaries += 1;
      if (summarizer === 'failing') return Promise.reject(new Error('no summaries today'));
      const usage = { inputTokens: 100, outputTokens: 10 };
      return Promise.resolve({ text, finishReason: 'stop', usage });
    };
    return {
      modelId: 'test/summarizer',
      inputTokens: Math.max(1_000, Math.floor(window / 2)),
      summarize: () => answer(NARRATIVES[summarizer]),
      prune: ({ transcript, tokens }) => answer(this.#choose(transcript, tokens)),
    };
  }

  /** The pruning agent's answer: every third of the blocks that it was shown stays, and it counts as we do. */
  #choose(transcript: string, originalTokens: number): string {
    const { summarizer } = this.scenario;
    if (summarizer === 'empty') return '';
    if (summarizer === 'oversized') return '{"prunedConversation": [';
    const shown = new Set([...transcript.matchAll(/^<\w+ id="(msg_[a-z0-9]+)">/gm)].map(([, id = '']) => id));
    const step = summarizer === 'careless' ? 1 : 3;
    const blocks = blocksOf(this.store.originals().filter(({ id }) => shown.has(id)));
    const kept = blocks.filter((_, index) => index % step === 0).flat();
    return JSON.stringify({
      prunedConversation: kept.map(({ id }) => ({ id })),
      summary: HONEST,
      originalTokens: Math.max(1, originalTokens),
      prunedTokens: rawTokens(kept),
    });
  }
}

const HONEST = [
  '### Original Task\nBuild out the pottery site.',
  '### What Was Accomplished\nPages and posts were made and changed.',
  '### Current State\nDrafts are open.',
  '### User Preferences\n- Likes it short.',
  '### What Comes Next\nMore of the same.',
].join('\n\n');

const NARRATIVES = {
  honest: HONEST,
  failing: '',
  empty: '',
  oversized: `${HONEST}\n${'One more thing that was done in this session, in many words. '.repeat(2_000)}`,
  // Well-formed and of no use at all.
  careless: HONEST.replaceAll(/\n[^#\n]+/g, '\nNone.'),
};

const WORDS = 'the kiln is warm and every bowl that stands on this shelf was thrown by hand from local clay ';
const fillers = new Map<number, { text: string; tokens: number }>();

/** Text of about so many tokens, counted once for all that ask for the same. */
function fillerOf(tokens: number): { text: string; tokens: number } {
  const known = fillers.get(tokens);
  if (known) return known;
  const text = WORDS.repeat(Math.ceil((tokens * 4.6) / WORDS.length)).slice(0, Math.ceil(tokens * 4.6));
  const filler = { text, tokens: countTokens(text) };
  fillers.set(tokens, filler);
  return filler;
}
