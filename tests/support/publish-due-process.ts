import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { createDuePublications } from '#server/sites/publish-due';
import { createContentRepository } from '#server/store/content-repository';
import { openDatabase } from '#server/store/database';
import { createLeases } from '#server/store/leases';

/*
 * One of the processes of publish-due.test.ts: it opens the database, tells that it is ready, and on any message
 * publishes whatever is due at the time it was started for until it is killed.
 */

const [url, time] = process.argv.slice(2) as [string, string];
const db = await openDatabase({ url });
const now = () => Number(time);
const due = createDuePublications({
  siteId: 'embedded',
  content: createEmbeddedContentBackend(createContentRepository(db), { now }),
  leases: createLeases(db),
  now,
  onFault: (message, error) => console.error(message, error),
});
process.on('message', () => due.start());
process.on('disconnect', () => process.exit());
process.send?.('ready');
