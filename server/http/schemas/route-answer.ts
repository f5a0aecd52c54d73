import { z } from 'zod';
import type { Shape } from '#server/core/shapes';

/* Declares the successful responses of a route. The OpenAPI document and the types of handlers are derived from it. */

/** A response that is not JSON: a stream or a file. */
export interface ContentAnswer {
  readonly contentType: string;
  /** Description in one sentence. */
  readonly description: string;
  /** Data of each event of a stream, by event name. */
  readonly events?: Readonly<Record<string, z.ZodType>> | undefined;
}

/** One response: JSON that matches a schema, content that is not JSON, or no body (null). */
type Answer = z.ZodType | ContentAnswer | null;

/**
 * The successful responses that a route declares: a schema for status 200, or responses by status. If a status has
 * several, the request determines which one is sent.
 */
export type RouteAnswer = z.ZodType | Readonly<Partial<Record<200 | 201 | 202 | 204, Answer | readonly Answer[]>>>;

type Json<Kind> = Kind extends z.ZodType ? Shape<Kind> : Kind extends readonly (infer Each)[] ? Json<Each> : never;

/** Value that a handler may return to be sent as JSON with 200; every other response is a Response. */
export type Answered<Declared extends RouteAnswer> = Declared extends z.ZodType
  ? Shape<Declared>
  : Declared extends { readonly 200: infer Kind }
    ? Json<Kind>
    : never;

/** Value that a client reads: JSON of any status; undefined for a response without a body. */
export type Received<Declared extends RouteAnswer> = Declared extends z.ZodType
  ? Shape<Declared>
  : { [Status in keyof Declared]: Declared[Status] extends null ? undefined : Json<Declared[Status]> }[keyof Declared];

/** Declares a response that is not JSON. @param description in one sentence @param events data of each event, by name */
export function content(contentType: string, description: string, events?: ContentAnswer['events']): ContentAnswer {
  return { contentType, description, events };
}

/** True if a response may be an event stream. */
export function isEventStream(answer: RouteAnswer): boolean {
  const kinds = [...answersOf(answer).values()].flat();
  return kinds.some((kind) => kind !== null && 'contentType' in kind && kind.contentType === 'text/event-stream');
}

/** Returns all declared responses, by status. */
export function answersOf(answer: RouteAnswer): ReadonlyMap<number, readonly Answer[]> {
  const byStatus = answer instanceof z.ZodType ? { 200: answer } : answer;
  return new Map(Object.entries(byStatus).map(([status, each]) => [Number(status), [each].flat()]));
}

/**
 * Throws if the JSON of a successful response does not match the schemas that the route declares for its status. For
 * tests: with `CHECK_ANSWERS=1` every response is checked.
 */
export async function requireDeclared(answer: RouteAnswer, response: Response): Promise<void> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!response.ok || !isJson || response.body === null) return;
  const kinds = answersOf(answer).get(response.status) ?? [];
  const schemas = kinds.filter((kind) => kind instanceof z.ZodType);
  if (schemas.length > 0) z.union(schemas).parse(await response.clone().json());
}
