import type { NewPart, PartContent } from '#server/core/conversation/parts';
import { countPartTokens } from '#server/context/part-tokens';
import type { PendingCall, UnstoredCall } from '#server/conversation/step/run-tool-call';

/** What a write has stored. */
export interface Stored {
  readonly id: string;
}

/** Writes the parts of one assistant message, in the order of the calls. */
export interface PartWriter {
  addPart(part: NewPart): Promise<Stored>;
  updatePart(
    partId: string,
    changes: { content: NewPart['content']; tokens?: number; state?: 'completed' | 'pending' },
  ): Promise<void>;
}

/**
 * Streamed text is stored at least this often while the store is fast, so that a crash loses no more: milliseconds,
 * characters. A choice, not measured.
 */
const FLUSH_AFTER_MS = 100;
const FLUSH_AFTER_CHARS = 1_000;
/** The same for a database server, to which each write is a request: two per second. A choice. */
export const SERVER_FLUSH_AFTER_MS = 500;
/**
 * After a write to a slow store, pause for this multiple of the write's duration, up to a limit in ms. A choice, not
 * measured.
 */
const REST_PER_WRITE = 10;
const LONGEST_REST_MS = 2_000;

/** Maximum characters that may be read from the provider before they are stored. A choice, not measured. */
const MOST_AHEAD_CHARS = 2_000_000;

/** Data of a provider that is stored with a part and sent back unchanged. */
export type Metadata = PartContent<'text'>['providerMetadata'];

/** A text, or the input of a tool call, that is still being written. */
export interface OpenText {
  readonly type: 'text' | 'reasoning' | 'tool-call';
  text: string;
  /** Providers send it with the first, any or the last piece; the newest is used. */
  metadata: Metadata;
  /** Null until its row is written with its first content. */
  partId: string | null;
  /** Number of its characters that are stored. */
  stored: number;
  unflushed: number;
  timer: NodeJS.Timeout | null;
  /** At most one write of a growing text is in progress; each write stores all text that exists when it starts. */
  isFlushing: boolean;
  /** Another write is due after the current one. */
  isDirty: boolean;
  /** Its last write stores all of it. */
  hasEnded: boolean;
}

/** The input of a tool call that is still being written. */
export interface OpenInput extends OpenText {
  readonly type: 'tool-call';
  readonly toolName: string;
  /** Unique within the step; null until the first characters are shown. */
  toolCallId: string | null;
  /** True once the write of its row is queued. */
  isAdded: boolean;
}

/**
 * Stores the parts of one step while they grow. Writes are chained, so that parts are stored in the order in which they
 * were shown, and reading the stream never waits for the disk.
 */
export class StreamWriter {
  readonly #writer: PartWriter;
  /** Inputs that are shown and have no row yet. */
  readonly #unstored = new Set<OpenInput>();
  #writes: Promise<unknown> = Promise.resolve();
  /** Number of characters that were shown but are not stored yet. */
  #ahead = 0;
  readonly #unstorable = new AbortController();
  readonly #shortestMs: number;
  #flushAfterMs: number;

  /** @param shortestMs time after which a growing text is stored while the store is fast; milliseconds */
  constructor(writer: PartWriter, shortestMs = FLUSH_AFTER_MS) {
    this.#writer = writer;
    this.#shortestMs = shortestMs;
    this.#flushAfterMs = shortestMs;
  }

  /** Aborts when the store has refused a part permanently: the rest of the answer could not be stored either. */
  get unstorable(): AbortSignal {
    return this.#unstorable.signal;
  }

  /** Waits until everything is stored. @throws the failure of a write */
  async settled(): Promise<void> {
    await this.#writes;
  }

  /** True if much more was read from the provider than is stored: wait until it is `settled`. */
  get isFarAhead(): boolean {
    return this.#ahead > MOST_AHEAD_CHARS;
  }

  /** Call it when the first characters of a text are shown. */
  startText(open: OpenText): void {
    this.#storeShown();
    this.#addRow(open);
  }

  /** Call it when the first characters of an input are shown; its row is written when the first flush is due. */
  startInput(open: OpenInput): void {
    this.#storeShown();
    this.#unstored.add(open);
  }

