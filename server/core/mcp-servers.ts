import { z } from 'zod';
import { atMost, prose, requiredLine } from '#server/core/safe-text';
import { type ToolPolicy, toolPolicyNames } from '#server/core/settings-report';

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

/** How a tool server is reached. Values of headers and variables are secrets: no answer holds them. */
export const mcpTransportSchema = transportOf(storedSecret);
export type McpTransport = z.infer<typeof mcpTransportSchema>;

/** The same from an administrator: null stands for the value that is stored. */
export const mcpTransportInput = transportOf(secretText.nullable());
export type McpTransportInput = z.infer<typeof mcpTransportInput>;

/** What the audit log says of a server that is a program: which one. Its arguments may hold secrets. */
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
  /** Of its tools, where none is set for the tool itself. */
  readonly policy: ToolPolicy;
  readonly isEnabled: boolean;
}

/** `off`: it is not connected, because an administrator said so. */
export type McpServerStatus = 'connecting' | 'ready' | 'failed' | 'off';

/** How a server is reached, without what is secret: of headers and variables only the names. */
export type McpTransportReport =
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers: readonly string[] }
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly string[];
    };

export interface McpToolReport {
  /** As models see it. */
  readonly name: string;
  /** As its server calls it. */
  readonly title: string;
  readonly description: string;
  readonly writes: boolean;
  /** In force now. */
  readonly policy: ToolPolicy;
  /** It is set for this tool itself. */
  readonly isOverridden: boolean;
  /** Of its definition. */
  readonly tokens: number;
}

/** A tool server as the settings page shows it. */
export interface McpServerReport {
  readonly id: string;
  readonly name: string;
  readonly transport: McpTransportReport;
  readonly policy: ToolPolicy;
  readonly isEnabled: boolean;
  readonly status: McpServerStatus;
  /** Why it failed, for a person. */
  readonly problem: string | null;
  /** Epoch milliseconds at which the status began. */
  readonly since: number;
  /** Of the definitions of those of its tools that are not off. */
  readonly tokens: number;
  readonly tools: readonly McpToolReport[];
}

/** GET /api/settings/mcp-servers */
export interface McpServersReport {
  readonly items: readonly McpServerReport[];
  /** Of all definitions that are not off. */
  readonly tokens: number;
  /** Tokens above which definitions are loaded on demand. */
  readonly limit: number;
  /** Whether a program may be run as a tool server. */
  readonly canRunPrograms: boolean;
}

/** What came of reaching a server. */
export interface McpTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  /** How many tools it has; null where it was not reached. */
  readonly tools: number | null;
  readonly tokens: number | null;
  /** For a person. */
  readonly message: string;
}
