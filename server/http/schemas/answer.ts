import { z } from 'zod';

/** An answer that is not JSON: a stream or a file. */
export interface ContentAnswer {
  readonly contentType: string;
  /** What it is, in a sentence. */
  readonly description: string;
  /** Of an event stream: the data of each event, by its name. */
  readonly events?: Readonly<Record<string, z.ZodType>> | undefined;
}

/** A schema: JSON of this shape. Null: no body. */
type Answer = z.ZodType | ContentAnswer | null;

/** What a route gives back when all goes well: with 200, or by status; of several kinds, what the request asks for. */
export type RouteAnswer = z.ZodType | Readonly<Partial<Record<200 | 201 | 202 | 204, Answer | readonly Answer[]>>>;

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
