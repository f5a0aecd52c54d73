import { z } from 'zod';
import { parseEnv } from '#server/platform/config/env';
import { withoutCredentials } from '#server/settings/without-credentials';
import { InvalidInputError } from '#server/core/errors';
import type { ProviderProblem } from '#server/core/admin/providers';
import type { MessageCode } from '#server/core/messages/message-codes';
import { addressOf, type Connection, connectionVariables } from '#server/models/connections';
import { StatusError } from '#server/models/wire/fetch-json';
import { whyUnreachable } from '#server/platform/outgoing/unreachable';

/** Why a test has failed, and what to do about it. */
export interface Failure {
  readonly problem: ProviderProblem;
  readonly message: string;
}

/** Why the list of models cannot be read and what to do about it, without the key or the server's own message. */
export function listFailure(error: unknown, connection: Connection, timeoutMs: number): Failure {
  const address = withoutCredentials(connection.baseUrl);
  if (error instanceof StatusError) return statusFailure(error.status, connection);
  const other = (message: string): Failure => ({ problem: 'other', message });
  if (error instanceof SyntaxError) {
    return other(`What answers at ${address} does not answer in JSON. ${checkAddress(connection)}`);
  }
  if (error instanceof z.ZodError) {
    return other(`What answers at ${address} has no list of models. ${checkAddress(connection)}`);
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { problem: 'unreachable', message: `No answer from ${address} within ${timeoutMs / 1_000} seconds.` };
  }
  return connectionFailure(error, connection);
}

/** The same for an answer with an error status. */
function statusFailure(status: number, connection: Connection): Failure {
  const address = withoutCredentials(connection.baseUrl);
  // Google answers a wrong key with 400.
  if (status === 401 || status === 403 || (status === 400 && connection.id === 'google')) {
    return { problem: 'key', message: keyRefused(connection, status) };
  }
  if (status === 404 || status === 405) {
    const message = `There is no list of models below ${address} (${status}). ${checkAddress(connection)}`;
    return { problem: 'other', message };
  }
  if (status === 402) return { problem: 'credit', message: 'The account has no credit left (402). Add some there.' };
  if (status === 429) {
    return { problem: 'other', message: 'The server has had too many requests (429). Try again later.' };
  }
  return { problem: 'unreachable', message: `The server answers with an error (${status}). Try again in a moment.` };
}

/** Advice for a refused key; `status` is the status of the answer, if known. */
export function keyRefused({ id, apiKey, source }: Connection, status: number | null): string {
  const seen = status === null ? '' : ` (${status})`;
  const { key } = connectionVariables[id];
  if (apiKey === undefined) {
    return `The server wants a key${seen}: ${source === 'environment' ? `set ${key}` : 'enter one'}.`;
  }
  const next = source === 'environment' ? `Check ${key}.` : 'Copy it again, whole, or make a new one there.';
  return `The server refuses the key${seen}. ${next}`;
}

/** An environment that sets nothing: with the usual addresses. */
const USUAL = parseEnv({});

/** Advice to check the address, or the connection if the address is the usual one. */
function checkAddress({ id, baseUrl, source }: Connection): string {
  if (baseUrl === addressOf(id, USUAL)) return 'Check that this server reaches the internet.';
  const isUsual = /\/v1\/*$/.test(withoutCredentials(baseUrl)) || id !== 'openai-compatible';
  const what = source === 'environment' || id !== 'openai-compatible' ? connectionVariables[id].url : 'the address';
  return isUsual ? `Check ${what}.` : `Check ${what}: it usually ends in /v1.`;
}

/** What to do about a server that cannot be reached. */
function connectionFailure(error: unknown, connection: Connection): Failure {
  const { host } = new URL(connection.baseUrl);
  const unreachable = (message: string): Failure => ({ problem: 'unreachable', message });
  const other = (message: string): Failure => ({ problem: 'other', message });
  if (error instanceof InvalidInputError) {
    // The message about a redirect to another origin asks for a setting that this form changes.
    const isElsewhere = error.text.code === ('redirect-not-followed' satisfies MessageCode);
    const what = isElsewhere ? `${host} redirects to another address, which is not followed.` : error.message;
    return other(`${what} ${checkAddress(connection)}`);
  }
  const { problem, message } = whyUnreachable(error, host);
  if (problem === 'certificate') return other(message);
  return unreachable(problem === 'name' ? `${message} ${checkAddress(connection)}` : message);
}
