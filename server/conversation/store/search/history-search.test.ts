import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#server/core/json';
import type { NewPart } from '#server/core/conversation/parts';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { UNSPACED_SCRIPTS } from '#server/core/text/unspaced-scripts';
import type { Database } from '#server/platform/database/database';
import { createHistorySearch, type HistorySearch } from '#server/conversation/store/search/history-search';
import { createMessageRepository, type MessageRepository } from '#server/conversation/store/message-repository';
import { holdsExpression } from '#server/conversation/store/search/search-words';
import { completeTrigramIndex } from '#server/conversation/store/search/trigram-index';
import { messageParts, messages, searchBacklog } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { anyNewPart } from '#tests/support/part-arbitraries';
import { createTestDatabase } from '#tests/support/test-database';
import { isDeep } from '#tests/support/deep';
import { anyCharacter } from '#tests/support/any-character';

const text = (value: string): NewPart => ({ type: 'text', content: { text: value } });
const call = (toolName: string, input: JsonValue): NewPart => ({
  type: 'tool-call',
  content: { toolCallId: 'c', toolName, input },
});
const result = (toolName: string, output: ToolOutput): NewPart => ({
  type: 'tool-result',
  content: { toolCallId: 'c', toolName, output },
});

interface Fixture {
  readonly db: Database;
  readonly history: HistorySearch;
  readonly repository: MessageRepository;
  readonly sessionId: string;
  /** Stores one message and gives the id of its first part. */
  readonly say: (...parts: NewPart[]) => Promise<string>;
  /** Ids of the parts that a query finds. */
  readonly find: (query: string) => Promise<string[]>;
}

async function withHistory(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  const repository = createMessageRepository(db, () => 5);
  const history = createHistorySearch(db);
  const sessionId = await newSession(db);
  const say = async (...parts: NewPart[]) =>
    (await repository.append(sessionId, { role: 'assistant', parts })).parts[0]?.id ?? '';
  const find = async (query: string) => (await history.search(sessionId, query)).map(({ partId }) => partId);
  await test({ db, history, repository, sessionId, say, find });
}

async function newSession(db: Database): Promise<string> {
  return (await createSessionRepository(db).create({ ownerId: 'own_1' })).id;
}

async function indexedRows(db: Database): Promise<number> {
  const count = sql<{ n: number }>`select count(*) as n from history_search where history_search match 'text : a*'`;
  return (await db.read.all<{ n: number }>(count))[0]?.n ?? -1;
}

