import { describe, expect, it } from 'vitest';
import { instructions } from '#prompts/prompts';
import { definitionTokens } from '#server/conversation/step/tool-budget';
import { type ExternalTool, Toolboxes } from '#server/conversation/step/toolboxes';
import { createBudget } from '#server/context/budget';
import { defaultSettings } from '#server/context/settings/context-settings';
import { countTokens } from '#server/context/tokens';
import { alwaysOffered, frequentTools, tools } from '#server/tools/index';
import type { Toolbox, ToolContext } from '#server/tools/tool';
import { loadedTools } from '#tests/support/loaded-tools';

const INSTRUCTIONS = countTokens(instructions);
const usableIn = (contextWindow: number) =>
  createBudget({ contextWindow, maxOutputTokens: 8_192 }, defaultSettings, 0).usable;

/** The toolboxes of a server without tool servers. */
function ownToolboxes(taken = INSTRUCTIONS) {
  const stored = new Map<string, readonly string[]>();
  const external: readonly ExternalTool[] = [];
  const catalog = {
    own: () => tools,
    external: () => external,
    always: alwaysOffered,
    frequent: frequentTools,
    instructionTokens: () => taken,
  };
  const settings = { ...defaultSettings, exemptTools: new Set<string>() };
  return new Toolboxes(catalog, loadedTools(stored), { current: () => settings });
}

const namesOf = (toolbox: Toolbox) => toolbox.tools.map(({ name }) => name).filter((name) => name !== 'load_tools');

const load = (toolboxes: Toolboxes, usable: number, names: readonly string[]) =>
  toolboxes
    .of('s', usable)
    .find('load_tools')!
    .execute({ names }, { origin: { sessionId: 's' } } as unknown as ToolContext);

it.each([8_000, 16_000, 20_000, 32_000, 200_000])(
  'instructions and tools take at most 3,500 tokens and a fifth of a window of %i',
  (window) => {
    const usable = usableIn(window);
    const toolbox = ownToolboxes().of('s', usable);
    const fixed = INSTRUCTIONS + countTokens(toolbox.schemaText);
    expect(fixed).toBeLessThanOrEqual(Math.min(3_500, usable * 0.2));
    const names = toolbox.tools.map(({ name }) => name);
    for (const name of [...alwaysOffered, 'update_section', 'recall_output', 'describe_sections'])
      expect(names).toContain(name);
    const loader = toolbox.tools.find(({ name }) => name === 'load_tools');
    const rest = tools.filter(({ name }) => !names.includes(name));
    expect(loader === undefined).toBe(rest.length === 0);
    for (const { name } of rest) expect(loader?.description).toContain(name);
  },
);

it('a window of 32,000 has all of our tools', () => {
  expect(ownToolboxes().of('s', usableIn(32_000)).tools).toEqual(tools);
});

it('each of our tools can be loaded in a window of 8,000, replacing others', async () => {
  const toolboxes = ownToolboxes();
  const usable = usableIn(8_000);
  for (const { name } of tools) {
    expect(await load(toolboxes, usable, [name])).toMatchObject({ loaded: [name] });
    const toolbox = toolboxes.of('s', usable);
    expect(namesOf(toolbox)).toEqual(expect.arrayContaining([name, ...alwaysOffered]));
    expect(INSTRUCTIONS + countTokens(toolbox.schemaText)).toBeLessThanOrEqual(usable * 0.2);
  }
});

describe('in a window of 8,000', () => {
  const usable = usableIn(8_000);

  it('reports which named tools are offered, which did not fit, and which were replaced', async () => {
    const toolboxes = ownToolboxes();
    for (const asked of [
      ['create_content', 'describe_sections', 'add_section'],
      ['search_content', 'edit_text', 'get_content', 'update_content', 'update_section'],
      ['list_content'],
      ['create_content', 'edit_text', 'set_navigation'],
      ['undo', 'publish_content'],
    ]) {
      const before = namesOf(toolboxes.of('s', usable));
      const told = (await load(toolboxes, usable, asked)) as Record<string, string[]>;
      const { loaded = [], didNotFit = [], putAway = [] } = told;
      const after = namesOf(toolboxes.of('s', usable));
      expect(loaded.toSorted()).toEqual(asked.filter((name) => after.includes(name)).toSorted());
      expect([...loaded, ...didNotFit].toSorted()).toEqual(asked.toSorted());
      expect('note' in told).toBe(didNotFit.length + putAway.length > 0);
      expect(putAway).toEqual(before.filter((name) => !after.includes(name) && !asked.includes(name)));
      expect(after.filter((name) => !before.includes(name) && !asked.includes(name))).toEqual([]);
      expect(after).toEqual(expect.arrayContaining([...alwaysOffered]));
    }
  });

  it('unloads the least recently used tool, and using a tool leaves the definitions unchanged', async () => {
    const toolboxes = ownToolboxes();
    const begun = toolboxes.of('s', usable);
    await toolboxes.noteUse('s', ['describe_sections', 'undo']);
    await toolboxes.noteUse('s', ['recall_output']);
    expect(toolboxes.of('s', usable) === begun).toBe(true);
    const told = (await load(toolboxes, usable, ['publish_content'])) as Record<string, string[]>;
    expect(told['putAway']).toEqual(['update_section']);
    expect(namesOf(toolboxes.of('s', usable))).toContain('recall_output');
  });

  it('lets a large tool go once it was used up', async () => {
    const toolboxes = ownToolboxes();
    await load(toolboxes, usable, ['create_content']);
    await load(toolboxes, usable, ['remove_section']);
    await toolboxes.noteUse('s', ['remove_section']);
    await load(toolboxes, usable, ['update_section', 'search_content']);
    const offered = namesOf(toolboxes.of('s', usable));
    expect(offered).toEqual(expect.arrayContaining(['update_section', 'search_content', 'remove_section']));
    expect(offered).not.toContain('create_content');
  });
});

it('each of them can be loaded in a window of 8,000 however much a site instructs', async () => {
  const usable = usableIn(8_000);
  for (const { name } of tools) {
    const toolboxes = ownToolboxes(INSTRUCTIONS + 600);
    await load(toolboxes, usable, ['list_content']);
    expect(await load(toolboxes, usable, [name])).toMatchObject({ loaded: [name] });
    await toolboxes.noteUse('s', ['get_content']);
    expect(namesOf(toolboxes.of('s', usable))).toContain(name);
  }
});

it('keeps some tools where the instructions of a site take all the room', () => {
  const { tools: offered } = ownToolboxes(4_000).of('s', usableIn(8_000));
  expect(offered.map(({ name }) => name)).toContain('get_content');
  expect(offered.reduce((sum, tool) => sum + definitionTokens(tool), 0)).toBeLessThanOrEqual(usableIn(8_000) * 0.1);
});

it('ranks tools that there are, each once', () => {
  const ranked = [...alwaysOffered, ...frequentTools];
  expect(new Set(ranked).size).toBe(ranked.length);
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(ranked));
});
