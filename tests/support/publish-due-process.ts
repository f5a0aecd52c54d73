import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createDuePublications } from '#server/site/connections/publish-due';
import { createContentRepository } from '#server/site/store/content-repository';
import { openDatabase } from '#server/platform/database/database';
import { createLeases } from '#server/platform/database/leases';

/*
 * One of the processes of publish-due.test.ts: it opens the database, reports that it is ready, and on any message
 * publishes what is due at the time it was started for until it is killed.
 */

const [url, time] = process.argv.slice(2) as [string, string];
const db = await openDatabase({ url });
const now = () => Number(time);
const due = createDuePublications({
  siteId: 'embedded',
  content: new EmbeddedSite(createContentRepository(db), { now }),
  leases: createLeases(db),
  now,
  onFault: (message, error) => console.error(message, error),
});
process.on('message', () => due.start());
process.on('disconnect', () => process.exit());
process.send?.('ready');
