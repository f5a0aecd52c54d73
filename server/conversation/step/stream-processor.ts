import { type TextStreamPart, type ToolSet, type UIMessageChunk, toUIMessageChunk } from 'ai';
import { messageOf } from '#server/core/errors';
import { jsonValueSchema, type JsonValue } from '#server/core/json';
import type { MessageStatus, Usage } from '#server/core/conversation/messages';
import { EmptyStepError, classifyProviderError, isEmptyStep } from '#server/conversation/step/provider-errors';
import { RepetitionWatch } from '#server/conversation/step/repetition';
import type { PendingCall } from '#server/conversation/step/run-tool-call';
import { toUsage } from '#server/conversation/step/sdk-messages';
import {
  type Metadata,
  openInput,
  type OpenInput,
  openText,
  type OpenText,
  type PartWriter,
  StreamWriter,
} from '#server/conversation/step/stream-writer';

/** Result of one step: one answer of the model, with the calls that it made. */
export interface StepOutcome {
  readonly calls: readonly PendingCall[];
  readonly finishReason: string;
  readonly usage: Usage | null;
  readonly status: MessageStatus;
  /** Error of a failed step. */
  readonly error: unknown;
  /** True if some of the answer was stored and shown. */
  readonly hasContent: boolean;
  /** True if the answer contains reasoning text. */
  readonly hasThoughts: boolean;
  /** Ended by this program because the window was nearly full; the streamed content is kept. */
  readonly wasCut: boolean;
  /** Ended by this program because it repeated the same passage; the passage is kept once. */
  readonly isRepeating: boolean;
  /**
   * A local server has ended the answer well below the limit that was sent, most likely because its context was full.
   */
  readonly endedByServer?: boolean;
  /** The newest text, to continue from; empty if there was none. */
  readonly lastText: string;
  /** The tool of a call that was incomplete when the stream ended. */
  readonly droppedCall: string | null;
  /**
   * Incomplete calls of which some input was shown: stored with the text of the input so far. They never run, and each
   * needs a result.
   */
  readonly cutCalls: readonly PendingCall[];
}

/** A text that is still being written, and whether it repeats itself. */
interface OpenAnswer extends OpenText {
  readonly repetition: RepetitionWatch;
}

/** Options of a step's processing. */
interface StreamOptions {
  /** Ends an answer that repeats itself. Default false. */
  readonly watchesRepetition?: boolean;
  /** Shows and stores the input of calls while it is written. Default true. */
  readonly showsInputs?: boolean;
  /** Time after which a growing text is stored; milliseconds. Default: that of an embedded database. */
  readonly storesAfterMs?: number | undefined;
}

/** Reads one step's stream: stores it as it arrives (`StreamWriter`), forwards it to its readers, and sums it up. */
export class StreamProcessor {
  readonly #parts: StreamWriter;
  readonly #publish: (chunk: UIMessageChunk) => void;
  readonly #watchesRepetition: boolean;
  readonly #showsInputs: boolean;
  readonly #open = new Map<string, OpenAnswer>();
  readonly #calls: Promise<PendingCall>[] = [];
  readonly #callIds = new Set<string>();
  /** Inputs that are being written, by the provider's id of their call. */
  readonly #inputs = new Map<string, OpenInput>();
  readonly #cutCalls: Promise<PendingCall>[] = [];
  /**
   * A call whose input is not valid JSON, and the calls after it. The finish reason shows whether the input was cut off
   * or invalid.
   */
  readonly #heldCalls: { readonly call: StreamedCall; readonly input: OpenInput | undefined }[] = [];
  #finish: { reason: string; usage: Usage | null } | null = null;
  #error: unknown = undefined;
  #hasContent = false;
  #hasThoughts = false;
  #stepShown = false;
  #wasCut = false;
  #isRepeating = false;
  #lastText = '';
  #droppedCall: string | null = null;

  constructor(
    writer: PartWriter,
    publish: (chunk: UIMessageChunk) => void,
    { watchesRepetition = false, showsInputs = true, storesAfterMs }: StreamOptions = {},
  ) {
    this.#parts = new StreamWriter(writer, storesAfterMs);
    this.#publish = publish;
    this.#watchesRepetition = watchesRepetition;
    this.#showsInputs = showsInputs;
  }