describe('searched content', () => {
  it('texts, tool inputs and outputs, failed ones too, with where they are', () =>
    withHistory(async ({ history, sessionId, say }) => {
      const said = await say(text('The kiln room is closed'));
      const called = await say(call('add_section', { fields: { items: [{ body: 'First line\nkiln rental' }] } }));
      const json = await say(result('get_content', { type: 'json', value: { title: 'Kiln', price: 42 } }));
      const failed = await say({
        ...result('get_content', { type: 'error-text', value: 'No kiln here' }),
        state: 'error',
      });
      const hits = await history.search(sessionId, 'kiln');
      expect(new Map(hits.map((hit) => [hit.partId, hit]))).toEqual(
        new Map(
          [
            { partId: said, seq: 1, kind: 'text', snippet: 'The kiln room is closed' },
            { partId: called, seq: 2, kind: 'tool-call', toolName: 'add_section', snippet: 'First line kiln rental' },
            { partId: json, seq: 3, kind: 'tool-result', toolName: 'get_content', snippet: 'Kiln 42' },
            { partId: failed, seq: 4, kind: 'tool-result', toolName: 'get_content', snippet: 'No kiln here' },
          ].map((hit) => [
            hit.partId,
            { ...hit, messageId: expect.any(String), role: 'assistant', turnId: null, createdAt: 5 },
          ]),
        ),
      );
    }));

  it('not reasoning, names of JSON fields, inlined files, or what search and recall gave back', () =>
    withHistory(async ({ say, find }) => {
      await say(
        { type: 'reasoning', content: { text: 'kiln' } },
        { type: 'file', content: { mediaType: 'image/png', url: 'data:image/png;base64,kiln' } },
        call('create_content', { kiln: 'oven', image: 'data:image/png;base64,kiln' }),
        result('fetch', { type: 'content', value: [{ type: 'media', data: 'kiln', mediaType: 'image/png' }] }),
        call('search_history', { query: 'kiln' }),
        result('recall_output', { type: 'json', value: { text: 'kiln' } }),
      );
      expect(await find('kiln')).toEqual([]);
    }));

  it('not what results say of themselves each time', () =>
    withHistory(async ({ say, find }) => {
      const value = { looked: 'words in titles of the drafts', hits: [{ title: 'Kiln', statusMeans: 'newer edits' }] };
      const found = await say(result('search_content', { type: 'json', value }));
      expect([await find('drafts'), await find('newer edits'), await find('kiln')]).toEqual([[], [], [found]]);
    }));

  it('words of messages, even if many results contain the same words', () =>
    withHistory(async ({ say, find }) => {
      const said = await say(text('Throw the drafts about 釉薬 away'), text('x'.repeat(2_000)));
      const value = { looked: 'drafts, 釉薬', hits: [] };
      for (let index = 0; index < 60; index += 1) await say(result('search_content', { type: 'json', value }));
      for (const query of ['drafts', 'drafts unknown', '釉薬']) expect(await find(query), query).toEqual([said]);
    }));

  it('the words of mixed content and of a denial', () =>
    withHistory(async ({ say, find }) => {
      const mixed = await say(result('fetch', { type: 'content', value: [{ type: 'text', text: 'stoneware' }] }));
      const denied = await say(result('delete_content', { type: 'execution-denied', reason: 'Keep the porcelain' }));
      expect(await find('stoneware')).toEqual([mixed]);
      expect(await find('porcelain')).toEqual([denied]);
    }));

  it('a streamed text once it is settled, then its newest content only', () =>
    withHistory(async ({ repository, say, find }) => {
      const id = await say({ ...text(''), state: 'running' });
      await repository.updatePart(id, { content: { text: 'wood ash' } });
      expect(await find('ash')).toEqual([]);
      await repository.updatePart(id, { content: { text: 'wood ash and iron' }, state: 'completed' });
      expect(await find('iron')).toEqual([id]);
      await repository.updatePart(id, { content: { text: 'feldspar' } });
      expect([await find('iron'), await find('feldspar')]).toEqual([[], [id]]);
    }));

  it('text cleared from the view', () =>
    withHistory(async ({ db, say, find }) => {
      const id = await say(result('get_content', { type: 'text', value: 'glaze recipe' }));
      await db.write((tx) => tx.update(messageParts).set({ compactedAt: 9, tokens: 1 }).where(eq(messageParts.id, id)));
      expect(await find('recipe')).toEqual([id]);
    }));

  it('nothing of other sessions, and nothing is left of a deleted one', () =>
    withHistory(async ({ db, history, sessionId, say }) => {
      await say(text('apron'), call('x', { a: 'apron' }));
      const other = await newSession(db);
      expect(await history.search(other, 'apron')).toEqual([]);
      expect(await indexedRows(db)).toBe(2);
      await createSessionRepository(db).delete(sessionId);
      expect(await indexedRows(db)).toBe(0);
      expect(await db.read.all(sql`select * from searchable_parts`)).toEqual([]);
    }));
});

