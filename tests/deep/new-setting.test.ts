import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProductCopy } from '#tests/deep/support/product-copy';
import type { SettingReference } from '#server/core/admin/settings-report';

/** Texts for people, which every setting has in each language. */
const isText = (path: string) => path.startsWith('messages/');

const product = new ProductCopy('new-setting');
afterAll(() => product[Symbol.dispose]());

describe('a new setting', () => {
  beforeAll(() => {
    // As a developer would add it: the definition, and the place that uses it.
    product.replace(
      'server/context/settings/setting-definitions.ts',
      '    toolDefinitionsLimit: ',
      `    toolDefinitionsShare: fraction('TOOL_DEFINITIONS_SHARE', 'of the window', 0.1, [0.01, 0.5], 'percent'),
    toolDefinitionsLimit: `,
    );
    product.replace(
      'server/conversation/step/toolboxes.ts',
      'Math.floor(usable * MAX_SHARE)',
      'Math.floor(usable * this.#settings.current().toolDefinitionsShare)',
    );
    product.replace('server/conversation/step/toolboxes.ts', 'const MAX_SHARE = 0.1;', '');
    for (const language of ['en', 'de']) {
      product.replace(
        `messages/${language}.json`,
        '"labels": {',
        '"labels": { "toolDefinitionsShare": "Share of definitions",',
      );
      product.replace(
        `messages/${language}.json`,
        '"keywords": {',
        '"keywords": { "toolDefinitionsShare": "MCP percent",',
      );
      product.replace(
        `messages/${language}.json`,
        '"setting": {',
        '"setting": { "toolDefinitionsShare": "Largest part of a model that the definitions may take.",',
      );
    }
  });

  it('touches at most two files of the product besides texts', () => {
    expect(product.changedFiles().filter((path) => !isText(path))).toEqual([
      'server/context/settings/setting-definitions.ts',
      'server/conversation/step/toolboxes.ts',
    ]);
  });

  it('compiles', async () => {
    expect(await product.typeErrors()).toEqual([]);
  });

  it('is in the report of the API with its unit, its limits and its default', async () => {
    const { settingsReference, defaultSettings } = (await product.load(
      'server/context/settings/context-settings.ts',
    )) as { settingsReference: () => SettingReference[]; defaultSettings: Readonly<Record<string, unknown>> };
    const reference = settingsReference();
    expect(reference.find(({ name }) => name === 'toolDefinitionsShare')).toMatchObject({
      group: 'definitions',
      variable: 'TOOL_DEFINITIONS_SHARE',
      input: { kind: 'number', min: 0.01, max: 0.5, displayUnit: 'percent' },
    });

    const { SettingsGroup } = (await product.load('components/settings/form/settings-group.tsx')) as {
      SettingsGroup: FunctionComponent<Readonly<Record<string, unknown>>>;
    };
    const sources = Object.fromEntries(reference.map(({ name }) => [name, 'default']));
    const report = { values: defaultSettings, base: defaultSettings, sources, reference, tools: [] };
    const draft = { changed: [], problems: {}, valueOf: (name: string) => defaultSettings[name] };
    const page = renderToStaticMarkup(createElement(SettingsGroup, { group: 'definitions', report, draft }));
    expect(page).toContain('Share of definitions');
    expect(page).toContain('Range 1 to 50 % of the window · default 10 %');
    expect(/<input[^>]*id="[^"]*-field"[^>]*>/.exec(page.slice(page.indexOf('Share of definitions')))?.[0]).toMatch(
      /type="number".*max="50".*step="1".*value="10"/,
    );
  });
});
