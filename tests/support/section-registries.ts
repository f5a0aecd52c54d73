import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatted } from '#scripts/lib/tests/formatted';
import { z } from 'zod';
import type { SectionDefinition } from '#server/core/sections/section-definition';

/** A folder of `sections`. */
export interface SectionFolder {
  readonly type: string;
  /** Name of the type in code: `callToAction`. */
  readonly name: string;
  readonly definition: SectionDefinition;
}

const HEADER = `/*
 * Written by \`npx vitest run sections -u\` from the folders of the kinds; the test fails when a kind is missing.
 */
`;

async function readKind(folder: string, type: string): Promise<SectionFolder> {
  const name = type.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const exported = (await import(join(folder, type, 'fields.ts'))) as Record<string, SectionDefinition>;
  const definition = exported[name];
  if (definition === undefined) throw new Error(`sections/${type}/fields.ts exports no "${name}".`);
  return { type, name, definition };
}

/** The kinds of sections below a folder, in their order. */
export async function readSectionFolders(folder: string): Promise<readonly SectionFolder[]> {
  const types = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const kinds = await Promise.all(types.map(({ name }) => readKind(folder, name)));
  return kinds.toSorted((one, other) => one.definition.order - other.definition.order);
}

/** What a registry lists. */
interface Registry {
  readonly purpose: string;
  /** File of each kind that it imports, without its extension. */
  readonly file: string;
  readonly exported: string;
  /** End of the names that these files export: `heroView`. */
  readonly suffix: string;
}

/** A module that exports an object with one entry for each kind. */
function registry(kinds: readonly SectionFolder[], { purpose, file, exported, suffix }: Registry): string {
  const imports = kinds.map(({ type, name }) => `import { ${name}${suffix} } from '#sections/${type}/${file}';`);
  const entries = kinds.map(({ type, name }) => (type === name + suffix ? `${type},` : `'${type}': ${name}${suffix},`));
  return `${HEADER}${imports.join('\n')}\n\n/** ${purpose} */\nexport const ${exported} = {\n${entries.join('\n')}\n};\n`;
}

/** What screens need of the kinds without loading their fields. */
function kindsText(kinds: readonly SectionFolder[]): string {
  const sketches = kinds.map(({ type, definition }) => `'${type}': ${JSON.stringify(definition.sketch)},`);
  const layouts = kinds.map(({ type, definition }) => `'${type}': ${JSON.stringify(layoutsOf(definition))},`);
  const pictures = `/** Small picture of every kind. */\nexport const sketches = {\n${sketches.join('\n')}\n} as const;\n`;
  return `${HEADER}${pictures}\n/** Layouts of every kind besides its default one. */\nexport const layouts = {\n${layouts.join('\n')}\n} as const;\n`;
}

function layoutsOf({ fields }: SectionDefinition): readonly unknown[] {
  const layout = z.toJSONSchema(fields).properties?.['layout'];
  return typeof layout === 'object' ? (layout.enum ?? []) : [];
}

/** The text of a registry, by its name in the folder of the kinds. */
export const sectionRegistries: Readonly<Record<string, (kinds: readonly SectionFolder[], folder: string) => string>> =
  {
    'fields.ts': (kinds) =>
      registry(kinds, {
        purpose: 'The kinds of sections.',
        file: 'fields',
        exported: 'sectionDefinitions',
        suffix: '',
      }),
    'views.ts': (kinds) =>
      registry(kinds, {
        purpose: 'How the kinds are shown on the site.',
        file: 'view',
        exported: 'sectionViews',
        suffix: 'View',
      }),
    'blocks.ts': (kinds) =>
      registry(kinds, {
        purpose: 'The kinds as WordPress blocks.',
        file: 'blocks',
        exported: 'sectionBlocks',
        suffix: 'Blocks',
      }),
    'kinds.ts': kindsText,
    'styles.css': (kinds, folder) => {
      const files = kinds.map(({ type }) => `./${type}/styles.css`).filter((file) => existsSync(join(folder, file)));
      return `${HEADER}${files.map((file) => `@import '${file}';`).join('\n')}\n`;
    },
  };

/** A registry as it has to be, formatted. */
export async function registryText(name: string, kinds: readonly SectionFolder[], folder: string): Promise<string> {
  const path = join(folder, name);
  const text = sectionRegistries[name]?.(kinds, folder) ?? '';
  return formatted(path, text);
}
