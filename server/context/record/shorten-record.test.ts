import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTurns } from '#server/context/record/record';
import { type RecordBounds, writeRecord } from '#server/context/record/shorten-record';
import { countTokens } from '#server/context/tokens';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { pageChange } from '#tests/support/summary-facts';
import { isDeep } from '#tests/support/deep';

/** What one request does. */
interface Work {
  readonly words: string;
  readonly changes?: readonly Partial<LedgerEntry>[];
  readonly reads?: string;
}

async function turnsOf(work: readonly Work[]) {
  const journal: LedgerEntry[] = [];
  const messages = storedMessages(
    work.flatMap(({ words: said, changes = [], reads }, n) => [
      { role: 'user' as const, parts: [text(said)] },
      {
        role: 'assistant' as const,
        parts: [
          ...(reads === undefined ? [] : [call(`r${n}`, 'get_content', { ref: reads })]),
          ...changes.map((change, at) => {
            journal.push(pageChange({ at: n * 100 + at, toolCallId: `c${n}_${at}`, ...change }));
            return call(`c${n}_${at}`, 'update_section', { text: said.split('\n').at(-1)! });
          }),
        ],
      },
      { role: 'tool' as const, parts: changes.map((_, at) => result(`c${n}_${at}`, 'done', 'update_section')) },
    ]),
  );
  return readTurns(messages, journal, { readingTools: new Set(['get_content']) });
}

async function recordOf(work: readonly Work[], tokens: number, words = tokens): Promise<string> {
  return writeRecord(await turnsOf(work), boundsOf(tokens, words));
}

const boundsOf = (tokens: number, words: number): RecordBounds => ({
  tokens,
  words,
  message: 600,
  inView: new Set(),
  unfolded: new Set(),
  hasRecall: true,
  count: (said) => countTokens(said),
});

const price = (before: string, after: string): Partial<LedgerEntry> => ({
  id: 'pag_prices',
  title: 'Prices',
  action: 'update',
  summary: 'Changed the price list',
  values: [{ field: 'text', before, after }],
});
const LETTER = `Dear readers, ${'the oven was built by our grandfather and bakes every loaf. '.repeat(15)}Yours, the bakers.`;
const day: readonly Work[] = [
  { words: 'Build a site.' },
  { words: `Put this on the page:\n${LETTER}`, changes: [{ id: 'pag_letter', title: 'Letter' }] },
  { words: 'Bread is 3 now.', changes: [price('bread 2, cake 8', 'bread 3, cake 8')] },
  { words: 'Look at the start page.', reads: 'pag_start' },
  { words: 'Cake is 9.', changes: [price('bread 3, cake 8', 'bread 3, cake 9')] },
  { words: 'Bread is 4.', changes: [price('bread 3, cake 9', 'bread 4, cake 9')] },
  { words: `Keep this letter for later:\n${LETTER.replaceAll('oven', 'mill')}` },
];

