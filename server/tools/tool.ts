import { nearMatches } from '#server/core/text/compare-texts';
import { z } from 'zod';
import type { ContentBackend } from '#server/site/content-backend';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { CodedMessage } from '#server/core/coded-message';
import type { Preference } from '#server/core/conversation/preferences';
import type { MessageRole } from '#server/core/conversation/messages';
import { allows, type Scope } from '#server/core/admin/access-rights';
import type { ToolPolicy } from '#server/core/admin/settings-report';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import type { ToolReturn } from '#server/core/conversation/tool-result';

/** The parts of a JSON Schema (draft 7) of an object that we use. */
export interface ToolInputSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** A text, a call or a result, in reading order. */
export interface HistoryLine {
  readonly partId: string;
  /** Position of its message in the session. */
  readonly seq: number;
  readonly role: MessageRole;
  readonly kind: 'text' | 'tool-call' | 'tool-result';
  /** Set for calls and results. */
  readonly toolName?: string;
  readonly text: string;
}

/** A line that a search returns: on one line, and cut around the match or at its end if it is long. */
export interface PassageLine extends HistoryLine {
  /** The rest can be read by the id of the part. */
  readonly isCut: boolean;
}

/**
 * Reads the messages and tool calls of this session, including those that pruning or compaction removed from the view,
 * but not the running turn.
 */
export interface HistoryReader {
  /**
   * Passages with matches, the best first: the matching lines with the messages around them, in reading order. No line
   * is in two passages. Any text is a valid query.
   * @param limit maximum number of matches
   * @param tokens approximate maximum for all lines together
   */
  search(query: string, limit: number, tokens: number): Promise<readonly (readonly PassageLine[])[]>;
  /**
   * The next lines of the session from a message on: whole messages, at most `limit` of them; empty at the end of the
   * session.
   */
  readFrom(seq: number, limit: number): Promise<readonly HistoryLine[]>;
  /** The full text of a part: message text, tool input or tool output; null if this session has no such part. */
  readPart(partId: string): Promise<string | null>;
  /** The images of a tool output, or the image that a user attached, as far as this session can show them again. */
  imagesOf(partId: string): Promise<readonly HistoryImage[]>;
}

/** An image in a part; its bytes are a file of the session. */
export interface HistoryImage {
  readonly fileId: string;
  readonly filename: string;
  readonly mediaType: string;
}

/** A file of this conversation, from its user or from a tool. */
export interface SessionFile {
  readonly id: string;
  readonly filename: string;
  readonly mediaType: string;
  /** Pixels of an image. */
  readonly width: number | null;
  readonly height: number | null;
}

/** The files of this conversation, including those that the model no longer sees. */
export interface SessionFiles {
  /** Set if the conversation cannot have files: what to do instead, in a sentence. */
  readonly none?: string;
  /** Newest first. */
  list(): Promise<readonly SessionFile[]>;
  /** Null if it was deleted, or belongs to another conversation. */
  read(id: string): Promise<Uint8Array | null>;
}

/** The user's preferences in this conversation. */
export interface SessionPreferences {
  /** Oldest first. */
  list(): Promise<readonly Preference[]>;
  /**
   * Stores a preference.
   * @param instead the preference that it replaces, by its id or its text
   * @returns the quote in the user's spelling
   * @throws ToolError for a quote that the user did not type, and if the limit is exceeded
   */
  keep(quote: string, instead?: string): Promise<string>;
  /** Removes a preference. @param ref its id or its text. @throws NotFoundError if it is not stored */
  letGo(ref: string): Promise<Preference>;
}

