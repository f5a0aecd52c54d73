import { nearMatches } from '#server/core/compare-texts';
import { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import type { ChangeOrigin } from '#server/core/changes';
import type { KeptWish } from '#server/core/kept-wishes';
import type { MessageRole } from '#server/core/messages';
import { allows, type Scope } from '#server/core/access-rights';
import type { ToolPolicy } from '#server/core/settings-report';
import type { ToolEffect } from '#server/core/tool-effect';
import type { ToolReturn } from '#server/core/tool-result';

/** The parts of a JSON Schema (draft 7) of an object that we rely on. */
export interface ToolInputSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** A part of the conversation in which something was found. */
export interface HistoryMatch {
  readonly partId: string;
  /** Place of its message in the session. */
  readonly seq: number;
  readonly role: MessageRole;
  readonly kind: 'text' | 'tool-call' | 'tool-result';
  /** Set for calls and results. */
  readonly toolName?: string;
  /** The text around the match, at most 200 characters. */
  readonly snippet: string;
}

/** A request of the user and what was answered, in the stretch of the session that it opens. */
export interface HistoryExchange {
  /** Place of the request in the session. */
  readonly seq: number;
  readonly request: string;
  /** The last text of the assistant; empty where it said nothing. */
  readonly answer: string;
}

/** A text, a call or a result, as it is read one after the other. */
export interface HistoryLine {
  readonly partId: string;
  readonly seq: number;
  readonly role: MessageRole;
  readonly kind: HistoryMatch['kind'];
  readonly toolName?: string;
  readonly text: string;
}

/**
 * Reads what was said and done in this session, also what pruning or compaction took out of the view; nothing of the
 * turn that runs.
 */
export interface HistoryReader {
  /** Best first, at most `limit`. Any text is a valid query. */
  search(query: string, limit: number): Promise<readonly HistoryMatch[]>;
  /** The exchange that a message belongs to; null where nothing was asked before it. */
  exchangeAt(seq: number): Promise<HistoryExchange | null>;
  /** The next lines of the session from a message on, whole messages, at most `limit` of them; empty at its end. */
  readFrom(seq: number, limit: number): Promise<readonly HistoryLine[]>;
  /** The whole text of a message's text, tool input or tool output, or null when this session has no such part. */
  readPart(partId: string): Promise<string | null>;
  /** The images of a tool output, or the one that a user attached: those of this session that can be shown again. */
  imagesOf(partId: string): Promise<readonly HistoryImage[]>;
}

/** An image in a part; its bytes are a file of the session. */
export interface HistoryImage {
  readonly fileId: string;
  readonly filename: string;
  readonly mediaType: string;
}

/** A file of this conversation, as its user or a tool gave it. */
export interface SessionFile {
  readonly id: string;
  readonly filename: string;
  readonly mediaType: string;
  /** Pixels of an image. */
  readonly width: number | null;
  readonly height: number | null;
}

/** The files of this conversation, also those that the model is not shown any more. */
export interface SessionFiles {
  /** Set where there can be none: what to do instead, in a sentence. */
  readonly none?: string;
  /** Newest first. */
  list(): Promise<readonly SessionFile[]>;
  /** Null when it is gone, or another conversation's. */
  read(id: string): Promise<Uint8Array | null>;
}

/** The user's lasting wishes that this conversation keeps. */
export interface SessionWishes {
  /** Oldest first. */
  list(): Promise<readonly KeptWish[]>;
  /**
   * @param instead one that goes for it, by its id or its words
   * @returns the words as the user spelt them
   * @throws ToolError for words that the user did not type, and for more than there is room for
   */
  keep(quote: string, instead?: string): Promise<string>;
  /** @param ref its id or its words. @throws NotFoundError where it is not kept */
  letGo(ref: string): Promise<KeptWish>;
}

/** Everything that a tool call can reach. */
export interface ToolContext {
  readonly siteId: string;
  readonly content: ContentBackend;
  readonly history: HistoryReader;
  readonly files: SessionFiles;
  readonly wishes: SessionWishes;
  /** Recorded with every change the tool makes. */
  readonly origin: ChangeOrigin;
  /** Set for an approved call about one thing: the revision on which the user agreed. */
  readonly ifRevision?: number | undefined;
  /** Notes that the result shows the model an entry as it is at this revision; absent where nothing is kept of it. */
  readonly noteSeen?: ((id: string, revision: number) => void) | undefined;
  readonly signal: AbortSignal;
}

/** The part of the context that a call may read before it runs; without `files` what names one is not looked at. */
export type EffectContext = Pick<ToolContext, 'content' | 'origin'> & Partial<Pick<ToolContext, 'files'>>;

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
  /** Refuses fields that it does not know, where the call would do or tell something else without them. */
  readonly input: z.ZodType<Input>;
  /** JSON Schema of the input for models, where `input` cannot describe it (tools from elsewhere). */
  readonly inputSchema?: ToolInputSchema;
  /** Never pruned from the view (the newest settings and rules stay readable). Default false. */
  readonly exemptFromPruning?: boolean;
  /** True if it changes something: a cancelled turn lets it finish, and it never runs beside another. Default false. */
  readonly writes?: boolean;
  /** True if it acts outside this site, where it cannot be limited to drafts. Default false. */
  readonly isElsewhere?: boolean;
  /** True if it touches nothing but the conversation itself, so every caller may use it. Default false. */
  readonly isForEverybody?: boolean;
  /**
   * Default policy. `ask`: for what cannot be seen before it is done (publishing,
   * trash, settings); `off`: it does not run. Default `always`.
   */
  readonly policy?: ToolPolicy;
  /** Decides call by call if it asks; `policy` is ignored then. */
  asks?(input: Input, context: EffectContext): Promise<boolean>;
  /** True when each call with this input changes another thing, though its effect names the same before any has run. */
  changesAnotherEachTime?(input: Input): boolean;
  /** True where one call with this input may change several things: they are counted before it runs. */
  changesSeveral?(input: Input): boolean;
  /** Its words where there is no conversation (over MCP); without them it is described as everywhere. */
  readonly withoutConversation?: LoneWords;
  /** The turn ends after this call: the user speaks next. Default false. */
  readonly endsTurn?: boolean;
  /** Cut longer outputs at their source; characters. Default 30,000. */
  readonly maxOutputChars?: number;
  /** Previews a call of a tool that writes, without running it; throws as `execute` would. */
  effect?(input: Input, context: EffectContext): Promise<ToolEffect>;
  execute(input: Input, context: ToolContext): Promise<ToolReturn>;
}

