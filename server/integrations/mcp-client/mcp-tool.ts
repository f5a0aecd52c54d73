import { toRichResult } from '#server/integrations/mcp-client/tool-result';
import { z } from 'zod';
import { countTokens } from '#server/context/tokens';
import type { McpServer } from '#server/core/admin/mcp-servers';
import { shorten } from '#server/core/text/short-text';
import { visibleText } from '#server/core/text/visible-text';
import type { McpDefinition, McpResult } from '#server/integrations/mcp-client/connection';
import { mendSchema } from '#server/integrations/mcp-client/mend-schema';
import { defineForModel, defineTool, type Tool, type ToolInputSchema } from '#server/tools/tool';

/** Runs the tools of a server, and reads its resources. */
export interface McpCaller {
  /** Waits for a disconnected server, for a limited time. @throws ToolError */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<McpResult>;
  /** As `call`. @returns `contents` of the resource */
  readResource(uri: string, signal: AbortSignal): Promise<McpResult>;
}

/** A tool of a server, wrapped as one of ours. */
export interface McpTool {
  readonly tool: Tool;
  readonly serverId: string;
  /** Display name given by its server. */
  readonly title: string;
  /** Token count of its definition as sent to models. */
  readonly tokens: number;
  /** True if its server's policy is `off`; a policy of the tool itself has priority. */
  readonly isOff: boolean;
  /** Site whose conversations may use it; null: all. */
  readonly siteId: string | null;
}

/** Maximum characters of the description of a tool: some servers send whole manuals, and each costs tokens. */
const MAX_DESCRIPTION = 1_000;
/** Maximum characters of the description of a field. */
const MAX_FIELD_DESCRIPTION = 300;

/** Any object: the server validates its input with its own schema and reports problems. */
const anyObject = z.record(z.string(), z.unknown());

/**
 * Wraps a tool of a server as one of ours. It needs the right to write and, by the policy, an approval.
 * @param definition of the server
 * @param name for models (`modelNames`)
 * @param caller runs the tool
 */
export function toMcpTool(server: McpServer, definition: McpDefinition, name: string, caller: McpCaller): McpTool {
  const { description, title, annotations } = definition;
  const tool = defineTool({
    ...RULES,
    name,
    description: toolDescription(description ?? title ?? definition.name),
    input: anyObject,
    inputSchema: toInputSchema(definition.inputSchema),
    isReadOnlyByHint: annotations?.readOnlyHint === true,
    policy: server.policy === 'always' && annotations?.destructiveHint === true ? 'ask' : server.policy,
    execute: async (input, { signal }) => toRichResult(await caller.call(definition.name, input, signal)),
  });
  return wrapped(server, tool, definition.name);
}

/** The tool of ours with which a model reads resources of a server that a result only names. */
export const RESOURCE_TOOL = 'read_resource';

/** Maximum pieces of a resource: a folder may consist of many. */
const MAX_CONTENTS = 50;

/**
 * Makes the tool that reads resources of a server. Its policy is that of the server.
 * @param name for models (`modelNames`)
 */
export function toResourceTool(server: McpServer, name: string, caller: McpCaller): McpTool {
  const tool = defineTool({
    ...RULES,
    name,
    description: 'Reads a resource that a result of this server only names.',
    input: z.object({ uri: z.string().min(1).max(2_000) }),
    isReadOnlyByHint: true,
    policy: server.policy,
    execute: async ({ uri }, { signal }) => {
      const { contents } = await caller.readResource(uri, signal);
      const pieces: readonly unknown[] = Array.isArray(contents) ? contents.slice(0, MAX_CONTENTS) : [];
      return toRichResult({ content: pieces.map((resource) => ({ type: 'resource', resource })) });
    },
  });
  return wrapped(server, tool, RESOURCE_TOOL);
}

/**
 * A server's hints can only make the rules stricter: a tool that claims to be read-only still needs the right to write. An
 * administrator decides by the policy whether a tool runs without approval.
 */
const RULES = { writes: true, isElsewhere: true } as const;

function wrapped(server: McpServer, tool: Tool, title: string): McpTool {
  return {
    tool,
    serverId: server.id,
    title,
    tokens: countTokens(JSON.stringify({ type: 'function', ...defineForModel(tool) })),
    isOff: server.policy === 'off',
    siteId: server.siteId ?? null,
  };
}

/** Cleans and shortens the untrusted description of a tool. */
export function toolDescription(text: string): string {
  return shorten(clean(text), MAX_DESCRIPTION);
}

/**
 * Makes the schema of a server acceptable for all providers: mends it, cleans its texts, and merges alternatives (unions) at the top
 * level into one object, because providers would refuse the whole request otherwise.
 */
export function toInputSchema(schema: Readonly<Record<string, unknown>>): ToolInputSchema {
  const { anyOf, oneOf, allOf, enum: _enum, not: _not, ...rest } = mendSchema(cleanSchema(schema));
  const choices = [anyOf, oneOf, allOf].flat().map((choice) => fieldsOf(fieldsOf(choice)['properties']));
  const properties = Object.assign({}, ...choices, fieldsOf(rest['properties'])) as Record<string, unknown>;
  return { ...rest, properties, type: 'object' };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Keywords of a schema whose value may be null. */
const NULLABLE_KEYWORDS = new Set(['default', 'const', 'example']);

/** Maximum depth of a schema that is read. */
const MAX_DEPTH = 40;

/** Removes invisible characters and shortens descriptions. Allowed values stay unchanged: the server compares them. */
function cleanSchema(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) return value.map((item) => cleanSchema(item, depth + 1));
  // Of the keywords of a schema, only values may be null; some servers write null for an unused keyword.
  const entries = Object.entries(value).filter(([key, inner]) => inner !== null || NULLABLE_KEYWORDS.has(key));
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      visibleText(key),
      key === 'description' && typeof inner === 'string'
        ? shorten(clean(inner), MAX_FIELD_DESCRIPTION)
        : cleanSchema(inner, depth + 1),
    ]),
  );
}

/** Removes control and invisible characters. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{C}\n\t]/gu, '')
    .trim();
}
