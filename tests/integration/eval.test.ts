import { describe, expect, it } from 'vitest';
import { createOfflineModel } from '#server/models/offline/offline-model';
import { factsOf } from '#tests/eval/facts';
import { probesOf } from '#tests/eval/probes';
import { isPassed, reportOf, reportText } from '#tests/eval/report';
import { runSession } from '#tests/eval/run-session';
import { MIN_TURNS } from '#tests/eval/talk';
import { scoreAnswer } from '#tests/eval/score';
import { readSite } from '#tests/eval/site';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import type { ParsedRequest } from '#tests/support/request-log';
import { respondWithModel } from '#tests/support/respond-with-model';
import { startTestServices } from '#tests/support/test-services';

const run = { date: '2026-11-22T10:00:00.000Z', window: 12_000, strategy: 'reactive-overflow', turns: 22 };

describe('an answer', () => {
  it.each([
    ['The code is RS-12345.', 'RS-12345'],
    ['It is `rs‑12345`!', 'RS-12345'],
    ['**030 555\n0147**', '030 555 0147'],
    ['See /kiln-diary, a draft', 'kiln-diary'],
    ['at https://press.example/kit-88.pdf.', 'https://press.example/kit-88.pdf'],
    ['It costs 61.40 €', '61.40'],
    ['“Never use the word ‘cheap’.”', 'Never use the word "cheap".'],
    ['- _Quarry_', 'Quarry'],
    [String.raw`It is sec\_a1b2c3.`, 'sec_a1b2c3'],
    ['| RS-12345 | resellers |', 'RS-12345'],
    ['[the kit](https://press.example/kit-88.pdf)', 'https://press.example/kit-88.pdf'],
    ["it's the editors' page", "it's the editors' page"],
  ])('%s has the token %s', (answer, token) => {
    expect(scoreAnswer(answer, { all: [token] }).right).toBe(true);
  });

  it.each([
    ['The code is RS-123456.', 'RS-12345'],
    ['/kiln-diary-2', 'kiln-diary'],
    ['/the-kiln-diary', 'kiln-diary'],
    ['https://press.example/kit-88.pdf/old', 'https://press.example/kit-88.pdf'],
    ['61.405', '61.40'],
    ['161.40', '61.40'],
    ['sec_abcde', 'abcde'],
    ['abcde_sec', 'abcde'],
    ['I do not know.', '61.40'],
    ['', ''],
  ])('%s has not the token %s', (answer, token) => {
    expect(scoreAnswer(answer, { all: [token] }).right).toBe(false);
  });

  it('is wrong with a part missing, with a wrong token in it, and where nothing is expected', () => {
    expect(scoreAnswer('Harbour', { all: ['Harbour', 'Orchard'] })).toMatchObject({
      right: false,
      given: 'without "Orchard": Harbour',
    });
    expect(scoreAnswer('Harbour, not Orchard', { all: ['Harbour'], none: ['Orchard'] })).toMatchObject({
      right: false,
      expected: '"Harbour", not "Orchard"',
      given: 'with "Orchard": Harbour, not Orchard',
    });
    expect(scoreAnswer('Anything', { all: [] }).right).toBe(false);
  });
});

describe('the probe evaluation', () => {
  it('has the basic assistant do a session that is compacted, and scores what it still knows', async () => {
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

  it('asks a model of a provider everything, and reports what it forgot', async () => {
    await using provider = await startFakeOpenRouter({ respond: forgetfulReader() });
    await using services = await startTestServices({
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: 'anthropic/claude-sonnet-4.5',
    });

    const session = await runSession(services, { seed: 1, turns: MIN_TURNS, kinds: ['recall'] });

    const { modelId, error, skipped, probes, usage } = session;
    expect({ modelId, error, skipped }).toEqual({ modelId: 'anthropic/claude-sonnet-4.5', error: null, skipped: [] });
    // It knows few phrases and none of the others.
    expect(probes.map(({ right }) => right)).toEqual([false, false, true, false, false]);
    expect(usage.cost).toBeGreaterThan(0);
    const report = reportOf({ ...run, modelId }, [session]);
    expect([isPassed(report, null), isPassed(report, 0.2), isPassed(report, 0.21)]).toEqual([true, true, false]);
    const text = reportText(report);
    expect(text).toMatch(/recall +5 +1 +20 % +1 +0\n/);
    expect(text).toContain('It was never compacted, so it proves nothing');
    expect(text).toMatch(
      /WRONG \(recall, seed 1\): What is the address of the press kit.*\n  expected: "https:.*\n  given: .*I do not know/,
    );
  });

  it('ends with the session that cannot go on, and has not passed', async () => {
    await using services = await startTestServices({
      OPENROUTER_API_KEY: 'test-key',
      // Nothing listens there.
      OPENROUTER_BASE_URL: 'http://127.0.0.1:9',
      DEFAULT_MODEL: 'anthropic/claude-sonnet-4.5',
      CONTEXT_STEP_RETRIES: '0',
    });

    const session = await runSession(services, { seed: 1, turns: MIN_TURNS });

    expect(session).toMatchObject({ probes: [], usage: { inputTokens: 0 } });
    expect(session.error).not.toBeNull();
    expect(isPassed(reportOf({ ...run, modelId: session.modelId }, [session]), null)).toBe(false);
  });
});

/** Says what it reads in the whole request of the resellers' code, and in the newest messages alone of the press kit. */
function forgetfulReader() {
  const think = respondWithModel(createOfflineModel());
  const find = (messages: ParsedRequest['messages'], pattern: RegExp) => ({
    text: pattern.exec(JSON.stringify(messages))?.[0] ?? 'I do not know.',
  });
  return (request: ParsedRequest, index: number) => {
    const { messages } = request;
    const asked = JSON.stringify(messages.at(-1)?.content);
    if (asked.includes('the code of our resellers')) return find(messages, /RS-\d+/);
    if (asked.includes('the press kit')) return find(messages.slice(-5), /https:\/\/press\.example\/kit-\d+\.pdf/);
    return think(request, index);
  };
}
