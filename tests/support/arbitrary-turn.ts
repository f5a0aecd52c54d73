import fc from 'fast-check';
import { type UIMessageChunk, readUIMessageStream } from 'ai';
import { type ThroughlineUIMessage, toUIMessages } from '#server/conversation/step/ui-messages';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import type { NewPart, Part, PartState } from '#server/core/conversation/parts';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { scopesOfRole } from '#server/core/admin/access-rights';

/** What is stored of a session at one moment of a turn. */
export interface StoredMoment {
  readonly turn: Turn;
  readonly messages: readonly Message[];
  readonly compactions: readonly CompactionRecord[];
  /** What has been streamed since the moment before. */
  readonly chunks: readonly UIMessageChunk[];
}

type ScriptedPart =
  | { readonly type: 'text' | 'reasoning'; readonly pieces: readonly string[] }
  | { readonly type: 'tool-call'; readonly input: Record<string, string>; readonly output: ToolOutput };
interface TurnStep {
  readonly isCompacted: boolean;
  readonly parts: readonly ScriptedPart[];
  /** What the user says while the step runs. */
  readonly steering: string | null;
}
export interface TurnScript {
  readonly steps: readonly TurnStep[];
  readonly error: string | null;
}

/** Whole characters, and halves of them that the next piece may complete. */
const anyPiece = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom('😀', '\uD83D', '\uDE00', '\uFFFD', '\n\n', ' '),
);
const anyOutput: fc.Arbitrary<ToolOutput> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), value: fc.string() }),
  fc.record({ type: fc.constant('json' as const), value: fc.record({ id: fc.string(), ok: fc.boolean() }) }),
  fc.record({ type: fc.constant('error-text' as const), value: fc.string() }),
);
const anyPart: fc.Arbitrary<ScriptedPart> = fc.oneof(
  fc.record({
    type: fc.constantFrom('text' as const, 'reasoning' as const),
    pieces: fc.array(anyPiece, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('tool-call' as const),
    input: fc.dictionary(fc.string(), fc.string()),
    output: anyOutput,
  }),
);

/** Steps with text, reasoning, calls that succeed and fail, words of the user in between, and compactions. */
export const anyTurn: fc.Arbitrary<TurnScript> = fc.record({
  steps: fc.array(
    fc.record({
      isCompacted: fc.boolean(),
      parts: fc.array(anyPart, { minLength: 1, maxLength: 4 }),
      steering: fc.option(fc.string({ minLength: 1 })),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  error: fc.option(fc.constant('No credit.')),
});

const TURN_SESSION = 'ses_test';
const TURN_ID = 'trn_1';

/** Every moment of a turn, as the executor stores and streams it. */
export function playTurn(script: TurnScript): StoredMoment[] {
  const stage = new Stage();
  stage.message('user', [{ type: 'text', content: { text: 'Go' } }], 'complete');
  const firstAnswer = stage.nextId(script.steps[0]?.isCompacted ? 1 : 0);
  stage.publish({ type: 'start', messageId: firstAnswer, messageMetadata: { createdAt: 1, status: 'streaming' } });
  for (const step of script.steps) playStep(stage, step);
  if (script.error !== null) stage.update('assistant', { error: script.error });
  stage.turn = { ...stage.turn, status: script.error === null ? 'completed' : 'failed', error: script.error };
  if (script.error !== null) stage.publish({ type: 'error', errorText: script.error });
  stage.publish({ type: 'finish', messageMetadata: { status: 'complete' } });
  stage.keep();
  return stage.moments;
}

function playStep(stage: Stage, { isCompacted, parts, steering }: TurnStep): void {
  if (isCompacted) stage.compact();
  stage.publish({ type: 'start-step' });
  const answer = stage.message('assistant', [], 'streaming', false);
  for (const scripted of parts) {
    if (scripted.type === 'tool-call') stage.call(answer, scripted.input, scripted.output);
    else stage.write(answer, scripted.type, scripted.pieces);
  }
  stage.update('assistant', { status: 'complete' });
  stage.keep();
  stage.runCalls();
  if (steering !== null) stage.steer(steering);
}

class Stage {
  readonly moments: StoredMoment[] = [];
  turn: Turn = {
    id: TURN_ID,
    sessionId: TURN_SESSION,
    userMessageId: 'msg_1',
    modelId: null,
    status: 'running',
    approvalPolicy: 'ask',
    keyIds: null,
    scopes: scopesOfRole.admin,
    leaseOwner: 'own_1',
    leaseExpiresAt: 2,
    cancelRequestedAt: null,
    error: null,
    errorMessage: null,
    startedAt: 1,
    endedAt: null,
  };
  #messages: Message[] = [];
  #compactions: CompactionRecord[] = [];
  #chunks: UIMessageChunk[] = [];
  #openCalls: { part: Part; output: ToolOutput }[] = [];
  #parts = 0;

  nextId(ahead: number): string {
    return `msg_${this.#messages.length + 1 + ahead}`;
  }

  publish(...chunks: UIMessageChunk[]): void {
    this.#chunks.push(...chunks);
  }

  keep(): void {
    const { turn } = this;
    this.moments.push({
      turn,
      messages: [...this.#messages],
      compactions: [...this.#compactions],
      chunks: this.#chunks.splice(0),
    });
  }

  message(
    role: Message['role'],
    parts: readonly NewPart[],
    status: Message['status'],
    keeps = true,
    isSummary = false,
  ): string {
    const id = this.nextId(0);
    this.#messages.push({
      id,
      sessionId: TURN_SESSION,
      seq: this.#messages.length + 1,
      role,
      status,
      isSummary,
      parentId: role === 'user' ? null : 'msg_1',
      turnId: isSummary ? null : TURN_ID,
      modelId: null,
      finishReason: null,
      error: null,
      errorMessage: null,
      usage: null,
      metadata: null,
      supersededBy: null,
      createdAt: 1,
      parts: [],
    });
    for (const part of parts) this.#add(id, part);
    if (keeps) this.keep();
    return id;
  }

  /** Changes the newest message with that role. */
  update(role: Message['role'], changes: Partial<Message>): void {
    const index = this.#messages.findLastIndex((message) => message.role === role && !message.isSummary);
    this.#messages = this.#messages.map((message, at) => (at === index ? { ...message, ...changes } : message));
  }

  compact(): void {
    const summaryMessageId = this.message('assistant', [], 'complete', false, true);
    const record = compaction(summaryMessageId, this.#compactions.length + 1);
    this.#compactions.push(record);
    const { tokensBefore, tokensAfter, messagesCompacted, round, strategy, durationMs } = record;
    const id = `live_${round}`;
    this.publish({ type: 'data-compaction', id, data: { phase: 'start', tokensBefore } });
    const sizes = { tokensBefore, tokensAfter, messagesCompacted, wasPruned: false, wasSummarized: false };
    const complete = { phase: 'complete', ...sizes, round, compactionId: record.id, strategy, durationMs };
    this.publish({ type: 'data-compaction', id, data: complete });
    this.keep();
  }

  write(answer: string, type: 'text' | 'reasoning', pieces: readonly string[]): void {
    const id = `live-${this.#parts}`;
    this.publish({ type: `${type}-start`, id });
    let text = '';
    let part: Part | null = null;
    for (const delta of pieces) {
      text += delta;
      this.publish({ type: `${type}-delta`, id, delta });
      const content = { text };
      if (part) this.#change(part, { content });
      else part = this.#add(answer, { type, content, state: 'running' });
      this.keep();
    }
    this.publish({ type: `${type}-end`, id });
    if (part) this.#change(part, { state: 'completed' });
    this.keep();
  }

  call(answer: string, input: Record<string, string>, output: ToolOutput): void {
    const toolCallId = `call_${this.#parts}`;
    const content = { toolCallId, toolName: 'get_content', input };
    const part = this.#add(answer, { type: 'tool-call', content, state: 'pending' });
    const { toolName } = content;
    const [first, ...rest] = JSON.stringify(input).match(/.{1,8}/gsu) ?? [];
    if (rest.length > 0) {
      this.publish({ type: 'tool-input-start', toolCallId, toolName });
      for (const inputTextDelta of [first!, ...rest])
        this.publish({ type: 'tool-input-delta', toolCallId, inputTextDelta });
    }
    this.publish({ type: 'tool-input-available', ...content });
    this.#openCalls.push({ part, output });
    this.keep();
  }

  runCalls(): void {
    const calls = this.#openCalls.splice(0);
    if (calls.length === 0) return;
    const results = this.message('tool', [], 'complete', false);
    for (const { part, output } of calls) {
      this.#change(part, { state: 'running' });
      this.keep();
      const { toolCallId } = part.content as { toolCallId: string };
      const content = { toolCallId, toolName: 'get_content', output, durationMs: 7 };
      this.#add(results, { type: 'tool-result', content });
      const providerMetadata = { throughline: { durationMs: 7 } };
      if (output.type === 'error-text') {
        this.publish({ type: 'tool-output-error', toolCallId, errorText: output.value, providerMetadata });
      } else {
        const value = 'value' in output ? output.value : null;
        this.publish({ type: 'tool-output-available', toolCallId, output: value, providerMetadata });
      }
      this.#change(part, { state: output.type === 'error-text' ? 'error' : 'completed' });
      this.keep();
    }
  }

  steer(text: string): void {
    const id = this.message('user', [{ type: 'text', content: { text } }], 'complete', false);
    this.publish({ type: 'steering-message', id, parts: [{ type: 'text', text }] });
    this.keep();
  }

  #add(messageId: string, part: NewPart): Part {
    this.#parts += 1;
    const stored = {
      id: `prt_${this.#parts}`,
      messageId,
      sessionId: TURN_SESSION,
      order: 0,
      tokens: null,
      originalTokens: null,
      compactedAt: null,
      excerptChars: null,
      createdAt: 1,
      state: 'completed',
      ...part,
    } as Part;
    this.#replaceParts(messageId, (parts) => [...parts, stored]);
    return stored;
  }

  #change({ id, messageId }: Part, changes: { state?: PartState; content?: object }): void {
    this.#replaceParts(messageId, (parts) =>
      parts.map((part) => (part.id === id ? ({ ...part, ...changes } as Part) : part)),
    );
  }

  #replaceParts(messageId: string, change: (parts: readonly Part[]) => readonly Part[]): void {
    this.#messages = this.#messages.map((message) =>
      message.id === messageId ? { ...message, parts: change(message.parts) } : message,
    );
  }
}

