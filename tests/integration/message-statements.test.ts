import Connection from 'libsql';
import { expect, it, vi } from 'vitest';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { startTestServices } from '#tests/support/test-services';

/**
 * Depend on time and not on the message: the text of an answer that is stored while it grows, what a process reads again
 * every 5 s, and its search for left work.
 */
const TIMED =
  /^update "message_parts" set "content" = \? where|from "(settings|model_providers|mcp_servers|wordpress_sites)"| as "ofKeys"/;

/** Records each statement that a database file runs, until the end of the test. */
function recordStatements(): string[] {
  const statements: string[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- called with the connection below
  const prepare = Connection.prototype.prepare;
  vi.spyOn(Connection.prototype, 'prepare').mockImplementation(function (this: Connection.Database, text) {
    const statement = prepare.call(this, text);
    const [run, all] = [statement.run.bind(statement), statement.all.bind(statement)];
    statement.run = (values: object) => (statements.push(text), run(values));
    statement.all = (values: object) => (statements.push(text), all(values));
    return statement;
  });
  return statements;
}

it('a plain message runs few statements on a database file, and stores a growing answer by one', async ({
  onTestFinished,
}) => {
  onTestFinished(() => void vi.restoreAllMocks());
  const statements = recordStatements();
  // No heartbeat falls into a message.
  const times = { TURN_LEASE_MS: '180000', TURN_HEARTBEAT_MS: '60000', OFFLINE_CHUNK_DELAY_MS: '20' };
  await using services = await startTestServices(times);
  const { id } = await services.sessions.create({ ownerId: 'own_1' });
  const say = async () => {
    const session = await services.sessions.get(id);
    const request = { texts: ['What can you do?'], here: { zone: 'UTC' }, modelId: null, clientRequestId: null };
    const outcome = await services.chat.send({ session, ...request, scopes: scopesOfRole.admin });
    if (outcome.kind !== 'started') throw new Error('It was queued.');
    for await (const chunk of outcome.stream) expect(chunk.type).not.toBe('error');
    await services.chat.idle();
    await services.events.flush();
  };
  // Loads what the first message loads, and writes the first, complete environment context.
  await say();
  statements.length = 0;
  await say();

  const own = statements.filter((text) => !TIMED.test(text));
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(45);
  const growth = statements.flatMap((text, index) =>
    text.startsWith('update "message_parts" set "content" = ? where') ? [index] : [],
  );
  expect(growth.length).toBeGreaterThan(0);
  for (const index of growth) {
    expect(statements[index]).toContain('exists (select 1 from "turns"');
    expect(statements[index - 1]).not.toBe('begin immediate');
  }
});
