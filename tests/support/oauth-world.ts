import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Role } from '#server/core/admin/access-rights';
import type { Services } from '#server/services';
import { accountsEnvironment, PASSWORD } from '#tests/support/accounts-server';
import { callRoute, serve } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';

/** Origin of the pages of the services, which only routes of this process answer. */
export const ORIGIN = 'http://localhost';
export const REDIRECT = 'https://assistant.example/callback';

const registered = z.looseObject({ client_id: z.string() });
const redirected = z.object({ redirectTo: z.string() });
const tokensSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.literal(3_600),
  scope: z.string(),
});
export type Tokens = z.infer<typeof tokensSchema>;

/** A person who has signed in. */
export interface OAuthPerson {
  readonly id: string;
  /** Headers of their browser. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Answer of a route: its status and JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** Starts the services of accounts, for the routes of this process. @param origin of the pages */
export async function startOAuthWorld(origin = ORIGIN) {
  const services: Services = await serve(
    startTestServices({
      ...accountsEnvironment(80),
      PUBLIC_URL: origin,
      REQUESTS_PER_MINUTE: '100000',
    }),
  );
  const { accounts } = services;
  if (!accounts) throw new Error('There are no accounts.');
  const add = async (name: string, role: Role) => {
    const email = `${name.toLowerCase()}@kiln.example`;
    const { id } = await accounts.people.create({ name, email, role, password: PASSWORD });
    return { id, headers: await signIn(email) };
  };
  /** Headers of a new browser in which a person signs in. */
  const signIn = async (email: string) => {
    const { cookies } = await accounts.signIn(email, PASSWORD);
    return { origin, cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') };
  };
  const people = {
    admin: await add('Ada', 'admin'),
    editor: await add('Edith', 'editor'),
    other: await add('Otto', 'editor'),
    author: await add('Arthur', 'author'),
  };
  return { services, people, add, signIn };
}
export type OAuthWorld = Awaited<ReturnType<typeof startOAuthWorld>>;

async function answerOf(response: Response): Promise<JsonAnswer> {
  const text = await response.text();
  return { status: response.status, json: text === '' ? null : JSON.parse(text) };
}

/** Registers a program; its own address each time, so that no limit is reached. */
export async function register(metadata: unknown = { client_name: 'Assistant', redirect_uris: [REDIRECT] }) {
  const address = `10.${randomBytes(3).join('.')}`;
  const headers = { 'content-type': 'application/json', 'x-throughline-client': address };
  return answerOf(await callRoute('POST', '/oauth/register', { body: metadata, headers }));
}

/** Registers a program that has to be accepted. @returns its id */
export async function newClient(metadata?: object): Promise<string> {
  const { status, json } = await register(metadata);
  if (status !== 201) throw new Error(JSON.stringify(json));
  return registered.parse(json).client_id;
}

/** A request for authorization, with the secret that belongs to it. */
export interface Attempt {
  readonly query: Record<string, string>;
  readonly verifier: string;
}

/** A valid request of a client. */
export function attemptOf(clientId: string, more: Record<string, string> = {}): Attempt {
  const verifier = randomBytes(32).toString('base64url');
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: 'the state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${ORIGIN}/mcp`,
    ...more,
  };
  return { verifier, query };
}

/** Sends the decision of a person about a request. */
export async function consent(
  { headers, id = '' }: Pick<OAuthPerson, 'headers'> & { readonly id?: string },
  query: Record<string, string> | string,
  { isAllowed = true, mayPublish = false } = {},
): Promise<JsonAnswer> {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  const body = { query: text, userId: id, isAllowed, mayPublish };
  return answerOf(await callRoute('POST', '/api/oauth/consent', { body, headers }));
}

/** The query with which a browser returns to the program. */
export function returnedTo(answer: JsonAnswer): URLSearchParams {
  return new URL(redirected.parse(answer.json).redirectTo).searchParams;
}

/** Sends a form to an endpoint of programs. */
export async function sendForm(path: string, form: Record<string, string> | string): Promise<JsonAnswer> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return answerOf(await callRoute('POST', path, { body, headers }));
}

/** A code that a person agreed to, and the form that exchanges it. */
export async function newCode(
  person: OAuthPerson,
  clientId: string,
  decision: { readonly mayPublish?: boolean; readonly scope?: string } = {},
): Promise<Record<string, string>> {
  const { scope } = decision;
  const { query, verifier } = attemptOf(clientId, scope === undefined ? {} : { scope });
  const code = returnedTo(await consent(person, query, decision)).get('code');
  if (code === null) throw new Error('The person did not agree.');
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  };
}

/** Exchanges a form that has to be accepted. */
export async function exchange(form: Record<string, string>): Promise<Tokens> {
  const { status, json } = await sendForm('/oauth/token', form);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return tokensSchema.parse(json);
}

/** Tokens of a new grant. */
export async function newTokens(
  person: OAuthPerson,
  clientId: string,
  decision: { readonly mayPublish?: boolean } = {},
): Promise<Tokens> {
  return exchange(await newCode(person, clientId, decision));
}

/** Calls a tool over `/mcp`. */
export async function callMcp(token: string, method = 'tools/list', params: object = {}): Promise<JsonAnswer> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  return answerOf(await callRoute('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method, params }, headers }));
}
