import { z } from 'zod';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
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
  readonly text: ServerText;
}

/** Why the list of models cannot be read and what to do about it, without the key or the server's own message. */
export function listFailure(error: unknown, connection: Connection, timeoutMs: number): Failure {
  const address = withoutCredentials(connection.baseUrl);
  if (error instanceof StatusError) return statusFailure(error.status, connection);
  if (error instanceof SyntaxError) {
    return { problem: 'other', text: withAddressAdvice(serverText('provider-test-no-json', { address }), connection) };
  }
  if (error instanceof z.ZodError) {
    return { problem: 'other', text: withAddressAdvice(serverText('provider-test-no-list', { address }), connection) };
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    const text = serverText('provider-test-server-silent', { address, count: timeoutMs / 1_000 });
    return { problem: 'unreachable', text };
  }
  return connectionFailure(error, connection);
}

/** The same for an answer with an error status. */
function statusFailure(status: number, connection: Connection): Failure {
  const address = withoutCredentials(connection.baseUrl);
  // Google answers a wrong key with 400.
  if (status === 401 || status === 403 || (status === 400 && connection.id === 'google')) {
    return { problem: 'key', text: keyRefused(connection, status) };
  }
  if (status === 404 || status === 405) {
    const text = serverText('provider-test-no-list-below', { address, status: String(status) });
    return { problem: 'other', text: withAddressAdvice(text, connection) };
  }
  if (status === 402) return { problem: 'credit', text: serverText('provider-test-no-credit') };
  if (status === 429) return { problem: 'other', text: serverText('provider-test-busy') };
  return { problem: 'unreachable', text: serverText('provider-test-error', { status: String(status) }) };
}

/** Advice for a refused key; `status` is the status of the answer, if known. */
export function keyRefused({ id, apiKey, source }: Connection, status: number | null): ServerText {
  const variable = source === 'environment' ? connectionVariables[id].key : null;
  const params = { status: status === null ? null : String(status), variable };
  return serverText(apiKey === undefined ? 'provider-test-key-wanted' : 'provider-test-key-refused', params);
}

/** An environment that sets nothing: with the usual addresses. */
const USUAL = parseEnv({});

/** The problem with the advice to check the address, or the connection if the address is the usual one. */
function withAddressAdvice(reason: ServerText, connection: Connection): ServerText {
  return serverText('provider-test-advice', { reason, advice: checkAddress(connection) });
}

function checkAddress({ id, baseUrl, source }: Connection): ServerText {
  if (baseUrl === addressOf(id, USUAL)) return serverText('provider-test-check-internet');
  const isUsual = /\/v1\/*$/.test(withoutCredentials(baseUrl)) || id !== 'openai-compatible';
  const variable = source === 'environment' || id !== 'openai-compatible' ? connectionVariables[id].url : null;
  return serverText('provider-test-check-address', { variable, isUsual });
}

/** What to do about a server that cannot be reached. */
function connectionFailure(error: unknown, connection: Connection): Failure {
  const { host } = new URL(connection.baseUrl);
  if (error instanceof InvalidInputError) {
    // The message about a redirect to another origin asks for a setting that this form changes.
    const isElsewhere = error.text.code === ('redirect-not-followed' satisfies MessageCode);
    const reason = isElsewhere ? serverText('provider-test-redirected', { host }) : error.text;
    return { problem: 'other', text: withAddressAdvice(reason, connection) };
  }
  const { problem, text } = whyUnreachable(error, host);
  if (problem === 'certificate') return { problem: 'other', text };
  return { problem: 'unreachable', text: problem === 'name' ? withAddressAdvice(text, connection) : text };
}
