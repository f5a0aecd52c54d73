import { inject, expect, it } from 'vitest';
import { startAccountsServer } from '#tests/support/accounts-server';
import { startLibsqlServer } from '#tests/support/libsql-server';

it('a page looks up who has signed in for its language, and once for all of its parts', async () => {
  let lookUps = 0;
  await using database = await startLibsqlServer({
    copyOf: inject('migratedDatabase'),
    onStatement: (text) => (lookUps += Number(/^select .* from "sign_ins"/i.test(text))),
  });
  await using server = await startAccountsServer({ env: { DATABASE_URL: database.url } });
  const lookUpsOf = async (path: string) => {
    lookUps = 0;
    const { status } = await server.ask(server.people.editor, { method: 'GET', path });
    return [path, status, lookUps];
  };
  for (const path of ['/account', '/library/pages', '/library/trash'])
    expect(await lookUpsOf(path)).toEqual([path, 200, 2]);
});
