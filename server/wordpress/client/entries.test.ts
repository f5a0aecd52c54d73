import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import { createWordPressClient } from '#server/wordpress/client/create-wordpress-client';
import { createEntries } from '#server/wordpress/client/entries';
import type { Tags } from '#server/wordpress/client/tags';
import { createSiteKinds } from '#server/wordpress/client/site-kinds';
import type { SiteConnector } from '#server/wordpress/client/site-connector';
import { SiteUnavailableError } from '#server/core/errors';
import { startLoopback } from '#tests/support/loopback-server';

it('reports a successful write even if the read after it fails', async () => {
  const value = { id: 7, type: 'post', status: 'draft', tags: [3] };
  const site = { ask: () => Promise.resolve({ value, headers: new Headers() }) } as unknown as SiteConnector;
  const failing = () => Promise.reject(new SiteUnavailableError('kiln.example cannot be reached (ECONNRESET).'));
  const entries = createEntries(site, { namesOf: failing } as unknown as Tags, createSiteKinds(site));
  await expect(entries.create('post', { title: 'News' })).rejects.toThrow(
    'kiln.example cannot be reached (ECONNRESET). It was written all the same: check before you repeat it.',
  );
  await expect(entries.get('post', 7)).rejects.toThrow(/ECONNRESET\)\.$/);
});

it('requests the names of all groups of an entry concurrently', async () => {
  const taxonomies = { types: ['post'], visibility: { public: true }, rest_namespace: 'wp/v2' };
  const answers: Record<string, unknown> = {
    '/wp/v2/types': {},
    '/wp/v2/taxonomies': { category: { ...taxonomies, slug: 'category', rest_base: 'categories', name: 'Categories' } },
  };
  const entry = { id: 7, type: 'post', status: 'draft', tags: [3], categories: [4] };
  const site = {
    index: () => Promise.resolve({ namespaces: [] }),
    ask: (route: string, { schema }: { schema: z.ZodType }) =>
      Promise.resolve({ value: schema.parse(answers[route] ?? entry), headers: new Headers() }),
  } as unknown as SiteConnector;
  const [asked, all] = [[] as string[], Promise.withResolvers<void>()];
  const namesOf = async (taxonomy: string, ids: readonly number[]) => {
    if (asked.push(taxonomy) === 2) all.resolve();
    await all.promise;
    return new Map(ids.map((id) => [id, `${taxonomy} ${id}`]));
  };
  const entries = createEntries(site, { namesOf } as unknown as Tags, createSiteKinds(site));
  const { tags, terms } = await entries.get('post', 7);
  expect([tags, terms]).toEqual([['post_tag 3'], { category: [{ id: 4, name: 'category 4' }] }]);
});

it('sends the language of a new entry in the query for Polylang, and reads an existing one', async () => {
  const entry = {
    id: 7,
    type: 'page',
    status: 'draft',
    lang: 'de',
    permalink_template: 'https://a.example/%pagename%/',
  };
  const written: unknown[] = [];
  const site = {
    index: () => Promise.resolve({ namespaces: ['pll/v1'] }),
    ask: (
      route: string,
      { schema, method, query }: { schema: z.ZodType; method?: string; query?: { lang?: string } },
    ) => {
      if (method === 'POST') written.push(query?.lang);
      const isEntry = route.startsWith('/wp/v2/pages');
      return Promise.resolve({ value: schema.parse(isEntry ? entry : {}), headers: new Headers() });
    },
  } as unknown as SiteConnector;
  const namesOf = () => Promise.resolve(new Map());
  const entries = createEntries(site, { namesOf } as unknown as Tags, createSiteKinds(site));
  expect(await entries.create('page', { title: 'Neu', language: 'de' })).toMatchObject({
    language: 'de',
    addressTemplate: 'https://a.example/%pagename%/',
  });
  await entries.update('page', 7, { title: 'Neuer' });
  expect(written).toEqual(['de', undefined]);
  expect(await entries.hasLanguages()).toBe(true);
});

it('a rendered page ends within its limits, and is looked for at no other host', async () => {
  let answer: (response: ServerResponse) => void = (response) => void response;
  await using other = await startLoopback((_, response) => response.end('{"html":"of another host"}'));
  await using server = await startLoopback(({ url = '' }, response) => {
    if (/wp-json\/\?/.test(url)) response.end('{"namespaces":["wp/v2","throughline/v1"]}');
    else answer(response);
  });
  const fetch = createOutgoingFetch({ allowed: 'configured', redirects: 3 });
  const { url } = server;
  const connection = { url, username: 'u', password: 'p', fetch };
  const client = createWordPressClient(connection);
  const impatient = createWordPressClient({ ...connection, timeoutMs: 300 });
  const draft = { titleRaw: 'T', contentRaw: '', excerptRaw: '', cover: null };
  const asked = (by = client) =>
    Promise.all(
      [by.entries.render(7, draft), by.visit(`${url}/about/`, 5_000_000)].map((each) =>
        each.catch((error: unknown) => (error as Error).name),
      ),
    );
  answer = (response) => response.end(JSON.stringify({ html: 'x'.repeat(8_100_000) }));
  expect(await asked()).toEqual(['TooLargeError', 'TooLargeError']);
  answer = (response) => response.writeHead(307, { location: `${other.url}/` }).end();
  expect(await asked()).toEqual(['SiteUnavailableError', 'SiteUnavailableError']);
  answer = (response) => void response.write('{"html":"so far');
  expect(await asked(impatient)).toEqual(['SiteUnavailableError', 'SiteUnavailableError']);
  await expect(client.visit(other.url, 5_000_000)).rejects.toThrow('is not an address of');
  answer = (response) => response.end('{"html":"<p>T</p>"}');
  expect(await client.entries.render(7, draft)).toEqual({ html: '<p>T</p>' });
});
