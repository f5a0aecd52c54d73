import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';
import { boundedRecord } from '#server/core/bounded-schema';
import { atMost, prose, requiredLine } from '#server/core/text/safe-text';
import { type ToolPolicy, toolPolicyNames } from '#server/core/admin/settings-report';
import { siteIdSchema } from '#server/core/site/remote-site';
import { components, count, idOf, type Shape } from '#server/core/shapes';

/* Tool servers: MCP servers that an administrator has connected (Model Context Protocol). */

/** Meanings of fields that reports and requests of tool servers share. */
export const POLICY =
  'Policy for tools without a policy of their own. `always`: calls run without asking. `ask`: only with approval. `off`: not at all';
export const IS_ENABLED = 'False: it is not connected, and no model is offered its tools';

/** Name of a tool server, and prefix of the names of its tools. */
export const mcpServerName = z
  .string()
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, valueRules.serverName)
  .max(24, atMost(24))
  .describe('Name of the server, and prefix of the names of its tools');

/** A reference inside a value, replaced from the environment when the server is connected: `${MCP_GITHUB_TOKEN}`. */
export const VARIABLE_REFERENCE = /\$\{([^}]*)\}/g;

/** Maximum headers, or variables, of a server. */
const MAX_PAIRS = 50;

/** A header or variable as an administrator enters it. */
const secretText = prose(4_000).refine(
  (value) => [...value.matchAll(VARIABLE_REFERENCE)].every(([, name = '']) => /^MCP_[A-Z0-9_]+$/.test(name)),
  valueRules.variableReference,
);

/** The same as it is stored: longer, because it is encrypted. */
const storedSecret = prose(20_000);

const pairs = <Value extends z.ZodType>(name: z.ZodType<string, string>, value: Value) =>
  boundedRecord(name, value, MAX_PAIRS).default({});

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, valueRules.headerName);
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, valueRules.variableName);

const address = z
  .url({ protocol: /^https?$/, error: valueRules.webUrl })
  .max(2_000, atMost(2_000))
  .refine((text) => {
    const { username, password } = URL.canParse(text) ? new URL(text) : { username: '', password: '' };
    return username === '' && password === '';
  }, valueRules.noPassword);

/** Site to whose conversations a server's tools are limited; null: all. */
export const boundSite = siteIdSchema
  .nullable()
  .describe('Id of the site whose sessions alone may use its tools, from `GET /api/sites`; null: all sites');

function transportOf<Value extends z.ZodType>(value: Value) {
  return z.discriminatedUnion('type', [
    z.strictObject({
      type: z.enum(['http', 'sse']).describe('A server with an address; `sse`: the older protocol'),
      url: address.describe('Address of the server, without user name and password'),
      headers: pairs(headerName, value).describe('Headers of every request by name; null keeps the stored value'),
    }),
    z.strictObject({
      type: z.literal('stdio').describe('A program that this server runs'),
      command: requiredLine(1_000).describe('Path or name of the program'),
      args: z.array(prose(4_000)).max(100, atMost(100, 'entries')).default([]).describe('Arguments of the program'),
      env: pairs(variableName, value).describe(
        'Environment variables of the program by name; null keeps the stored value',
      ),
    }),
  ]);
}

/** Connection to a tool server. Values of headers and variables are secrets: no response contains them. */
export const mcpTransportSchema = transportOf(storedSecret);
export type McpTransport = z.infer<typeof mcpTransportSchema>;

/** A transport as an administrator sends it: null keeps the stored value. */
export const mcpTransportInput = transportOf(secretText.nullable())
  .describe('How a tool server is reached')
  .register(components, { id: 'ToolServerTransport' });
export type McpTransportInput = z.infer<typeof mcpTransportInput>;

/** The program of a stdio server, for the audit log; without its arguments, which may contain secrets. Empty for others. */
export function programOf(transport: McpTransport | McpTransportInput): { readonly program?: string } {
  return transport.type === 'stdio' ? { program: transport.command } : {};
}

/** A tool server as an administrator enters it. */
export const mcpServerInput = z
  .strictObject({
    name: mcpServerName,
    transport: mcpTransportInput,
    policy: z.enum(toolPolicyNames).default('ask').describe(POLICY),
    isEnabled: z.boolean().default(true).describe(IS_ENABLED),
    siteId: boundSite.optional(),
  })
  .register(components, { id: 'NewToolServer' });
export type McpServerInput = z.infer<typeof mcpServerInput>;

/** A configured tool server. */
export interface McpServer extends NewMcpServer {
  readonly id: string;
  /** When a person connected it with OAuth; epoch milliseconds. Null or absent: nobody has. */
  readonly connectedAt?: number | null;
}

/** A tool server before it is stored. */
export interface NewMcpServer {
  readonly name: string;
  readonly transport: McpTransport;
  /** Policy for tools without a policy of their own. */
  readonly policy: ToolPolicy;
  readonly isEnabled: boolean;
  /** Id of the site to whose conversations its tools are limited; null or absent: all. */
  readonly siteId?: string | null;
}

