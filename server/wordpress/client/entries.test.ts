import { expect, it } from 'vitest';
import { createEntries, type Tags } from '#server/wordpress/client/entries';
import { createSiteKinds } from '#server/wordpress/client/site-kinds';
import type { SiteConnector } from '#server/wordpress/client/site-request';
import { SiteUnavailableError } from '#server/core/errors';

it('says that an entry was written where only what is read after it fails', async () => {
  const value = { id: 7, type: 'post', status: 'draft', tags: [3] };
  const site = { ask: () => Promise.resolve({ value, headers: new Headers() }) } as unknown as SiteConnector;
  const failing = () => Promise.reject(new SiteUnavailableError('kiln.example cannot be reached (ECONNRESET).'));
  const entries = createEntries(site, { namesOf: failing } as unknown as Tags, createSiteKinds(site));
  await expect(entries.create('post', { title: 'News' })).rejects.toThrow(
    'kiln.example cannot be reached (ECONNRESET). It was written all the same: check before you repeat it.',
  );
  await expect(entries.get('post', 7)).rejects.toThrow(/ECONNRESET\)\.$/);
});
