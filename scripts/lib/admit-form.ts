import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_FORM_BYTES } from '#server/core/site-forms';
import { RateLimitedError } from '#server/core/errors';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Pick<Services, 'limits'>> };

/** Forms that come in, or wait for their turn, at once; more come from no people. */
const MOST_OPEN = 100;
/** Within this time a form has come in whole, 64 kB over the worst line; milliseconds. */
const COMES_IN_MS = 20_000;
/** A refusal is held back so long that a robot which waits for it is slow, and a person does not notice; milliseconds. */
const REFUSED_AFTER_MS = 250;
/** Refusals that are held back at once; others are sent as they come. */
const MOST_HELD = 1_000;
let open = 0;
let held = 0;

/** Tells whether a request is a form that a visitor sends. */
export function isForm({ method }: IncomingMessage, path: string): boolean {
  return method === 'POST' && path.startsWith('/forms/');
}

/**
 * Lets a form in that is not one too many of its address, or of all: before anything of it is read, so that a robot costs
 * next to nothing. Those that came in are looked at one after the other (server/forms).
 * @param address of the client
 */
export async function admitForm(
  address: string,
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => Promise<void>,
): Promise<void> {
  try {
    const services = await globals.throughlineServices;
    await services?.limits.form(address);
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    return refuse(request, response, 429, error.message, error.retryAfterSeconds);
  }
  if (open >= MOST_OPEN)
    return refuse(request, response, 503, 'Very many forms are being sent. Please send yours again in a minute.', 60);
  open += 1;
  const patience = setTimeout(() => !request.complete && request.destroy(), COMES_IN_MS).unref();
  try {
    await handle();
  } finally {
    clearTimeout(patience);
    open -= 1;
  }
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  seconds: number,
): Promise<void> {
  if (held < MOST_HELD) {
    held += 1;
    await pause(REFUSED_AFTER_MS);
    held -= 1;
  }
  // What is small is read to its end, so that its connection serves the next request; nobody waits for more.
  if (Number(request.headers['content-length'] ?? Infinity) <= MAX_FORM_BYTES) request.resume();
  else response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(seconds) }).end(text);
}
