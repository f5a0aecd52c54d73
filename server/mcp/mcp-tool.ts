import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { countTokens } from '#server/context/tokens';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import type { McpServer } from '#server/core/mcp-servers';
import { shorten } from '#server/core/short-text';
import { type RichPart, richResult, type RichToolResult, TOOL_NAME_SEPARATOR } from '#server/core/tool-result';
import { visibleText } from '#server/core/visible-text';
import type { McpDefinition, McpResult } from '#server/mcp/connection';
import { defineForModel, defineTool, type Tool, type ToolInputSchema } from '#server/tools/tool';

/** Runs a tool of a server; waits for a disconnected server. */
export interface McpCaller {
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<McpResult>;
}

/** A tool of a server, wrapped as one of ours. */
export interface McpTool {
  readonly tool: Tool;
  readonly serverId: string;
  /** Name given by its server. */
  readonly title: string;
  /** Tokens of its definition as sent to models. */
  readonly tokens: number;
  /** True if its server's policy is `off`; a policy of the tool itself still wins. */
  readonly isOff: boolean;
}

/** Longest description of a tool and of a field, characters: some servers send whole manuals. */
const MAX_DESCRIPTION = 1_000;
const MAX_FIELD_DESCRIPTION = 300;

/** Any object: the server checks its input by its own schema, and says what is wrong. */
const anyObject = z.record(z.string(), z.unknown());

/**
 * @param name name for models
 * @param caller runs the tool
 */
export function toMcpTool(server: McpServer, definition: McpDefinition, name: string, caller: McpCaller): McpTool {
  const { description, title, annotations } = definition;
  const tool = defineTool({
    name,
    description: shorten(clean(description ?? title ?? definition.name), MAX_DESCRIPTION),
    input: anyObject,
    inputSchema: toInputSchema(definition.inputSchema),
    // A server's hints count only towards more care: only an administrator can allow a tool always.
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

/** Merges choices at the top of a schema into one object: providers refuse the whole request otherwise. */
function toInputSchema(schema: McpDefinition['inputSchema']): ToolInputSchema {
  const { $schema: _dialect, anyOf, oneOf, allOf, enum: _enum, not: _not, ...rest } = fieldsOf(cleanSchema(schema));
  const choices = [anyOf, oneOf, allOf].flat().map((choice) => fieldsOf(fieldsOf(choice)['properties']));
  const properties = Object.assign({}, ...choices, fieldsOf(rest['properties'])) as Record<string, unknown>;
  return { ...rest, properties, type: 'object' };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Deepest schema that is passed on. */
const MAX_DEPTH = 30;

/** Removes invisible characters and shortens descriptions. Allowed values stay: the server compares them. */
function cleanSchema(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) return value.map((item) => cleanSchema(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
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

interface Content {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Converts a server's result to ours. It is checked later: every result passes the same sanitizer. */
export function toRichResult(result: McpResult): RichToolResult {
  const {
    content,
    structuredContent,
    toolResult,
    isError = false,
  } = result as {
    content?: readonly Content[];
    structuredContent?: unknown;
    toolResult?: unknown;
    isError?: boolean;
  };
  const parsed = jsonValueSchema.safeParse(structuredContent ?? toolResult);
  const structured = parsed.success ? parsed.data : undefined;
  const parts = (content ?? []).filter((part) => !says(part, structured)).map(toPart);
  return richResult(parts, { structured, isError });
}

/** True for a text that repeats the structured data, which servers add for older clients. */
function says(part: Content, structured: JsonValue | undefined): boolean {
  if (structured === undefined || part.type !== 'text') return false;
  try {
    return isDeepStrictEqual(JSON.parse(String(part['text'])), structured);
  } catch {
    return false;
  }
}

function toPart(content: Content): RichPart {
  const { type } = content;
  const { text, data, mimeType, resource } = content;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') return toImage(data, mimeType);
  if (type === 'resource_link') return toResource(content, linkTitle(content));
  if (type === 'resource' && typeof resource === 'object' && resource !== null) return toEmbedded(resource as Content);
  return { type: 'other', kind: typeof mimeType === 'string' ? `${type} (${mimeType})` : type };
}

function toImage(data: string, mediaType: string): RichPart {
  return { type: 'image', data: Buffer.from(data, 'base64'), mediaType };
}

function toEmbedded(resource: Content): RichPart {
  const { blob, mimeType, uri } = resource;
  if (typeof blob !== 'string') return toResource(resource);
  if (typeof mimeType === 'string' && mimeType.startsWith('image/')) return toImage(blob, mimeType);
  return {
    type: 'other',
    kind: `binary resource ${String(uri)}${typeof mimeType === 'string' ? ` (${mimeType})` : ''}`,
  };
}

function toResource({ uri, mimeType, text }: Content, title?: string): RichPart {
  return {
    type: 'resource',
    uri: String(uri),
    ...(typeof mimeType === 'string' && { mediaType: mimeType }),
    ...(title !== undefined && { title }),
    ...(typeof text === 'string' && { text }),
  };
}

function linkTitle({ title, name, description }: Content): string {
  const called = typeof title === 'string' ? title : String(name);
  return typeof description === 'string' ? `${called}: ${description}` : called;
}

/** Longest tool name that every provider accepts. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 6;

/**
 * Names of a server's tools for models, by the server's own names: prefixed, in characters that every provider accepts,
 * at most 64. Equal or cut names end in a part of their hash, so that a name does not depend on other tools or their
 * order.
 */
export function modelNames(server: string, names: readonly string[]): ReadonlyMap<string, string> {
  const plain = names.map((name) => `${server}${TOOL_NAME_SEPARATOR}${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`);
  const isUnique = (name: string) => plain.indexOf(name) === plain.lastIndexOf(name);
  return new Map(
    names.map((name, index) => {
      const candidate = plain[index]!;
      const isFine = candidate.length <= MAX_LENGTH && isUnique(candidate);
      return [name, isFine ? candidate : withHash(candidate, name)];
    }),
  );
}

function withHash(candidate: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${candidate.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
