import { AsyncLocalStorage } from 'node:async_hooks';

/** What delays a model call, or what is omitted from it, before its first token. */
export type CallStatus =
  /** Another request to the same server runs first. */
  | { readonly kind: 'queued' }
  /** The server is loading the model. */
  | { readonly kind: 'loading' }
  /** The server refuses the schemas of these tools: the request is sent without them. */
  | { readonly kind: 'tools-left-out'; readonly names: readonly string[] }
  /** The wait is over. */
  | { readonly kind: 'sent' };

const listeners = new AsyncLocalStorage<(status: CallStatus) => void>();

/** Calls a model; reports causes of delay to the listener, and to that of a call of which this one is a part. */
export function withCallStatus<T>(listener: (status: CallStatus) => void, call: () => T): T {
  const outer = listeners.getStore();
  const both = (status: CallStatus) => {
    listener(status);
    outer?.(status);
  };
  return listeners.run(both, call);
}

/**
 * Calls a model with a limit for its whole answer. Time in which the request waits for another one, or for the model to
 * be loaded, does not count.
 * @param call receives a signal that aborts with a TimeoutError
 */
export async function withinAnswerTime<T>(limitMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const giveUp = () => over.abort(new DOMException('The answer took too long.', 'TimeoutError'));
  let timer: NodeJS.Timeout | undefined = setTimeout(giveUp, limitMs);
  const listener = ({ kind }: CallStatus) => {
    if (kind === 'tools-left-out') return;
    clearTimeout(timer);
    timer = kind === 'sent' ? setTimeout(giveUp, limitMs) : undefined;
  };
  try {
    return await withCallStatus(listener, () => call(over.signal));
  } finally {
    clearTimeout(timer);
  }
}

/** Reports to the listener of the current call, if it has one. */
export function reportCallStatus(status: CallStatus): void {
  listeners.getStore()?.(status);
}