describe('queries', () => {
  it('rank hits with all words before hits with some', () =>
    withHistory(async ({ say, find }) => {
      const one = await say(text('pricing pricing pricing'));
      const both = await say(text('a long text about many things, the pricing of them, and at last the opening hours'));
      expect(await find('pricing hours')).toEqual([both, one]);
    }));

  it('find by a rare word what is older than thousands that have a frequent one', () =>
    withHistory(async ({ history, repository, sessionId, say, find }) => {
      const both = await say(text('the kiln by the quillwort bed, with a long story about what grows there and why'));
      const rare = await say(text('quillwort'));
      const frequent = { role: 'user', parts: [text('the kiln')] } as const;
      await repository.appendMany(
        sessionId,
        Array.from({ length: 2_500 }, () => frequent),
      );
      expect(await find('quillwort')).toEqual([rare, both]);
      expect((await find('kiln quillwort')).slice(0, 2)).toEqual([both, rare]);
      expect((await find('kiln quillwort sundial')).slice(0, 2).toSorted()).toEqual([both, rare].toSorted());
      expect(await history.search(sessionId, 'kiln', { limit: 50 })).toHaveLength(50);
    }));

  it('find words by their beginning, without case and accents', () =>
    withHistory(async ({ say, find }) => {
      const id = await say(text('Publiés au CAFÉ'));
      for (const query of ['publie', 'cafe', 'Café', 'cafe\u0301']) expect(await find(query)).toEqual([id]);
      expect(await find('afe')).toEqual([]);
    }));

  it('take joined words as one: slugs, ids, addresses', () =>
    withHistory(async ({ say, find }) => {
      const slug = await say(text('see /pricing-page or sec_k7m2p9'));
      await say(text('a page without pricing'));
      expect(await find('pricing-page')).toEqual([slug]);
      expect(await find('"sec_k7m2p9"')).toEqual([slug]);
    }));

  it('find clauses in scripts without spaces by some of their words, the most of them first', () =>
    withHistory(async ({ say, find }) => {
      const price = await say(text('日曜日の講座の料金を三千五百円にしました'));
      const day = await say(text('日曜日は休みです'));
      await say(text('新しいページを公開しました'));
      expect(await find('日曜日の料金はいくらですか')).toEqual([price, day]);
      expect(await find('料金 写真')).toEqual([price]);
      expect(await find('ราคา')).toEqual([]);
    }));

  it('find English words by their stem, and words of other languages only as they begin', () =>
    withHistory(async ({ say, find }) => {
      const painted = await say(text('I painted the studio'));
      const stories = await say(text('Two stories about running'));
      const preise = await say(text('Die Preise der Kurse'));
      for (const query of ['painting', 'paints', 'PAINT']) expect(await find(query), query).toEqual([painted]);
      for (const query of ['story', 'run']) expect(await find(query), query).toEqual([stories]);
      expect(await find('Preis')).toEqual([preise]);
      expect(await find('Kursen')).toEqual([]);
    }));

  it('put a word itself before longer ones that begin with it', () =>
    withHistory(async ({ say, find }) => {
      const art = await say(text('about art, and what else there is to be seen in the rooms'));
      const article = await say(text('an article'));
      expect(await find('art sundial')).toEqual([art, article]);
    }));

  it('put the newest of several values first, even if older ones are shorter or many', () =>
    withHistory(async ({ history, sessionId, say }) => {
      for (let price = 1; price <= 30; price += 1) await say(text(`The bag of glaze is ${price} euro`));
      const newest = await say(
        text('One more thing, about the bag of glaze: after all that was said it is 45 euro now'),
      );
      expect((await history.search(sessionId, 'bag glaze euro', { limit: 3 }))[0]?.partId).toBe(newest);
      expect((await history.search(sessionId, 'bag glaze euro paper', { limit: 3 }))[0]?.partId).toBe(newest);
    }));

  it('are bounded by their limit', () =>
    withHistory(async ({ history, sessionId, say }) => {
      await say(...Array.from({ length: 60 }, (_, index) => text(`shelf ${index}`)));
      expect(await history.search(sessionId, 'shelf')).toHaveLength(10);
      expect(await history.search(sessionId, 'shelf', { limit: 3 })).toHaveLength(3);
      expect(await history.search(sessionId, 'shelf', { limit: 1e9 })).toHaveLength(50);
    }));

  it('never fail, for any text', () =>
    withHistory(async ({ history, sessionId, say }) => {
      await say(text('pricing page'));
      const syntax = [
        '"',
        '*',
        'NEAR(',
        'AND',
        'OR',
        'NOT',
        '^a',
        'text:',
        'a-b',
        "'",
        ';--',
        '{a}',
        '\u0000',
        '\ud800',
      ];
      const hostile = [
        '',
        ' ',
        'x'.repeat(100_000),
        ' '.repeat(200_000),
        '価'.repeat(100_000),
        'a '.repeat(50_000),
        '🚀',
      ];
      for (const query of [...syntax, ...hostile]) await history.search(sessionId, query);
      const query = fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 60 }),
        fc.array(fc.oneof(fc.constantFrom(...syntax, ' '), fc.string({ unit: 'grapheme' }))).map((all) => all.join('')),
      );
      await fc.assert(
        fc.asyncProperty(query, async (any) => {
          for (const hit of await history.search(sessionId, any)) expect(hit.snippet).toBe('pricing page');
        }),
        { numRuns: isDeep ? 500 : 150 },
      );
    }));
});