  /** Call it when these characters have been added to the text. */
  grow(open: OpenText, delta: string): void {
    this.#ahead += delta.length;
    open.unflushed += delta.length;
    const isDue = open.unflushed >= FLUSH_AFTER_CHARS && this.#flushAfterMs === FLUSH_AFTER_MS;
    if (isDue) this.#flush(open);
    else open.timer ??= setTimeout(() => this.#flush(open), this.#flushAfterMs);
  }

  /** Stores the text as it is at its end. */
  endText(open: OpenText, content: PartContent<'text'>): void {
    end(open);
    const type = open.type === 'reasoning' ? 'reasoning' : 'text';
    // A signature without text (hidden reasoning) must be sent back to its provider too.
    if (content.text === '' && content.providerMetadata) this.#addRow(open);
    void this.#write(async () => {
      if (open.partId === null) return;
      const tokens = countPartTokens({ type, content });
      await this.#writer.updatePart(open.partId, { content, tokens, state: 'completed' });
      this.#countStored(open, content.text);
    });
  }

  /** Stores a call as it is now: in the row of its input, if that was written, or as a new part. */
  endCall(call: UnstoredCall, content: PartContent<'tool-call'>, written: OpenInput | undefined): Promise<PendingCall> {
    if (written) {
      end(written);
      this.#unstored.delete(written);
    }
    if (!written?.toolCallId) this.#storeShown();
    const { length } = JSON.stringify(content.input);
    if (!written?.isAdded) this.#ahead += length;
    return this.#write(async () => {
      const tokens = countPartTokens({ type: 'tool-call', content });
      let partId = written?.partId ?? null;
      if (partId === null) {
        partId = (await this.#writer.addPart({ type: 'tool-call', state: 'pending', content, tokens })).id;
        this.#ahead -= length;
      } else {
        await this.#writer.updatePart(partId, { content, tokens, state: 'pending' });
      }
      if (written) this.#countStored(written, written.text);
      return { partId, ...call };
    });
  }

  #addRow(open: OpenText): void {
    void this.#write(async () => {
      const { text } = open;
      const part = await this.#writer.addPart(openPart(open));
      open.partId = part.id;
      this.#countStored(open, text);
    });
  }

  /** Parts are stored in the order in which they were first shown: call it before another part is shown. */
  #storeShown(): void {
    for (const input of this.#unstored) this.#flush(input);
  }

  #flush(open: OpenText): void {
    stopTimer(open);
    open.unflushed = 0;
    if (isInput(open) && !open.isAdded) {
      open.isAdded = true;
      this.#unstored.delete(open);
      return this.#addRow(open);
    }
    open.isDirty = open.isFlushing;
    if (open.isFlushing) return;
    open.isFlushing = true;
    // The failure is thrown where the chain of writes is awaited.
    this.#writeText(open).catch(() => undefined);
  }

  async #writeText(open: OpenText): Promise<void> {
    const askedAt = performance.now();
    await this.#write(async () => {
      open.isDirty = false;
      if (open.partId === null || open.hasEnded) return;
      const { text } = open;
      await this.#writer.updatePart(open.partId, { content: openPart(open).content });
      this.#countStored(open, text);
      // Includes the wait in the queue, which shows how busy the store is.
      const rest = Math.min(REST_PER_WRITE * (performance.now() - askedAt), LONGEST_REST_MS);
      this.#flushAfterMs = Math.max(this.#shortestMs, rest);
    });
    open.isFlushing = false;
    if (open.isDirty) this.#flush(open);
  }

  #countStored(open: OpenText, { length }: string): void {
    this.#ahead -= length - open.stored;
    open.stored = length;
  }

  /** Runs after all earlier writes. A write that fails permanently aborts `unstorable`, and makes `settled` throw. */
  #write<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work);
    this.#writes = done;
    // The failure is thrown where the chain is awaited; here it ends the reading.
    done.catch((error: unknown) => this.#unstorable.abort(error));
    return done;
  }
}

/** A text that begins. */
export function openText(type: OpenText['type'], metadata?: Metadata): OpenText {
  const progress = { partId: null, stored: 0, unflushed: 0, timer: null };
  return { type, metadata, text: '', ...progress, isFlushing: false, isDirty: false, hasEnded: false };
}

/** The input of a call that begins. */
export function openInput(toolName: string): OpenInput {
  return { ...openText('tool-call'), type: 'tool-call', toolName, toolCallId: null, isAdded: false };
}

function isInput(open: OpenText): open is OpenInput {
  return open.type === 'tool-call';
}

/** The part as it is now. The input of a call is stored as its text until it is complete. */
function openPart(open: OpenText): NewPart {
  const { text } = open;
  if (!isInput(open))
    return { type: open.type === 'reasoning' ? 'reasoning' : 'text', content: { text }, state: 'running' };
  const content = { toolCallId: open.toolCallId ?? '', toolName: open.toolName, input: text };
  return { type: 'tool-call', content, state: 'input-streaming' };
}

function end(open: OpenText): void {
  stopTimer(open);
  open.hasEnded = true;
}

function stopTimer(open: OpenText): void {
  if (open.timer) clearTimeout(open.timer);
  open.timer = null;
}
