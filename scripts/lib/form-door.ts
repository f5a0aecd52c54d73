import type { IncomingMessage, ServerResponse } from 'node:http';
import { Semaphore } from 'async-mutex';
import { MAX_FORM_BYTES } from '#server/core/form-fields';
import { RateLimitedError } from '#server/core/errors';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Pick<Services, 'limits'>> };

/** Forms that are looked at at once: pages are answered between them, however many are sent. */
const AT_ONCE = new Semaphore(2);
/** Of those that wait for it; more come from no people. */
const MOST_WAITING = 100;
let waiting = 0;

/** Tells whether a request is a form that a visitor sends. */
export function isForm({ method }: IncomingMessage, path: string): boolean {
  return method === 'POST' && path.startsWith('/forms/');
}

/**
 * Lets a form in that is not one too many of its address, when it is its turn: before anything of it is read, so that a
 * robot costs next to nothing.
 * @param address of the client
 */
export async function admitForm(
  address: string,
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => Promise<void>,
): Promise<void> {
  try {
    const services = await container.throughlineServices;
    await services?.limits.form(address);
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    return refuse(request, response, 429, error.message, error.retryAfterSeconds);
  }
  if (waiting >= MOST_WAITING)
    return refuse(request, response, 503, 'Very many forms are being sent. Please send yours again in a minute.', 60);
  waiting += 1;
  try {
    await AT_ONCE.runExclusive(handle);
  } finally {
    waiting -= 1;
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  seconds: number,
): void {
  // What is small is read to its end, so that its connection serves the next request; nobody waits for more.
  if (Number(request.headers['content-length'] ?? Infinity) <= MAX_FORM_BYTES) request.resume();
  else response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(seconds) }).end(text);
}
