import { expect, it } from 'vitest';
import { instructions } from '#prompts/prompts';
import { definitionTokens } from '#server/agent/tool-room';
import { toolSchemaText, Toolboxes } from '#server/agent/toolboxes';
import { createBudget } from '#server/context/budget';
import { defaultSettings } from '#server/context/settings/context-settings';
import { countTokens } from '#server/context/tokens';
import { mostUsed, tools } from '#server/tools/index';
import type { ToolContext } from '#server/tools/tool';

const INSTRUCTIONS = countTokens(instructions);
const usableIn = (contextWindow: number) =>
  createBudget({ contextWindow, maxOutputTokens: 8_192 }, defaultSettings, 0).usable;

/** The toolboxes of a server without tool servers. */
function ownToolboxes(taken = INSTRUCTIONS) {
  const stored = new Map<string, readonly string[]>();
  return new Toolboxes({
    own: tools,
    mostUsed,
    instructions: () => taken,
    external: () => [],
    settings: () => defaultSettings,
    loaded: {
      read: (id) => Promise.resolve(stored.get(id) ?? []),
      update: (id, decide) => {
        stored.set(id, decide(stored.get(id) ?? []));
        return Promise.resolve(stored.get(id)!);
      },
    },
  });
}

const load = (toolboxes: Toolboxes, usable: number, names: readonly string[]) =>
  toolboxes
    .of('s', usable)
    .find('load_tools')!
    .execute({ names }, { origin: { sessionId: 's' } } as unknown as ToolContext);

it.each([8_000, 16_000, 20_000, 32_000, 200_000])(
  'instructions and tools take at most 3,500 tokens and a fifth of what is usable in a window of %i',
  (window) => {
    const usable = usableIn(window);
    const toolbox = ownToolboxes().of('s', usable);
    const fixed = INSTRUCTIONS + countTokens(toolSchemaText(toolbox));
    expect(fixed).toBeLessThanOrEqual(Math.min(3_500, usable * 0.2));
    const names = toolbox.tools.map(({ name }) => name);
    for (const name of ['get_content', 'list_content', 'update_section', 'ask_user', 'recall_output'])
      expect(names).toContain(name);
    // Whatever is not offered is named.
    const loader = toolbox.tools.find(({ name }) => name === 'load_tools');
    const rest = tools.filter(({ name }) => !names.includes(name));
    expect(loader === undefined).toBe(rest.length === 0);
    for (const { name } of rest) expect(loader?.description).toContain(name);
  },
);

it('a window of 32,000 has all of our tools', () => {
  expect(ownToolboxes().of('s', usableIn(32_000)).tools).toEqual(tools);
});

it('each of our tools can be loaded in a window of 8,000, in the place of those that are used least', async () => {
  const toolboxes = ownToolboxes();
  const usable = usableIn(8_000);
  for (const { name } of tools) {
    await load(toolboxes, usable, [name]);
    const toolbox = toolboxes.of('s', usable);
    expect(toolbox.tools.map((tool) => tool.name)).toContain(name);
    expect(INSTRUCTIONS + countTokens(toolSchemaText(toolbox))).toBeLessThanOrEqual(usable * 0.2);
  }
});

it('keeps some tools where the instructions of a site take all the room', () => {
  const { tools: offered } = ownToolboxes(4_000).of('s', usableIn(8_000));
  expect(offered.map(({ name }) => name)).toContain('get_content');
  expect(offered.reduce((sum, tool) => sum + definitionTokens(tool), 0)).toBeLessThanOrEqual(usableIn(8_000) * 0.1);
});

it('ranks tools that there are, each once', () => {
  expect(new Set(mostUsed).size).toBe(mostUsed.length);
});
