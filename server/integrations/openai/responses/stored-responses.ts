import { and, eq, gt, lt, sql } from 'drizzle-orm';
import { z } from 'zod';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import { parseJson } from '#server/core/json';
import { itemSchema, type ResponseItem } from '#server/integrations/openai/responses/responses-body';
import type { WireResponse } from '#server/integrations/openai/responses/responses-response';
import type { Database } from '#server/platform/database/database';
import { storedResponses } from '#server/platform/database/schema/sessions';

/** A response is deleted after this time, as at OpenAI; milliseconds. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Maximum number of characters of all responses of one owner: the oldest are deleted. A choice. */
const MAX_OWNER_CHARS = 200_000_000;
/** A response longer than this as JSON is not stored; the items of its request are left out if both are longer. */
const MAX_CHARS = 1_000_000;
/** Maximum number of characters of responses that continue each other: as many as a body has bytes at most. */
const MAX_CHAIN_CHARS = 32_000_000;

const contentSchema = z.object({
  input: z.array(itemSchema).nullable(),
  response: z.looseObject({ id: z.string(), output: z.array(z.looseObject({ id: z.string(), type: z.string() })) }),
});

/** A response with the request that it answers. */
export interface StoredResponse {
  readonly previousId: string | null;
  /** The request's own items, in which references are kept; null if they were too long to be stored. */
  readonly input: readonly ResponseItem[] | null;
  readonly response: WireResponse;
}

type Row = Pick<typeof storedResponses.$inferSelect, 'id' | 'previousId' | 'content'>;

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
    const { ownerId: owner, id, createdAt } = storedResponses;
    // One value: a statement has a limited number of them.
    const named = sql`${id} in (select value from json_each(${JSON.stringify(ids)}))`;
    const rows = await this.#db.read
      .select()
      .from(storedResponses)
      .where(and(eq(owner, ownerId), named, gt(createdAt, this.#oldest())));
    return rows.flatMap(toStored);
  }

  /**
   * A response and all that it continues, oldest first.
   * @throws NotFoundError if one of them does not exist, InvalidInputError if they are too long together
   */
  async chain(ownerId: string, id: string): Promise<StoredResponse[]> {
    const chain = sql`with recursive chain(id, previous_id, size, depth) as (
      select id, previous_id, size, 0 from stored_responses
        where id = ${id} and owner_id = ${ownerId} and created_at > ${this.#oldest()}
      union all
      select r.id, r.previous_id, r.size, depth + 1 from stored_responses r join chain on r.id = chain.previous_id
        where r.owner_id = ${ownerId} and r.created_at > ${this.#oldest()} and depth < ${MAX_CHAIN_CHARS}
    )`;
    const links = await this.#db.read.all<{ id: string; previousId: string | null; size: number }>(
      sql`${chain} select id, previous_id as previousId, size from chain order by depth desc`,
    );
    const [oldest] = links;
    if (!oldest) throw new NotFoundError('response', id);
    if (oldest.previousId !== null) throw new NotFoundError('response', oldest.previousId);
    if (links.reduce((sum, { size }) => sum + size, 0) > MAX_CHAIN_CHARS) throw tooLong();
    const found = await this.find(
      ownerId,
      links.map((link) => link.id),
    );
    const byId = new Map(found.map((stored) => [stored.response.id, stored]));
    return links.flatMap((link) => byId.get(link.id) ?? []);
  }

  /** Stores a response, and deletes those that are too old or too many. @returns false if it is too long */
  async keep(ownerId: string, { previousId, input, response }: StoredResponse): Promise<boolean> {
    const whole = JSON.stringify({ input, response });
    const content = whole.length > MAX_CHARS ? JSON.stringify({ input: null, response }) : whole;
    if (content.length > MAX_CHARS) return false;
    const row = { id: response.id, ownerId, previousId, content, size: content.length, createdAt: this.#now() };
    await this.#db.write(async (tx) => {
      await tx.insert(storedResponses).values(row);
      await tx.delete(storedResponses).where(lt(storedResponses.createdAt, this.#oldest()));
      await tx.delete(storedResponses).where(beyondSize(ownerId));
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

  #oldest(): number {
    return this.#now() - RETENTION_MS;
  }
}

/** The error for a conversation of stored responses that is too long to be read. */
export function tooLong(): InvalidInputError {
  const message = `continues more than ${MAX_CHAIN_CHARS.toLocaleString('en-US')} characters: begin a new conversation`;
  return new InvalidInputError(`Invalid body, "previous_response_id": ${message}.`, {
    details: { issues: [{ path: 'previous_response_id', message }] },
  });
}

/** Selects an owner's oldest responses, as far as all of them together are too long. */
function beyondSize(ownerId: string) {
  return sql`${storedResponses.id} in (
    select id from (
      select id, sum(size) over (order by created_at desc, id) as total from stored_responses where owner_id = ${ownerId}
    ) where total > ${MAX_OWNER_CHARS})`;
}

/** Content that an earlier version wrote in another form counts as deleted. */
function toStored({ content, previousId }: Row): StoredResponse[] {
  const parsed = contentSchema.safeParse(parseJson(content));
  return parsed.success ? [{ previousId, ...parsed.data }] : [];
}
