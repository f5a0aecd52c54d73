import type { JSONSchema7 } from '@ai-sdk/provider';
import { jsonSchema, type ToolSet } from 'ai';
import type { ContextSettings, CurrentSettings } from '#server/context/settings/context-settings';
import { BoundedMap } from '#server/core/bounded-map';
import { ToolError } from '#server/core/errors';
import {
  createFindTools,
  createLoadTools,
  definitionTokens,
  type FittingTools,
  LOAD_TOOLS,
  type LoadOutcome,
  type OnDemandTools,
  roomForOwn,
  withinRoom,
} from '#server/conversation/step/tool-budget';
import { allows, type Scope } from '#server/core/admin/access-rights';
import type { ToolPolicy } from '#server/core/admin/settings-report';
import type { LoadedTools } from '#server/core/conversation/sessions';
import { TOOL_NAME_SEPARATOR } from '#server/core/conversation/tool-result';
import { defineForModel, isToolFor, noSuchTool, type Tool, type Toolbox } from '#server/tools/tool';

/** An external tool. */
export interface ExternalTool {
  readonly tool: Tool;
  /** Tokens of its definition. */
  readonly tokens: number;
  /** The tool is not offered, unless a policy is set for the tool itself. */
  readonly isOff: boolean;
  /** Site to whose conversations the tool is limited; null or absent: all conversations. */
  readonly siteId?: string | null;
}

/** Joins two lists of tools; returns the same list while both are unchanged. */
export function createJoinedTools() {
  let last: readonly (readonly ExternalTool[])[] = [];
  let joined: readonly ExternalTool[] = [];
  return (...lists: readonly (readonly ExternalTool[])[]): readonly ExternalTool[] => {
    if (lists.length !== last.length || lists.some((list, index) => list !== last[index])) {
      last = lists;
      joined = lists.flat();
    }
    return joined;
  };
}

/** All tools of this process, and what every request contains in addition to them. */
export interface ToolCatalog {
  /** Our tools in a fixed order; a new list when they change. */
  own(): readonly Tool[];
  /** External tools in a fixed order; a new list when they change. */
  external(): readonly ExternalTool[];
  /** Names of our tools that are always offered, as far as the token budget allows. */
  readonly always: readonly string[];
  /** Names of our tools that a conversation starts with if not all fit, the most used first; the others follow. */
  readonly frequent: readonly string[];
  /** Tokens of the beginning of every request, in addition to the tools. */
  instructionTokens(): number;
}

/** Maximum share of a model's usable tokens for the definitions of external tools. A choice, not measured. */
const MAX_SHARE = 0.1;
/** Number of conversations whose loaded tools are kept in memory. A choice, not measured. */
const MAX_SESSIONS = 1_000;
/** Number of cached toolboxes, so that data derived from them is computed once. A choice, not measured. */
const MAX_TOOLBOXES = 200;

/** Number of sites whose tools are cached. A choice, not measured. */
const MAX_SITES = 100;

interface Known {
  readonly loaded: readonly string[];
  readonly usable: number;
  /** Null: not loaded yet. */
  readonly siteId: string | null;
}

/** The tools that can be offered, until something changes. */
interface Offer {
  /** Our tools, including disabled ones. */
  readonly ours: readonly Tool[];
  readonly external: readonly ExternalTool[];
  readonly policies: ContextSettings['toolPolicies'];
  /** Our tools that are not disabled. */
  readonly own: readonly Tool[];
  /** External tools that are not disabled. */
  readonly others: ReadonlyMap<string, ExternalTool>;
  readonly tokens: number;
  /** All tools, including disabled ones, so that a call of one gets the reason why it does not run. */
  readonly all: ReadonlyMap<string, Tool>;
  readonly toolboxes: BoundedMap<OfferedTools>;
}

/**
 * The tools of each conversation: ours and the external ones. If the definitions of external tools would take too much
 * of every request, two small tools find them and load them into the conversation instead. If ours do not all fit, a
 * conversation starts with the most used ones; the set then changes only when a tool is loaded, and the tools that were
 * not used or loaded for the longest time are removed. While nothing changes, the same toolbox is returned, so that
 * requests begin with the same bytes.
 */
export class Toolboxes {
  readonly #catalog: ToolCatalog;
  readonly #loaded: LoadedTools;
  readonly #settings: CurrentSettings;
  readonly #sessions = new BoundedMap<Known>(MAX_SESSIONS);
  /** Keyed by the names of the loadable tools. */
  readonly #loadTools = new BoundedMap<Tool>(MAX_TOOLBOXES);
  /** Keyed by site. */
  readonly #offers = new BoundedMap<Offer>(MAX_SITES);
  #findTools: { readonly servers: string; readonly tool: Tool } | null = null;

