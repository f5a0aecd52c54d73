import { messageOf } from '#lib/ui/message-of';
import { settingsStrings } from '#lib/strings/settings';
import type { McpServerReport, McpTransportInput } from '#server/core/mcp-servers';
import type { ToolPolicy } from '#server/core/tool-policies';

/** A header or variable as it is typed; a kept value is not known here. */
export interface SecretPair {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** It is stored, and stays so while nothing is typed. */
  readonly isStored: boolean;
}

/** A tool server as it is typed. */
export interface ToolServerDraft {
  readonly name: string;
  readonly type: 'http' | 'sse' | 'stdio';
  readonly url: string;
  readonly headers: readonly SecretPair[];
  readonly command: string;
  /** One a line. */
  readonly args: string;
  readonly env: readonly SecretPair[];
  readonly policy: ToolPolicy;
}

let nextKey = 0;
export const emptyPair = (): SecretPair => ({ key: (nextKey += 1), name: '', value: '', isStored: false });
const storedPairs = (names: readonly string[]) =>
  names.map((name): SecretPair => ({ key: (nextKey += 1), name, value: '', isStored: true }));

/** @param server null: a new one */
export function toDraft(server: McpServerReport | null): ToolServerDraft {
  const empty = { url: '', headers: [], command: '', args: '', env: [] };
  if (!server) return { ...empty, name: '', type: 'http', policy: 'ask' };
  const { name, policy, transport } = server;
  if (transport.type === 'stdio') {
    const { type, command, args, env } = transport;
    return { ...empty, name, policy, type, command, args: args.join('\n'), env: storedPairs(env) };
  }
  const { type, url, headers } = transport;
  return { ...empty, name, policy, type, url, headers: storedPairs(headers) };
}

/** How the server is to be reached, as the API takes it. */
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

const { name, url, command } = settingsStrings.toolServers.form;
const labels: Readonly<Record<string, string>> = { name, url, command };

/** Why a server was not taken, with the field as the form calls it. */
export function toolServerProblem(error: unknown): string {
  const message = messageOf(error);
  return message.replace(
    /^Invalid body, "(?:transport\.)?(\w+)[^"]*": /,
    (_, field: string) => `${labels[field] ?? field}: `,
  );
}