describe('snippets', () => {
  it('show the words together, on one line, within 200 characters', () =>
    withHistory(async ({ history, sessionId, say }) => {
      const filler = 'clay and\n water '.repeat(500);
      await say(text(`${filler} pricing ${filler} the new\n\npricing  of kilns ${filler}`));
      const [hit] = await history.search(sessionId, 'pricing kilns');
      expect(hit?.snippet).toMatch(/^….*the new pricing of kilns.*…$/);
      expect(hit?.snippet.length).toBeLessThanOrEqual(200);
    }));

  it('count a word and its forms once', () =>
    withHistory(async ({ history, sessionId, say }) => {
      const filler = 'clay and water '.repeat(50);
      await say(text(`${filler} painted, painting, paints ${filler} paint of Monday ${filler}`));
      const [hit] = await history.search(sessionId, 'paint monday');
      expect(hit?.snippet).toContain('paint of Monday');
    }));

  it('hold the word that was asked for, wherever it is', () =>
    withHistory(async ({ db, history, repository }) => {
      const words = fc.array(fc.stringMatching(/^[a-zäöüéñ]{1,12}$/), { minLength: 1, maxLength: 200 });
      const fold = (value: string) => value.normalize('NFD').replace(/\p{M}/gu, '');
      await fc.assert(
        fc.asyncProperty(words, fc.nat(), async (list, pick) => {
          const word = list[pick % list.length] ?? '';
          const sessionId = await newSession(db);
          await repository.append(sessionId, { role: 'user', parts: [text(list.join(' '))] });
          const [hit] = await history.search(sessionId, word);
          expect(fold(hit?.snippet ?? '')).toContain(fold(word));
          expect(hit?.snippet.length).toBeLessThanOrEqual(200);
        }),
        { numRuns: 60 },
      );
    }));
});

describe('readPart', () => {
  it('returns texts, inputs and outputs exactly, for any content, and nothing else', () =>
    withHistory(async ({ db, history, sessionId, say }) => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: anyCharacter }), anyNewPart, async (any, part) => {
          expect(await history.readPart(sessionId, await say(text(any)))).toBe(any);
          await say(part);
        }),
        { numRuns: 100 },
      );
      const called = await say(call('add_section', { b: [1, 'x'] }));
      expect(await history.readPart(sessionId, called)).toBe('{"b":[1,"x"]}');
      const output = await say(result('get', { type: 'json', value: ['x'] }));
      expect(await history.readPart(sessionId, output)).toBe('["x"]');
      const thought = await say({ type: 'reasoning', content: { text: 'hm' } });
      expect(await history.readPart(sessionId, thought)).toBeNull();
      expect(await history.readPart(await newSession(db), called)).toBeNull();
      expect(await history.readPart(sessionId, 'prt_unknown')).toBeNull();
    }));

  it('reads messages from before parts existed', () =>
    withHistory(async ({ db, history, sessionId }) => {
      const row = { sessionId, role: 'user', status: 'complete', content: '"plain text"', createdAt: 7 } as const;
      await db.write((tx) => tx.insert(messages).values({ ...row, id: 'msg_old', seq: 1 }));
      expect(await history.readPart(sessionId, 'msg_old.0')).toBe('plain text');
      expect(await history.readPart(sessionId, 'msg_old.1')).toBeNull();
      expect(await history.readPart(await newSession(db), 'msg_old.0')).toBeNull();
    }));
});

describe('imagesOf', () => {
  it('names the images of an output or of the user, in their session only', () =>
    withHistory(async ({ db, history, sessionId, say }) => {
      const image = { mediaType: 'image/png', filename: 'plan.png', url: '@blob:blb_1' };
      const found = [{ fileId: 'blb_1', filename: 'plan.png', mediaType: 'image/png' }];
      const pieces = [
        { type: 'text', text: 'A plan' },
        { type: 'file', ...image },
        { type: 'file', url: 'https://a.example/x.png' },
      ];
      const output = await say(result('draw', { type: 'content', value: pieces }));
      const attached = await say({ type: 'file', content: image });
      expect(await history.imagesOf(sessionId, output)).toEqual(found);
      expect(await history.imagesOf(sessionId, attached)).toEqual(found);
      expect(await history.readPart(sessionId, output)).toContain('A plan\n\n[Image: plan.png]');
      const others = [
        await say(text('@blob:blb_1')),
        await say({ type: 'file', content: { ...image, mediaType: 'text/plain' } }),
        await say({ type: 'file', content: { ...image, url: 'https://a.example/x.png' } }),
        'prt_unknown',
      ];
      for (const id of others) expect(await history.imagesOf(sessionId, id)).toEqual([]);
      expect(await history.imagesOf(await newSession(db), output)).toEqual([]);
    }));
});

