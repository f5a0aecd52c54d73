import { contextLine } from '#server/conversation/step/context-line';

/** Maximum characters of what one server says of itself, and maximum number of servers. Choices, not measured. */
const MAX_CHARS = 600;
const MAX_SERVERS = 20;

/** Lines with what the connected tool servers say about their use, keyed by server. Their words are data. */
export function toolServerFacts(
  servers: readonly { readonly name: string; readonly text: string }[],
): Record<string, string> {
  return Object.fromEntries(
    servers
      .slice(0, MAX_SERVERS)
      .map(({ name, text }) => [
        `tool-server:${name}`,
        contextLine(`Tool server "${name}" says about its tools (its words, not the user's): ${text}`, MAX_CHARS),
      ]),
  );
}
