import { createClient, type InValue } from '@libsql/client';

/* What a database file holds, read while the servers use it. */

/** The rows of one query. */
export async function queryDatabase(databaseFile: string, sql: string, args: InValue[] = []) {
  const client = createClient({ url: `file:${databaseFile}` });
  try {
    return (await client.execute({ sql, args })).rows;
  } finally {
    client.close();
  }
}

/** The marks (`m1x2x`) in what the user said, in the order of the session. */
export async function marksInOrder(databaseFile: string, sessionId: string): Promise<string[]> {
  const rows = await queryDatabase(
    databaseFile,
    `select p.content from message_parts p join messages m on m.id = p.message_id
     where m.session_id = ? and m.role = 'user' and p.type = 'text' and m.is_summary = 0
     order by m.seq, p."order"`,
    [sessionId],
  );
  return rows.flatMap(({ content }) => marksIn(content));
}

/** The marks in a text. */
export function marksIn(text: unknown): string[] {
  return (typeof text === 'string' ? text : '').match(/m\d+x\d+x/g) ?? [];
}

/** What must not be left when every session is idle; one query per kind. */
export async function leftovers(databaseFile: string): Promise<Record<keyof typeof NOTHING_LEFT, number>> {
  const count = async (sql: string) => Number((await queryDatabase(databaseFile, sql))[0]?.['n']);
  const call = `json_extract(content, '$.toolCallId')`;
  return {
    runningTurns: await count(`select count(*) n from turns where status = 'running'`),
    openMessages: await count(`select count(*) n from messages where status = 'streaming'`),
    openParts: await count(`select count(*) n from message_parts where state in ('pending', 'running')`),
    callsWithoutResult: await count(
      `select count(*) n from message_parts c where c.type = 'tool-call' and not exists
       (select 1 from message_parts r where r.session_id = c.session_id and r.type = 'tool-result'
        and json_extract(r.content, '$.toolCallId') = json_extract(c.content, '$.toolCallId'))`,
    ),
    resultsWithoutCall: await count(
      `select count(*) n from (select session_id, ${call} id from message_parts where type = 'tool-result' except
       select session_id, ${call} id from message_parts where type = 'tool-call')`,
    ),
    compacting: await count(
      `select count(*) n from sessions where currently_compacting or compaction_lease_owner is not null`,
    ),
    queued: await count(`select count(*) n from queued_messages`),
    // Every page is requested once, by a unique title.
    pagesCreatedTwice: await count(
      `select count(*) n from (select title from entries group by lower(title) having count(*) > 1)`,
    ),
    overlappingTurns: await count(
      `select count(*) n from turns a join turns b on a.session_id = b.session_id and a.id < b.id
       where a.ended_at is null or a.ended_at > b.started_at and b.ended_at > a.started_at`,
    ),
  };
}

/** `leftovers` of a database in which all is well. */
export const NOTHING_LEFT = {
  runningTurns: 0,
  openMessages: 0,
  openParts: 0,
  callsWithoutResult: 0,
  resultsWithoutCall: 0,
  compacting: 0,
  queued: 0,
  overlappingTurns: 0,
  pagesCreatedTwice: 0,
} as const;