describe('the index of trigrams', () => {
  /** Marks all rows as missing in the index. */
  const loseIndex = (db: Database) =>
    db.write(async (tx) => {
      await tx.run(sql`delete from history_search_trigrams`);
      await tx.run(sql`insert into history_search_backlog (id, until_row) select 1, max(id) from searchable_parts`);
    });

  it('finds texts in scripts without spaces while they are added to it, and afterwards', () =>
    withHistory(async ({ db, history, repository, sessionId, say }) => {
      const said = Array.from({ length: 600 }, (_, index) => (index % 100 === 0 ? `釉薬の値段は${index}円` : 'clay'));
      await repository.appendMany(
        sessionId,
        said.map((words) => ({ role: 'user' as const, parts: [text(words)] })),
      );
      await loseIndex(db);
      const found = async () => (await history.search(sessionId, '釉薬の値段')).map(({ snippet }) => snippet);
      const all = [500, 400, 300, 200, 100, 0].map((price) => `釉薬の値段は${price}円`);
      expect(await found()).toEqual(all);
      // Stops after its first batch.
      const stop = new AbortController();
      const onFault = (_: string, error?: unknown) => expect.unreachable(String(error));
      const interrupted = completeTrigramIndex(db, { signal: stop.signal, onFault });
      stop.abort();
      await interrupted;
      const backlog = await db.read.select().from(searchBacklog);
      expect(backlog[0]?.untilRow).toBeLessThan(600);
      expect(await found()).toEqual(all);
      await say(text('釉薬の値段は900円'));
      await completeTrigramIndex(db, { onFault });
      expect(await db.read.select().from(searchBacklog)).toEqual([]);
      expect(await found()).toEqual(['釉薬の値段は900円', ...all]);
    }));

  it('reads the rows of one session', () =>
    withHistory(async ({ db, repository, sessionId, say }) => {
      await say(text('釉薬の値段'));
      const other = await newSession(db);
      await repository.append(other, { role: 'user', parts: [text('釉薬の値段'), text('釉薬の色')] });
      const rowsOf = (session: string | null) =>
        db.read.all(sql`
          select rowid from history_search_trigrams
          where history_search_trigrams match ${holdsExpression(session, '釉薬の')}`);
      expect(await rowsOf(sessionId)).toHaveLength(1);
      expect(await rowsOf(other)).toHaveLength(2);
      expect(await rowsOf(null)).toHaveLength(3);
    }));

  it('holds every character of scripts without spaces', () =>
    withHistory(async ({ db, repository, sessionId }) => {
      const isUnspaced = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
      const all = Array.from({ length: 0x110000 }, (_, point) => point)
        .filter((point) => isUnspaced.test(String.fromCodePoint(point)))
        .filter((point, index, points) => points[index - 1] !== point - 1 || points[index + 1] !== point + 1);
      const parts = all.map((point) => text(`ab${String.fromCodePoint(point)}`));
      await repository.append(sessionId, { role: 'user', parts });
      const missing = await db.read.all(sql`
        select text from part_texts where part_id not in (select part_id from unspaced_part_texts)`);
      expect(missing).toEqual([]);
    }));

  it('is completed after a failure, and reports it once', () =>
    withHistory(async ({ db, history, sessionId, say }) => {
      const said = await say(text('釉薬の値段'));
      await loseIndex(db);
      await db.write((tx) =>
        tx.run(sql`
          create trigger fails before delete on history_search_backlog begin select raise(abort, 'disk full'); end`),
      );
      const failures: unknown[] = [];
      const completed = completeTrigramIndex(db, { onFault: (_, error) => failures.push(error), retryMs: 1 });
      await expect.poll(() => failures.length).toBe(1);
      await db.write((tx) => tx.run(sql`drop trigger fails`));
      await completed;
      expect(failures).toHaveLength(1);
      expect(await db.read.select().from(searchBacklog)).toEqual([]);
      expect((await history.search(sessionId, '釉薬の')).map(({ partId }) => partId)).toEqual([said]);
    }));
});
