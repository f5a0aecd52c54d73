import type { z } from 'zod';
import { expect } from 'vitest';
import type { Services } from '#server/services';

type Handler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

/** The route files by their place, as Next finds them; each is loaded when it is called. */
const routes = import.meta.glob<Partial<Record<string, Handler>>>([
  '/app/{api,media,mcp,oauth,register,v1}/**/route.ts',
  '/app/.well-known/**/route.ts',
]);
/** Loaded once, also where a test loads modules of the browser again. */
const loaded = new Map<string, Promise<Partial<Record<string, Handler>>> | undefined>();
const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** Makes these services those of all routes that are called in this process, until `stopServing`. */
export function serve<Started extends Services>(starting: Promise<Started>): Promise<Started> {
  globals.throughlineServices = starting;
  return starting;
}

export async function stopServing(): Promise<void> {
  const services = await globals.throughlineServices;
  delete globals.throughlineServices;
  await services?.[Symbol.asyncDispose]();
}

export interface RouteCall {
  /** Those of the path, where `route` is a folder. */
  readonly params?: object;
  /** `?q=kiln` */
  readonly query?: string;
  /** Texts and bytes are sent unchanged, all else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Calls a route of this process without a server.
 * @param route its path (`/api/keys/key_1?all=1`), or with `params` its folder below `app` (`/api/keys/[id]`)
 */
export async function callRoute(
  method: string,
  route: string,
  { params, query = '', body, headers = {}, signal }: RouteCall = {},
): Promise<Response> {
  const [path = ''] = route.split('?');
  const place = params === undefined ? placeOf(path) : { file: `/app${path}/route.ts`, params };
  if (!loaded.has(place.file)) loaded.set(place.file, routes[place.file]?.());
  const handler = (await loaded.get(place.file))?.[method];
  if (!handler) throw new Error(`There is no ${method} ${route}.`);
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const request = new Request(`http://localhost${route}${query}`, {
    method,
    headers: { host: 'localhost', ...headers },
    ...(body !== undefined && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return handler(request, { params: Promise.resolve(place.params) });
}

/** As `callRoute`, for an answer of this status and shape. */
export async function answerOf<T>(
  schema: z.ZodType<T>,
  status: number,
  ...call: Parameters<typeof callRoute>
): Promise<T> {
  const response = await callRoute(...call);
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(status);
  return schema.parse(JSON.parse(text));
}

/** Next's routing for these few files: literal segments before dynamic ones. */
function placeOf(path: string): { file: string; params: Record<string, string> } {
  const segments = path.split('/');
  const dynamic = (file: string) => file.split('[').length;
  for (const file of Object.keys(routes).toSorted((a, b) => dynamic(a) - dynamic(b))) {
    const pattern = file.slice('/app'.length, -'/route.ts'.length).split('/');
    const fits = pattern.every((part, index) => part.startsWith('[') || part === segments[index]);
    if (!fits || pattern.length !== segments.length || file.includes('[...')) continue;
    const named = pattern.map((part, index) => [part.slice(1, -1), segments[index] ?? ''] as const);
    return { file, params: Object.fromEntries(named.filter((_, index) => pattern[index]?.startsWith('['))) };
  }
  throw new Error(`There is no route at ${path}.`);
}