function compaction(summaryMessageId: string, round: number): CompactionRecord {
  return {
    id: `cmp_${round}`,
    sessionId: TURN_SESSION,
    round,
    strategy: 'ledger',
    trigger: 'overflow',
    status: 'completed',
    contextWindow: null,
    tokensBefore: 9_000,
    tokensAfter: 3_000,
    messagesCompacted: 12,
    compactedMessageIds: [],
    prunedPartIds: [],
    keptBeforeSummary: [],
    keptAfterSummary: [],
    firstKeptMessageId: null,
    summaryMessageId,
    modelId: null,
    durationMs: 5,
    usage: null,
    error: null,
    errorMessage: null,
    createdAt: 1,
  };
}

/** The answer as a reload shows it at this moment; undefined before it has an id. */
export function storedAnswer({ messages, compactions }: StoredMoment): ThroughlineUIMessage | undefined {
  const hasId = messages.some(({ role, isSummary }) => role === 'assistant' && !isSummary);
  return hasId ? toUIMessages(messages, compactions).find(({ role }) => role === 'assistant') : undefined;
}

/** The message that chunks fold into, by the AI SDK's own reader; null when they hold none. */
export async function foldChunks(chunks: Iterable<UIMessageChunk>): Promise<ThroughlineUIMessage | null> {
  let last: ThroughlineUIMessage | null = null;
  const failures: unknown[] = [];
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      // Error chunks change no message, and could not be told from chunks that do not fit.
      for (const chunk of chunks) if (chunk.type !== 'error') controller.enqueue(chunk);
      controller.close();
    },
  });
  const onError = (error: unknown) => failures.push(error);
  for await (const message of readUIMessageStream<ThroughlineUIMessage>({ stream, onError })) last = message;
  if (failures.length > 0) throw new Error(`The chunks do not fold: ${String(failures[0])}`);
  return last;
}

/** A message without what a live stream and the store name differently: ids that hold parts apart, times. */
export function comparable(message: ThroughlineUIMessage | null | undefined): unknown {
  if (!message) return null;
  const parts = message.parts.map((part) => {
    if (part.type !== 'reasoning' && part.type !== 'data-compaction') return part;
    return { ...part, id: undefined };
  });
  return JSON.parse(JSON.stringify({ id: message.id, role: message.role, parts })) as unknown;
}
