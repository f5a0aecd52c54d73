import type { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import type { ChangeOrigin } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import type { Role } from '#server/core/messages';

/** A part of the conversation in which something was found. */
export interface HistoryMatch {
  readonly partId: string;
  /** Place of its message in the session. */
  readonly seq: number;
  readonly role: Role;
  readonly kind: 'text' | 'tool-call' | 'tool-result';
  /** Of calls and results. */
  readonly toolName?: string;
  /** The text around the match, at most 200 characters. */
  readonly snippet: string;
}

/** Reads what was said and done in this session, also what pruning or compaction took out of the view. */
export interface HistoryReader {
  /** Best first, at most `limit`. Any text is a valid query. */
  search(query: string, limit: number): Promise<readonly HistoryMatch[]>;
  /** The whole text of a message's text, tool input or tool output, or null when this session has no such part. */
  readPart(partId: string): Promise<string | null>;
}

/** What a tool call may touch. */
export interface ToolContext {
  readonly content: ContentBackend;
  readonly history: HistoryReader;
  /** Recorded with every change the tool makes. */
  readonly origin: ChangeOrigin;
  readonly signal: AbortSignal;
}

/**
 * One tool, as a plain value: the agent turns it into what the model is offered and runs it.
 *
 * `execute` returns a small structured result with ids and slugs. It throws a ThroughlineError for what the model
 * should read and correct; any other error is reported to the model as an internal fault.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** One or two terse sentences: every word is sent with every request. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Never pruned from the view (the newest settings and rules stay readable). Default false. */
  readonly exemptFromPruning?: boolean;
  /** It changes something: a cancelled turn lets it finish, and it never runs beside another. Default false. */
  readonly writes?: boolean;
  /** The turn ends after this call: the user speaks next. Default false. */
  readonly endsTurn?: boolean;
  /** Cut longer outputs at their source; characters. Default 30,000. */
  readonly maxOutputChars?: number;
  execute(input: Input, context: ToolContext): Promise<JsonValue>;
}

/** Keeps the input's inferred type inside a definition while the registry holds tools of any input. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool;
}
