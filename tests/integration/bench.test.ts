import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Figures, Result } from '#tests/bench/context/bench-report';
import { importMessages } from '#server/conversation/import/import-messages';
import type { Approach } from '#tests/bench/context/approach';
import { keepLast } from '#tests/bench/context/approaches/keep-last';
import { pruning } from '#tests/bench/context/approaches/prune-messages';
import { throughline } from '#tests/bench/context/approaches/throughline';
import { isThere } from '#tests/bench/context/watch-steps';
import { findNeedles } from '#tests/bench/context/needles';
import { readTranscripts } from '#tests/bench/context/read-transcripts';
import { recallQuery } from '#tests/bench/context/recall-query';
import { replay } from '#tests/bench/context/replay';
import { scriptedSummary } from '#tests/bench/context/scripted-summarizer';
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

const openAI = [
  { role: 'user', content: FIRST },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'w', type: 'function', function: { name: 'edit', arguments: '{"path":"src/billing/total.ts"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'w', content: 'Saved as revision rev_9k2m4x.' },
];

let folder: string;
let transcripts: readonly Transcript[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-bench-test-'));
  const imported = await importMessages(messages);
  const exported = imported.messages.map((message, seq) => ({ ...message, seq }));
  writeFileSync(join(folder, 'exported.json'), JSON.stringify({ messages: exported }));
  writeFileSync(join(folder, 'openai.json'), JSON.stringify(openAI));
  writeFileSync(join(folder, 'sdk.json'), JSON.stringify({ source: 'written by hand', messages }));
  transcripts = await readTranscripts(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('reading transcripts', () => {
  it('reads the three formats as the same messages', () => {
    expect(transcripts.map(({ name, from }) => [name, from])).toEqual([
      ['exported', 'exported.json'],
      ['openai', 'openai.json'],
      ['sdk', 'written by hand'],
    ]);
    const [exported, openai, sdk] = transcripts.map((transcript) => transcript.messages);
    expect(sdk).toHaveLength(messages.length);
    expect(sdk?.slice(1, -3)).toEqual(messages.slice(1, -3));
    expect(exported).toEqual(sdk);
    expect(openai).toEqual(sdk?.slice(0, 3));
  });

  it('names the file that it cannot read', async () => {
    const other = join(folder, 'other');
    await expect(readTranscripts(other)).rejects.toThrow(`There is no folder ${other}`);
    mkdirSync(other);
    writeFileSync(join(other, 'odd.json'), JSON.stringify({ messages: [{ role: 'judge', content: 'Hi' }] }));
    await expect(readTranscripts(other)).rejects.toThrow(/odd\.json cannot be read: Message 1 is neither/);
    writeFileSync(join(other, 'odd.json'), '[{"role": "user", "content": "Hi"}]');
    await expect(readTranscripts(other)).rejects.toThrow(
      /odd\.json cannot be read: It holds no answer of an assistant/,
    );
    writeFileSync(join(other, 'odd.json'), '{"messages": 7}');
    await expect(readTranscripts(other)).rejects.toThrow(/odd\.json cannot be read: It holds no list of messages\./);
  });
});

it('recognises ids, numbers, paths and urls by their form, from any author', () => {
  const text =
    'See https://example.org/a/7?x=1. Order ORD-2291 and/or 9f86d08 of pag_k7m2p9 costs 1,250.50, 3 in src/a.ts or b.json, version 2 of #4312.';
  expect(findNeedles(text).map(({ kind, text: needle }) => `${kind} ${needle}`)).toEqual([
    'url https://example.org/a/7?x=1',
    'path src/a.ts',
    'path b.json',
    'id 9f86d08',
    'id ORD-2291',
    'id pag_k7m2p9',
    'id #4312',
    'number 1,250.50',
  ]);
});

it('asks for what is lost by the words around it, and not by itself', () => {
  const text = 'First line.\nThe kiln was fired 50017 times in spring.\nLast line.';
  expect(recallQuery(text, '50017')).toBe('The kiln was fired times in spring');
  const twice = 'See https://example.org/a/7 for mugs; once more: https://example.org/a/7 for cups.';
  expect(recallQuery(twice, 'https://example.org/a/7')).toBe('See for mugs once more for cups');
});

it('takes a short request for itself only, not for a part of another word', () => {
  expect(isThere(['/mode'], 'Switch with /mode.')).toBe(true);
  expect(isThere(['/mode'], 'It is in src/models/list.ts')).toBe(false);
  expect(isThere(['/mode'], 'It is in src/models/list.ts\n/mode')).toBe(true);
});

it('summarizes the same for everybody, in the form that is asked for', () => {
  const plain = scriptedSummary(
    `Summarize.\n<messages>\nHuman: Build the shop.\nAI: I built a page for mugs.\n</messages>`,
  );
  expect(plain).toBe('Build the shop.\nI built a page for mugs.\nBuild the shop.');
  const call = '{"type":"tool_call","id":"call_1","name":"read","args":{"path":"docs/kiln.md"}}';
  expect(scriptedSummary(`<messages>\nHuman: Build the shop.\nAI: [${call}]\n</messages>`)).toContain(
    'calls read {"path":"docs/kiln.md"}',
  );
  const asked =
    '<transcript>\n<user>\nBuild the shop.\n</user>\n<assistant>\nI built a page for mugs.\n</assistant>\n</transcript>';
  const sections = scriptedSummary(`${asked} ### What Was Accomplished`);
  expect(sections).toContain('### What Was Accomplished\n- I built a page for mugs.');
});

describe('a replay through a window', () => {
  const figuresOf = async (approach: Approach | undefined): Promise<{ figures: Figures; result: Result }> => {
    const result = await replay(approach!, transcripts[2]!, WINDOW);
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
    expect(await replay(broken, transcripts[2]!, WINDOW)).toMatchObject({ figures: null, error: 'no such model' });
  });
});
