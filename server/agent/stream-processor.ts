import { type TextStreamPart, type ToolSet, type UIMessageChunk, toUIMessageChunk } from 'ai';
import { messageOf } from '#server/core/errors';
import { jsonValueSchema, type JsonValue } from '#server/core/json';
import type { MessageStatus, Usage } from '#server/core/messages';
import type { NewPart, Part, PartContent } from '#server/core/parts';
import { countPartTokens, withTokens } from '#server/context/part-tokens';
import { EmptyStepError, classifyProviderError, isEmptyStep } from '#server/agent/provider-errors';
import type { PendingCall } from '#server/agent/run-tool-call';
import { toUsage } from '#server/agent/sdk-messages';

/** Writes the parts of one assistant message, in the order of the calls. */
export interface PartWriter {
  addPart(part: NewPart): Promise<Part>;
  updatePart(
    partId: string,
    changes: { content: NewPart['content']; tokens?: number; state?: 'completed' },
  ): Promise<void>;
}

export interface StepOutcome {
  readonly calls: readonly PendingCall[];
  readonly finishReason: string;
  readonly usage: Usage | null;
  readonly status: MessageStatus;
  /** Error of a failed step. */
  readonly error: unknown;
  /** Something of the answer was stored and shown. */
  readonly hasContent: boolean;
  /** True if it thought in words. */
  readonly hasThoughts: boolean;
  /** Ended by us because the window was nearly full; what was streamed is kept. */
  readonly wasCut: boolean;
  /** The newest text, to continue from; empty when none was said. */
  readonly lastText: string;
  /** The tool of a call that was not complete when the stream ended; nothing of it is stored or shown. */
  readonly droppedCall: string | null;
}

/**
 * Streamed text is stored at least this often while the store is quick, so that a crash loses no more: milliseconds,
 * characters.
 */
const FLUSH_AFTER_MS = 100;
const FLUSH_AFTER_CHARS = 1_000;
/** A slow store is left alone for this many times as long as the last write of a text took, but not for longer: ms. */
const REST_PER_WRITE = 10;
const LONGEST_REST_MS = 2_000;

/** The provider is not read faster than so far ahead of what is stored; characters. */
const MOST_AHEAD_CHARS = 2_000_000;

type Metadata = PartContent<'text'>['providerMetadata'];

interface OpenText {
  readonly type: 'text' | 'reasoning';
  text: string;
  /** Providers send it with the first, any or the last piece; the newest counts. */
  metadata: Metadata;
  /** Null until its row is written, which its first content does. */
  partId: string | null;
  /** Characters of it that are stored. */
  stored: number;
  unflushed: number;
  timer: NodeJS.Timeout | null;
  /** One write of a growing text is under way at most, and carries all there is when its turn comes. */
  isFlushing: boolean;
  /** Another write is due behind the one under way. */
  isDirty: boolean;
  /** Its last write stores all of it. */
  hasEnded: boolean;
}

/**
 * Stores one step's stream as it arrives and forwards it to whoever watches. Writes are chained, so that parts are
 * stored in the order they came and reading the stream never waits for the disk.
 */
export class StreamProcessor {
  readonly #writer: PartWriter;
  readonly #publish: (chunk: UIMessageChunk) => void;
  readonly #open = new Map<string, OpenText>();
  readonly #calls: Promise<PendingCall>[] = [];
  readonly #callIds = new Set<string>();
  /** Tools of the calls whose input is still being written, by call. */
  readonly #openCalls = new Map<string, string>();
  /** A call whose input is no JSON, and those behind it: it broke off, or never was valid; the finish tells. */
  readonly #heldCalls: StreamedCall[] = [];
  #writes: Promise<unknown> = Promise.resolve();
  /** Characters that were shown and are not stored. */
  #ahead = 0;
  readonly #unstorable = new AbortController();
  #finish: { reason: string; usage: Usage | null } | null = null;
  #error: unknown = undefined;
  #hasContent = false;
  #hasThoughts = false;
  #stepShown = false;
  #wasCut = false;
  #lastText = '';
  #flushAfterMs = FLUSH_AFTER_MS;

  constructor(writer: PartWriter, publish: (chunk: UIMessageChunk) => void) {
    this.#writer = writer;
    this.#publish = publish;
  }

  /** Aborts when the store has refused a part for good: what else the model says could not be kept either. */
  get unstorable(): AbortSignal {
    return this.#unstorable.signal;
  }

