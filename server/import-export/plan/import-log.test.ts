import { expect, it } from 'vitest';
import { serverText } from '#server/core/messages/server-text';
import { ImportLog } from '#server/import-export/plan/import-log';

it('reports a reason with its code, and a refusal of the site by its text alone', () => {
  const log = new ImportLog();
  log.addSkipped('page', 'Pricing', serverText('import-in-trash'));
  log.addSkipped('page', 'Studio', serverText('import-in-trash'));
  log.addAltered('page', 'Home', 'The slug "home" is taken.');
  const { notTaken, altered } = log.report();
  const message = { code: 'import-in-trash', params: {} };
  expect(notTaken).toEqual([
    { kind: 'page', name: 'Pricing, Studio', reason: 'It was in the trash.', message, count: 2 },
  ]);
  expect(altered).toEqual([{ kind: 'page', name: 'Home', reason: 'The slug "home" is taken.', count: 1 }]);
});
