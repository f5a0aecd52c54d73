import { expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { partsOf, Site } from '#server/site/site';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { Entry, EntryMark } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import { removalConsequences } from '#server/tools/effects';
import { createContent, deleteContent, publishContent, unpublishContent } from '#server/tools/entry-tools';
import { setNavigation } from '#server/tools/menu-tools';
import { addSection } from '#server/tools/section-tools';
import { itWithDatabase } from '#tests/support/test-database';
import { uncodedText } from '#server/core/message-data';

it.each([
  [0, []],
  [1, [{ code: 'subpages', params: { count: 1 }, text: 'It has 1 subpage.' }]],
  [2, [{ code: 'subpages', params: { count: 2 }, text: 'It has 2 subpages.' }]],
])('warns of %i subpages of a page that visitors would no longer find', async (count, warnings) => {
  const references = Array.from({ length: count }, () => ({ kind: 'child' }));
  const content = { referencesTo: () => Promise.resolve(references) } as unknown as ContentBackend;
  const entry = { id: 'pag_1', type: 'page' } as Entry;
  const gone = await removalConsequences(content, entry);
  expect(gone.references).toEqual(references);
  expect(gone.warnings).toEqual(warnings);
});

const user: ChangeOrigin = { actor: 'user' };

/** A page with what a connected site says of it. */
async function pageWith(db: Database, marks: readonly EntryMark[]) {
  const store = createContentRepository(db);
  const content = new EmbeddedSite(store);
  const { entry } = await content.create({ type: 'page', title: 'Board' }, user);
  await store.write((tx) => tx.saveEntry({ ...entry, marks }));
  return { content, id: entry.id };
}

itWithDatabase(
  'publishing what is private asks in these words, and takes the mark away until it is undone',
  async ({ db }) => {
    const { content, id } = await pageWith(db, ['private', 'sticky']);
    const asked = await publishContent.effect?.(
      { ref: 'Board' },
      {
        content,
        origin: user,
      },
    );
    expect(asked?.summary).toBe('"Board" is private now: publishing shows it to everybody, at /board.');
    const { entry, change } = await content.publish(id, user);
    expect(entry.marks).toEqual(['sticky']);
    await content.undo(change?.id, user);
    expect((await content.get(id)).marks).toEqual(['private', 'sticky']);
  },
);

itWithDatabase('whoever is asked about the home page is told what becomes of /', async ({ db }) => {
  const content = new EmbeddedSite(createContentRepository(db));
  const context = { content, origin: user };
  const { entry } = await content.create({ type: 'page', title: 'Home' }, user);
  await content.publish(entry.id, user);
  await content.patch(entry.id, [{ op: 'set', field: 'slug', value: 'start' }], user);
  const asked = await publishContent.effect?.({ ref: entry.id }, context);
  expect(asked).toMatchObject({ summary: 'Puts the changes of "Home" on the site, at /.' });
  expect(asked?.warnings.join()).not.toContain('address');
  const warnings = ['"Home" is the home page: while it is off the site, visitors find nothing at /.'];
  expect(await unpublishContent.effect?.({ ref: entry.id }, context)).toMatchObject({
    summary: 'Takes "Home" off the site. Its draft stays.',
    warnings,
  });
  expect(await deleteContent.effect?.({ ref: entry.id }, context)).toMatchObject({
    summary: 'Moves "Home" to the trash.',
    warnings,
  });
});

itWithDatabase('an approval and a result name the HTML elements that the site removes', async ({ db }) => {
  const { content } = await pageWith(db, []);
  const embedded = '<p>Find us</p><iframe src="https://maps.example/embed"></iframe>';
  const note = 'The site removes <iframe> from this HTML: visitors do not see it. Use a link instead.';
  const add = (html: string) => ({ ref: 'Board', type: 'html' as const, fields: { html } });
  const context = { content, origin: user };
  expect((await addSection.effect?.(add(embedded), context))?.warnings).toEqual([note]);
  expect((await addSection.effect?.(add('<p>Plain</p>'), context))?.warnings).toEqual([]);
  const page = { type: 'page', title: 'Map', sections: [{ type: 'html', fields: { html: embedded } }] };
  expect((await createContent.effect?.(createContent.input.parse(page), context))?.warnings).toEqual([note]);

  expect(await addSection.execute(add(embedded), context as never)).toMatchObject({ siteNotes: [note] });
  expect((await publishContent.effect?.({ ref: 'Board' }, context))?.warnings).toContain(note);
});

itWithDatabase('what a site and its check both say of a publication is asked about once', async ({ db }) => {
  const { content } = await pageWith(db, []);
  const message = 'Somebody changed the published text.';
  const warned = Object.assign(new Site(() => partsOf(content)), {
    cautions: () => Promise.resolve([uncodedText(message)]),
    validate: () => Promise.resolve([{ path: 'published', severity: 'warning' as const, message }]),
  });
  const asked = await publishContent.effect?.({ ref: 'Board' }, { content: warned, origin: user });
  expect(asked?.warnings).toEqual([message]);
});

itWithDatabase('a menu item that cannot be is refused before anybody is asked, with its field', async ({ db }) => {
  const content = new EmbeddedSite(createContentRepository(db));
  await content.setNavigation([{ label: 'Home', href: '/' }], user);
  const asked = (input: object) => setNavigation.effect?.(setNavigation.input.parse(input), { content, origin: user });
  const item = 'So it is of the item "Yard Bakery".';
  await expect(asked({ op: 'add', fields: { label: 'Yard Bakery', url: '/yard' } })).rejects.toThrow(
    `Invalid input: href is missing; it takes no "url", but label, href, children. ${item}`,
  );
  const bare = { label: 'Yard Bakery', href: 'yard-bakery' };
  await expect(asked({ op: 'add', fields: bare })).rejects.toThrow(`Invalid input: href must start with /`);
  await expect(asked({ op: 'change', item: 'Home', fields: { href: null } })).rejects.toThrow('href is missing');
  await expect(asked({ op: 'change', item: 'Home', fields: { name: 'Start' } })).rejects.toThrow('takes no "name"');
  expect(await asked({ op: 'add', fields: { ...bare, href: '/yard' } })).toMatchObject({
    changes: [{ kind: 'added' }],
  });
});

itWithDatabase('what needs a password is published, and nobody is shown it here', async ({ db }) => {
  const { content, id } = await pageWith(db, ['password']);
  const { entry } = await content.publish(id, user);
  expect([entry.status, entry.marks]).toEqual(['published', ['password']]);
  expect((await content.query({ state: 'published' })).items).toEqual([]);
  expect(await content.findByPath('/board', 'published')).toBeNull();
  expect(await content.findByPath('/board', 'draft')).toMatchObject({ kind: 'entry' });
  expect((await content.query({ status: 'published' })).items).toMatchObject([{ id, marks: ['password'] }]);
});

itWithDatabase('who is asked for a menu is told which new items lead visitors nowhere', async ({ db }) => {
  const { content } = await pageWith(db, []);
  await content.setNavigation([{ label: 'Old', href: '/old' }], user);
  const step = { op: 'add', fields: { label: 'Board', href: '/board' } } as const;
  const asked = await setNavigation.effect?.(step, { content, origin: user });
  expect(asked?.warnings).toEqual(['Board (/board) leads visitors nowhere: "Board" is a draft.']);
  // Additions are listed before removals, each in one piece, so that all of it is visible before the decision.
  const items = ['A', 'B', 'C', 'D', 'E'].map((label) => ({ label, href: `/${label}` }));
  const replaced = await setNavigation.effect?.({ items }, { content, origin: user });
  expect(replaced?.changes).toEqual([
    { field: 'menu', kind: 'added', before: null, after: ['A (/A)', 'B (/B)', 'C (/C)', 'D (/D)', 'E (/E)'] },
    { field: 'menu', kind: 'removed', before: ['Old (/old)'], after: null },
  ]);
});
