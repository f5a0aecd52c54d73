import { InvalidInputError } from '#server/core/errors';

/** Counts the bytes of an answer as they come, and breaks it off with an InvalidInputError where they are too many. */
export function atMost(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > bytes) throw new InvalidInputError(`The answer is above ${bytes.toLocaleString('en-US')} bytes.`);
      controller.enqueue(chunk);
    },
  });
}
