import { fileNames, writtenText } from '#server/core/part-text';
import type { QueuedMessage } from '#server/core/turns';

/** A waiting message as the REST contract shows it. */
export function queuedItem({ id, parts, createdAt, modelId, heldReason }: QueuedMessage) {
  return { id, text: writtenText(parts), files: fileNames(parts), createdAt, modelId, heldReason };
}
