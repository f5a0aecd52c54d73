import { z } from 'zod';
import { atMost, prose, requiredLine } from '#server/core/safe-text';
import { type ToolPolicy, toolPolicyNames } from '#server/core/settings-report';
import { count, idOf, type Shape } from '#server/core/shapes';

/** Prefix of its tools' names: lower-case letters, digits and hyphens. */
export const mcpServerName = z
  .string()
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens, a letter first')
  .max(24, atMost(24));

/** A reference inside a value, read from the environment when the server is connected: `${MCP_GITHUB_TOKEN}`. */
export const VARIABLE_REFERENCE = /\$\{([^}]*)\}/g;

const MAX_PAIRS = 50;

const secretText = prose(4_000).refine(
  (value) => [...value.matchAll(VARIABLE_REFERENCE)].every(([, name = '']) => /^MCP_[A-Z0-9_]+$/.test(name)),
  'may refer to environment variables that begin with MCP_ only, like ${MCP_TOKEN}',
);

/** Sealed, it is longer. */
const storedSecret = prose(20_000);

const pairs = <Value extends z.ZodType>(name: z.ZodType<string, string>, value: Value) =>
  z
    .record(name, value)
    .refine((all) => Object.keys(all).length <= MAX_PAIRS, atMost(MAX_PAIRS, 'entries'))
    .default({});

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of an HTTP header');
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of a variable');

const address = z
  .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
  .max(2_000, atMost(2_000))
  .refine((text) => {
    const { username, password } = URL.canParse(text) ? new URL(text) : { username: '', password: '' };
    return username === '' && password === '';
  }, 'must hold no user name and no password: send them as a header');

function transportOf<Value extends z.ZodType>(value: Value) {
  return z.discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['http', 'sse']), url: address, headers: pairs(headerName, value) }),
    z.strictObject({
      type: z.literal('stdio'),
      command: requiredLine(1_000),
      args: z.array(prose(4_000)).max(100, atMost(100, 'entries')).default([]),
      env: pairs(variableName, value),
    }),
  ]);
}

/** Connection to a tool server. Values of headers and variables are secrets: no answer holds them. */
export const mcpTransportSchema = transportOf(storedSecret);
export type McpTransport = z.infer<typeof mcpTransportSchema>;

/** A transport as an administrator sends it: null stands for the value that is stored. */
export const mcpTransportInput = transportOf(secretText.nullable());
export type McpTransportInput = z.infer<typeof mcpTransportInput>;

/** Program of a stdio server, for the audit log; without its arguments, which may hold secrets. */
export function programOf(transport: McpTransport | McpTransportInput): { readonly program?: string } {
  return transport.type === 'stdio' ? { program: transport.command } : {};
}

export const mcpServerInput = z.strictObject({
  name: mcpServerName,
  transport: mcpTransportInput,
  policy: z.enum(toolPolicyNames).default('ask'),
  isEnabled: z.boolean().default(true),
});
export type McpServerInput = z.infer<typeof mcpServerInput>;

/** A configured tool server. */
export interface McpServer {
  readonly id: string;
  readonly name: string;
  readonly transport: McpTransport;
  /** Policy for tools that have none of their own. */
  readonly policy: ToolPolicy;
  readonly isEnabled: boolean;
}

/** Transport of a server without its secrets: of headers and variables only the names. */
const transportReportSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['http', 'sse']), url: z.url(), headers: z.array(z.string()) }),
  z.strictObject({
    type: z.literal('stdio'),
    command: z.string(),
    args: z.array(z.string()),
    env: z.array(z.string()),
  }),
]);
export type McpTransportReport = Shape<typeof transportReportSchema>;

const toolReportSchema = z.strictObject({
  /** The name that models see. */
  name: z.string().regex(/^[\w-]{1,64}$/),
  /** The name that its server gives it. */
  title: z.string(),
  description: z.string(),
  writes: z.boolean(),
  /** In force now. */
  policy: z.enum(toolPolicyNames),
  /** It is set for this tool itself. */
  isOverridden: z.boolean(),
  /** Size of its definition. */
  tokens: count,
});
export type McpToolReport = Shape<typeof toolReportSchema>;

/** A tool server as the settings page shows it. */
const serverReportSchema = z.strictObject({
  id: idOf('mcp'),
  name: z.string(),
  transport: transportReportSchema,
  policy: z.enum(toolPolicyNames),
  isEnabled: z.boolean(),
  /** `off`: it is not connected, because an administrator said so. */
  status: z.enum(['connecting', 'ready', 'failed', 'off']),
  /** Why it failed, for a person. */
  problem: z.string().nullable(),
  /** Epoch milliseconds at which the status began. */
  since: count,
  /** Size of the definitions of its tools that are not off. */
  tokens: count,
  tools: z.array(toolReportSchema),
});
export type McpServerReport = Shape<typeof serverReportSchema>;
export type McpServerStatus = McpServerReport['status'];

/** GET /api/settings/mcp-servers */
export const toolServersSchema = z.strictObject({
  items: z.array(serverReportSchema),
  /** Size of all definitions that are not off. */
  tokens: count,
  /** Tokens above which definitions are loaded on demand. */
  limit: count,
  /** A program may be run as a tool server. */
  canRunPrograms: z.boolean(),
});
export type McpServersReport = Shape<typeof toolServersSchema>;

/** Result of trying to reach a server. */
export const toolServerTestSchema = z.strictObject({
  ok: z.boolean(),
  latencyMs: count,
  /** Number of its tools; null where it was not reached. */
  tools: count.nullable(),
  tokens: count.nullable(),
  /** For a person. */
  message: z.string().min(1),
});
export type McpTest = Shape<typeof toolServerTestSchema>;
