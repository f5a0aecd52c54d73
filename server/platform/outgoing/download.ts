import { percentDecoded } from '#server/core/addresses';
import { InvalidInputError, ThroughlineError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { Network } from '#server/platform/outgoing/network';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';

interface DownloadLimits {
  /** Maximum decoded bytes. */
  readonly maxBytes: number;
  /** Media type that the response must declare, up to its slash: `image/`. The caller checks the bytes. */
  readonly mediaType: string;
  /** Limit for the whole download, redirects included; milliseconds. */
  readonly timeoutMs: number;
}

/** A downloaded file. */
interface Download {
  readonly data: Uint8Array;
  /** Last path segment of the requested address; may be empty. */
  readonly filename: string;
}

/** Enough for shortened addresses and a change to https; more are usually a loop. */
const MAX_REDIRECTS = 5;

/**
 * Creates a function that downloads a file from an address that a user, a model or a page supplied.
 * @param network for tests; default: the internet
 */
export function createDownload(network?: Network) {
  /** @throws InvalidInputError that names the problem with the address or with its response */
  return async (address: string, limits: DownloadLimits, signal?: AbortSignal): Promise<Download> => {
    const { maxBytes, mediaType, timeoutMs } = limits;
    if (!URL.canParse(address)) throw new InvalidInputError(serverText('address-invalid'));
    const { host } = new URL(address);
    const get = createOutgoingFetch({
      allowed: 'public',
      redirects: MAX_REDIRECTS,
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
        ? serverText('download-refused', { host, status: String(response.status) })
        : type.startsWith(mediaType)
          ? null
          : serverText('download-other-type', { host });
      if (problem !== null) {
        await response.body?.cancel();
        throw new InvalidInputError(problem);
      }
      return { data: new Uint8Array(await response.arrayBuffer()), filename: lastPart(address) };
    } catch (error) {
      if (error instanceof ThroughlineError || signal?.aborted) throw error;
      const code = timeout.aborted ? 'download-late' : 'download-unreachable';
      throw new InvalidInputError(serverText(code, { host }), { cause: error });
    }
  };
}

function lastPart(address: string): string {
  return percentDecoded(new URL(address).pathname.split('/').at(-1) ?? '');
}
