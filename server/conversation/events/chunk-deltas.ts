import type { UIMessageChunk } from 'ai';

/** Progress that only matters while it happens is not replayed. */
export function isTransient(chunk: UIMessageChunk): boolean {
  return 'transient' in chunk && (chunk.transient ?? false);
}

/** More of a text, of reasoning, or of the input of a tool call. */
export type Delta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>;

export function isDelta(chunk: UIMessageChunk): chunk is Delta {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' || chunk.type === 'tool-input-delta';
}

export function textOf(chunk: Delta): string {
  return chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : chunk.delta;
}

export function withText(chunk: Delta, text: string): Delta {
  return chunk.type === 'tool-input-delta' ? { ...chunk, inputTextDelta: text } : { ...chunk, delta: text };
}

export function isSamePart(a: Delta, b: Delta): boolean {
  return a.type === b.type && partIdOf(a) === partIdOf(b);
}

function partIdOf(chunk: Delta): string {
  return chunk.type === 'tool-input-delta' ? chunk.toolCallId : chunk.id;
}

/** Newer metadata replaces older metadata, as in the message. @param b of the same part */
export function joined(a: Delta, b: Delta): Delta {
  return withText({ ...a, ...b }, textOf(a) + textOf(b));
}