/** Transport of a server without its secrets: only the names of headers and variables. */
const transportReportSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.enum(['http', 'sse']).describe('A server with an address; `sse`: the older protocol'),
        url: z.url().describe('Address of the server'),
        headers: z.array(z.string()).describe('Names of the headers of every request; values are secret'),
      })
      .register(components, { id: 'RemoteToolServerConnection' }),
    z
      .strictObject({
        type: z.literal('stdio').describe('A program that this server runs'),
        command: z.string().describe('Path or name of the program'),
        args: z.array(z.string()).describe('Arguments of the program'),
        env: z.array(z.string()).describe('Names of its environment variables; values are secret'),
      })
      .register(components, { id: 'ProgramToolServerConnection' }),
  ])
  .describe('How a tool server is reached, without secrets')
  .register(components, { id: 'ToolServerConnection' });
export type McpTransportReport = Shape<typeof transportReportSchema>;

const toolReportSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .describe('The name for models'),
    title: z.string().describe('The name on its server'),
    description: z.string().describe('What it does, in words of its server'),
    writes: z.boolean().describe('True if it may change something, by what its server says'),
    policy: z.enum(toolPolicyNames).describe('The policy in effect'),
    isOverridden: z.boolean().describe('True if the policy is set for this tool itself'),
    tokens: count.describe('Size of its definition'),
  })
  .describe('A tool of a tool server')
  .register(components, { id: 'ToolServerTool' });
export type McpToolReport = Shape<typeof toolReportSchema>;

/** A tool server as the settings page shows it. */
const serverReportSchema = z
  .strictObject({
    id: idOf('mcp'),
    name: z.string().describe('Name of the server, and prefix of the names of its tools'),
    transport: transportReportSchema,
    policy: z.enum(toolPolicyNames).describe(POLICY),
    isEnabled: z.boolean().describe(IS_ENABLED),
    siteId: z.string().nullable().describe('The site whose conversations alone may use its tools; null: all'),
    status: z
      .enum(['connecting', 'ready', 'failed', 'off'])
      .describe('`off`: an administrator has disabled it, so it is not connected'),
    problem: z.string().nullable().describe('Why it failed, worded for people'),
    problemMessage: codedMessageSchema.nullable().describe('`problem` as data; null: it has none'),
    signIn: z
      .enum(['none', 'needed', 'connected'])
      .describe('`needed`: it asks for a sign-in (OAuth); `connected`: a person has signed in there'),
    since: count.describe('Epoch milliseconds at which the status began'),
    tokens: count.describe('Size of the definitions of its enabled tools'),
    tools: z.array(toolReportSchema).describe('Its tools; empty until it is connected'),
  })
  .describe('A configured tool server')
  .register(components, { id: 'ToolServer' });
export type McpServerReport = Shape<typeof serverReportSchema>;
export type McpServerStatus = McpServerReport['status'];

/** GET /api/settings/mcp-servers */
export const toolServersSchema = z
  .strictObject({
    items: z.array(serverReportSchema).describe('All configured tool servers'),
    tokens: count.describe('Size of all enabled definitions'),
    limit: count.describe('Tokens above which definitions are loaded on demand'),
    canRunPrograms: z.boolean().describe('True if a program may be run as a tool server'),
  })
  .register(components, { id: 'ToolServerList' });
export type McpServersReport = Shape<typeof toolServersSchema>;

/** POST /api/settings/mcp-servers/{id}/sign-in */
export const signInPageSchema = z
  .strictObject({
    address: z.url().describe('Page of the tool server on which the person agrees; open it in the browser'),
  })
  .register(components, { id: 'ToolServerSignInPage' });

/** What an authorization server sends back with the browser (RFC 6749, 4.1.2; RFC 9207). */
export const toolServerAnswer = z
  .strictObject({
    state: requiredLine(200).describe('As the authorization server returned it'),
    code: requiredLine(4_000).optional().describe('The authorization code; absent if the person refused'),
    iss: requiredLine(2_000).optional().describe('The issuer that the answer names'),
    error: z
      .string()
      .regex(/^[a-z_]{1,60}$/, 'is not the code of an error')
      .optional()
      .describe('Code of the error, if it was refused'),
  })
  .register(components, { id: 'ToolServerSignInAnswer' });
export type ToolServerAnswer = z.infer<typeof toolServerAnswer>;

/** Result of a connection test. */
export const toolServerTestSchema = z
  .strictObject({
    ok: z.boolean().describe('True if the server was reached and listed its tools'),
    latencyMs: count.describe('Duration of the test in milliseconds'),
    tools: count.nullable().describe('Number of its tools; null if it was not reached'),
    tokens: count.nullable().describe('Tokens of the definitions of its tools; null if it was not reached'),
    message: z.string().min(1).describe('Message for people'),
    reason: codedMessageSchema.nullable().describe('`message` as data; null if it has no code'),
  })
  .register(components, { id: 'ToolServerTestResult' });
export type McpTest = Shape<typeof toolServerTestSchema>;