  /** Aborts when the store has refused a part permanently: the rest of the answer could not be stored either. */
  get unstorable(): AbortSignal {
    return this.#parts.unstorable;
  }

  /**
   * Reads the stream to its end, or until `isFull` returns true: then open text is closed, complete calls are kept, and
   * incomplete ones are kept as `cutCalls`. Provider failures are part of the outcome; only store failures throw.
   */
  async run(
    stream: AsyncIterable<TextStreamPart<ToolSet>>,
    isFull: (part: TextStreamPart<ToolSet>) => boolean = () => false,
  ): Promise<StepOutcome> {
    try {
      for await (const part of stream) {
        this.#handle(part);
        if (this.unstorable.aborted || this.#isRepeating) break;
        if (this.#parts.isFarAhead) await this.#parts.settled();
        if (isFull(part) && this.#finish === null) {
          this.#wasCut = true;
          break;
        }
      }
    } catch (error) {
      this.#error ??= error;
    }
    for (const id of this.#open.keys()) this.#endText(id);
    for (const { input } of this.#heldCalls) if (input) this.#cutInput(input);
    for (const input of this.#inputs.values()) this.#cutInput(input);
    await this.#parts.settled();
    return this.#outcome(await Promise.all(this.#calls), await Promise.all(this.#cutCalls));
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
        this.#inputs.set(part.id, openInput(part.toolName));
        return;
      case 'tool-input-delta':
        return this.#appendInput(part.id, part.delta);
      case 'tool-input-end':
        return;
      case 'tool-call': {
        const input = this.#inputs.get(part.toolCallId);
        this.#inputs.delete(part.toolCallId);
        if (this.#heldCalls.length > 0 || isBroken(part)) this.#heldCalls.push({ call: part, input });
        else this.#storeCall(part, input);
        return;
      }
      case 'finish-step':
        this.#finish = { reason: part.finishReason, usage: toUsage(part.usage) };
        return this.#storeHeldCalls(part.finishReason);
      case 'error':
        this.#error ??= part.error;
        return;
      case 'abort':
        this.#error = new DOMException(part.reason ?? 'The answer was stopped.', 'AbortError');
        return;
      // For a call that cannot run: the call itself contained the error.
      case 'tool-error':
      // Provider-specific, and not stored: Anthropic's reports that a message begins, before any content.
      case 'custom':
      case 'start-step':
        return;
      default: {
        const chunk = toUIMessageChunk(part, { sendStart: false, sendFinish: false });
        if (chunk) this.#forward(chunk);
      }
    }
  }

  /** A step is shown with its first content, so that a step that fails earlier can be repeated without a trace. */
  #forward(chunk: UIMessageChunk): void {
    if (!this.#stepShown) this.#publish({ type: 'start-step' });
    this.#stepShown = true;
    this.#publish(chunk);
  }

  #startText(id: string, type: OpenText['type'], metadata: unknown): void {
    this.#open.set(id, { ...openText(type, metadata as Metadata), repetition: new RepetitionWatch() });
  }

  /** Shows a call with the first characters of its input; its row is written when the first flush is due. */
  #appendInput(id: string, delta: string): void {
    const open = this.#inputs.get(id);
    if (!open || !this.#showsInputs || delta === '') return;
    if (open.toolCallId === null) {
      this.#parts.startInput(open);
      open.toolCallId = this.#freeCallId(id);
      this.#forward({ type: 'tool-input-start', toolCallId: open.toolCallId, toolName: open.toolName });
    }
    open.text += delta;
    this.#forward({ type: 'tool-input-delta', toolCallId: open.toolCallId, inputTextDelta: delta });
    this.#parts.grow(open, delta);
  }

  #appendText(id: string, delta: string, metadata: unknown): void {
    const open = this.#open.get(id);
    if (!open) return;
    open.metadata = (metadata as Metadata) ?? open.metadata;
    if (delta === '') return;
    const type = open.type === 'reasoning' ? 'reasoning' : 'text';
    if (open.text === '') {
      this.#parts.startText(open);
      this.#forward({ type: `${type}-start`, id });
    }
    this.#hasContent = true;
    open.text += delta;
    const surplus = this.#watchesRepetition ? open.repetition.add(delta) : 0;
    if (surplus > 0) {
      this.#isRepeating = true;
      open.text = open.text.slice(0, -surplus);
    }
    if (open.type === 'text') this.#lastText = open.text;
    else this.#hasThoughts = true;
    this.#forward({ type: `${type}-delta`, id, delta });
    this.#parts.grow(open, delta);
  }

  #endText(id: string, metadata?: unknown): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    const providerMetadata = (metadata as Metadata) ?? open.metadata;
    const type = open.type === 'reasoning' ? 'reasoning' : 'text';
    if (open.text !== '') this.#forward({ type: `${type}-end`, id });
    this.#parts.endText(open, { text: open.text, ...(providerMetadata && { providerMetadata }) });
  }

  #storeCall(part: StreamedCall, written?: OpenInput): void {
    this.#hasContent = true;
    const { toolName } = part;
    const error = part.invalid ? messageOf(part.error) : undefined;
    const toolCallId = written?.toolCallId ?? this.#freeCallId(part.toolCallId);
    const providerMetadata = part.providerMetadata as Metadata;
    const input = toJson(part.input);
    // An invalid call is shown like any other: its result describes the error.
    this.#forward({ type: 'tool-input-available', toolCallId, toolName, input });
    const content = { toolCallId, toolName, input, ...(providerMetadata && { providerMetadata }) };
    this.#calls.push(this.#parts.endCall({ toolCallId, toolName, input, error }, content, written));
  }

  /** Ends a call whose input is not complete. What was shown of it is kept; what was not shown leaves nothing. */
  #cutInput(open: OpenInput): void {
    const { toolName, toolCallId, text: input } = open;
    this.#droppedCall = toolName;
    if (toolCallId === null) return;
    this.#forward({ type: 'tool-input-available', toolCallId, toolName, input });
    this.#cutCalls.push(this.#parts.endCall({ toolCallId, toolName, input }, { toolCallId, toolName, input }, open));
  }

