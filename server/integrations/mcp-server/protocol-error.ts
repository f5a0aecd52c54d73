import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '#server/core/json';

/**
 * An error that is sent as a JSON-RPC error. Unlike `McpError` of the SDK, it adds no "MCP error -32602:" to its message,
 * which clients show to people and models, and which the client of the SDK adds again.
 */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** What a person has to do on a page before a call can run. */
interface NeededDecision {
  readonly id: string;
  /** Says what the person decides about; shown by the client before it opens the page. */
  readonly message: string;
  readonly url: string;
}

/**
 * The error for a call that runs once a person has decided on a page (MCP 2025-11-25, client/elicitation, "URL
 * Elicitation Required Error"): the client offers to open the page, and repeats the call afterwards.
 * @param said the same for clients that only show the message
 */
export function needsDecision(said: string, { id, message, url }: NeededDecision): ProtocolError {
  const elicitation = { mode: 'url', elicitationId: id, url, message };
  return new ProtocolError(ErrorCode.UrlElicitationRequired, said, { elicitations: [elicitation] });
}