describe('a record that does not fit', () => {
  it('is shortened in the order of its layers', async () => {
    const isIn = {
      reads: /get_content/,
      replaced: /"bread 2, cake …" to "bread 3/,
      placed:
        /oven was built by our grandfather and bakes every loaf\. the oven was built by our grandfather and bakes every loaf\. the oven was built by our grandfather and bakes every loaf\. the oven was built by our grandfather and bakes every loaf/,
      letter: /(?:the mill was built by our grandfather and bakes every loaf\. ){5}/,
      words: /Bread is 3 now/,
      outcomes: /pag_letter/,
    };
    const order: string[] = [];
    for (let tokens = 700; tokens > 100; tokens -= 5) {
      const record = await recordOf(day, tokens, 60);
      for (const [name, pattern] of Object.entries(isIn))
        if (!pattern.test(record) && !order.includes(name)) order.push(name);
    }
    expect(order).toEqual(['reads', 'replaced', 'placed', 'letter', 'words']);
  });

  it('keeps the first and last words of a long text with a way to read it', async () => {
    expect(await recordOf(day, 380)).toMatch(
      /2: Put this on the page:\s+Dear readers, .+ characters left out, recall_output id: prt_3_0 .+ Yours, the bakers\./,
    );
  });

  it('keeps all words of a message with an unconfirmed preference when newer words fold', async () => {
    const works = [
      'Begin.',
      'No discounts. Not even in May.',
      ...Array.from({ length: 40 }, (_, n) => `Look at page ${n}.`),
    ];
    const turns = await turnsOf(works.map((words) => ({ words })));
    const bounds = boundsOf(120, 100);
    expect(writeRecord(turns, bounds)).not.toContain('Not even in May.');
    const record = writeRecord(turns, { ...bounds, unfolded: new Set([turns[1]!.request!.id]) });
    expect(record).toContain('2: No discounts. Not even in May.\n');
    expect(record).not.toContain('Look at page 5.');
    expect(countTokens(record)).toBeLessThanOrEqual(130);
  });

  it('leaves tokens for the words of other turns beside many unconfirmed preferences', async () => {
    const proposal = (n: number) => `Always do this on page ${n}: ${'please '.repeat(180)}End of ${n}.`;
    const works = Array.from({ length: 6 }, (_, n) => [`Look at page ${n}.`, proposal(n)]).flat();
    const turns = await turnsOf(['Begin.', ...works].map((words) => ({ words })));
    const proposed = turns.flatMap(({ request }, n) => (n > 0 && n % 2 === 0 ? [request!.id] : []));
    const record = writeRecord(turns, { ...boundsOf(1_000, 900), unfolded: new Set(proposed) });
    expect(record).toContain(proposal(5));
    for (let n = 0; n < 6; n += 1) {
      expect(record).toContain(`Look at page ${n}.`);
      expect(record).toContain(`End of ${n}.`);
    }
    expect(countTokens(record)).toBeLessThanOrEqual(1_000);
  });

  it('names what was done to a thing in its order, and the turn of a line whose words are folded', async () => {
    const works = ['create', 'publish', 'delete'].map((action): Work => ({
      words: 'please '.repeat(90),
      changes: [{ action, summary: `${action} of the page` }],
    }));
    const record = await recordOf([{ words: 'Begin.' }, ...works], 90, 10);
    expect(record).toContain('- created, published: pag_k7m2p9 ');
    expect(record).toMatch(/\n4:\n- pag_k7m2p9: delete of the page \(rye\)$/);
  });

  it('names older things by their titles alone before it only counts them', async () => {
    const turns = Array.from({ length: 24 }, (_, n): Work => ({
      words: 'please '.repeat(20),
      changes: ['create', 'update', 'publish'].slice(0, 1 + (n % 3)).map((action) => ({
        id: `pag_a1b2c${n}`,
        title: `Guide ${n}`,
        action,
        summary: `${action} of the page`,
      })),
    }));
    const record = await recordOf([{ words: 'Begin.' }, ...turns], 480, 60);
    expect(record).toMatch(/- created, published: "Guide 2", "Guide 5", "Guide 8"/);
    expect(record).toContain('pag_a1b2c23');
    expect(record).not.toContain('earlier ones');
    expect(record.indexOf('(folded here: ')).toBeLessThan(record.indexOf('"Guide 2"'));
    expect(countTokens(record)).toBeLessThanOrEqual(490);
  });

  it('keeps the list that a short request chose from before what was changed in detail', async () => {
    const asked = storedMessages([
      { role: 'user', parts: [text('Begin.')] },
      { role: 'user', parts: [text('Name two titles.')] },
      { role: 'assistant', parts: [text('Here:\n1. Boats at the weir\n2. Let it drift')] },
      { role: 'user', parts: [text('The second.')] },
      { role: 'assistant', parts: [call('c1', 'update_content', { title: 'Let it drift' })] },
      { role: 'tool', parts: [result('c1', 'done', 'update_content')] },
    ]);
    const changes = Array.from({ length: 9 }, (_, n) =>
      pageChange({ id: `pag_a1b2c${n}`, toolCallId: 'c1', summary: 'Changed the title. '.repeat(20) }),
    );
    const record = writeRecord(await readTurns(asked, changes), boundsOf(350, 40));
    expect(record).toContain('- asked at the end: 1. Boats at the weir 2. Let it drift');
    expect(record.match(/^- .*Changed the title/gm)?.length ?? 0).toBeLessThan(9);
  });

  it('takes a value for replaced only if what it added is gone', async () => {
    const turns = await turnsOf(day);
    const standing = turns.flatMap(({ lines }) => lines.filter(({ head }) => head.startsWith('pag_prices')));
    expect(standing.map(({ current }) => current)).toEqual([
      '',
      '- pag_prices: Changed the price list (text from "… cake 8" to "… cake 9")',
      '- pag_prices: Changed the price list (text from "bread 3, cake …" to "bread 4, cake …")',
    ]);
  });

  it('states every outcome in a line of its own, in the group of its thing or in a count', async () => {
    const anyWork = fc.array(
      fc.record({
        page: fc.integer({ min: 0, max: 15 }),
        action: fc.constantFrom('create', 'update', 'publish', 'delete', 'undo'),
        undone: fc.boolean(),
        length: fc.integer({ min: 1, max: 80 }),
      }),
      { minLength: 1, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(anyWork, fc.integer({ min: 120, max: 2_000 }), async (work, tokens) => {
        const turns = work.map(({ page, action, undone, length }): Work => ({
          words: 'please '.repeat(length),
          changes: [
            { id: `pag_${page}x`, title: `Page ${page}`, action, undone, summary: `${action} of page ${page}` },
          ],
        }));
        const record = await recordOf(turns, tokens);
        const ids = new Set(work.map(({ page }) => `pag_${page}x`));
        const titleOf = (id: string) => `"Page ${/\d+/.exec(id)?.[0]}"`;
        const missing = [...ids].filter((id) => !record.includes(id) && !record.includes(titleOf(id))).length;
        const counted = Number(/^- (\d+) earlier ones/m.exec(record)?.[1] ?? 0);
        expect(missing).toBeLessThanOrEqual(counted);
        expect(countTokens(record)).toBeLessThanOrEqual(tokens + 10);
      }),
      { numRuns: isDeep ? 100 : 50 },
    );
  });
});
