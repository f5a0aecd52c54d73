import { expect, it } from 'vitest';
import { EmbeddedDocuments } from '#server/site/embedded-site/documents';
import { documentFields, sectionTypes } from '#server/core/site/content';
import { NotFoundError } from '#server/core/errors';
import { sectionDefinitions } from '#sections/fields';

const documents = new EmbeddedDocuments({} as never, {} as never, { isConnected: false });

it('types are listed in one line each, with every field that the schema has', async () => {
  const { entries, sections } = await documents.types();
  expect(entries.map(({ description }) => description)).toEqual([
    'At a path of its own, below its parent. title, slug, excerpt?, author?, tags?: [text], image?, ' +
      'seo?: {title?, description?, image?, noIndex?}, parent?, sections',
    'Below /blog, newest first. title, slug, excerpt?, author?, tags?: [text], image?, ' +
      'seo?: {title?, description?, image?, noIndex?}, sections',
  ]);
  expect(sections.map(({ name }) => name)).toEqual(sectionTypes);
  for (const { name, description } of sections) {
    for (const field of Object.keys(sectionDefinitions[name as (typeof sectionTypes)[number]].fields.shape)) {
      expect(description).toContain(field);
    }
  }
});

it('a type is described field by field, from the schemas that check it', async () => {
  expect((await documents.type('page')).fields.map(({ name }) => name).toSorted()).toEqual(
    // Fields that only connected sites have are described with their entries.
    documentFields.filter((name) => name !== 'terms' && name !== 'custom').toSorted(),
  );
  expect((await documents.type('hero')).fields).toContainEqual({
    name: 'ctaHref',
    required: false,
    kind: 'link',
    hint: 'at most 2,000 characters',
  });
  expect((await documents.type('text')).fields).toContainEqual({
    name: 'body',
    required: true,
    kind: 'markdown',
    hint: 'at most 50,000 characters',
  });
  expect((await documents.type('posts-list')).fields).toContainEqual({
    name: 'count',
    required: true,
    kind: 'whole number',
    hint: '1 to 50',
  });
  await expect(documents.type('carousel')).rejects.toThrow(NotFoundError);
});
