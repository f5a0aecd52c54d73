import type { UIMessageChunk } from 'ai';
import { type Delta, isDelta, isTransient, textOf, withText } from '#server/conversation/events/chunk-deltas';
import type { CompactionData } from '#server/core/conversation/events';

/**
 * What the readers of an answer have received. Several sources tell the same answer, each from its start: the log of the
 * process that runs the turn, which may be written again, and the stored parts. Each chunk is sent once, from the source
 * that has it first.
 */
export class SentAnswer {
  /** Keys of the chunks that were sent, except deltas. */
  readonly #keys = new Set<string>();
  /** Texts and inputs of calls: number of the characters that were sent, and the id under which they were sent. */
  readonly #texts = new Map<string, { readonly id: string; chars: number }>();
  /** Id of a compaction whose start was sent and whose end was not. */
  #openCompaction: string | null = null;
  /** The end of a compaction was sent without its start: a start may belong to one that has ended. */
  #hasLateCompaction = false;

  /** Begins a source. Pass each of its chunks in order; the result is what was not sent yet, or null. */
  source(): (chunk: UIMessageChunk) => UIMessageChunk | null {
    const source = new AnswerSource(this);
    return (chunk) => source.take(chunk);
  }

  /** The chunk, unless one with this key was sent. */
  once(key: string, chunk: UIMessageChunk): UIMessageChunk | null {
    if (this.#keys.has(key)) return null;
    this.#keys.add(key);
    return chunk;
  }

  /** Begins a text, unless it was begun or has ended. */
  begin(key: string, id: string, chunk: UIMessageChunk): UIMessageChunk | null {
    if (this.#keys.has(`${key} end`) || this.#texts.has(key)) return null;
    this.#texts.set(key, { id, chars: 0 });
    return chunk;
  }

  /** What was not sent of a text. @param before number of characters of the source before this chunk */
  grow(key: string, before: number, chunk: Delta): UIMessageChunk | null {
    const sent = this.#texts.get(key);
    const end = before + textOf(chunk).length;
    if (!sent || this.#keys.has(`${key} end`) || end <= sent.chars) return null;
    const news = withText(chunk, textOf(chunk).slice(Math.max(0, sent.chars - before)));
    sent.chars = end;
    return 'id' in news ? { ...news, id: sent.id } : news;
  }

  end(key: string, chunk: Extract<UIMessageChunk, { type: 'text-end' | 'reasoning-end' }>): UIMessageChunk | null {
    return this.once(`${key} end`, { ...chunk, id: this.#texts.get(key)?.id ?? chunk.id });
  }

  /** A compaction has another id while it runs than in the store. */
  compaction(id: string, data: CompactionData): UIMessageChunk | null {
    const isStart = data.phase === 'start';
    if (isStart && this.#hasLateCompaction) return null;
    const key = data.phase === 'complete' ? data.compactionId : `${id} ${data.phase}`;
    const shownId = isStart ? id : (this.#openCompaction ?? id);
    const chunk = this.once(`compaction ${key}`, { type: 'data-compaction', id: shownId, data });
    if (!chunk) return null;
    this.#hasLateCompaction ||= !isStart && this.#openCompaction === null;
    this.#openCompaction = isStart ? id : null;
    return chunk;
  }
}

/**
 * One telling of an answer. Its parts are recognized by their position, because their ids differ between sources: texts
 * are counted, calls are found by their id within a step.
 */
class AnswerSource {
  readonly #sent: SentAnswer;
  #steps = 0;
  #textCount = 0;
  /** The texts of the source by their ids, and how many characters it has told of each. */
  readonly #texts = new Map<string, { readonly key: string; chars: number }>();

  constructor(sent: SentAnswer) {
    this.#sent = sent;
  }

  take(chunk: UIMessageChunk): UIMessageChunk | null {
    const sent = this.#sent;
    if (isTransient(chunk)) return chunk;
    if (isDelta(chunk)) return this.#grow(chunk);
    switch (chunk.type) {
      case 'start':
      case 'error':
      case 'finish':
        return sent.once(chunk.type, chunk);
      case 'start-step':
        this.#steps += 1;
        return sent.once(`step ${this.#steps}`, chunk);
      case 'text-start':
      case 'reasoning-start':
        this.#textCount += 1;
        return this.#begin(`text ${this.#textCount}`, chunk.id, chunk);
      case 'text-end':
      case 'reasoning-end':
        return sent.end(this.#texts.get(chunk.id)?.key ?? '', chunk);
      case 'tool-input-start':
        return this.#begin(this.#callKey(chunk), chunk.toolCallId, chunk);
      case 'tool-input-available':
        return sent.once(`${this.#callKey(chunk)} end`, chunk);
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
        return sent.once(`${this.#callKey(chunk)} output`, chunk);
      case 'tool-approval-request':
      case 'tool-approval-response':
        return sent.once(`${chunk.type} ${chunk.approvalId}`, chunk);
      case 'data-compaction':
        return sent.compaction(chunk.id ?? '', chunk.data as CompactionData);
      case 'steering-message':
        return sent.once(`message ${chunk.id}`, chunk);
      default:
        return sent.once(JSON.stringify(chunk), chunk);
    }
  }

  #begin(key: string, id: string, chunk: UIMessageChunk): UIMessageChunk | null {
    this.#texts.set(id, { key, chars: 0 });
    return this.#sent.begin(key, id, chunk);
  }

  #grow(chunk: Delta): UIMessageChunk | null {
    const text = this.#texts.get(chunk.type === 'tool-input-delta' ? chunk.toolCallId : chunk.id);
    if (!text) return null;
    const before = text.chars;
    text.chars += textOf(chunk).length;
    return this.#sent.grow(text.key, before, chunk);
  }

  #callKey({ toolCallId }: { readonly toolCallId: string }): string {
    return `call ${this.#steps} ${toolCallId}`;
  }
}
