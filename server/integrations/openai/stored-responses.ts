import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { z } from 'zod';
import { parseJson } from '#server/core/json';
import { itemSchema, type ResponseItem } from '#server/integrations/openai/responses-body';
import type { WireResponse } from '#server/integrations/openai/responses-response';
import type { Database } from '#server/platform/database/database';
import { storedResponses } from '#server/platform/database/schema/sessions';

/** A response is deleted after this time, as at OpenAI; milliseconds. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Maximum number of responses per owner and in total: the oldest are deleted. Choices: at most 2 GB of text. */
const MAX_PER_OWNER = 500;
const MAX_TOTAL = 2_000;
/** Responses longer than this as JSON, with the items of their request, are not stored: they contain files. */
const MAX_CHARS = 1_000_000;
/** Maximum number of responses that continue each other. */
const MAX_CHAIN = 1_000;

const contentSchema = z.object({
  input: z.array(itemSchema),
  response: z.looseObject({ id: z.string(), output: z.array(z.looseObject({ id: z.string(), type: z.string() })) }),
});

/** A response with the request that it answers. */
export interface StoredResponse {
  readonly previousId: string | null;
  /** The request's own items, in which references are kept. */
  readonly input: readonly ResponseItem[];
  readonly response: WireResponse;
}

/** The responses that later requests may refer to. Each opens for its owner only. */
export class StoredResponses {
  readonly #db: Database;
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Those of the named responses that exist, in any order. */
  async find(ownerId: string, ids: readonly string[]): Promise<StoredResponse[]> {
    const rows = await this.#db.read
      .select()
      .from(storedResponses)
      .where(and(eq(storedResponses.ownerId, ownerId), inArray(storedResponses.id, [...ids])));
    return rows.flatMap(toStored);
  }

  /** A response and all that it continues, oldest first; empty if it does not exist. */
  async chain(ownerId: string, id: string): Promise<StoredResponse[]> {
    const chained = sql`${storedResponses.id} in (
      with recursive chain(id, depth) as (
        select ${id}, 0
        union
        select r.previous_id, depth + 1 from stored_responses r join chain on r.id = chain.id
        where r.owner_id = ${ownerId} and r.previous_id is not null and depth < ${MAX_CHAIN}
      )
      select id from chain)`;
    const rows = await this.#db.read
      .select()
      .from(storedResponses)
      .where(and(eq(storedResponses.ownerId, ownerId), chained))
      .orderBy(storedResponses.createdAt, sql`rowid`);
    return rows.some((row) => row.id === id) ? rows.flatMap(toStored) : [];
  }

  /** Stores a response, and deletes those that are too old or too many. @returns false if it is too long */
  async keep(ownerId: string, { previousId, input, response }: StoredResponse): Promise<boolean> {
    const content = JSON.stringify({ input, response });
    if (content.length > MAX_CHARS) return false;
    const createdAt = this.#now();
    await this.#db.write(async (tx) => {
      await tx.insert(storedResponses).values({ id: response.id, ownerId, previousId, content, createdAt });
      await tx.delete(storedResponses).where(lt(storedResponses.createdAt, createdAt - RETENTION_MS));
      await tx.delete(storedResponses).where(beyond(MAX_PER_OWNER, ownerId));
      await tx.delete(storedResponses).where(beyond(MAX_TOTAL));
    });
    return true;
  }

  /** @returns false if there is no such response */
  async delete(ownerId: string, id: string): Promise<boolean> {
    const named = and(eq(storedResponses.ownerId, ownerId), eq(storedResponses.id, id));
    const deleted = await this.#db.write((tx) =>
      tx.delete(storedResponses).where(named).returning({ id: storedResponses.id }),
    );
    return deleted.length > 0;
  }
}

/** Selects all but the newest `most`, of one owner or of all. */
function beyond(most: number, ownerId?: string) {
  const owned = ownerId === undefined ? sql`` : sql`where owner_id = ${ownerId}`;
  return sql`${storedResponses.id} in (
    select id from stored_responses ${owned} order by created_at desc, rowid desc limit -1 offset ${most})`;
}

/** Content that an earlier version wrote in another form counts as deleted. */
function toStored({ content, previousId }: typeof storedResponses.$inferSelect): StoredResponse[] {
  const parsed = contentSchema.safeParse(parseJson(content));
  if (!parsed.success) return [];
  return [{ previousId, input: parsed.data.input, response: parsed.data.response }];
}