  /**
   * Reads the stream to its end, or until `isFull` says so: then open text is closed, calls that are not complete are
   * dropped and complete ones kept. Provider failures are in the outcome, only store failures throw.
   */
  async run(
    stream: AsyncIterable<TextStreamPart<ToolSet>>,
    isFull: (part: TextStreamPart<ToolSet>) => boolean = () => false,
  ): Promise<StepOutcome> {
    try {
      for await (const part of stream) {
        this.#handle(part);
        if (this.unstorable.aborted) break;
        if (this.#ahead > MOST_AHEAD_CHARS) await this.#writes;
        if (isFull(part) && this.#finish === null) {
          this.#wasCut = true;
          break;
        }
      }
    } catch (error) {
      this.#error ??= error;
    }
    for (const id of this.#open.keys()) this.#endText(id);
    await this.#writes;
    return this.#outcome(await Promise.all(this.#calls));
  }

  #handle(part: TextStreamPart<ToolSet>): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        return this.#startText(part.id, part.type === 'text-start' ? 'text' : 'reasoning', part.providerMetadata);
      case 'text-delta':
      case 'reasoning-delta':
        return this.#appendText(part.id, part.text, part.providerMetadata);
      case 'text-end':
      case 'reasoning-end':
        return this.#endText(part.id, part.providerMetadata);
      case 'tool-input-start':
        this.#openCalls.set(part.id, part.toolName);
        return;
      // Shown when it is complete: one that is not may be dropped, and what was shown cannot be taken back.
      case 'tool-input-delta':
      case 'tool-input-end':
        return;
      case 'tool-call':
        if (this.#heldCalls.length > 0 || isBroken(part)) this.#heldCalls.push(part);
        else this.#storeCall(part);
        return;
      case 'finish-step':
        this.#finish = { reason: part.finishReason, usage: toUsage(part.usage) };
        return this.#storeHeldCalls(part.finishReason);
      case 'error':
        this.#error ??= part.error;
        return;
      case 'abort':
        this.#error = new DOMException(part.reason ?? 'The answer was stopped.', 'AbortError');
        return;
      // Of a call that cannot run: the call itself has said it.
      case 'tool-error':
      // A provider's own, of which nothing is stored: Anthropic's says that a message begins, before it says anything.
      case 'custom':
      case 'start-step':
        return;
      default: {
        const chunk = toUIMessageChunk(part, { sendStart: false, sendFinish: false });
        if (chunk) this.#forward(chunk);
      }
    }
  }

  /** A step is shown with its first content, so that one that fails before can be repeated unseen. */
  #forward(chunk: UIMessageChunk): void {
    if (!this.#stepShown) this.#publish({ type: 'start-step' });
    this.#stepShown = true;
    this.#publish(chunk);
  }

  #startText(id: string, type: OpenText['type'], metadata: unknown): void {
    this.#open.set(id, {
      type,
      text: '',
      metadata: metadata as Metadata,
      partId: null,
      stored: 0,
      unflushed: 0,
      timer: null,
      isFlushing: false,
      isDirty: false,
      hasEnded: false,
    });
  }

  #appendText(id: string, delta: string, metadata: unknown): void {
    const open = this.#open.get(id);
    if (!open) return;
    open.metadata = (metadata as Metadata) ?? open.metadata;
    if (delta === '') return;
    if (open.text === '') {
      this.#storeText(open);
      this.#forward({ type: `${open.type}-start`, id });
    }
    this.#hasContent = true;
    this.#ahead += delta.length;
    open.text += delta;
    if (open.type === 'text') this.#lastText = open.text;
    else this.#hasThoughts = true;
    this.#forward({ type: `${open.type}-delta`, id, delta });
    open.unflushed += delta.length;
    const isDue = open.unflushed >= FLUSH_AFTER_CHARS && this.#flushAfterMs === FLUSH_AFTER_MS;
    if (isDue) this.#flush(open);
    else open.timer ??= setTimeout(() => this.#flush(open), this.#flushAfterMs);
  }

  #storeText(open: OpenText): void {
    void this.#write(async () => {
      const { type, text } = open;
      const part = await this.#writer.addPart({ type, content: { text }, state: 'running' });
      open.partId = part.id;
      this.#countStored(open, text);
    });
  }

  #flush(open: OpenText): void {
    stopTimer(open);
    open.unflushed = 0;
    open.isDirty = open.isFlushing;
    if (open.isFlushing) return;
    open.isFlushing = true;
    // Its failure surfaces where the chain of writes is awaited.
    this.#writeText(open).catch(() => undefined);
  }

  async #writeText(open: OpenText): Promise<void> {
    const askedAt = performance.now();
    await this.#write(async () => {
      open.isDirty = false;
      if (open.partId === null || open.hasEnded) return;
      const { text } = open;
      await this.#writer.updatePart(open.partId, { content: { text } });
      this.#countStored(open, text);
      // The wait in line counts too: it tells how busy the store is.
      const rest = Math.min(REST_PER_WRITE * (performance.now() - askedAt), LONGEST_REST_MS);
      this.#flushAfterMs = Math.max(FLUSH_AFTER_MS, rest);
    });
    open.isFlushing = false;
    if (open.isDirty) this.#flush(open);
  }

  #endText(id: string, metadata?: unknown): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    stopTimer(open);
    open.hasEnded = true;
    const providerMetadata = (metadata as Metadata) ?? open.metadata;
    if (open.text !== '') this.#forward({ type: `${open.type}-end`, id });
    // A signature without words (hidden reasoning) has to go back to its provider too.
    else if (providerMetadata) this.#storeText(open);
    const content = { text: open.text, ...(providerMetadata && { providerMetadata }) };
    void this.#write(async () => {
      if (open.partId === null) return;
      const tokens = countPartTokens({ type: open.type, content });
      await this.#writer.updatePart(open.partId, { content, tokens, state: 'completed' });
      this.#countStored(open, content.text);
    });
  }

  #countStored(open: OpenText, { length }: string): void {
    this.#ahead -= length - open.stored;
    open.stored = length;
  }

  #storeCall(part: StreamedCall): void {
    this.#hasContent = true;
    const { toolName } = part;
    const error = part.invalid ? messageOf(part.error) : undefined;
    this.#openCalls.delete(part.toolCallId);
    const toolCallId = this.#freeCallId(part.toolCallId);
    const providerMetadata = part.providerMetadata as Metadata;
    const input = toJson(part.input);
    // An invalid call is shown like any other: its result says what is wrong with it.
    this.#forward({ type: 'tool-input-available', toolCallId, toolName, input });
    const content = { toolCallId, toolName, input, ...(providerMetadata && { providerMetadata }) };
    const { length } = JSON.stringify(input);
    this.#ahead += length;
    this.#calls.push(
      this.#write(async () => {
        const stored = await this.#writer.addPart(withTokens({ type: 'tool-call', state: 'pending', content }));
        this.#ahead -= length;
        return { partId: stored.id, toolCallId, toolName, input, error };
      }),
    );
  }

  /** One decision, and one result, is of one call: some models give several of a step the same id. */
  #freeCallId(wanted: string): string {
    let id = wanted;
    for (let count = 2; this.#callIds.has(id); count += 1) id = `${wanted}_${count}`;
    this.#callIds.add(id);
    return id;
  }

  /** Some providers give what there is of a call that the output cap has cut; that one is dropped. */
  #storeHeldCalls(finishReason: string): void {
    for (const call of this.#heldCalls.splice(0)) {
      if (finishReason !== 'length' || !isBroken(call)) this.#storeCall(call);
    }
  }

  /** Behind all earlier writes. A write that fails for good ends the reading and fails `run`. */
  #write<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work);
    this.#writes = done;
    // The failure surfaces where the chain is awaited; here it ends the reading.
    done.catch((error: unknown) => this.#unstorable.abort(error));
    return done;
  }

  #outcome(calls: readonly PendingCall[]): StepOutcome {
    const { reason = 'other', usage = null } = this.#finish ?? {};
    const isEmpty = isEmptyStep({ hasContent: this.#hasContent, usage, finishReason: reason });
    if (this.#error === undefined && !this.#wasCut && isEmpty) this.#error = new EmptyStepError();
    const failed = this.#error !== undefined;
    const aborted = failed && classifyProviderError(this.#error).kind === 'aborted';
    return {
      calls,
      finishReason: this.#finish?.reason ?? (failed && !aborted ? 'error' : 'interrupted'),
      usage: this.#finish?.usage ?? null,
      status: aborted ? 'interrupted' : failed ? 'failed' : 'complete',
      error: this.#error,
      hasContent: this.#hasContent,
      hasThoughts: this.#hasThoughts,
      wasCut: this.#wasCut,
      lastText: this.#lastText,
      droppedCall: [...this.#openCalls.values()].at(-1) ?? null,
    };
  }
}

interface StreamedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
  /** The reason for which an invalid one cannot run. */
  readonly error?: unknown;
  readonly providerMetadata?: unknown;
}

/** Its input is no JSON. */
function isBroken({ invalid, input }: StreamedCall): boolean {
  return invalid === true && typeof input === 'string';
}

function stopTimer(open: OpenText): void {
  if (open.timer) clearTimeout(open.timer);
  open.timer = null;
}

/** Tool input is whatever the model wrote; what is not JSON is kept as text. */
function toJson(input: unknown): JsonValue {
  const parsed = jsonValueSchema.safeParse(input);
  return parsed.success ? parsed.data : String(input);
}
