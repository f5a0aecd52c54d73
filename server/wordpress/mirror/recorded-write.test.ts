import { describe, expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createEntry, patchEntry } from '#server/site/embedded/entry-writes';
import { type RecordedWrite, recordWrite } from '#server/wordpress/mirror/recorded-write';
import { createMirrorRepository } from '#server/wordpress/store/mirror-repository';
import { createTestDatabase } from '#tests/support/test-database';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { dryRun } from '#server/site/embedded/dry-run';

const context = { origin: { actor: 'user' as const }, now: 5 };

describe('a write that was rehearsed', () => {
  it('leaves no trace, knows its first and last target, and can be repeated exactly', async () => {
    await using db = await createTestDatabase();
    const store = createMirrorRepository(db, EMBEDDED_SITE);
    const content = new EmbeddedSite(store);
    const kept = (await content.create({ type: 'page', title: 'Kept' }, context.origin)).entry;
    let record: RecordedWrite | undefined;
    const made = await dryRun(store, async (tx) => {
      const recording = recordWrite(tx);
      const { entry } = await createEntry(recording.tx, { type: 'page', title: 'New' }, context);
      await patchEntry(recording.tx, kept.id, [{ op: 'set', field: 'title', value: 'One' }], context);
      await patchEntry(recording.tx, kept.id, [{ op: 'set', field: 'title', value: 'Two' }], context);
      record = recording.record();
      return entry;
    });
    expect((await content.query({})).total).toBe(1);
    expect(await content.get(kept.id)).toEqual(kept);
    expect(record!.targets.map(({ kind, id }) => [kind, id])).toEqual([
      ['entry', made.id],
      ['entry', kept.id],
    ]);
    expect(record!.targets[0]).toMatchObject({ before: null, after: { draft: { title: 'New' } } });
    expect(record!.targets[1]).toMatchObject({ before: { draft: kept.draft }, after: { draft: { title: 'Two' } } });

    await store.write((tx) => record!.replay(tx));
    expect(await content.get('New')).toEqual(made);
    expect((await content.get(kept.id)).revision).toBe(3);
    expect((await content.changes({ targetId: kept.id })).map(({ revision }) => revision)).toEqual([3, 2, 1]);
  });
});

describe('a dry run inside a dry run', () => {
  it('ends itself alone', async () => {
    await using db = await createTestDatabase();
    const store = createMirrorRepository(db, EMBEDDED_SITE);
    const nested = { write: <T>(work: (tx: object) => Promise<T>) => dryRun(store, work) };
    expect(await dryRun(nested, async () => 'result')).toBe('result');
  });
});
