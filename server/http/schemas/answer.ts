import { z } from 'zod';
import type { Shape } from '#server/core/shapes';

/** An answer that is not JSON: a stream or a file. */
export interface ContentAnswer {
  readonly contentType: string;
  /** Description in one sentence. */
  readonly description: string;
  /** Data of each event of a stream, by its name. */
  readonly events?: Readonly<Record<string, z.ZodType>> | undefined;
}

/** A schema: JSON of this shape. Null: no body. */
type Answer = z.ZodType | ContentAnswer | null;

/** Successful answers of a route: with 200, or by status; of several kinds, the one the request asks for. */
export type RouteAnswer = z.ZodType | Readonly<Partial<Record<200 | 201 | 202 | 204, Answer | readonly Answer[]>>>;

type Json<Kind> = Kind extends z.ZodType ? Shape<Kind> : Kind extends readonly (infer Each)[] ? Json<Each> : never;

/** Value that a handler may return to be sent as JSON with 200; every other answer is a Response. */
export type Answered<Answer extends RouteAnswer> = Answer extends z.ZodType
  ? Shape<Answer>
  : Answer extends { readonly 200: infer Kind }
    ? Json<Kind>
    : never;

/** For routes that send something else than JSON. */
export function content(contentType: string, description: string, events?: ContentAnswer['events']): ContentAnswer {
  return { contentType, description, events };
}

/** Tells whether an answer may be an event stream. */
export function isEventStream(answer: RouteAnswer): boolean {
  const kinds = [...answersOf(answer).values()].flat();
  return kinds.some((kind) => kind !== null && 'contentType' in kind && kind.contentType === 'text/event-stream');
}

/** By status, every kind of answer. */
export function answersOf(answer: RouteAnswer): ReadonlyMap<number, readonly Answer[]> {
  const byStatus = answer instanceof z.ZodType ? { 200: answer } : answer;
  return new Map(Object.entries(byStatus).map(([status, each]) => [Number(status), [each].flat()]));
}

/** Fails where a route answers otherwise than it declares. For tests: with `CHECK_ANSWERS=1` every answer is checked. */
export async function requireDeclared(answer: RouteAnswer, response: Response): Promise<void> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!response.ok || !isJson || response.body === null) return;
  const kinds = answersOf(answer).get(response.status) ?? [];
  const schemas = kinds.filter((kind) => kind instanceof z.ZodType);
  if (schemas.length > 0) z.union(schemas).parse(await response.clone().json());
}

/** 201 with the thing that was made. */
export function created(value: unknown): Response {
  return Response.json(value, { status: 201 });
}

/** 202: kept for later. */
export function accepted(value: unknown): Response {
  return Response.json(value, { status: 202 });
}

/** 204: done, or there is nothing to tell. */
export function noContent(): Response {
  return new Response(null, { status: 204 });
}
