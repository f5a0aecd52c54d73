import { expect, it } from 'vitest';
import { OPENED_FIELD } from '#server/core/form-fields';
import { submissionOverviewSchema } from '#server/core/submissions';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';
import { sendRequest } from '#tests/support/rest-client';

const POSTS = 10_000;
const ROUNDS = 20;
/** Connections of the robot, each of which sends as fast as it is answered. */
const CONNECTIONS = 20;
const PAGES = 25;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Publishes a page with a form; gives the address that the form is sent to. */
async function publishForm(server: AccountsServer): Promise<string> {
  const { owner } = server.people;
  const fields = { fields: [{ label: 'Name', kind: 'text', required: true }], submitLabel: 'Send' };
  const body = { title: 'Write', sections: [{ type: 'form', fields }] };
  const made = await server.ask(owner, { method: 'POST', path: '/api/content/pages', body });
  const { entry } = JSON.parse(made.text) as { entry: { id: string; draft: { sections: { id: string }[] } } };
  await server.ask(owner, { method: 'POST', path: `/api/content/pages/${entry.id}/publish` });
  return `/forms/${entry.id}/${entry.draft.sections[0]?.id ?? ''}`;
}

/** Sends the form as often as it is told, over many connections at once. */
class Robot {
  readonly statuses = new Map<number, number>();
  sent = 0;
  readonly #send: (count: number) => Promise<number>;

  constructor(send: (count: number) => Promise<number>) {
    this.#send = send;
  }

  /** Sends until it has sent so many in all. */
  async run(until: number): Promise<void> {
    const connection = async () => {
      while (this.sent < until) {
        this.sent += 1;
        const status = await this.#send(this.sent);
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  }
}

const oneAddress = () => '203.0.113.9';
const manyNetworks = (count: number) => `2001:db8:${(count % 1_000).toString(16)}:1::1`;

it.each([
  ['from one address', 'the app', 10, oneAddress],
  ['from a thousand networks', 'the app', 300, manyNetworks],
  ['from one address', 'the site', 10, oneAddress],
  ['from a thousand networks', 'the site', 300, manyNetworks],
] as const)(
  'a robot sends 10,000 forms %s to the host of %s: at most %i are kept, and pages are answered within twice their time',
  async (_, which, mostKept, addressOf) => {
    const port = await freePort();
    const own = `kiln.localhost:${port}`;
    const env = { TRUST_PROXY: 'on', PAGES_PER_MINUTE: '100000', SITE_URL: `http://${own}` };
    const server = await startAccountsServer({ port, seed: true, env });
    const asked =
      which === 'the site' ? { host: own, path: '/write' } : { host: `127.0.0.1:${port}`, path: '/site/write' };
    try {
      const path = await publishForm(server);
      const robot = new Robot(async (count) => {
        const given = { '-Name': `Robot ${String(count)}`, [OPENED_FIELD]: String(Date.now() - 60_000) };
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-for': addressOf(count),
          host: asked.host,
        };
        const body = new URLSearchParams(given).toString();
        return (await sendRequest(server.url, { method: 'POST', path, headers, body })).status;
      });
      const page = async () => {
        const begun = performance.now();
        const headers = { 'x-forwarded-for': '198.51.100.1', host: asked.host };
        expect((await sendRequest(server.url, { method: 'GET', path: asked.path, headers })).status).toBe(200);
        return performance.now() - begun;
      };
      for (let warm = 0; warm < PAGES; warm += 1) await page();
      const quiet: number[] = [];
      const busy: number[] = [];
      // Side by side: what else the machine does meets both alike.
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (let count = 0; count < PAGES; count += 1) quiet.push(await page());
        const robots = { areDone: false };
        const running = robot.run((POSTS * round) / ROUNDS).finally(() => (robots.areDone = true));
        do busy.push(await page());
        while (!robots.areDone);
        await running;
      }
      const overview = await server.ask(server.people.owner, { method: 'GET', path: '/api/submissions/overview' });
      const { total } = submissionOverviewSchema.parse(JSON.parse(overview.text));
      const [calm, under] = [median(quiet), median(busy)];
      console.log(
        `${String(robot.sent)} posts, by status ${JSON.stringify([...robot.statuses])}, ${String(total)} kept; a page takes ${calm.toFixed(1)} ms, under the robot ${under.toFixed(1)} ms (${String(busy.length)} pages)`,
      );
      expect(robot.sent).toBeGreaterThanOrEqual(POSTS);
      expect(total).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(mostKept);
      expect(under).toBeLessThanOrEqual(2 * calm);
    } finally {
      await server.stop();
    }
  },
);
