import type { ApiRoutes } from '#app/api/api-routes';
import type { Immutable } from '#server/core/shapes';

/*
 * Types of requests and responses, derived from the declarations of the routes. Imports types only, so that no code of
 * the server reaches the browser.
 */

/** HTTP methods of the API. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Types of a route (server/http/route). */
interface RouteTypes {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly answer: unknown;
}

/** Types that the route of a method and path declares. */
type TypesOf<M, P extends keyof ApiRoutes> = M extends keyof ApiRoutes[P]
  ? ApiRoutes[P][M] extends { readonly types?: infer Types extends RouteTypes }
    ? Types
    : never
  : never;

/** Paths of the API that answer a method: `/api/sessions/{id}`. */
export type PathOf<M extends Method> = {
  [P in keyof ApiRoutes]: M extends keyof ApiRoutes[P] ? P : never;
}[keyof ApiRoutes];

/** JSON of the successful responses of a route; undefined for a response without a body. */
export type Answer<M extends Method, P extends PathOf<M>> = TypesOf<M, P>['answer'];

/** Body that a route accepts. */
export type Body<M extends Method, P extends PathOf<M>> = Immutable<TypesOf<M, P>['body']>;

/** Query parameters that a route accepts. */
export type Query<M extends Method, P extends PathOf<M>> = TypesOf<M, P>['query'];

/** One part of a request: absent if the route declares none, optional if the route accepts undefined for it. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? object
  : object extends Value
    ? { readonly [Key in Name]?: Value }
    : undefined extends Value
      ? { readonly [Key in Name]?: Value }
      : { readonly [Key in Name]: Value };

type InputOf<Types extends RouteTypes> = Part<'params', Types['params']> &
  Part<'query', Types['query']> &
  Part<'body', Immutable<Types['body']>>;

/** What a request consists of: the parameters of its path, its query and its body. */
export type Input<M extends Method, P extends PathOf<M>> = InputOf<TypesOf<M, P>>;

/** Arguments of a request: the input may be left out if every part of it is optional. */
export type InputArguments<In, Options extends readonly unknown[] = []> = object extends In
  ? [input?: In, ...options: Options]
  : [input: In, ...options: Options];

declare const ANSWER: unique symbol;
/** Address of a GET request, with the type of its response. */
export type Address<Data = unknown> = string & { readonly [ANSWER]?: Data };

/** Parts of an address. */
export interface AddressParts {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** Writes the address of a request; query parameters that are undefined are left out. */
export function writeAddress(path: string, { params = {}, query = {} }: AddressParts): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return address;
  return `${address}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Address of a GET request: the key under which SWR caches its response. */
export function addressOf<P extends PathOf<'GET'>>(
  path: P,
  ...[input]: InputArguments<Omit<Input<'GET', P>, 'body'>>
): Address<Answer<'GET', P>> {
  return writeAddress(path, input ?? {});
}
