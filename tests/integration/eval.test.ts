import { expect, it } from 'vitest';
import { factsOf } from '#tests/eval/facts';
import { probesOf } from '#tests/eval/probes';
import { isPassed, reportOf } from '#tests/eval/report';
import { runSession } from '#tests/eval/run-session';
import { readSite } from '#tests/eval/site';
import { startTestServices } from '#tests/support/test-services';

const run = { date: '2026-11-22T10:00:00.000Z', window: 12_000, strategy: 'reactive-overflow', turns: 22 };

it('knows what it was told and what it did after two compactions', async () => {
  await using services = await startTestServices({ CONTEXT_WINDOW: String(run.window) });

  const session = await runSession(services, { seed: 1, turns: run.turns });

  expect(session).toMatchObject({ modelId: 'throughline/offline', error: null });
  expect(session.compactions).toBeGreaterThanOrEqual(2);
  const { kinds, all, ...report } = reportOf({ ...run, modelId: session.modelId }, [session]);
  expect(kinds).toEqual({
    recall: { asked: 1, right: 1, fromContext: 1, skipped: 4, share: 1 },
    artifact: { asked: 2, right: 2, fromContext: 1, skipped: 2, share: 1 },
    continuation: { asked: 1, right: 1, fromContext: 0, skipped: 2, share: 1 },
    decision: { asked: 1, right: 1, fromContext: 1, skipped: 2, share: 1 },
  });
  expect(isPassed({ ...report, kinds, all }, 1)).toBe(true);
  // The list of work was cut by a compaction, and each item is listed once.
  const work = session.probes.at(-1);
  expect(work?.compactions).toBeGreaterThanOrEqual(1);
  expect(work?.tools).toHaveLength(14);
  // Every probe replaced the one before: the talk is followed by one of them.
  const said = (await services.messages.list(session.sessionId, { limit: 1_000 })).items;
  expect(said.filter(({ role, parentId }) => role === 'user' && parentId === null)).toHaveLength(run.turns + 1);
  // One token of the truth altered, and the same answers are wrong.
  const site = (await readSite(services.builtIn.content)).map((entry) => ({
    ...entry,
    id: `${entry.id}x`,
    slug: `${entry.slug}-2`,
    sections: entry.sections.map((section) => ({ ...section, id: `${section.id}x`, fields: { heading: 'Other' } })),
  }));
  const others = probesOf(factsOf(2)).filter(({ offlineQuestion }) => offlineQuestion !== null);
  const scores = others.map((probe, at) => [
    probe.kind,
    probe.score(session.probes[at]?.given ?? '', site, site).right,
  ]);
  expect(scores).toEqual([
    ['recall', false],
    ['artifact', false],
    ['artifact', false],
    ['decision', false],
    ['continuation', false],
  ]);
});