/** Everything that a tool call can reach. */
export interface ToolContext {
  readonly siteId: string;
  readonly content: ContentBackend;
  readonly history: HistoryReader;
  readonly files: SessionFiles;
  readonly wishes: SessionPreferences;
  /** Recorded with every change that the tool makes. */
  readonly origin: ChangeOrigin;
  /** Rights of the call: those of the caller, or of the person who approved it. */
  readonly scopes: readonly Scope[];
  /** Set for an approved call with one target: the revision at which the user approved it. */
  readonly ifRevision?: number | undefined;
  /** Records that the result shows the model an entry at this revision; absent if seen revisions are not recorded. */
  readonly noteSeen?: ((id: string, revision: number) => void) | undefined;
  /** Records a summary of what the call changed, for people; absent if results are not shown to people. */
  readonly noteSummary?: ((summary: CodedMessage | null) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * The part of the context that a call may read before it runs; without `files`, references to files are not resolved.
 */
export interface EffectContext {
  readonly content: ContentBackend;
  readonly origin: ChangeOrigin;
  readonly files?: SessionFiles;
}

/**
 * One tool, as a plain value: the agent converts it into the definition for the model and runs it.
 *
 * `execute` returns a small structured result with ids and slugs. It throws a ThroughlineError for a problem that the
 * model should read and correct; any other error is reported to the model as an internal fault.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** One or two short sentences: every word is sent with every request. */
  readonly description: string;
  /** Refuses unknown fields if the call would do something else without them. */
  readonly input: z.ZodType<Input>;
  /** JSON Schema of the input for models, if `input` cannot describe it (external tools). */
  readonly inputSchema?: ToolInputSchema;
  /** Never pruned from the view (the newest settings and rules must remain readable). Default false. */
  readonly exemptFromPruning?: boolean;
  /**
   * True if it changes something: a cancelled turn lets it finish, and it never runs in parallel with another tool.
   * Default false.
   */
  readonly writes?: boolean;
  /**
   * A tool server says that it changes nothing: a cancel does not wait for it, and it may run in parallel with others. It
   * needs the right to write all the same. Default false.
   */
  readonly isReadOnlyByHint?: boolean;
  /** True if it acts outside this site, where it cannot be limited to drafts. Default false. */
  readonly isElsewhere?: boolean;
  /** True if it affects nothing but the conversation itself, so every caller may use it. Default false. */
  readonly isForEverybody?: boolean;
  /**
   * Default policy. `ask`: for effects that cannot be reviewed first as a draft (publishing, trash, settings); `off`:
   * the tool does not run. Default `always`.
   */
  readonly policy?: ToolPolicy;
  /** Decides for each call if it needs approval; `policy` is ignored then. */
  asks?(input: Input, context: EffectContext): Promise<boolean>;
  /**
   * True if each call with this input changes another target, though before any has run, all their effects name the
   * same one.
   */
  changesAnotherEachTime?(input: Input): boolean;
  /** True if one call with this input may change several targets: they are counted before it runs. */
  changesSeveral?(input: Input): boolean;
  /** Its descriptions for callers without a conversation (over MCP); without them, the general ones apply. */
  readonly withoutConversation?: LoneWords;
  /** The turn ends after this call: the user speaks next. Default false. */
  readonly endsTurn?: boolean;
  /** Longer outputs are truncated at their source; characters. Default 30,000. */
  readonly maxOutputChars?: number;
  /** Previews a call of a tool that writes, without running it; throws the errors that `execute` would throw. */
  effect?(input: Input, context: EffectContext): Promise<ToolEffect>;
  execute(input: Input, context: ToolContext): Promise<ToolReturn>;
}

/** Descriptions of a tool for callers without a conversation. */
interface LoneWords {
  readonly description: string;
  /** Descriptions of fields; null: the field has no meaning there and is not offered. */
  readonly fields: Readonly<Record<string, string | null>>;
}

/** The tools of one conversation. */
export interface Toolbox {
  /** In the order in which models are offered them (fixed, so that prompt caches remain valid). */
  readonly tools: readonly Tool[];
  find(name: string): Tool | undefined;
}

/** The answer to a model that called a tool with an unknown name. */
export function noSuchTool(name: string, tools: readonly { readonly name: string }[]): string {
  const near = nearMatches(
    name,
    tools.map((tool) => tool.name),
  );
  return `There is no tool "${name}".${near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`}`;
}

/** True if a caller with these scopes may call the tool. */
export function isToolFor(
  scopes: readonly Scope[],
  tool: Pick<Tool, 'writes' | 'isElsewhere' | 'isForEverybody'>,
): boolean {
  return tool.isForEverybody === true || allows(scopes, scopeOf(tool));
}

/** Tells whether a call has to run alone and to its end. */
export function mustFinish({ writes = false, isReadOnlyByHint = false }: Tool): boolean {
  return writes && !isReadOnlyByHint;
}

/** Least scope needed to call a tool; what the call can do depends on the content object that it receives. */
export function scopeOf({ writes, isElsewhere }: Pick<Tool, 'writes' | 'isElsewhere'>): Scope {
  if (writes !== true) return 'content:read';
  return isElsewhere === true ? 'content:write' : 'content:draft';
}

/** Content limited by scopes: without `content:write`, only drafts can be changed. */
export function contentFor(content: ContentBackend, scopes: readonly Scope[]): ContentBackend {
  return allows(scopes, 'content:write') ? content : content.draftsOnly();
}

/** Infers the type of the input within a definition; the registry holds tools of any input. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool;
}

/** A tool as models see it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
}

/** Keywords that cost tokens in every request and are useless to a model; zod still enforces them. */
const SILENT_KEYWORDS = ['$schema', 'additionalProperties', 'propertyNames', 'minLength', 'minimum', 'minItems'];

/**
 * The tool definition for the model, with the shortest JSON Schema of its input that still names every field and the
 * limits of text that the model writes. The input is validated by `tool.input`, not by this schema.
 */
export function defineForModel({ name, description, input, inputSchema }: Tool): ToolDefinition {
  return { name, description, inputSchema: inputSchema ?? terseSchema(input) };
}

/**
 * The tool definition for a model without a conversation. Its schema says where unknown fields are refused, because the
 * programs of such models check inputs by it.
 */
export function defineAlone(tool: Tool): ToolDefinition {
  const { withoutConversation: words } = tool;
  const definition = { name: tool.name, description: tool.description };
  const inputSchema = tool.inputSchema ?? terseSchema(tool.input, { withClosed: true });
  if (words === undefined) return { ...definition, inputSchema };
  const properties = Object.entries(inputSchema['properties'] ?? {}).flatMap(([name, property]) => {
    const description = words.fields[name];
    if (description === null) return [];
    return [[name, description === undefined ? (property as unknown) : { ...(property as object), description }]];
  });
  return {
    ...definition,
    description: words.description,
    inputSchema: { ...inputSchema, properties: Object.fromEntries(properties) as unknown },
  };
}

/** @param withClosed true to keep `additionalProperties: false` */
function terseSchema(input: z.ZodType, { withClosed = false } = {}): ToolInputSchema {
  const schema = z.toJSONSchema(input, {
    target: 'draft-07',
    io: 'input',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      const isClosed = withClosed && jsonSchema.additionalProperties === false;
      for (const keyword of SILENT_KEYWORDS) delete jsonSchema[keyword];
      if (isClosed) jsonSchema.additionalProperties = false;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema['isName'] === true) {
        delete jsonSchema.maxLength;
        delete jsonSchema.maxItems;
        delete jsonSchema.maximum;
        delete jsonSchema.enum;
      }
      delete jsonSchema['isName'];
    },
  });
  const { $schema: _dialect, ...rest } = schema;
  return { ...rest, type: 'object' };
}
