import type { ModelMessage } from 'ai';
import { type MessagePart, partsOf } from '#tests/bench/context/message-parts';
import { type Needle, findNeedles } from '#tests/bench/context/needles';

/** Tools that change something, by a verb in their name; a shell's command is its input. */
const WRITES =
  /(?:^|[^a-z])(?:write|edit|editor|create|update|delete|add|set|insert|move|publish|unpublish|remove|replace|rename|undo)(?:[^a-z]|$)/i;

/** What a transcript holds up to its last model call. */
export interface KnownPart {
  readonly text: string;
  readonly needles: readonly Needle[];
  /** In the user's words, a tool's input, or the result of a call that writes. */
  readonly isActedOn: boolean;
}

/** A long transcript is looked at several times, by every approach. */
const read = new WeakMap<ModelMessage, readonly KnownPart[]>();

/** The readable parts with their needles; reasoning is left out. */
export function knownParts(messages: readonly ModelMessage[]): KnownPart[] {
  return messages.flatMap((message) => {
    const parts = read.get(message) ?? partsIn(message);
    read.set(message, parts);
    return parts;
  });
}

function partsIn(message: ModelMessage): KnownPart[] {
  return partsOf([message])
    .filter(({ kind }) => kind !== 'reasoning' && kind !== 'file')
    .map((part) => ({ text: part.text, needles: findNeedles(part.text), isActedOn: isActedOn(part) }));
}

function isActedOn({ kind, role, toolName }: MessagePart): boolean {
  if (kind === 'text') return role === 'user';
  return kind === 'call' || WRITES.test(toolName ?? '');
}
