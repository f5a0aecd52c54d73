import { percentDecoded } from '#server/core/addresses';
import { InvalidInputError, ThroughlineError } from '#server/core/errors';
import type { Network } from '#server/outgoing/network';
import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';

interface DownloadLimits {
  readonly maxBytes: number;
  /** Media type that the response must declare, up to its slash: `image/`. Its bytes are checked by the caller. */
  readonly mediaType: string;
  /** For all of it, redirects included; milliseconds. */
  readonly timeoutMs: number;
}

interface Download {
  readonly data: Uint8Array;
  /** Last part of the address that it was asked for; may be empty. */
  readonly filename: string;
}

const MOST_REDIRECTS = 5;

/**
 * Makes what fetches a file from an address that a user, a model or a page gave.
 * @param network for tests; default: the internet
 */
export function createDownload(network?: Network) {
  /** @throws InvalidInputError that says what is wrong with the address, or with what it answers */
  return async (address: string, limits: DownloadLimits, signal?: AbortSignal): Promise<Download> => {
    const { maxBytes, mediaType, timeoutMs } = limits;
    if (!URL.canParse(address)) throw new InvalidInputError('This is not an address. It must begin with https://.');
    const get = createOutgoingFetch({
      allowed: 'public',
      redirects: MOST_REDIRECTS,
      maxBytes,
      ...(network && { network }),
    });
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await get(address, {
        headers: { accept: `${mediaType}*` },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const type = response.headers.get('content-type') ?? '';
      const problem = !response.ok
        ? `answers with an error (${response.status})`
        : type.startsWith(mediaType)
          ? null
          : 'does not answer with such a file';
      if (problem !== null) {
        await response.body?.cancel();
        throw new InvalidInputError(`${new URL(address).host} ${problem}.`);
      }
      return { data: new Uint8Array(await response.arrayBuffer()), filename: lastPart(address) };
    } catch (error) {
      if (error instanceof ThroughlineError || signal?.aborted) throw error;
      const why = timeout.aborted ? 'does not answer in time' : 'cannot be reached';
      throw new InvalidInputError(`${new URL(address).host} ${why}.`, { cause: error });
    }
  };
}

function lastPart(address: string): string {
  return percentDecoded(new URL(address).pathname.split('/').at(-1) ?? '');
}
