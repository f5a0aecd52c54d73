import { ToolError } from '#server/core/errors';
import { isSealed } from '#server/core/secrets';
import { VARIABLE_REFERENCE, type McpTransport } from '#server/core/mcp-servers';

/** Variables by name, usually `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A transport with its secrets filled in. */
export interface FilledTransport {
  readonly transport: McpTransport;
  /** Removes the secrets from a text for a person or a model. */
  readonly redact: (text: string) => string;
  /** Removes header values and values read from the environment from an answer; all else stays as it is. */
  readonly redactAnswer: <T>(answer: T) => T;
}

/** Shortest value removed from a text; shorter ones may be ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** Shortest value removed from an answer, which must not be changed otherwise. */
const MIN_SECRET_IN_ANSWER = 8;

/** Replaces `${MCP_...}` by the environment's values. @throws ToolError that names a variable that is not set */
export function fillTransport(transport: McpTransport, variables: Variables): FilledTransport {
  // For a header also the part after its scheme: a server quotes the key without "Bearer".
  const secrets: string[] = [];
  const references: string[] = [];
  const fill = (name: string, value: string): string => {
    if (isSealed(value)) throw new ToolError(unreadable(name));
    const filled = value.replaceAll(VARIABLE_REFERENCE, (_, variable: string) => {
      const found = variable.startsWith('MCP_') ? variables[variable] : undefined;
      if (found === undefined || found === '') throw new ToolError(`The environment variable ${variable} is not set.`);
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
  const redact = replacing([...secrets, ...references], MIN_SECRET_LENGTH);
  const told = transport.type === 'stdio' ? references : [...secrets, ...references];
  const inJson = replacing(
    told.map((secret) => JSON.stringify(secret).slice(1, -1)),
    MIN_SECRET_IN_ANSWER,
  );
  const redactAnswer = <T>(answer: T): T => {
    const json = JSON.stringify(answer);
    const clean = inJson(json);
    return clean === json ? answer : (JSON.parse(clean) as T);
  };
  return { transport: filled, redact, redactAnswer };
}

function unreadable(name: string): string {
  return `The stored value of "${name}" cannot be read any more: AUTH_SECRET, or the key beside the database, has changed. Enter it again.`;
}

/** Replaces secrets, the longest first: one may be part of another. */
function replacing(secrets: readonly string[], minLength: number): (text: string) => string {
  const hidden = secrets.filter(({ length }) => length >= minLength).toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text);
}
