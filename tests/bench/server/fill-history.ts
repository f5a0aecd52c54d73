import { setImmediate as untilSignalsAreHeard } from 'node:timers/promises';
import { eq, and } from 'drizzle-orm';
import { importMessages } from '#server/conversation/import/import-messages';
import { withTokens } from '#server/context/part-tokens';
import { createId } from '#server/core/ids';
import type { NewMessage } from '#server/core/conversation/messages';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import type { Database } from '#server/platform/database/database';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { messages } from '#server/platform/database/schema/sessions';
import { turns } from '#server/platform/database/schema/turns';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { compactionCommit } from '#tests/support/compaction-commit';
import { longHistory } from '#tests/support/long-history';

/*
 * A long session as the server itself would have stored it: turns with calls and results, what their steps cost, and
 * a compaction every so many messages.
 */

/** Messages after the newest summary in the view. The same in a session of any length. */
const VIEW = 100;
/** Messages that one compaction takes out of the view: about 100,000 tokens. */
const ROUND = 240;
const TURN = 4;
/** Turns that differ; tokens are counted once for each of them. */
const DISTINCT_TURNS = 200;
/** Stands in this many turns of every session, evenly spread. */
const RARE_IN_TURNS = 5;

/** Found in five turns of a filled session. */
export const RARE_WORD = 'quillwort';
/** Found in nearly every turn. */
export const COMMON_WORD = 'kiln';

const SUMMARY = 'The editor asked for changes of the pricing page; they were made and read again. '.repeat(75);
const SUMMARY_TOKENS = 1_200;
const STEP_USAGE = { inputTokens: 42_000, outputTokens: 180, cacheReadTokens: 40_000, cost: 0.0231 };
const MODEL = 'openai/gpt-4o';
const STARTED_AT = Date.UTC(2026, 0, 1);
const SECONDS_PER_TURN = 40_000;

/** What the assistant and its editor say, over and over; whole turns. */
export async function distinctTurns(): Promise<NewMessage[][]> {
  const read = await importMessages(longHistory(DISTINCT_TURNS * TURN));
  const counted = read.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => withTokens(part)),
  }));
  return Array.from({ length: DISTINCT_TURNS }, (_, n) => counted.slice(n * TURN, (n + 1) * TURN));
}

/** The n-th turn of a session: messages with ids of their own. */
function turnMessages(distinct: readonly NewMessage[][], n: number, isRare: boolean): NewMessage[] {
  const turnId = createId('trn');
  const request = createId('msg');
  return distinct[n % DISTINCT_TURNS]!.map((message, index) => ({
    ...message,
    id: index === 0 ? request : createId('msg'),
    turnId,
    parentId: index === 0 ? null : request,
    modelId: message.role === 'assistant' ? MODEL : null,
    parts: message.parts.map((part) =>
      index === 0 && part.type === 'text'
        ? { ...part, content: { text: `${n}${isRare ? ` ${RARE_WORD}` : ''}: ${part.content.text}` } }
        : part,
    ),
  }));
}

/** Where the compactions of a session cut it, in messages from its start; the newest leaves `VIEW` of them. */
function cutsOf(count: number): number[] {
  const cuts: number[] = [];
  for (let cut = count - VIEW; cut > 0; cut -= ROUND) cuts.unshift(cut);
  return cuts;
}

/**
 * Makes a session of `count` messages, the same for every run.
 * @param count a multiple of 20
 * @returns its id
 */
export async function fillHistory(database: Database, distinct: readonly NewMessage[][], count: number) {
  let time = STARTED_AT;
  const now = () => time;
  const stored = createMessageRepository(database, now);
  const compactions = createCompactionRepository(database, now);
  const title = `A session of ${count} messages`;
  const { id } = await createSessionRepository(database, now).create({ ownerId: LOCAL_OWNER, title, modelId: MODEL });

  const ids: string[] = [];
  const rareEvery = Math.floor(count / TURN / RARE_IN_TURNS);
  const appendUntil = async (end: number) => {
    const first = ids.length / TURN;
    const added = Array.from({ length: end / TURN - first }, (_, index) =>
      turnMessages(distinct, first + index, (first + index) % rareEvery === 0),
    );
    time += added.length * SECONDS_PER_TURN;
    await stored.appendMany(id, added.flat());
    await insertTurns(database, id, added, time);
    ids.push(...added.flat().map((message) => message.id!));
  };

  let compacted = 0;
  for (const [index, cut] of cutsOf(count).entries()) {
    // A database file never waits, so signals would not be handled.
    await untilSignalsAreHeard();
    await appendUntil(cut + VIEW);
    await compactions.recordCompaction(
      id,
      compactionCommit({
        round: index + 1,
        strategy: 'ledger',
        trigger: 'threshold',
        tokensBefore: 150_000,
        tokensAfter: 45_000,
        compactedMessageIds: ids.slice(compacted, cut),
        firstKeptMessageId: ids[cut]!,
        workingContext: { tools: ['get_content'], removedTools: [] },
        summary: SUMMARY,
        summaryTokens: SUMMARY_TOKENS,
        modelId: MODEL,
        contextWindow: 128_000,
        durationMs: 6_000,
        usage: STEP_USAGE,
      }),
    );
    compacted = cut;
  }
  if (ids.length < count) await appendUntil(count);
  await reportUsage(database, id);
  return id;
}

async function insertTurns(database: Database, sessionId: string, added: readonly NewMessage[][], time: number) {
  const rows = added.map(([request]) => ({
    id: request!.turnId!,
    sessionId,
    userMessageId: request!.id!,
    status: 'completed' as const,
    leaseOwner: 'own_gone',
    leaseExpiresAt: time,
    modelId: MODEL,
    startedAt: time - SECONDS_PER_TURN,
    endedAt: time,
  }));
  await database.write((tx) => tx.insert(turns).values(rows));
}

/** What its provider reported of every step, in one write: the repository would use a transaction for each. */
async function reportUsage(database: Database, sessionId: string): Promise<void> {
  const answers = and(eq(messages.sessionId, sessionId), eq(messages.role, 'assistant'), eq(messages.isSummary, false));
  const usage = JSON.stringify(STEP_USAGE);
  await database.write((tx) => tx.update(messages).set({ usage }).where(answers).run());
}
