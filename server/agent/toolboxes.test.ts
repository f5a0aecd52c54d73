import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { type ExternalTool, Toolboxes, type ToolPolicies } from '#server/agent/toolboxes';
import { ToolError } from '#server/core/errors';
import type { Tool, ToolContext } from '#server/tools/tool';

const tool = (name: string, description = `Does ${name}.`): Tool => ({
  name,
  description,
  input: z.object({}),
  execute: () => Promise.resolve({}),
});
const external = (name: string, tokens = 100, isOff = false): ExternalTool => ({ tool: tool(name), tokens, isOff });

/** Toolboxes over values that a test may change. */
function createToolboxes(tools: readonly ExternalTool[], toolDefinitionsLimit: number) {
  const state = { tools, settings: { toolPolicies: {} as ToolPolicies, toolDefinitionsLimit } };
  const stored = new Map<string, readonly string[]>();
  const own = [tool('get_content'), tool('set_settings')];
  const toolboxes = new Toolboxes({
    own: () => own,
    external: () => state.tools,
    settings: () => state.settings,
    loaded: {
      read: (id) => Promise.resolve(stored.get(id) ?? []),
      update: (id, decide) => {
        stored.set(id, decide(stored.get(id) ?? []));
        return Promise.resolve(stored.get(id)!);
      },
    },
  });
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
  it('holds everything while the definitions stay within the limit', () => {
    const { names } = createToolboxes(three, 300);
    expect(names()).toEqual(['get_content', 'set_settings', 'a__one', 'a__two', 'b__three']);
  });

  it('goes by the model too: a tenth of what it can use is the most', () => {
    const { names } = createToolboxes(three, 300);
    expect(names('s', 3_000)).toHaveLength(5);
    expect(names('s', 2_999)).toEqual(['get_content', 'set_settings', 'find_tools', 'load_tools']);
    // What the runner asks for is what the model was offered.
    expect(names('s')).toHaveLength(4);
  });

  it('counts and offers nothing that is off, and still knows it', () => {
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
  it('come behind all others, in the order in which they were loaded, into this conversation only', async () => {
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

  it('are refused where there are none of the name, or their definition alone is too large', async () => {
    const { load } = createToolboxes([...three, external('a__huge', 251)], 250);
    await expect(load('nothing')).rejects.toThrow(ToolError);
    await expect(load('a__ones')).rejects.toThrow('There is no tool "a__ones". Did you mean a__one');
    await expect(load('a__huge')).rejects.toThrow(/too large/);
  });

  it('are read again when another process may have loaded them', async () => {
    const { names, stored, toolboxes } = createToolboxes(three, 250);
    stored.set('s', ['a__two', 'gone__tool']);
    expect(names()).not.toContain('a__two');
    await toolboxes.refresh('s');
    expect(names().slice(-1)).toEqual(['a__two']);
  });

  it('are found by words, those whose name has them first', async () => {
    const { run, toolboxes } = createToolboxes(
      [
        { ...external('a__list_repos', 200), tool: tool('a__list_repos', 'Lists all repositories.\nA manual.') },
        { ...external('a__issue', 200), tool: tool('a__issue', 'Opens an issue in one of the repos.') },
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
