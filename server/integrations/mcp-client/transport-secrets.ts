import type { ServerText } from '#server/core/coded-message';
import { mapStrings } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { ToolError } from '#server/core/errors';
import { isSealed } from '#server/core/secrets';
import { VARIABLE_REFERENCE, type McpTransport } from '#server/core/admin/mcp-servers';

/** Environment variables by name, usually `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The transport of a tool server with its secrets inserted, and functions that remove the secrets from texts. */
export interface FilledTransport {
  readonly transport: McpTransport;
  /** Removes the secrets from a text that a person or a model will read. */
  readonly redact: (text: ServerText) => ServerText;
  /** Removes header values and values read from the environment from a response; everything else stays unchanged. */
  readonly redactAnswer: <T>(answer: T) => T;
}

/** Minimum length of a value to be removed from a text; shorter ones may be ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** Minimum length of a value to be removed from a response, which must otherwise stay unchanged. */
const MIN_SECRET_IN_ANSWER = 8;

/**
 * Inserts the values of environment variables for their references (`${MCP_...}`) in the environment of a program or in
 * the headers of a server.
 * @param issued gives further secrets: the tokens that the server has issued until then
 * @throws ToolError that names a variable that is not set, or a stored value that cannot be decrypted
 */
export function fillTransport(
  transport: McpTransport,
  variables: Variables,
  issued: () => readonly string[] = () => [],
): FilledTransport {
  // Each value, and each of its words after the first: a server may quote the key of a header without "Bearer".
  const secrets: string[] = [];
  const references: string[] = [];
  const fill = (name: string, value: string): string => {
    if (isSealed(value)) throw new ToolError(serverText('stored-value-unreadable', { name }));
    const filled = value.replaceAll(VARIABLE_REFERENCE, (_, variable: string) => {
      const found = variable.startsWith('MCP_') ? variables[variable] : undefined;
      if (found === undefined || found === '') throw new ToolError(serverText('variable-not-set', { variable }));
      references.push(found);
      return found;
    });
    secrets.push(filled, ...filled.split(/\s+/).slice(1));
    return filled;
  };
  const fillAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(name, value)]));
  const filled: McpTransport =
    transport.type === 'stdio'
      ? { ...transport, env: fillAll(transport.env) }
      : { ...transport, headers: fillAll(transport.headers) };
  const redact = (text: ServerText) =>
    mapStrings(text, replacing([...secrets, ...references, ...issued()], MIN_SECRET_LENGTH));
  const disclosed = transport.type === 'stdio' ? references : [...secrets, ...references];
  const redactAnswer = <T>(answer: T): T => {
    const json = JSON.stringify(answer);
    const inJson = replacing(
      [...disclosed, ...issued()].map((secret) => JSON.stringify(secret).slice(1, -1)),
      MIN_SECRET_IN_ANSWER,
    );
    const clean = inJson(json);
    return clean === json ? answer : (JSON.parse(clean) as T);
  };
  return { transport: filled, redact, redactAnswer };
}

/** Replaces secrets, longest first: one may be part of another. */
function replacing(secrets: readonly string[], minLength: number): (text: string) => string {
  const hidden = secrets.filter(({ length }) => length >= minLength).toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text);
}