/** Words of a tool for callers who have no conversation. */
interface LoneWords {
  readonly description: string;
  /** Descriptions of fields; null: a field that has no meaning there, and is not offered. */
  readonly fields: Readonly<Record<string, string | null>>;
}

/** The tools of one conversation. */
export interface Toolbox {
  /** In the order in which models are offered them (fixed, so that prompt caches hold). */
  readonly tools: readonly Tool[];
  find(name: string): Tool | undefined;
}

/** What a model reads that called a tool by a name that none of these has. */
export function noSuchTool(name: string, tools: readonly Pick<Tool, 'name'>[]): string {
  const near = nearMatches(
    name,
    tools.map((tool) => tool.name),
  );
  return `There is no tool "${name}".${near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`}`;
}

/** True when a caller with these scopes may have the tool called. */
export function isToolFor(
  scopes: readonly Scope[],
  tool: Pick<Tool, 'writes' | 'isElsewhere' | 'isForEverybody'>,
): boolean {
  return tool.isForEverybody === true || allows(scopes, scopeOf(tool));
}

/** Least scope needed to call a tool; the content it is given decides what the call can do. */
export function scopeOf({ writes, isElsewhere }: Pick<Tool, 'writes' | 'isElsewhere'>): Scope {
  if (writes !== true) return 'content:read';
  return isElsewhere === true ? 'content:write' : 'content:draft';
}

/** Content limited by scopes: without `content:write`, only drafts can be changed. */
export function contentFor(content: ContentBackend, scopes: readonly Scope[]): ContentBackend {
  return allows(scopes, 'content:write') ? content : content.draftsOnly();
}

/** Keeps the input's inferred type inside a definition while the registry holds tools of any input. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool;
}

/** A tool as models see it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
}

/** Keywords that cost tokens in every request and tell a model nothing; zod still enforces what they say. */
const SILENT_KEYWORDS = ['$schema', 'additionalProperties', 'propertyNames', 'minLength', 'minimum', 'minItems'];

/**
 * A tool as the model sees it, with the tersest JSON Schema of its input that still names every field and the limits
 * of what a model writes into them. The input is validated by `tool.input`, not by this schema.
 */
export function defineForModel({ name, description, input, inputSchema }: Tool): ToolDefinition {
  return { name, description, inputSchema: inputSchema ?? terseSchema(input) };
}

/** A tool as a model without a conversation sees it. */
export function defineAlone(tool: Tool): ToolDefinition {
  const { withoutConversation: words } = tool;
  const { inputSchema, ...definition } = defineForModel(tool);
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

function terseSchema(input: z.ZodType): ToolInputSchema {
  const schema = z.toJSONSchema(input, {
    target: 'draft-07',
    io: 'input',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      for (const keyword of SILENT_KEYWORDS) delete jsonSchema[keyword];
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema['isName'] === true) {
        delete jsonSchema.maxLength;
        delete jsonSchema.maximum;
      }
      delete jsonSchema['isName'];
    },
  });
  const { $schema: _dialect, ...rest } = schema;
  return { ...rest, type: 'object' };
}
