import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { projectPath } from '#scripts/lib/project';
import { submissionOverviewSchema } from '#server/core/site/submissions';
import type { RobotJob, RobotTold } from '#tests/deep/support/form-robot';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';
import { sendRequest } from '#tests/support/rest-client';

const POSTS = 10_000;
const ROUNDS = 20;
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

function startRobot(job: RobotJob) {
  const child = fork(projectPath('tests/deep/support/form-robot.ts'), {
    env: { ...process.env, ROBOT_JOB: JSON.stringify(job) },
  });
  return {
    /** Lets it send until it has sent so many in all. */
    async run(until: number): Promise<RobotTold> {
      const told = once(child, 'message');
      child.send(until);
      return ((await told) as [RobotTold])[0];
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

it.each([
  { from: 'one network', networks: 1, to: 'the app', mostKept: 10 },
  { from: 'a thousand networks', networks: 1_000, to: 'the app', mostKept: 300 },
  { from: 'one network', networks: 1, to: 'the site', mostKept: 10 },
  { from: 'a thousand networks', networks: 1_000, to: 'the site', mostKept: 300 },
])(
  '10,000 forms from $from to $to: at most $mostKept kept, pages at most twice as slow',
  async ({ from, networks, to, mostKept }) => {
    const port = await freePort();
    const site = `kiln.localhost:${port}`;
    const env = { TRUST_PROXY: 'on', PAGES_PER_MINUTE: '100000', SITE_URL: `http://${site}` };
    const server = await startAccountsServer({ port, seed: true, env });
    const [host, address] = to === 'the site' ? [site, '/write'] : [`127.0.0.1:${port}`, '/site/write'];
    try {
      using robot = startRobot({ url: server.url, host, path: await publishForm(server), networks });
      const page = async () => {
        const begun = performance.now();
        const headers = { 'x-forwarded-for': '198.51.100.1', host };
        expect((await sendRequest(server.url, { method: 'GET', path: address, headers })).status).toBe(200);
        return performance.now() - begun;
      };
      for (let warm = 0; warm < PAGES; warm += 1) await page();
      const quiet: number[] = [];
      const busy: number[] = [];
      let told: RobotTold = { sent: 0, statuses: {} };
      // Side by side: what else the machine does meets both alike.
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (let count = 0; count < PAGES; count += 1) quiet.push(await page());
        const robots = { areDone: false };
        const running = robot.run((POSTS * round) / ROUNDS).finally(() => (robots.areDone = true));
        do busy.push(await page());
        while (!robots.areDone);
        told = await running;
      }
      const overview = await server.ask(server.people.owner, { method: 'GET', path: '/api/submissions/overview' });
      const { total } = submissionOverviewSchema.parse(JSON.parse(overview.text));
      const [calm, under] = [median(quiet), median(busy)];
      console.log(
        `${String(told.sent)} posts from ${from} to ${to}, by status ${JSON.stringify(told.statuses)}, ${String(total)} kept; a page takes ${calm.toFixed(1)} ms, under the robot ${under.toFixed(1)} ms (${String(busy.length)} pages)`,
      );
      expect(told.sent).toBeGreaterThanOrEqual(POSTS);
      expect(total).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(mostKept);
      expect(under).toBeLessThanOrEqual(2 * calm);
    } finally {
      await server.stop();
    }
  },
);
