import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSectionFolders, registryText, sectionRegistries } from '#tests/support/section-registries';

const root = join(import.meta.dirname, '..', '..');
mkdirSync(join(root, '.cache'), { recursive: true });
const copy = mkdtempSync(join(root, '.cache', 'new-section-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** A kind of section with a new field, as a developer would add it. */
const FILES = {
  'sections/notice/fields.ts': `import { z } from 'zod';
import { heading } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { requiredProse } from '#server/core/text/safe-text';

export const notice = defineSection({
  order: 65,
  fields: z.strictObject({ heading, warning: requiredProse(500) }),
  purpose: 'Something to know.',
  defaults: { heading: 'Please note', warning: 'Closed' },
  spoken: { labels: { heading: 'heading', warning: 'warning' }, main: 'warning' },
  sketch: ['title', 'box'],
});
`,
  'sections/notice/view.tsx': `import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

function Content({ fields: { heading, warning }, mark }: SectionProps<'notice'>) {
  return (
    <aside>
      <SectionHeading heading={heading} mark={mark} />
      <p {...mark('warning', 'prose')}>{warning}</p>
    </aside>
  );
}

export const noticeView: SectionDisplay<'notice'> = { Content };
`,
  'sections/notice/styles.css': `.site-section-notice {
  border: 1px solid var(--site-rule);
}
`,
  'sections/notice/blocks.ts': `import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, prose } from '#server/wordpress/blocks/text-blocks';

export const noticeBlocks: SectionMapping<'notice'> = {
  write: ({ heading, warning }) => [...headings(heading), ...prose(warning)],
  read: (reader) => present({ heading: reader.heading('h2'), warning: reader.prose() }),
};
`,
};

/** Folders of the product. */
const FOLDERS = ['app', 'components', 'messages', 'prompts', 'sections', 'server'];

/** Messages of the kind, by language. */
const MESSAGES = {
  en: {
    name: 'Notice',
    purpose: 'Something that visitors have to know.',
    fields: { warning: { label: 'Warning' } },
  },
  de: { name: 'Hinweis', purpose: 'Was Besucher wissen müssen.', fields: { warning: { label: 'Warnung' } } },
};

/** Adds the messages of the kind; without `fields`, the texts of its new field are missing. */
function writeMessages({ withFields }: { readonly withFields: boolean }): void {
  for (const [language, { fields, ...names }] of Object.entries(MESSAGES)) {
    const path = `messages/${language}.json`;
    const messages = JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, object>;
    const notice = { ...names, ...(withFields && { fields }) };
    write(path, JSON.stringify({ ...messages, sectionKinds: { ...messages['sectionKinds'], notice } }));
  }
}

/** SHA-256 of the files of the product, by path. */
function productFiles(): Map<string, string> {
  const paths = globSync(`{${FOLDERS.join(',')}}/**/*`, { cwd: copy }).filter((path) =>
    statSync(join(copy, path)).isFile(),
  );
  return new Map(
    paths.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(copy, path)))
        .digest('hex'),
    ]),
  );
}

/** Texts, and files that a test writes. */
const isCounted = (path: string) =>
  !path.startsWith('messages/') && !Object.keys(sectionRegistries).some((name) => path === `sections/${name}`);

/** Errors of the type check of the product, one per line. */
function typeErrors(): Promise<string[]> {
  const tsc = join(root, 'node_modules/.bin/tsc');
  return new Promise((resolve) => {
    execFile(tsc, ['-p', copy, '--pretty', 'false'], { cwd: copy, maxBuffer: 64_000_000 }, (_, stdout) =>
      resolve(stdout.split('\n').filter((line) => line.includes('error TS'))),
    );
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

async function writeRegistries(): Promise<void> {
  const folder = join(copy, 'sections');
  const kinds = await readSectionFolders(folder);
  for (const name of Object.keys(sectionRegistries)) write(`sections/${name}`, await registryText(name, kinds, folder));
}

describe('a new kind of section', () => {
  let changed: string[] = [];

  beforeAll(async () => {
    for (const folder of FOLDERS) cpSync(join(root, folder), join(copy, folder), { recursive: true });
    for (const name of ['node_modules', 'examples']) symlinkSync(join(root, name), join(copy, name));
    for (const name of ['package.json', '.oxfmtrc.json', 'next-env.d.ts'])
      cpSync(join(root, name), join(copy, name), { force: true });
    const project = {
      extends: '../../tsconfig.json',
      compilerOptions: { incremental: false, plugins: [] },
      include: FOLDERS.flatMap((name) => [`${name}/**/*.ts`, `${name}/**/*.tsx`]),
      exclude: ['node_modules', 'examples', '**/*.test.ts', '**/*.test.tsx'],
    };
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(project));

    const before = productFiles();
    for (const [path, text] of Object.entries(FILES)) write(path, text);
    writeMessages({ withFields: true });
    await writeRegistries();
    changed = [...productFiles()].filter(([path, hash]) => before.get(path) !== hash).map(([path]) => path);
  });

  it('touches at most four files of the product besides texts and generated files', () => {
    expect(changed.filter(isCounted).toSorted()).toEqual([
      'sections/notice/blocks.ts',
      'sections/notice/fields.ts',
      'sections/notice/styles.css',
      'sections/notice/view.tsx',
    ]);
  });

  it('compiles, and does not compile without a label for its own field', async () => {
    expect(await typeErrors()).toEqual([]);
    writeMessages({ withFields: false });
    const errors = await typeErrors();
    writeMessages({ withFields: true });
    expect(errors.join('\n')).toContain('components/editor/model/field-labels.ts');
  });

  it('is checked, shown, and written to WordPress and read again', async () => {
    const load = (path: string) => import(join(copy, path)) as Promise<Record<string, never>>;
    const { newSectionFields } = (await load('server/site/section-types.ts')) as unknown as {
      newSectionFields: (type: string, fields: object) => object;
    };
    const fields = newSectionFields('notice', { warning: 'Closed on Monday' });
    expect(fields).toEqual({ heading: 'Please note', warning: 'Closed on Monday' });

    const section = { id: 'sec_n', type: 'notice', fields };
    const { SectionView } = (await load('components/content/section-view.tsx')) as unknown as {
      SectionView: FunctionComponent<Readonly<Record<string, unknown>>>;
    };
    const site = { root: '/site', posts: [], pictures: {}, forms: null, entryId: '', contactEmail: '' };
    const shown = renderToStaticMarkup(createElement(SectionView, { section, site, loadsFirst: false }));
    expect(shown).toContain('<p>Closed on Monday</p>');

    const { writeSection } = (await load('server/wordpress/blocks/section-blocks.ts')) as unknown as {
      writeSection: (section: object, context: object) => string;
    };
    const { readBlocks } = (await load('server/wordpress/blocks/read-segments.ts')) as unknown as {
      readBlocks: (raw: string, context: object) => object[];
    };
    const { plainContext } = (await load('server/wordpress/blocks/block-context.ts')) as unknown as {
      plainContext: object;
    };
    const raw = writeSection(section, plainContext);
    expect(readBlocks(raw, plainContext)).toMatchObject([{ type: 'notice', fields }]);
  });
});