  /**
   * Makes the id unique, so that each decision and each result belongs to one call: some models give several calls of a
   * step the same id.
   */
  #freeCallId(wanted: string): string {
    let id = wanted;
    for (let count = 2; this.#callIds.has(id); count += 1) id = `${wanted}_${count}`;
    this.#callIds.add(id);
    return id;
  }

  /** Some providers send the incomplete call that the output cap has cut off; that one does not run. */
  #storeHeldCalls(finishReason: string): void {
    for (const { call, input } of this.#heldCalls.splice(0)) {
      if (finishReason !== 'length' || !isBroken(call)) this.#storeCall(call, input);
      else if (input) this.#cutInput(input);
    }
  }

  #outcome(calls: readonly PendingCall[], cutCalls: readonly PendingCall[]): StepOutcome {
    const { reason = 'other', usage = null } = this.#finish ?? {};
    const isEmpty = isEmptyStep({ hasContent: this.#hasContent, usage, finishReason: reason });
    if (this.#error === undefined && !this.#wasCut && !this.#isRepeating && isEmpty) this.#error = new EmptyStepError();
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
      isRepeating: this.#isRepeating,
      lastText: this.#lastText,
      droppedCall: this.#droppedCall,
      cutCalls,
    };
  }
}

interface StreamedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean | undefined;
  /** The reason why an invalid call cannot run. */
  readonly error?: unknown;
  readonly providerMetadata?: unknown;
}

/** True if its input is not valid JSON. */
function isBroken({ invalid, input }: StreamedCall): boolean {
  return invalid === true && typeof input === 'string';
}

/** Tool input can be any text of the model; text that is not JSON is kept as text. */
function toJson(input: unknown): JsonValue {
  const parsed = jsonValueSchema.safeParse(input);
  return parsed.success ? parsed.data : String(input);
}
