import type { NewPart } from '#server/core/parts';
import type { QueuedMessage } from '#server/core/turns';

/** A waiting message as the REST contract shows it. */
export function queuedItem({ id, parts, createdAt, modelId }: QueuedMessage) {
  return { id, text: parts.flatMap(textOf).join('\n\n'), createdAt, modelId };
}

function textOf(part: NewPart): string[] {
  return part.type === 'text' ? [part.content.text] : [];
}
