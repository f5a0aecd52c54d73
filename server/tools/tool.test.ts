import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { instructions } from '#prompts/prompts';
import { findTool, tools } from '#server/tools/index';
import { defineAlone, defineForModel } from '#server/tools/tool';

const tokens = (text: string) => encode(text).length;
const definitions = tools.map(defineForModel);

/** Of all that is fixed; in windows where that is more than a fifth of usable, rarer tools are loaded on demand. */
const FIXED_LIMIT = 3_500;

describe('the fixed part of every request', () => {
  it('fits the budget of what is fixed', () => {
    const schemas = definitions.map((definition) => tokens(JSON.stringify(definition)));
    expect(tokens(instructions)).toBeLessThanOrEqual(600);
    expect(schemas.reduce((sum, count) => sum + count, tokens(instructions))).toBeLessThanOrEqual(FIXED_LIMIT);
  });

  it('is a plain object schema for every tool, without references that a provider might refuse', () => {
    for (const { inputSchema } of definitions) {
      expect(inputSchema.type).toBe('object');
      expect(JSON.stringify(inputSchema)).not.toMatch(/\$ref|\$defs|anyOf|"not"/);
    }
  });

  it('describes a menu item, although its schema is recursive', () => {
    const items = { type: 'array', items: { properties: { label: { type: 'string' } }, required: ['label', 'href'] } };
    expect(definitions.find(({ name }) => name === 'set_navigation')?.inputSchema).toMatchObject({
      properties: { items },
    });
  });
});

it.each(tools.map((tool) => [tool.name, tool] as const))(
  '%s tells other assistants that it refuses unknown fields, if it does',
  (_name, tool) => {
    const issues = tool.input.safeParse({ unknownField: 1 }).error?.issues ?? [];
    const isRefused = issues.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
    const { inputSchema } = defineAlone(tool);
    expect(inputSchema['additionalProperties']).toBe(isRefused ? false : undefined);
    // In objects that may hold any name it would only cost tokens.
    expect(JSON.stringify(inputSchema)).not.toMatch(/"additionalProperties":(?!false)/);
    expect(JSON.stringify(defineForModel(tool))).not.toContain('additionalProperties');
  },
);

describe('the registry', () => {
  it('finds each tool by its name, and nothing else', () => {
    for (const tool of tools) expect(findTool(tool.name)).toBe(tool);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(findTool('constructor')).toBeUndefined();
  });

  it('never prunes settings or preferences, and ends the turn after a question to the user', () => {
    expect(tools.filter((tool) => tool.exemptFromPruning).map(({ name }) => name)).toEqual([
      'get_settings',
      'set_settings',
      'keep_in_mind',
    ]);
    expect(tools.filter((tool) => tool.endsTurn).map(({ name }) => name)).toEqual(['ask_user']);
  });
});