  constructor(catalog: ToolCatalog, loaded: LoadedTools, settings: CurrentSettings) {
    this.#catalog = catalog;
    this.#loaded = loaded;
    this.#settings = settings;
  }

  /**
   * The current tools of a conversation.
   * @param usable usable tokens of the model; default: those of the last call
   */
  of(sessionId: string, usable?: number): OfferedTools {
    const known = this.#known(sessionId, usable);
    const offer = this.#current(known);
    const isWhole = this.#isWhole(offer, known);
    const others = this.#othersOf(offer, known);
    const own = this.#ownWithin(offer, known).offered;
    if (isWhole && own.length === offer.own.length) {
      return this.#toolbox(offer, 'all', () => [...offer.own, ...others.map(({ tool }) => tool)]);
    }
    const names = [...own, ...others.map(({ tool }) => tool)].map(({ name }) => name);
    return this.#toolbox(offer, `some ${names.join(' ')}`, () => [
      ...own,
      ...(isWhole ? [] : [this.#findToolsOf(offer)]),
      this.#loadToolsOf(
        offer.own.filter((tool) => !own.includes(tool)),
        isWhole,
      ),
      ...others.map(({ tool }) => tool),
    ]);
  }

  /** True if all external tools are offered. */
  #isWhole(offer: Offer, { usable }: Known): boolean {
    return offer.tokens <= this.#limit(usable);
  }

  /** The external tools that are offered. */
  #othersOf(offer: Offer, known: Known): readonly ExternalTool[] {
    if (this.#isWhole(offer, known)) return [...offer.others.values()];
    return this.#within(offer, known.loaded, this.#limit(known.usable));
  }

  /** Our own tools that are offered in addition to the external ones. */
  #ownWithin(offer: Offer, known: Known): FittingTools {
    const { always } = this.#catalog;
    const room = roomForOwn(known.usable, this.#catalog.instructionTokens() + tokensOf(this.#othersOf(offer, known)));
    const loader = definitionTokens(this.#loadToolsOf([], true));
    const isOwn = (name: string) => !always.includes(name) && offer.own.some((tool) => tool.name === name);
    const newest = known.loaded.findLast(isOwn);
    return withinRoom(offer.own, { room, always, order: this.#orderOf(offer, known), newest, loader });
  }

  /** Names of our tools, the most recently used or loaded first, then the most used. */
  #orderOf({ own }: Offer, { loaded }: Known): readonly string[] {
    const names = own.map(({ name }) => name);
    const known = [...loaded.toReversed(), ...this.#catalog.frequent, ...names];
    return [...new Set(known)].filter((name) => names.includes(name));
  }

  /** Reloads the loaded tools of a conversation: another process may have changed them. */
  async refresh({ id, siteId }: { readonly id: string; readonly siteId: string }): Promise<void> {
    const loaded = await this.#loaded.read(id);
    this.#sessions.set(id, { ...this.#known(id), loaded, siteId });
  }

  #known(sessionId: string, usable?: number): Known {
    const known = this.#sessions.get(sessionId) ?? { loaded: [], usable: Infinity, siteId: null };
    if (usable === undefined || usable === known.usable) return known;
    const changed = { ...known, usable };
    this.#sessions.set(sessionId, changed);
    return changed;
  }

  #limit(usable: number): number {
    return Math.min(this.#settings.current().toolDefinitionsLimit, Math.floor(usable * MAX_SHARE));
  }

  #current({ siteId }: Known): Offer {
    const [ours, external] = [this.#catalog.own(), this.#catalog.external()];
    const { toolPolicies: policies } = this.#settings.current();
    const last = this.#offers.get(siteId ?? '');
    if (last?.ours === ours && last.external === external && last.policies === policies) return last;
    const ofSite = external.filter(({ siteId: bound = null }) => bound === null || bound === siteId);
    const others = ofSite.filter(({ tool, isOff }) =>
      Object.hasOwn(policies, tool.name) ? policies[tool.name] !== 'off' : !isOff,
    );
    const offer: Offer = {
      ours,
      external,
      policies,
      own: ours.filter((tool) => policyOf(policies, tool) !== 'off'),
      others: new Map(others.map((other) => [other.tool.name, other])),
      tokens: tokensOf(others),
      all: new Map([...ours, ...ofSite.map(({ tool }) => tool)].map((tool) => [tool.name, tool])),
      toolboxes: new BoundedMap(MAX_TOOLBOXES),
    };
    this.#offers.set(siteId ?? '', offer);
    return offer;
  }

  #toolbox(offer: Offer, key: string, tools: () => readonly Tool[]): OfferedTools {
    const present = offer.toolboxes.get(key);
    const toolbox = present ?? new OfferedTools(tools(), (name) => this.#find(offer, name));
    offer.toolboxes.set(key, toolbox);
    return toolbox;
  }

  #find(offer: Offer, name: string): Tool | undefined {
    if (name === LOAD_TOOLS) return this.#loadToolsOf([], false);
    return offer.all.get(name) ?? (this.#findTools?.tool.name === name ? this.#findTools.tool : undefined);
  }

  /** The newest that fit, in the order in which they were loaded. */
  #within(offer: Offer, names: readonly string[], limit: number): readonly ExternalTool[] {
    const kept: ExternalTool[] = [];
    let tokens = 0;
    for (const name of names.toReversed()) {
      const tool = offer.others.get(name);
      if (!tool) continue;
      tokens += tool.tokens;
      if (tokens > limit) break;
      kept.unshift(tool);
    }
    return kept;
  }

  #findToolsOf({ others }: Offer): Tool {
    const servers = [...new Set([...others.keys()].map((name) => name.split(TOOL_NAME_SEPARATOR, 1)[0]!))].join(', ');
    if (this.#findTools?.servers !== servers) {
      this.#findTools = { servers, tool: createFindTools(this.#onDemand(), servers) };
    }
    return this.#findTools.tool;
  }

  /** @param isAlone find_tools has no tools to find */
  #loadToolsOf(own: readonly Tool[], isAlone: boolean): Tool {
    const names = [...own.map(({ name }) => name), ...(isAlone ? [] : ['what find_tools names'])];
    const key = names.join(' ');
    const present = this.#loadTools.get(key) ?? createLoadTools(this.#onDemand(), names);
    this.#loadTools.set(key, present);
    return present;
  }

  #onDemand(): OnDemandTools {
    return {
      all: (sessionId) => [...this.#current(this.#known(sessionId)).others.values()].map(({ tool }) => tool),
      load: (sessionId, names) => this.load(sessionId, names),
    };
  }

  /** Loads tools into a conversation. @throws ToolError if none of them can be loaded */
  async load(sessionId: string, names: readonly string[]): Promise<LoadOutcome> {
    const offer = this.#current(this.#known(sessionId));
    const before = this.of(sessionId).tools;
    const limit = this.#limit(this.#known(sessionId).usable);
    const asked = [...new Set(names)];
    const isOwn = (name: string) => offer.own.some((tool) => tool.name === name);
    const tooLarge = asked.filter((name) => !isOwn(name) && (offer.others.get(name)?.tokens ?? 0) > limit);
    const unknown = asked.filter((name) => !offer.others.has(name) && !isOwn(name));
    const wanted = asked.filter((name) => !unknown.includes(name) && !tooLarge.includes(name));
    if (wanted.length === 0) throw new ToolError(refusal(offer, unknown, tooLarge));
    await this.#update(sessionId, (loaded) => this.#withLoaded(offer, { ...this.#known(sessionId), loaded }, wanted));
    const after = this.of(sessionId).tools.map(({ name }) => name);
    return {
      loaded: wanted.filter((name) => after.includes(name)),
      didNotFit: wanted.filter((name) => !after.includes(name)),
      putAway: before
        .map(({ name }) => name)
        .filter((name) => (isOwn(name) || offer.others.has(name)) && !after.includes(name) && !wanted.includes(name)),
      unknown,
      tooLarge,
    };
  }

  /** Records that a conversation used tools of ours: they are kept longest when others have to be removed. */
  async noteUse(sessionId: string, names: readonly string[]): Promise<void> {
    const known = this.#known(sessionId);
    const offer = this.#current(known);
    const { offered } = this.#ownWithin(offer, known);
    const used = [...new Set(names)].filter((name) => offered.some((tool) => tool.name === name));
    const newest = this.#orderOf(offer, known).slice(0, used.length);
    if (offered.length === offer.own.length || used.every((name) => newest.includes(name))) return;
    await this.#update(sessionId, (loaded) => this.#inOrder(offer, { ...known, loaded }, used));
  }

  async #update(sessionId: string, decide: (names: readonly string[]) => readonly string[]): Promise<void> {
    const loaded = await this.#loaded.update(sessionId, decide);
    this.#sessions.set(sessionId, { ...this.#known(sessionId), loaded });
  }

  /** Returns the loaded tools including the new ones. */
  #withLoaded(offer: Offer, known: Known, wanted: readonly string[]): readonly string[] {
    const present = known.loaded.filter((name) => offer.others.has(name));
    const names = wanted.filter((name) => offer.others.has(name));
    const others = this.#within(
      offer,
      [...present.filter((name) => !names.includes(name)), ...names],
      this.#limit(known.usable),
    ).map(({ tool }) => tool.name);
    const next = { ...known, loaded: [...known.loaded.filter((name) => !offer.others.has(name)), ...others] };
    const room = this.#ownWithin(offer, next);
    if (room.offered.length === offer.own.length) return others;
    const own = wanted.filter((name) => offer.own.some((tool) => tool.name === name));
    const fitting = room.fit(own);
    const before = new Set(this.#ownWithin(offer, known).offered.map(({ name }) => name));
    const staying = this.#orderOf(offer, known).filter((name) => before.has(name) && !own.includes(name));
    // A tool that did not fit comes directly after the offered ones, so that no unrequested tool is added.
    return this.#inOrder(offer, next, [...fitting, ...staying, ...own.filter((name) => !fitting.includes(name))]);
  }

  /** Returns the list to store, with these tools of ours first. */
  #inOrder(offer: Offer, known: Known, first: readonly string[]): readonly string[] {
    const order = [...new Set([...first, ...this.#orderOf(offer, known)])];
    return [...order.toReversed(), ...known.loaded.filter((name) => offer.others.has(name))];
  }
}

function tokensOf(tools: readonly ExternalTool[]): number {
  return tools.reduce((sum, { tokens }) => sum + tokens, 0);
}

function refusal(offer: Offer, unknown: readonly string[], tooLarge: readonly string[]): string {
  const tools = [...offer.own, ...[...offer.others.values()].map(({ tool }) => tool)];
  return [
    ...unknown.map((name) => noSuchTool(name, tools)),
    tooLarge.length === 0 ? '' : `The definition of ${tooLarge.join(', ')} is too large for this model.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The administrator's policies for tools, by name; other tools keep their own policy. */
export type ToolPolicies = Readonly<Record<string, ToolPolicy>>;

/**
 * The policy of a tool: the administrator's if there is one, else its own; `always` asks for approval of every call.
 */
export function policyOf(policies: ToolPolicies, { name, policy = 'always' }: Tool): ToolPolicy {
  return (Object.hasOwn(policies, name) && policies[name]) || policy;
}

/**
 * A toolbox with what is derived from its tools, computed once. It never changes, so that requests begin with the same
 * bytes.
 */
export class OfferedTools implements Toolbox {
  readonly tools: readonly Tool[];
  readonly #find: (name: string) => Tool | undefined;
  /** The same tools for callers with fewer rights. */
  readonly #limited = new Map<Reach, OfferedTools>();
  #toolSet: ToolSet | undefined;
  #schemaText: string | undefined;

  constructor(tools: readonly Tool[], find: (name: string) => Tool | undefined) {
    this.tools = tools;
    this.#find = find;
  }

  find(name: string): Tool | undefined {
    return this.#find(name);
  }

  /** The tools as the AI SDK sends them. */
  get toolSet(): ToolSet {
    return (this.#toolSet ??= toToolSet(this.tools));
  }

  /** All text about the tools in every request, for counting its tokens. */
  get schemaText(): string {
    return (this.#schemaText ??= JSON.stringify(
      this.tools.map((tool) => ({ type: 'function', ...defineForModel(tool) })),
    ));
  }

  /**
   * The toolbox for a caller with these scopes: it offers the allowed tools, but still finds all, to explain why one
   * does not run.
   */
  within(scopes: readonly Scope[]): OfferedTools {
    if (allows(scopes, 'content:write')) return this;
    const canRead = allows(scopes, 'content:read');
    const reach = allows(scopes, 'content:draft') ? 'drafts' : canRead ? 'reads' : 'nothing';
    const known = this.#limited.get(reach);
    if (known) return known;
    const limited = new OfferedTools(
      this.tools.filter((tool) => isToolFor(scopes, tool)),
      this.#find,
    );
    this.#limited.set(reach, limited);
    return limited;
  }
}

type Reach = 'nothing' | 'reads' | 'drafts';

/**
 * The tools as offered to the model: with terse schemas (zod still validates every input), and without `execute`,
 * because the executor runs the stored calls itself, so that a crash between call and result loses neither.
 */
export function toToolSet(tools: readonly Tool[]): ToolSet {
  const entries = tools.map((tool) => {
    const { name, description, inputSchema } = defineForModel(tool);
    const schema = jsonSchema(inputSchema as JSONSchema7, { validate: (value) => validate(tool, value) });
    return [name, { description, inputSchema: schema }] as const;
  });
  return Object.fromEntries(entries);
}

function validate(tool: Tool, value: unknown) {
  const parsed = tool.input.safeParse(value);
  // The input is passed on unparsed: it is stored as the model wrote it, and parsed again when the call runs.
  return parsed.success ? { success: true as const, value } : { success: false as const, error: parsed.error };
}
