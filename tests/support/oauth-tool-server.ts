import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type LoopbackServer, startLoopback } from '#tests/support/loopback-server';

/** What a tool server says of itself, instead of the truth. */
export interface SaidByServer {
  readonly resource?: object;
  readonly server?: object;
  /** Status of its answer to a registration. */
  readonly registration?: number;
}

const messageSchema = z.looseObject({ id: z.number().optional(), method: z.string() });
const registrationSchema = z.looseObject({ redirect_uris: z.array(z.string()) });

/** A tool server with one tool that asks for a sign-in, at which everybody agrees immediately. */
export async function startOAuthToolServer(said: SaidByServer = {}): Promise<LoopbackServer> {
  return startLoopback((request, response) => {
    answer(request, response, said).catch((error: unknown) => response.destroy(error as Error));
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, said: SaidByServer): Promise<void> {
  const base = `http://${request.headers.host ?? ''}`;
  const { pathname, searchParams } = new URL(request.url ?? '/', base);
  const body = await text(request);
  const send = (status: number, value: object, headers = {}) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  // RFC 9728, 3.1 and RFC 8414, 3.1: the well-known part comes before the path.
  if (pathname.startsWith('/.well-known/oauth-protected-resource'))
    return send(200, { resource: `${base}/mcp`, authorization_servers: [base], ...said.resource });
  if (pathname.startsWith('/.well-known/oauth-authorization-server')) return send(200, metadataOf(base, said));
  // RFC 7591, 3.2.1: the answer repeats what was registered.
  if (pathname === '/register')
    return send(said.registration ?? 201, { ...registrationSchema.parse(JSON.parse(body)), client_id: 'client' });
  // RFC 6749, 4.1.2
  if (pathname === '/authorize') {
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '' }).toString();
    return void response.writeHead(302, { location: back.href }).end();
  }
  // RFC 6749, 5.1
  if (pathname === '/token') return send(200, { access_token: 'token', token_type: 'Bearer', refresh_token: 'next' });
  // RFC 6750, 3: a request without a token is answered with 401 and a challenge.
  if (request.headers.authorization !== 'Bearer token') return send(401, {}, { 'www-authenticate': 'Bearer' });
  if (request.method !== 'POST') return send(405, {});
  const { id, method } = messageSchema.parse(JSON.parse(body));
  if (id === undefined) return void response.writeHead(202).end();
  const result = RESULTS[method];
  const error = { code: -32_601, message: 'Method not found' };
  send(200, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
}

function metadataOf(base: string, { server }: SaidByServer): object {
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    ...server,
  };
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'issues', version: '1' },
  },
  'tools/list': { tools: [{ name: 'list_issues', description: 'Lists issues.', inputSchema: { type: 'object' } }] },
};
