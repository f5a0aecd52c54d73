import { serverStopping } from '#server/core/messages/coded-errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLocalHost, whyNotLocal } from '#server/platform/auth/local-access';
import { hostHeadersOf } from '#server/core/origins';
import { MethodNotAllowedError } from '#server/core/errors';
import type { CodedMessage } from '#server/core/coded-message';
import { messageOfText } from '#server/core/message-data';
import { openAIErrorBody } from '#server/http/openai-error';

/** Answers with an error in the format of the API. */
function refuse(
  response: ServerResponse,
  status: number,
  error: { code: string | null; message: string; reason?: CodedMessage | null },
): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

/** Answers 400 to an address that cannot be decoded. */
export function refuseAddress(response: ServerResponse): void {
  refuse(response, 400, { code: 'invalid_input', message: 'The address is not valid UTF-8.' });
}

/** Answers 405 in the error format of the address. @param allow the methods that it accepts */
export function refuseMethod(response: ServerResponse, path: string, allow: readonly string[]): void {
  const error = new MethodNotAllowedError(allow);
  response.setHeader('allow', allow.join(', '));
  const { code, message } = error;
  refuse(response, 405, /^\/v1(\/|$)/.test(path) ? openAIErrorBody(error).error : { code, message });
}

/** Answers 404 without rendering a page, because no person reads it. */
export function refuseAbsent(response: ServerResponse): void {
  refuse(response, 404, { code: 'not_found', message: 'There is nothing at this address.' });
}

/** Answers 503 on connections that were open before shutdown; new ones are not accepted. */
export function refuseWhileStopping(response: ServerResponse): void {
  response.setHeader('connection', 'close').setHeader('retry-after', '5');
  const { code, message, text } = serverStopping();
  refuse(response, 503, { code, message, reason: messageOfText(text) });
}

/** Paths of the health checks, which are answered for any host: they reveal nothing. */
const HEALTH_PATHS = new Set(['/api/health', '/api/ready']);

/**
 * Reason why a request is refused, for any path; null: it is accepted. In local mode requests must come from this
 * machine: pages, files, streams and the API alike. With accounts, the accepted hosts are the public name and this
 * machine's.
 * @param publicUrl origin at which browsers reach the server if people sign in; undefined in local mode
 */
export function whyRefused(request: IncomingMessage, path: string, publicUrl: string | undefined): string | null {
  if (HEALTH_PATHS.has(path)) return null;
  if (publicUrl === undefined) return warnedOnce(whyNotLocal(request));
  const { host } = request.headers;
  const isOurs = isLocalHost(host) || hostHeadersOf(publicUrl).includes(host?.toLowerCase() ?? '');
  return isOurs ? null : 'This server has another name.';
}

/** True after the first refusal of this process. */
let hasWarned = false;

/** Logs the first refusal, to inform an operator who put a proxy in front of local mode. */
function warnedOnce(refusal: string | null): string | null {
  if (refusal !== null && !hasWarned) console.warn(`A request was refused with 403: ${refusal}`);
  hasWarned ||= refusal !== null;
  return refusal;
}

/** Answers 403, to programs in the format of the API. */
export function forbid(response: ServerResponse, path: string, message: string): void {
  if (/^\/(api\/|v1\/|mcp$)/.test(path)) return refuse(response, 403, { code: 'forbidden', message });
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(message);
}
