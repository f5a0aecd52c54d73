import { expect, it } from 'vitest';
import { sessionSchema } from '#server/core/conversation/sessions';
import { type LibsqlServer, startLibsqlServer } from '#tests/support/libsql-server';
import { demoSiteFile, startProductionServer } from '#tests/support/production-server';
import { type RestRequest, sendRequest } from '#tests/support/rest-client';
import { said } from '#tests/support/said';

/** Only in the statement that looks for left work, which an instance repeats every 2 s. */
const POLL = / as "ofKeys"/;
/** Only in the statement that reads the connected sites, which an instance in use repeats every 5 s. */
const CONNECTED_SITES = /^select "id", "url", "username"/;

it('an action sends few requests to the database server, and an idle instance only its poll', async () => {
  let polls = 0;
  /** Numbers of the requests that an action has caused, not the clock. */
  const caused = new Set<number>();
  await using database: LibsqlServer = await startLibsqlServer({
    copyOf: demoSiteFile(),
    onStatement: (text) => {
      if (POLL.test(text)) polls += 1;
      else if (!CONNECTED_SITES.test(text)) caused.add(database.requests);
    },
  });
  await using server = await startProductionServer({ env: { DATABASE_URL: database.url } });
  const nextPoll = async () => {
    const seen = polls;
    await expect.poll(() => polls).toBeGreaterThan(seen);
  };
  /** Counts without what is repeated. What follows an action in the background, until the second poll, belongs to it. */
  const requestsOf = async (act: () => Promise<unknown>) => {
    await nextPoll();
    caused.clear();
    await act();
    await nextPoll();
    await nextPoll();
    return caused.size;
  };
  const send = async (request: RestRequest) => {
    const answer = await sendRequest(server.url, request);
    expect(answer.status, request.path).toBeLessThan(300);
    return answer;
  };
  const { id } = sessionSchema.parse((await send({ method: 'POST', path: '/api/sessions', body: {} })).json());
  const say = (text: string) => send({ method: 'POST', path: '/api/chat', body: { id, message: said(text) } });
  /** The number of requests, less two for each second after the first: that often a running answer is stored. */
  const requestsOfTurn = async (text: string) => {
    let seconds = 0;
    const requests = await requestsOf(async () => {
      const startedAt = performance.now();
      await say(text);
      seconds = (performance.now() - startedAt) / 1_000;
    });
    return requests - 2 * Math.max(0, Math.ceil(seconds - 1));
  };
  /** The median of three: rare work of the instance, such as the search for due publications, may fall into one. */
  const median = async (act: () => Promise<unknown>) => {
    const counts = [await requestsOf(act), await requestsOf(act), await requestsOf(act)];
    return counts.toSorted((a, b) => a - b)[1];
  };
  const page = (path: string) => median(() => send({ method: 'GET', path }));

  // Loads what the first turn and the first visitor load.
  await say('What can you do?');
  await send({ method: 'GET', path: '/site' });
  expect.soft(await requestsOfTurn('What can you do?'), 'plain message').toBeLessThanOrEqual(20);
  expect.soft(await requestsOfTurn('Create a page called Kiln'), 'one tool edit').toBeLessThanOrEqual(35);
  const titles = ['First by hand', 'Second by hand', 'Third by hand'];
  const byHand = await median(() =>
    send({ method: 'POST', path: '/api/content/pages', body: { title: titles.pop() } }),
  );
  expect.soft(byHand, 'page by hand').toBeLessThanOrEqual(4);
  expect.soft(await page(`/c/${id}`), 'chat page').toBeLessThanOrEqual(3);
  expect.soft(await page(`/api/sessions/${id}/messages?limit=50`), 'page of messages').toBeLessThanOrEqual(1);
  await send({ method: 'GET', path: '/site' });
  expect.soft(await page('/site'), 'home page of the site, unchanged').toBeLessThanOrEqual(1);
  expect.soft(await median(nextPoll), 'idle').toBe(0);
});
