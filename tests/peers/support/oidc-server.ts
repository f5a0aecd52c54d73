import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from '#tests/support/free-port';

/** A person known to the provider. */
export interface OidcPerson {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  /** What no provider has a say in. */
  readonly role?: string;
}

/** Cookies that a browser has of the provider. */
export type OidcBrowser = Map<string, string>;

export interface OidcServer extends AsyncDisposable {
  readonly issuer: string;
  /**
   * Goes where our server sends a browser, and signs in there as a person would, with forms and cookies.
   * @param browser if it is signed in with the provider already, no form is shown. Default: a new one
   * @returns the address that the browser is sent back to
   */
  signIn(url: string, sub: string, browser?: OidcBrowser): Promise<string>;
}

export const OIDC_CLIENT = { client_id: 'throughline', client_secret: 'a secret of the provider and of this server' };

/** A real OpenID Connect provider on this machine, of the package oidc-provider. */
export async function startOidcServer(origin: string, people: readonly OidcPerson[]): Promise<OidcServer> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...OIDC_CLIENT,
        redirect_uris: [`${origin}/login/oidc`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'role'] },
    findAccount: (_, sub) => {
      const { sub: accountId, ...claims } = people.find((person) => person.sub === sub) ?? { sub };
      return { accountId, claims: () => ({ sub: accountId, ...claims }) };
    },
  });
  const answerRequest = provider.callback();
  const server = createServer((request, response) => void answerRequest(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    issuer,
    async signIn(url, sub, cookies = new Map()) {
      let next: { readonly url: string; readonly form?: Record<string, string> } = { url };
      for (let step = 0; step < 12; step += 1) {
        const answer = await fetch(next.url, {
          method: next.form ? 'POST' : 'GET',
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
          ...(next.form && { body: new URLSearchParams(next.form) }),
        });
        for (const cookie of answer.headers.getSetCookie()) {
          const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
          cookies.set(name, value);
        }
        const location = answer.headers.get('location');
        if (location !== null) {
          const to = new URL(location, next.url);
          if (to.origin === origin) return to.href;
          next = { url: to.href };
          continue;
        }
        // Its page asks for a name, then whether this server may know it.
        const page = await answer.text();
        const action = /action="([^"]+)"/.exec(page)?.[1];
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
        if (action === undefined || prompt === undefined) throw new Error(`No form: ${answer.status} ${page}`);
        next = {
          url: new URL(action, next.url).href,
          form: { prompt, ...(prompt === 'login' && { login: sub, password: 'any' }) },
        };
      }
      throw new Error('The provider did not come to an end.');
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
