import type { Role } from '#server/core/admin/access-rights';
import { freePort } from '#tests/support/free-port';
import {
  type ProductionServer,
  type ProductionServerOptions,
  startProductionServer,
} from '#tests/support/production-server';
import { type RestAnswer, type RestRequest, sendRequest } from '#tests/support/rest-client';

/** A user with an account who has signed in. */
export interface SignedIn {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** Value of the `Cookie` header. */
  readonly cookie: string;
}

/** A server where people sign in. */
export interface AccountsServer extends ProductionServer {
  /** Of our pages, which is what a browser says as `Origin`. */
  readonly origin: string;
  /** `owner` is the first account, an administrator with the id of local mode's owner. */
  readonly people: Readonly<Record<'owner' | 'admin' | 'editor' | 'other' | 'author', SignedIn>>;
  /** A request as a browser sends it in which this person has signed in. */
  ask(person: Pick<SignedIn, 'cookie'> | null, request: RestRequest): Promise<RestAnswer>;
}

export const PASSWORD = 'a kiln full of saltmarsh mugs';

/** Signs in as a browser does; throws when the answer is no. */
export async function signIn(url: string, origin: string, email: string, password = PASSWORD): Promise<string> {
  const headers = { origin, host: new URL(origin).host };
  const body = { email, password };
  const answer = await sendRequest(url, { method: 'POST', path: '/api/auth/sign-in', headers, body });
  if (answer.status !== 200) throw new Error(`${email} could not sign in: ${answer.status} ${answer.text}`);
  return cookieOf(answer);
}

/** What the browser would send back: not what it has to forget. */
export function cookieOf({ headers }: Pick<RestAnswer, 'headers'>): string {
  const kept = (headers['set-cookie'] ?? []).filter((cookie) => !/;\s*max-age=0\b/i.test(cookie));
  return kept.map((cookie) => cookie.split(';')[0]).join('; ');
}

/** The code for the first account, as it stands in the log of a server that has just started. */
export function ownerCodeOf({ logs }: Pick<ProductionServer, 'logs'>): string {
  const code = /one-time code: (\S+)/.exec(logs())?.[1];
  if (code === undefined) throw new Error(`There is no code for the first account:\n${logs()}`);
  return code;
}

/** The environment of a server with accounts at this port. */
export function accountsEnvironment(port: number): Record<string, string> {
  return {
    AUTH_MODE: 'accounts',
    AUTH_SECRET: 'only-for-tests-0123456789abcdefghijklmnop',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
}

/** Starts one with an owner, an administrator, two editors and an author. */
export async function startAccountsServer({ env, ...options }: ProductionServerOptions = {}): Promise<AccountsServer> {
  const port = options.port ?? (await freePort());
  const server = await startProductionServer({ ...options, port, env: { ...accountsEnvironment(port), ...env } });
  const origin = env?.['PUBLIC_URL'] ?? `http://127.0.0.1:${port}`;
  const ask: AccountsServer['ask'] = (person, request) =>
    sendRequest(server.url, {
      ...request,
      headers: { origin, host: new URL(origin).host, ...(person && { cookie: person.cookie }), ...request.headers },
    });
  const owner = { name: 'Olive Owner', email: 'owner@kiln.example', password: PASSWORD };
  const asked = { ...owner, code: ownerCodeOf(server) };
  const made = await ask(null, { method: 'POST', path: '/api/auth/owner', body: asked });
  if (made.status !== 200) throw new Error(`There is no owner: ${made.status} ${made.text}`);
  const add = async (name: string, email: string, role: Role): Promise<SignedIn> => {
    const body = { name, email, role, password: PASSWORD };
    const answer = await ask({ cookie: cookieOf(made) }, { method: 'POST', path: '/api/users', body });
    if (answer.status !== 201) throw new Error(`${name} could not be added: ${answer.status} ${answer.text}`);
    const { id } = answer.json() as { id: string };
    return { id, email, password: PASSWORD, cookie: await signIn(server.url, origin, email) };
  };
  const people = {
    owner: { id: 'own_local', email: owner.email, password: PASSWORD, cookie: cookieOf(made) },
    admin: await add('Ada Admin', 'admin@kiln.example', 'admin'),
    editor: await add('Edith Editor', 'editor@kiln.example', 'editor'),
    other: await add('Otto Other', 'other@kiln.example', 'editor'),
    author: await add('Arthur Author', 'author@kiln.example', 'author'),
  };
  return { ...server, origin, people, ask };
}
