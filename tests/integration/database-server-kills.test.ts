import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { openDatabase } from '#server/platform/database/database';
import { messages } from '#server/platform/database/schema/sessions';
import { startLibsqlProcess } from '#tests/support/libsql-process';
import { marksInOrder } from '#tests/support/stored-data';

const KILLS = 4;
/** Messages between two kills. */
const MESSAGES_EACH = 15;

it('two databases lose and double nothing while their server is killed again and again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-kills-'));
  const file = join(folder, 'site.db');
  await using server = await startLibsqlProcess({ file });
  const databases = await Promise.all([openDatabase({ url: server.url }), openDatabase({ url: server.url })]);
  const [first, second] = databases;
  const { id } = await createSessionRepository(first).create({ ownerId: 'own_1' });
  const written: string[] = [];
  const over = new AbortController();
  const writers = [first, second, first, second].map(async (database, writer) => {
    const repository = createMessageRepository(database);
    for (let index = 0; !over.signal.aborted; index += 1) {
      const text = `m${writer}x${index}x`;
      await repository.append(id, { role: 'user', parts: [{ type: 'text', content: { text } }] });
      written.push(text);
    }
  });
  for (let kills = 1; kills <= KILLS; kills += 1) {
    await expect.poll(() => written.length).toBeGreaterThan(kills * MESSAGES_EACH);
    await server.killAndRestart();
  }
  over.abort();
  await Promise.all(writers);
  const stored = await marksInOrder(file, id);
  expect(stored.toSorted()).toEqual(written.toSorted());
  const rows = await second.read.select({ seq: messages.seq }).from(messages).orderBy(messages.seq);
  expect(rows.map(({ seq }) => seq)).toEqual(written.map((_, index) => index + 1));
  for (const database of databases) await database.close();
  rmSync(folder, { recursive: true, force: true });
});
