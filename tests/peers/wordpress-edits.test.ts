import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Section, SectionType } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { ConflictError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { createWordPressClient } from '#server/wordpress/client/create-wordpress-client';
import { SeenRevisions } from '#server/core/site/write-checks/seen-revisions';
import { GuardedSite } from '#server/tools/stale-read-guard';
import { emptyWordPress, mirrorOf } from '#tests/peers/support/mirrored-site';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';
import { arbitraryBlocks } from '#tests/support/arbitrary-blocks';
import { isDeep } from '#tests/support/deep';
import { randomNumbers } from '#tests/support/random-numbers';

/** All of them in `npm run test:deep`. */
const DOCUMENTS = isDeep ? 50 : 12;
const SAVES = isDeep ? 200 : 120;

const assistant: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1' };

/** A value with one word of it replaced, wherever it stands. */
function reworded(value: JsonValue, from: string, to: string): JsonValue {
  if (typeof value === 'string') return value.replaceAll(new RegExp(String.raw`\b${from}\b`, 'g'), to);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => reworded(item, from, to));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, reworded(item, from, to)]));
}

describe.skipIf(!hasWordPress)('edits of a real WordPress', () => {
  let wordpress: WordPressServer;
  beforeAll(async () => {
    wordpress = await startWordPress();
  });
  afterAll(() => wordpress?.[Symbol.asyncDispose]());
  beforeEach(() => emptyWordPress(wordpress));

  it('of one word in generated documents change this word, and their undo gives back every byte', async () => {
    await using site = await mirrorOf(wordpress, { pull: false });
    const some = arbitraryBlocks().filter(({ words }) => words.length > 0);
    const documents = fc.sample(some, { numRuns: DOCUMENTS, ...(!isDeep && { seed: 19 }) });
    const stored = new Map<string, { readonly before: string; readonly word: string; readonly remoteId: number }>();
    for (const [nth, { raw, words }] of documents.entries()) {
      const fields = { title: `Document ${nth}`, slug: `document-${nth}`, contentRaw: raw };
      const { remoteId, contentRaw } = await site.client.entries.create('page', fields);
      stored.set(fields.title, { before: contentRaw, word: words[(nth * 7) % words.length]!, remoteId });
    }
    await site.pull();
    const { items } = await site.content.query({ type: 'page', limit: 100 });
    expect(items).toHaveLength(DOCUMENTS);
    for (const { id, title } of items) {
      const { before, word, remoteId } = stored.get(title)!;
      const now = async () => (await site.client.entries.get('page', remoteId)).contentRaw;
      const by = { ...assistant, sessionId: `ses_${remoteId}` };
      const { draft } = await site.content.get(id);
      const edits = draft.sections.flatMap(({ id: sectionId, fields }) => {
        const edited = reworded(fields, word, 'Changed') as Section['fields'];
        const isSame = JSON.stringify(edited) === JSON.stringify(fields);
        return isSame ? [] : [{ op: 'set-section' as const, sectionId, fields: edited }];
      });
      await site.content.patch(id, edits, by);
      expect.soft(await now(), title).toBe(before.replace(new RegExp(String.raw`\b${word}\b`), 'Changed'));
      await site.content.undoAll({ sessionId: by.sessionId }, { ...by, actor: 'user' });
      expect.soft(await now(), title).toBe(before);
    }
  });

  it('by two editors and the assistant, many saves of one page, overwrite nothing unsaid', async () => {
    /** A save by another user at the moment of the next write. */
    let slip: (() => Promise<void>) | null = null;
    const slippery: typeof fetch = async (input, init) => {
      const now = slip;
      if (now !== null && init?.method === 'POST' && input instanceof URL && /\/pages\/\d+$/.test(input.pathname)) {
        slip = null;
        await now();
      }
      return fetch(input, init);
    };
    await using site = await mirrorOf(wordpress, { freshForMs: 0, fetch: slippery });
    const places = Array.from({ length: 6 }, (_, place) => ({
      type: (place % 2 === 0 ? 'text' : 'quote') as SectionType,
      field: place % 2 === 0 ? 'body' : 'quote',
      first: `first${place}`,
    }));
    const sections = places.map(({ type, field, first }) => ({ type, fields: { [field]: first } }));
    const { entry } = await site.content.create({ type: 'page', title: 'Shared', sections }, assistant);
    const [head] = await site.client.entries.heads('page');
    const rawNow = async () => (await site.client.entries.get('page', head!.remoteId)).contentRaw;
    const wordsIn = (raw: string) => raw.match(/\b(?:first|ann|bob|assistant)\d+\b/g) ?? [];
    const sights = new SeenRevisions();
    const content = new GuardedSite(site.content, {
      seen: sights,
      note: (key, revision) => sights.note(key, revision),
    });
    const random = randomNumbers(200);
    const any = (count: number) => Math.floor(random() * count);

    /** The words that stand in each place, as WordPress must have them. */
    let truth = places.map(({ first }) => first);
    /** The words that the assistant has seen in each place. */
    let seen: string[] = [];
    const assistants: string[] = [];
    const tally = { ann: 0, bob: 0, assistant: 0, refused: 0, slipped: 0 };
    const read = async () => {
      const { id, draft, revision } = await site.content.get(entry.id);
      sights.note(id, revision);
      seen = draft.sections.map(({ fields }, place) => fields[places[place]!.field] as string);
    };
    let open = await rawNow();
    await read();
    for (let save = 0; save < SAVES; save += 1) {
      const place = any(places.length);
      const who = (['ann', 'bob', 'assistant'] as const)[any(3)]!;
      const word = `${who}${save}`;
      if (who === 'assistant') {
        if (random() < 0.4) await read();
        const { field } = places[place]!;
        const sectionId = entry.draft.sections[place]!.id;
        const operation = { op: 'set-section' as const, sectionId, fields: { [field]: word } };
        const there = createWordPressClient({ ...wordpress, fetch });
        const isRace = random() < 0.3;
        if (isRace) {
          slip = async () => {
            const contentRaw = (await rawNow()).replace(truth[(place + 1) % places.length]!, `carl${save}`);
            await there.entries.update('page', head!.remoteId, { contentRaw });
          };
        }
        let notes: readonly string[] = [];
        const error = await content.patch(entry.id, [operation], assistant).then(
          (written) => {
            notes = written.notes ?? [];
            return null;
          },
          (thrown: unknown) => thrown,
        );
        slip = null;
        if (error === null) {
          const told = notes.filter((text) => text.includes('in the very moment'));
          expect(told, `save ${save}`).toHaveLength(isRace ? 1 : 0);
          if (isRace) {
            const revisions = await there.entries.revisions('page', head!.remoteId, 5);
            const { contentRaw } = revisions.find(({ id }) => told[0]!.endsWith(`revision=${id}`))!;
            expect(contentRaw, 'their words are where it says').toContain(`carl${save}`);
            tally.slipped += 1;
          }
          expect(truth[place], 'what it overwrites has been seen').toBe(seen[place]);
          truth = truth.with(place, word);
          assistants.push(word);
          tally.assistant += 1;
        } else {
          expect(error).toBeInstanceOf(ConflictError);
          expect(truth[place], 'it is refused for a reason').not.toBe(seen[place]);
          expect((error as Error).message, 'and told what is there').toContain(truth[place]);
          tally.refused += 1;
        }
        seen = seen.with(place, truth[place]!);
      } else {
        // Ann loads the page before she edits it. Bob has it open for a while: WordPress takes all that he has.
        const base = who === 'ann' ? await rawNow() : open;
        const old = wordsIn(base)[place]!;
        const contentRaw = base.replace(new RegExp(String.raw`\b${old}\b`), word);
        await site.client.entries.update('page', head!.remoteId, { contentRaw });
        truth = wordsIn(contentRaw);
        tally[who] += 1;
      }
      expect(wordsIn(await rawNow()), `save ${save}`).toEqual(truth);
      if (random() < 0.3) open = await rawNow();
    }
    await site.pull();
    const journal = JSON.stringify(await site.content.changes({ targetId: entry.id, limit: 200 }));
    for (const word of assistants) expect(journal, 'every word of the assistant is in the history').toContain(word);
    expect(wordsIn(await rawNow())).toEqual(truth);
    const { slipped, ...saves } = tally;
    expect(Object.values(saves).reduce((sum, count) => sum + count)).toBe(SAVES);
    expect(slipped).toBeGreaterThan(5);
    expect(Math.min(...Object.values(saves)), JSON.stringify(tally)).toBeGreaterThan(10);
  });
});
