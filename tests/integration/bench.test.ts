import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelMessage } from 'ai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Figures, Result } from '#tests/bench/context/bench-report';
import type { Approach } from '#tests/bench/context/approach';
import { keepLast } from '#tests/bench/context/approaches/keep-last';
import { pruning } from '#tests/bench/context/approaches/prune-messages';
import { throughline } from '#tests/bench/context/approaches/throughline';
import { readTranscripts } from '#tests/bench/context/read-transcripts';
import { replay } from '#tests/bench/context/replay';
import type { Transcript } from '#tests/bench/context/transcript';
import { NO_REASON, findWorse } from '#tests/bench/context/worse';

const ROUNDS = 24;
const WINDOW = 4_000;

const FIRST = 'Round the total of invoice INV-88213 in src/billing/total.ts. Never touch src/legacy/auth.ts.';

function called(id: string, toolName: string, input: object, value: string): ModelMessage[] {
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName, output: { type: 'text', value } }] },
  ];
}

/** One write, then much reading: about 6,000 tokens. */
const messages: ModelMessage[] = [
  { role: 'user', content: FIRST },
  ...called('w', 'edit', { path: 'src/billing/total.ts' }, 'Saved as revision rev_9k2m4x.'),
  ...Array.from({ length: ROUNDS }, (_, round) =>
    called(
      `r${round}`,
      'read',
      { path: `docs/part-${round}/page.md` },
      `The kiln of part ${round} was fired ${50_000 + round} times. ${'Nothing more is told of it here. '.repeat(30)}`,
    ),
  ).flat(),
  { role: 'assistant', content: 'All is read.' },
  { role: 'user', content: 'Then go on.' },
  { role: 'assistant', content: 'Done.' },
];

let transcript: Transcript;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-test-'));
  writeFileSync(join(folder, 'sdk.json'), JSON.stringify({ source: 'written by hand', messages }));
  [transcript] = (await readTranscripts(folder)) as [Transcript];
  rmSync(folder, { recursive: true });
});

describe('a replay through a window', () => {
  const figuresOf = async (approach: Approach | undefined): Promise<{ figures: Figures; result: Result }> => {
    const result = await replay(approach!, transcript, WINDOW);
    expect(result.error).toBeNull();
    return { figures: result.figures!, result };
  };
  /** The revision, two paths and the invoice, of `edit` and the user, and the path of each reading. */
  const actedOn = 4 + ROUNDS;

  it('shows what each approach keeps and loses', async () => {
    const naive = await figuresOf(keepLast);
    expect(naive.figures).toMatchObject({
      steps: ROUNDS + 3,
      firstRequest: false,
      standingInstructions: { kept: 0, of: 1 },
      orphans: 0,
      timesOver: 0,
      modelCalls: 0,
    });
    expect(naive.figures.retained.id).toEqual({ kept: 0, of: 2 });
    expect(naive.figures.recallable.kept).toBe(0);
    expect(naive.figures.recallable.of).toBeGreaterThan(20);

    const sdk = await figuresOf(pruning);
    expect(sdk.figures).toMatchObject({ firstRequest: true, standingInstructions: { kept: 1, of: 1 }, orphans: 0 });
    expect(sdk.figures.retained.id).toEqual({ kept: 0, of: 1 });

    const own = await figuresOf(throughline.find(({ name }) => name === 'Throughline: ledger'));
    expect(own.figures).toMatchObject({
      firstRequest: true,
      standingInstructions: { kept: 1, of: 1 },
      orphans: 0,
      timesOver: 0,
      modelCalls: 0,
      latestRequest: { kept: ROUNDS + 3, of: ROUNDS + 3 },
    });
    expect(own.figures.compactions).toBeGreaterThan(0);
    expect(own.figures.compactions).toBeLessThan(naive.figures.compactions);
    expect(own.figures.knownMean).toBeGreaterThan(naive.figures.knownMean);
    expect(own.figures.tokensMean).toBeLessThan(WINDOW);
    expect(own.figures.known.of).toBe(naive.figures.known.of);
    expect(own.figures.known.kept).toBeGreaterThan(naive.figures.known.kept);
    expect(own.figures.actedOn.of).toBeLessThanOrEqual(actedOn);
    expect(own.figures.recallable).toEqual({ kept: own.figures.recallable.of, of: own.figures.recallable.of });
  });

  it('tells a figure of ours that is worse, and whether there is a reason', async () => {
    const { figures, result } = await figuresOf(pruning);
    const ours = {
      ...result,
      approach: 'Throughline: reactive-overflow',
      isOurs: true,
      figures: { ...figures, timesOver: 0, orphans: 3, modelCalls: 2 },
    };
    const peer = { ...result, figures: { ...figures, timesOver: 0 } };
    expect(
      findWorse([ours, peer]).map(({ figure, ours: own, best, why }) => [figure, own, best, why === NO_REASON]),
    ).toEqual([
      ['orphans', '3', '0', true],
      ['model calls', '2', '0', false],
    ]);
    const poor = { ...figures, timesOver: 0, known: { kept: 1, of: 100 }, knownMean: 0.1 };
    const rich = { ...poor, known: { kept: 90, of: 100 }, knownMean: 0.5, tokensAfter: figures.tokensAfter * 2 };
    expect(
      findWorse([
        { ...ours, figures: poor },
        { ...peer, figures: rich },
      ]),
    ).toMatchObject([
      { figure: 'known', why: NO_REASON },
      { figure: 'known on average', why: NO_REASON },
    ]);
    const few = { ...rich, known: { kept: 2, of: 100 }, knownMean: 0.1 };
    expect(
      findWorse([
        { ...ours, figures: poor },
        { ...peer, figures: few },
      ]),
    ).toMatchObject([{ figure: 'known', why: expect.stringContaining('A difference of one or two') }]);
    const failed = { ...ours, figures: null, error: 'no room' };
    expect(findWorse([failed, peer])).toMatchObject([{ figure: 'went through', ours: 'no room', why: NO_REASON }]);
  });

  it('names what went wrong in an approach instead of ending the run', async () => {
    const broken: Approach = { ...keepLast, open: () => Promise.reject(new Error('no such model')) };
    expect(await replay(broken, transcript, WINDOW)).toMatchObject({ figures: null, error: 'no such model' });
  });
});
