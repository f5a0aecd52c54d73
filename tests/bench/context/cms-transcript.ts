import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLedger } from '#server/site/reports/session-ledger';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';
import { parseEnv } from '#server/platform/config/env';
import { type Services, startServices } from '#server/services';
import { toModelMessages } from '#tests/bench/context/read-transcripts';
import type { Transcript } from '#tests/bench/context/transcript';
import { CmsSession } from '#tests/support/cms-session';

const SEED = 9;
const PAGE = 100;

/**
 * A session of editing a site, made here with the real tools on the real content: the same requests, calls and standing
 * instructions each time; ids are new each time. It comes with the journal as it was after each turn.
 * @param turns how long it is
 */
export async function cmsTranscript(turns: number): Promise<Transcript> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-cms-'));
  const env = { DATABASE_URL: `file:${join(folder, 'cms.db')}`, LOG_LEVEL: 'silent', SHUTDOWN_LIMIT_MS: '0' };
  const services = await startServices(parseEnv(env));
  try {
    return await work(services, turns);
  } finally {
    await services[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The name of such a session in the report. */
export function nameOfCms(turns: number): string {
  return `cms-session-${turns}`;
}

async function work(services: Services, turns: number): Promise<Transcript> {
  const session = await CmsSession.start(services, SEED);
  const journals: { readonly messages: number; readonly entries: readonly LedgerEntry[] }[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    await session.work(1, turn);
    const stored = await services.messages.loadView(session.sessionId);
    const entries = await readLedger(services.builtIn.content, session.sessionId);
    journals.push({ messages: stored.messages.length, entries });
  }
  const messages = toModelMessages(await allMessages(services, session.sessionId));
  return {
    name: nameOfCms(turns),
    from: `generated: ${turns} turns of editing a site, seed ${SEED}`,
    messages,
    journalAt: (count) => journals.findLast((each) => each.messages <= count)?.entries ?? [],
  };
}

async function allMessages({ messages }: Services, sessionId: string): Promise<Message[]> {
  const all: Message[] = [];
  let cursor: string | undefined;
  do {
    const page = await messages.list(sessionId, { limit: PAGE, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
