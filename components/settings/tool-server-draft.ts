import { translator } from '#components/i18n.ts';
import { issuesOf, messageOf } from '#components/api/api-error.ts';
import type { McpServerReport, McpTransportInput } from '#server/core/admin/mcp-servers';
import type { ToolPolicy } from '#server/core/admin/settings-report';

/** A header or variable while it is being edited; the browser does not know a stored value. */
export interface SecretPair {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** Stored on the server, and kept unless a new value is entered. */
  readonly isStored: boolean;
}

/** A tool server's settings while they are being edited. */
export interface ToolServerDraft {
  readonly name: string;
  readonly type: 'http' | 'sse' | 'stdio';
  readonly url: string;
  readonly headers: readonly SecretPair[];
  readonly command: string;
  /** One per line. */
  readonly args: string;
  readonly env: readonly SecretPair[];
  readonly policy: ToolPolicy;
  /** Only conversations of this site may use it; null: all sites. */
  readonly siteId: string | null;
}

let nextKey = 0;
/** A new header or variable. */
export const emptyPair = (): SecretPair => ({ key: (nextKey += 1), name: '', value: '', isStored: false });
const storedPairs = (names: readonly string[]) =>
  names.map((name): SecretPair => ({ key: (nextKey += 1), name, value: '', isStored: true }));

/** The draft of a server; null: of a new one. */
export function toDraft(server: McpServerReport | null): ToolServerDraft {
  const empty = { url: '', headers: [], command: '', args: '', env: [] };
  if (!server) return { ...empty, name: '', type: 'http', policy: 'ask', siteId: null };
  const { name, policy, siteId, transport } = server;
  if (transport.type === 'stdio') {
    const { type, command, args, env } = transport;
    return { ...empty, name, policy, siteId, type, command, args: args.join('\n'), env: storedPairs(env) };
  }
  const { type, url, headers } = transport;
  return { ...empty, name, policy, siteId, type, url, headers: storedPairs(headers) };
}

/** The connection of a server in the format of the API; null as a secret keeps the stored value. */
export function toTransport({ type, url, headers, command, args, env }: ToolServerDraft): McpTransportInput {
  if (type !== 'stdio') return { type, url: url.trim(), headers: toRecord(headers) };
  const lines = args.split('\n').filter((line) => line.trim() !== '');
  return { type, command: command.trim(), args: lines, env: toRecord(env) };
}

function toRecord(pairs: readonly SecretPair[]): Record<string, string | null> {
  const named = pairs.filter(({ name }) => name.trim() !== '');
  return Object.fromEntries(
    named.map(({ name, value, isStored }) => [name.trim(), isStored && value === '' ? null : value]),
  );
}

/** The server's reason for refusing a tool server, with the label of the field instead of its name. */
export function toolServerProblem(error: unknown): string {
  const message = messageOf(error);
  const label = translator('settings.toolServers.form').find;
  return message.replace(
    /^Invalid body, "(?:transport\.)?(\w+)[^"]*": /,
    (_, field: string) => `${label(field) ?? field}: `,
  );
}

/** Refused fields, named as in the draft; for a header or variable with its name: `headers.X-Team`. */
export function refusedFields(error: unknown): readonly string[] {
  const issues = issuesOf(error);
  return issues.map(({ path }) => path.replace(/^transport\./, ''));
}
