import { describe, expect, it } from 'vitest';
import { changesSince } from '#server/context/compose-summary';
import type { LedgerEntry, Thing } from '#server/core/conversation/compactions';
import { text } from '#tests/support/arbitrary-history';
import { TestSession } from '#tests/support/test-session';
import { counted, engineWith, requestFor, siteWith, summarizerOf, TOLD } from '#tests/support/small-engine';
import { pageChange } from '#tests/support/summary-facts';

const turn = (words: string, tokens: number) =>
  counted([
    { role: 'user', parts: [text(words)] },
    { role: 'assistant', parts: [text('talk '.repeat(tokens))] },
  ]);

describe('a narrative that was prepared', () => {
  it('survives edits of the site: the record is built at its use and names later changes', async () => {
    let time = 1_000;
    const store = new TestSession(() => (time += 1));
    let journal: LedgerEntry[] = [];
    let things: Thing[] = [{ kind: 'page', id: 'pag_k7m2p9', title: 'Rye', path: '/rye', state: 'draft' }];
    let calls = 0;
    const summarizer = summarizerOf(() => {
      calls += 1;
      return Promise.resolve(TOLD);
    });
    const engine = engineWith({}, () => time);
    const site = siteWith(
      () => journal,
      () => things,
    );
    const request = { ...requestFor(store, summarizer), site };
    store.appendMany(turn('Mach eine Seite für Roggen.', 3_000));
    journal = [pageChange({ at: time })];
    for (let index = 0; index < 3; index += 1) store.appendMany(turn(`Request ${index}`, 2_000));
    await engine.prepareSummary(request);
    expect(calls).toBe(1);

    journal = [{ ...journal[0]!, undone: true }];
    things = [{ ...things[0]!, state: 'deleted' }];
    store.appendMany([...turn('Weiter.', 2_500), ...turn('Noch etwas.', 100)]);
    const { messages, compaction } = await engine.prepare(request);

    expect(compaction).toMatchObject({ wasPrepared: true });
    expect(calls).toBe(1);
    const sent = messages.flatMap(({ content }) => content.map((part) => ('text' in part ? part.text : ''))).join('\n');
    expect(sent).toContain('Pages and posts were made');
    expect(sent).toContain('- pag_k7m2p9: (undone since) Created the page "Rye"');
    expect(sent).toContain('page "Rye" (pag_k7m2p9, deleted)');
    expect(sent).toContain('Changed since this was told: "Rye" (pag_k7m2p9).');
  });

  it('excludes changes after the end of its transcript, even those before the request', async () => {
    let time = 1_000;
    const store = new TestSession(() => (time += 1));
    const journal: LedgerEntry[] = [];
    const engine = engineWith({}, () => time);
    const asked = requestFor(
      store,
      summarizerOf(() => Promise.resolve(TOLD)),
    );
    const request = { ...asked, site: siteWith(() => journal) };
    store.appendMany(turn('Mach eine Seite für Roggen.', 5_000));
    journal.push(pageChange({ at: time }));
    store.appendMany([...turn('Noch eine.', 2_000), ...turn('Und eine.', 2_000)]);
    journal.push(pageChange({ id: 'pag_2', at: time }));
    await engine.prepareSummary(request);
    store.appendMany([...turn('Weiter.', 2_500), ...turn('Noch etwas.', 100)]);
    const { messages, compaction } = await engine.prepare(request);
    expect(compaction).toMatchObject({ wasPrepared: true });
    expect(JSON.stringify(messages)).toContain(String.raw`Changed since this was told: \"Rye\" (pag_2).`);
  });
});

describe('changes since then', () => {
  const then = [pageChange({ at: 5 }), pageChange({ id: 'pag_2', at: 6, undone: true })];

  it.each([
    ['nothing', then, []],
    ['a later change', [...then, pageChange({ id: 'pag_3', at: 7 })], ['pag_3']],
    ['a change behind what was told', [...then, pageChange({ id: 'pag_4', at: 12 })], ['pag_4']],
    ['an undo that left no change of its own', [{ ...then[0]!, undone: true }, then[1]!], ['pag_k7m2p9']],
  ])('is %s', (_, now, names) => {
    expect(changesSince(then, 10)(now).map(({ id }) => id)).toEqual(names);
  });
});
