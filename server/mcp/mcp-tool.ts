import { z } from 'zod';
import { countTokens } from '#server/context/tokens';
import type { McpServer } from '#server/core/mcp-servers';
import { visibleText } from '#server/core/visible-text';
import type { McpDefinition } from '#server/mcp/connection';
import { toRichResult } from '#server/mcp/to-rich-result';
import { defineForModel } from '#server/tools/input-schema';
import { defineTool, type Tool, type ToolInputSchema } from '#server/tools/tool';

/** Runs a tool of a server, and waits for a server that is away. */
export interface McpCaller {
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<Parameters<typeof toRichResult>[0]>;
}

/** A tool of a server, as one of ours. */
export interface McpTool {
  readonly tool: Tool;
  readonly serverId: string;
  /** As its server calls it. */
  readonly title: string;
  /** Of its definition, as models are sent it. */
  readonly tokens: number;
  /** Of the server that it belongs to: `off` unless the tool itself is set to something else. */
  readonly isOff: boolean;
}

/** Longest description of a tool, and of one of its fields; characters. Some servers send whole manuals. */
const MAX_DESCRIPTION = 1_000;
const MAX_FIELD_DESCRIPTION = 300;

/** Only an object is asked for here: the server checks its input by its own schema, and says what is wrong. */
const anyObject = z.record(z.string(), z.unknown());

/**
 * @param name as models see it
 * @param caller runs it
 */
export function toMcpTool(server: McpServer, definition: McpDefinition, name: string, caller: McpCaller): McpTool {
  const { description, title, annotations } = definition;
  const tool = defineTool({
    name,
    description: cut(clean(description ?? title ?? definition.name), MAX_DESCRIPTION),
    input: anyObject,
    inputSchema: toInputSchema(definition.inputSchema),
    // What a server says of itself is believed where it asks for more care only: `always` is the administrator's word.
    writes: annotations?.readOnlyHint !== true,
    isElsewhere: true,
    policy: server.policy === 'always' && annotations?.destructiveHint === true ? 'ask' : server.policy,
    execute: async (input, { signal }) => toRichResult(await caller.call(definition.name, input, signal)),
  });
  return {
    tool,
    serverId: server.id,
    title: definition.name,
    tokens: countTokens(JSON.stringify({ type: 'function', ...defineForModel(tool) })),
    isOff: server.policy === 'off',
  };
}

/** Choices at the top of a schema are refused by providers, with the whole request: their fields are all offered. */
function toInputSchema(schema: McpDefinition['inputSchema']): ToolInputSchema {
  const { $schema: _dialect, anyOf, oneOf, allOf, enum: _enum, not: _not, ...rest } = fieldsOf(shorten(schema));
  const choices = [anyOf, oneOf, allOf].flat().map((choice) => fieldsOf(fieldsOf(choice)['properties']));
  const properties = Object.assign({}, ...choices, fieldsOf(rest['properties'])) as Record<string, unknown>;
  return { ...rest, properties, type: 'object' };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Deeper schemas than any model could fill in. */
const MAX_DEPTH = 30;

/** Without what nobody sees. What a field may be stays as it is otherwise: its server compares it. */
function shorten(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) return value.map((item) => shorten(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      visibleText(key),
      key === 'description' && typeof inner === 'string'
        ? cut(clean(inner), MAX_FIELD_DESCRIPTION)
        : shorten(inner, depth + 1),
    ]),
  );
}

/** Words alone: without control characters, and without any letter that has no shape. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{C}\n\t]/gu, '')
    .trim();
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
