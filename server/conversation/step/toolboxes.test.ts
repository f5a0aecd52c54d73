import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { type ExternalTool, Toolboxes, type ToolPolicies } from '#server/conversation/step/toolboxes';
import { defaultSettings } from '#server/context/settings/context-settings';
import { ToolError } from '#server/core/errors';
import type { Tool, ToolContext } from '#server/tools/tool';
import { loadedTools } from '#tests/support/loaded-tools';

const tool = (name: string, description = `Does ${name}.`): Tool => ({
  name,
  description,
  input: z.object({}),
  execute: () => Promise.resolve({}),
});
const external = (name: string, tokens = 100, isOff = false): ExternalTool => ({ tool: tool(name), tokens, isOff });

/** Toolboxes over values that a test may change. */
function createToolboxes(tools: readonly ExternalTool[], toolDefinitionsLimit: number) {
  const settings = { ...defaultSettings, exemptTools: new Set<string>(), toolPolicies: {} as ToolPolicies };
  const state = { tools, settings: { ...settings, toolDefinitionsLimit } };
  const stored = new Map<string, readonly string[]>();
  const own = [tool('get_content'), tool('set_settings')];
  const catalog = { own: () => own, external: () => state.tools, always: [], frequent: [], instructionTokens: () => 0 };
  const toolboxes = new Toolboxes(catalog, loadedTools(stored), { current: () => state.settings });
  const names = (id = 's', usable?: number) => toolboxes.of(id, usable).tools.map(({ name }) => name);
  const run = (name: string, input: object, sessionId = 's') =>
    toolboxes
      .of(sessionId)
      .find(name)!
      .execute(input, { origin: { sessionId } } as ToolContext);
  const load = (...wanted: string[]) => run('load_tools', { names: wanted });
  return { toolboxes, state, stored, names, run, load };
}

const three = [external('a__one'), external('a__two'), external('b__three')];

describe('a toolbox', () => {
  it('neither offers, finds nor loads a tool that is bound to another site', async () => {
    const bound = [
      { ...external('one__edit'), siteId: 'wps_one' },
      { ...external('two__edit'), siteId: 'wps_two' },
      external('all__edit'),
    ];
    const { toolboxes, names, state, load, run } = createToolboxes(bound, 1_000);
    // As long as its site is not known, none of them.
    expect(names('s')).toEqual(['get_content', 'set_settings', 'all__edit']);
    await toolboxes.refresh({ id: 's', siteId: 'wps_one' });
    await toolboxes.refresh({ id: 't', siteId: 'wps_two' });
    expect(names('s')).toEqual(['get_content', 'set_settings', 'one__edit', 'all__edit']);
    expect(names('t')).toEqual(['get_content', 'set_settings', 'two__edit', 'all__edit']);
    expect(toolboxes.of('s').find('two__edit')).toBeUndefined();
    state.settings = { ...state.settings, toolDefinitionsLimit: 150 };
    expect(JSON.stringify(await run('find_tools', { query: 'edit' }))).not.toContain('two__edit');
    await expect(load('two__edit')).rejects.toThrow(ToolError);
    expect(await load('one__edit')).toMatchObject({ loaded: ['one__edit'] });
  });

  it('holds everything while the definitions stay within the limit', () => {
    const { names } = createToolboxes(three, 300);
    expect(names()).toEqual(['get_content', 'set_settings', 'a__one', 'a__two', 'b__three']);
  });

  it('depends on the model too: at most a tenth of its usable tokens', () => {
    const { names } = createToolboxes(three, 300);
    expect(names('s', 3_000)).toHaveLength(5);
    expect(names('s', 2_999)).toEqual(['get_content', 'set_settings', 'find_tools', 'load_tools']);
    // What the runner asks for is what the model was offered.
    expect(names('s')).toHaveLength(4);
  });

  it('neither counts nor offers disabled tools, but knows them', () => {
    const { toolboxes, state, names } = createToolboxes([...three, external('c__four', 100, true)], 200);
    expect(names()).toContain('find_tools');
    state.settings = { ...state.settings, toolPolicies: { a__one: 'off', set_settings: 'off' } };
    expect(names()).toEqual(['get_content', 'a__two', 'b__three']);
    expect(toolboxes.of('s').find('a__one')).toBeDefined();
    state.settings = { ...state.settings, toolPolicies: { a__one: 'off', a__two: 'off', c__four: 'ask' } };
    expect(names()).toContain('c__four');
  });

  it('is the same one while nothing has changed, for all conversations with the same tools', () => {
    const { toolboxes, state } = createToolboxes(three, 300);
    const toolbox = toolboxes.of('s');
    expect(toolboxes.of('s')).toBe(toolbox);
    expect(toolboxes.of('other')).toBe(toolbox);
    state.tools = [...three];
    expect(toolboxes.of('s')).not.toBe(toolbox);
  });
});

describe('tools that are loaded on demand', () => {
  it('follow all others, in loading order, in this conversation only', async () => {
    const { names, load, stored, toolboxes } = createToolboxes(three, 250);
    const before = toolboxes.of('s').tools;
    expect(await load('b__three', 'a__one')).toEqual({ loaded: ['b__three', 'a__one'] });
    expect(names()).toEqual([...before.map(({ name }) => name), 'b__three', 'a__one']);
    expect(toolboxes.of('s').tools.slice(0, before.length)).toEqual(before);
    expect(names('other')).not.toContain('b__three');
    expect(stored.get('s')).toEqual(['b__three', 'a__one']);
  });

  it('make room: those that were loaded longest ago leave', async () => {
    const { names, load } = createToolboxes(three, 250);
    await load('a__one', 'a__two');
    expect(await load('b__three', 'a__nothing')).toEqual({
      loaded: ['b__three'],
      putAway: ['a__one'],
      unknown: ['a__nothing'],
      note: 'What was put away made room; load it again when you need it.',
    });
    await load('a__two');
    expect(names().slice(-2)).toEqual(['b__three', 'a__two']);
  });

  it('are refused for unknown names or too large definitions', async () => {
    const { load } = createToolboxes([...three, external('a__huge', 251)], 250);
    await expect(load('nothing')).rejects.toThrow(ToolError);
    await expect(load('a__ones')).rejects.toThrow('There is no tool "a__ones". Did you mean a__one');
    await expect(load('a__huge')).rejects.toThrow(/too large/);
  });

  it('are read again when another process may have loaded them', async () => {
    const { names, stored, toolboxes } = createToolboxes(three, 250);
    stored.set('s', ['a__two', 'gone__tool']);
    expect(names()).not.toContain('a__two');
    await toolboxes.refresh({ id: 's', siteId: 'wps_one' });
    expect(names().slice(-1)).toEqual(['a__two']);
  });

  it('are found by words, those with a match in the name first', async () => {
    const { run, toolboxes } = createToolboxes(
      [
        { ...external('a__issue', 200), tool: tool('a__issue', 'Opens an issue in one of the repos.') },
        { ...external('a__list_repos', 200), tool: tool('a__list_repos', 'Lists all repositories.\nA manual.') },
        { ...external('b__other', 200), tool: tool('b__other') },
      ],
      250,
    );
    expect(await run('find_tools', { query: 'repos, please' })).toEqual({
      tools: [
        { name: 'a__list_repos', does: 'Lists all repositories.' },
        { name: 'a__issue', does: 'Opens an issue in one of the repos.' },
      ],
    });
    expect(toolboxes.of('s').find('find_tools')?.description).toContain('(a, b)');
  });
});
