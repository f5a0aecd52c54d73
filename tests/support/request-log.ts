import type { IncomingHttpHeaders } from 'node:http';
import type { ChatRequestBody, WireTool } from '#tests/support/openrouter-wire';
import type { WireMessage } from '#tests/support/validate-model-messages';

/** A request as the server received it. */
export interface ParsedRequest {
  readonly body: ChatRequestBody;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  readonly stream: boolean;
  readonly headers: IncomingHttpHeaders;
}

/** What was received and, as it happens, what was sent. */
export interface RecordedRequest extends ParsedRequest {
  /** Counts from 0. */
  readonly index: number;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** The words of the model sent so far, each with the time it was handed to the connection. */
  readonly sent: readonly { readonly at: number; readonly text: string }[];
  /** All of them in one. */
  readonly sentText: string;
  /** `client-closed`: the client went away before the end. */
  readonly state: 'open' | 'finished' | 'dropped' | 'client-closed';
}

/** A record while the server still writes to it. */
export type OpenRecord = ParsedRequest & {
  readonly index: number;
  readonly receivedAt: number;
  readonly sent: { at: number; text: string }[];
  sentText: string;
  state: RecordedRequest['state'];
};

interface Waiter {
  readonly predicate: (request: RecordedRequest) => boolean;
  readonly resolve: (request: RecordedRequest) => void;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** Keeps the requests of a fake server and lets tests wait for what happens to them, without sleeping. */
export function createRequestLog() {
  const requests: OpenRecord[] = [];
  const waiters = new Set<Waiter>();

  /** To be called after every change of a record. */
  const changed = () => {
    for (const waiter of waiters) {
      const match = requests.find(waiter.predicate);
      if (match === undefined) continue;
      waiters.delete(waiter);
      waiter.resolve(match);
    }
  };

  const add = (request: ParsedRequest): OpenRecord => {
    const index = requests.length;
    const record: OpenRecord = { ...request, index, receivedAt: Date.now(), sent: [], sentText: '', state: 'open' };
    requests.push(record);
    changed();
    return record;
  };

  const waitFor = (
    predicate: Waiter['predicate'] = () => true,
    timeoutMs: number = DEFAULT_TIMEOUT_MS,
  ): Promise<RecordedRequest> => {
    const { promise, resolve, reject } = Promise.withResolvers<RecordedRequest>();
    const waiter: Waiter = { predicate, resolve };
    const timer = setTimeout(() => {
      waiters.delete(waiter);
      reject(new Error(`No such request within ${timeoutMs} ms; ${requests.length} arrived.`));
    }, timeoutMs);
    waiters.add(waiter);
    changed();
    return promise.finally(() => clearTimeout(timer));
  };

  return { requests: requests as readonly RecordedRequest[], add, changed, waitFor };
}
