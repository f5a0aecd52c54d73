import { InvalidInputError, ThroughlineError, TooLargeError } from '#server/core/errors';

/** How much of a body above its limit is still taken in, so that its sender gets to read the answer; bytes. */
const MAX_DISCARDED = 64_000_000;

/**
 * The request's body as it came; empty when there is none.
 * @param limit bytes; counted while reading, whatever the Content-Length header says
 * @throws TooLargeError, InvalidInputError (the connection broke off)
 */
export async function readBytes({ body }: Request, limit: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > limit) throw new TooLargeError('The body', limit, 'bytes');
      pieces.push(next.value);
    }
    return joined(pieces, size);
  } catch (error) {
    void discard(reader);
    if (error instanceof ThroughlineError) throw error;
    throw new InvalidInputError('The body did not arrive to its end.', { cause: error });
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** Reads on and keeps nothing: a connection whose body nobody reads is stuck, and the answer with it. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    let size = 0;
    for (let next = await reader.read(); !next.done && size < MAX_DISCARDED; next = await reader.read()) {
      size += next.value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender is gone, which is as good.
  }
}
