import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_FORM_BYTES } from '#server/core/site/site-forms';
import { RateLimitedError } from '#server/core/errors';
import type { Services } from '#server/services';

/** The services of this process, which Next has started from its own copy of #server/services. */
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** Maximum number of forms that are received or waiting simultaneously; people do not send more. */
const MAX_OPEN_FORMS = 100;
/** Time limit for receiving a form: 64 kB over the slowest connection; milliseconds. */
const RECEIVE_TIMEOUT_MS = 20_000;
/**
 * Delay of a refusal: long enough to slow a robot that waits for it, too short for a person to notice; milliseconds.
 */
const REFUSAL_DELAY_MS = 250;
/** Maximum number of refusals that are delayed simultaneously; further ones are sent immediately. */
const MAX_DELAYED_REFUSALS = 1_000;

/** Forms that are received or waiting now. */
let openForms = 0;
/** Refusals that are being delayed now. */
let delayedRefusals = 0;

/** True for a form that was sent to the page of a preview link. */
function isComment({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/shared/');
}

/** True if a request is a form sent by a visitor, or a comment by a reader of a preview link. */
export function isForm({ method }: IncomingMessage, path: string): boolean {
  return method === 'POST' && (path.startsWith('/forms/') || path.startsWith('/shared/'));
}

/**
 * Accepts a form unless its address, or all addresses together, have sent too many. Decides before the body is read, so
 * that a robot costs next to nothing. Accepted forms are checked one after the other (server/site/forms).
 * @param address of the client
 */
export async function admitForm(
  address: string,
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => Promise<void>,
): Promise<void> {
  try {
    const { limits } = (await globals.throughlineServices) ?? {};
    await (isComment(request) ? limits?.sentComment(address) : limits?.form(address));
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    return refuse(request, response, 429, error.message, error.retryAfterSeconds);
  }
  if (openForms >= MAX_OPEN_FORMS)
    return refuse(request, response, 503, 'Very many forms are being sent. Please send yours again in a minute.', 60);
  openForms += 1;
  const timeout = setTimeout(() => !request.complete && request.destroy(), RECEIVE_TIMEOUT_MS).unref();
  try {
    await handle();
  } finally {
    clearTimeout(timeout);
    openForms -= 1;
  }
}

/** Refuses a form after a short delay. */
async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  seconds: number,
): Promise<void> {
  if (delayedRefusals < MAX_DELAYED_REFUSALS) {
    delayedRefusals += 1;
    await pause(REFUSAL_DELAY_MS);
    delayedRefusals -= 1;
  }
  // A small body is read to its end so that the connection can serve the next request; a larger one is not waited for.
  if (Number(request.headers['content-length'] ?? Infinity) <= MAX_FORM_BYTES) request.resume();
  else response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(seconds) }).end(text);
}
