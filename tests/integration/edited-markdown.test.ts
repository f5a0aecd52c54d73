import { readFileSync } from 'node:fs';
import { EditorState } from 'prosemirror-state';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from '#components/editor/rich-text/read-markdown.ts';
import { schema } from '#components/editor/rich-text/schema.ts';
import { writeMarkdown } from '#components/editor/rich-text/write-markdown.ts';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { EMBEDDED_SITE, type Section } from '#server/core/site/content';
import { Imports } from '#server/import-export/imports';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import { createImportRepository } from '#server/import-export/import-repository';
import { createLeases } from '#server/platform/database/leases';
import { createTestDatabase } from '#tests/support/test-database';
import { readLongTranscript } from '#tests/support/transcripts';

function bodies(sections: readonly Pick<Section, 'type' | 'fields'>[]): string[] {
  return sections.flatMap(({ fields: { body } }) => (typeof body === 'string' ? [body] : []));
}

/** Texts of an imported site. */
async function importedTexts(): Promise<string[]> {
  await using database = await createTestDatabase();
  const fetchPicture = () => Promise.reject(new Error('No picture was asked for.'));
  const content = new EmbeddedSite(createContentRepository(database), { preparePicture, fetchPicture });
  const imports = new Imports({
    store: createImportRepository(database),
    leases: createLeases(database),
    sites: () => Promise.resolve([{ id: EMBEDDED_SITE, name: 'Clay', url: null, content }]),
    onFault: (message) => expect.fail(message),
  });
  const data = new TextEncoder().encode(
    readFileSync('tests/fixtures/wxr/odd-site.xml', 'utf8').replaceAll('{{FUTURE}}', '2030-05-01 08:00:00'),
  );
  const options = { pictures: false, settings: false };
  const run = await imports.start({ data, filename: 'site.xml', userId: 'own_local', options });
  await imports.finished(run.id);
  const lists = await Promise.all((['page', 'post'] as const).map((type) => content.query({ type, limit: 100 })));
  const entries = await Promise.all(lists.flatMap(({ items }) => items).map(({ id }) => content.get(id)));
  return entries.flatMap(({ draft }) => bodies(draft.sections));
}

type Demo = Readonly<Record<'pages' | 'posts' | 'drafts', readonly { readonly sections: readonly Section[] }[]>>;
const demo = JSON.parse(readFileSync('scripts/seed-content/site.json', 'utf8')) as Demo;
const seeded = [...demo.pages, ...demo.posts, ...demo.drafts].flatMap(({ sections }) => bodies(sections));

/** Texts of a real conversation, which models wrote. */
function messageTexts(): string[] {
  const parts = readLongTranscript().messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return parts.flatMap((part: { type?: string; text?: string }) => (part.type === 'text' ? (part.text ?? '') : []));
}

/**
 * Types a word after the first paragraph.
 * @returns the text, and its part that must be unchanged
 */
function edited(markdown: string) {
  const read = readMarkdown(markdown);
  const index = read.doc.children.findIndex(({ type }) => type === schema.nodes.paragraph);
  const block = read.blocks[index];
  if (block === undefined) return null;
  let end = 0;
  for (const child of read.doc.children.slice(0, index + 1)) end += child.nodeSize;
  const state = EditorState.create({ doc: read.doc });
  const others = (from: number, to?: number) => read.blocks.slice(from, to).map(({ text, after }) => text + after);
  return {
    text: writeMarkdown(read, state.apply(state.tr.insertText(' Word', end - 1)).doc),
    before: read.before + others(0, index).join(''),
    after: block.after + others(index + 1).join(''),
  };
}

describe.each([
  ['imported', await importedTexts(), 5],
  ['of the demo site', seeded, 10],
  ['of assistants', messageTexts(), 100],
])('texts %s', (_, texts, atLeast) => {
  it('are returned to the character if nothing was edited', () => {
    expect(texts.length).toBeGreaterThan(atLeast);
    for (const text of texts) {
      const read = readMarkdown(text);
      expect(writeMarkdown(read, read.doc)).toBe(text);
    }
  });

  it('change in the paragraph alone that was edited', () => {
    let count = 0;
    for (const text of texts) {
      const result = edited(text);
      if (result === null) continue;
      count += 1;
      expect(result.text.startsWith(result.before)).toBe(true);
      expect(result.text.endsWith(result.after)).toBe(true);
      expect(result.text.slice(result.before.length, result.text.length - result.after.length)).toMatch(/ Word[`*_]*$/);
    }
    expect(count).toBeGreaterThan(texts.length / 2);
  });
});
