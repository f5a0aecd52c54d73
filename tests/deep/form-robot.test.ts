import { expect, it } from 'vitest';
import { OPENED_FIELD } from '#server/core/form-fields';
import { submissionOverviewSchema } from '#server/core/submissions';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { sendRequest } from '#tests/support/rest-client';

const POSTS = 10_000;
const ROUNDS = 20;
/** Connections of the robot, each of which sends as fast as it is answered. */
const CONNECTIONS = 20;
const PAGES = 25;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Publishes a page with a form; gives the address that the form is sent to. */
async function publishForm({ ask, people }: AccountsServer): Promise<string> {
  const fields = { fields: [{ label: 'Name', kind: 'text', required: true }], submitLabel: 'Send' };
  const made = await ask(people.owner, {
    method: 'POST',
    path: '/api/content/pages',
    body: { title: 'Write', sections: [{ type: 'form', fields }] },
  });
  const { entry } = JSON.parse(made.text) as { entry: { id: string; draft: { sections: { id: string }[] } } };
  await ask(people.owner, { method: 'POST', path: `/api/content/pages/${entry.id}/publish` });
  return `/forms/${entry.id}/${entry.draft.sections[0]?.id ?? ''}`;
}

it.each([
  ['from one address', () => '203.0.113.9'],
  [
    'from a thousand networks',
    (count: number) => `2001:db8:${(count % 1_000).toString(16)}:1::${(count % 7).toString()}`,
  ],
])(
  'a robot sends 10,000 forms %s: few are kept, and pages are answered within twice their time',
  async (_, addressOf) => {
    const server = await startAccountsServer({ seed: true, env: { TRUST_PROXY: 'on', PAGES_PER_MINUTE: '100000' } });
    try {
      const path = await publishForm(server);
      let sent = 0;
      const statuses = new Map<number, number>();
      const robot = async (until: number) => {
        while (sent < until) {
          sent += 1;
          const { status } = await sendRequest(server.url, {
            method: 'POST',
            path,
            headers: {
              'content-type': 'application/x-www-form-urlencoded',
              'x-forwarded-for': addressOf(sent),
              host: new URL(server.origin).host,
            },
            body: new URLSearchParams({
              '-Name': `Robot ${String(sent)}`,
              [OPENED_FIELD]: String(Date.now() - 60_000),
            }).toString(),
          });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      const page = async () => {
        const begun = performance.now();
        const { status } = await sendRequest(server.url, {
          method: 'GET',
          path: '/site/write',
          headers: { 'x-forwarded-for': '198.51.100.1', host: new URL(server.origin).host },
        });
        expect(status).toBe(200);
        return performance.now() - begun;
      };
      for (let warm = 0; warm < PAGES; warm += 1) await page();
      const quiet: number[] = [];
      const busy: number[] = [];
      // Side by side: what else the machine does meets both alike.
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (let count = 0; count < PAGES; count += 1) quiet.push(await page());
        const until = (POSTS * round) / ROUNDS;
        const robots = Promise.all(Array.from({ length: CONNECTIONS }, () => robot(until)));
        while (sent < until) busy.push(await page());
        await robots;
      }
      const overview = await server.ask(server.people.owner, { method: 'GET', path: '/api/submissions/overview' });
      const { total } = submissionOverviewSchema.parse(JSON.parse(overview.text));
      const [calm, under] = [median(quiet), median(busy)];
      console.log(
        `${String(sent)} posts: ${JSON.stringify([...statuses])}, ${String(total)} kept; a page takes ${calm.toFixed(1)} ms, under the robot ${under.toFixed(1)} ms (${String(busy.length)} pages)`,
      );
      expect(sent).toBeGreaterThanOrEqual(POSTS);
      expect(total).toBeLessThanOrEqual(addressOf(1) === addressOf(2) ? 10 : 300);
      expect(total).toBeGreaterThan(0);
      expect(under).toBeLessThanOrEqual(2 * calm);
    } finally {
      await server.stop();
    }
  },
);
