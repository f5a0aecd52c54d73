import type { JSONSchema7 } from '@ai-sdk/provider';
import { jsonSchema, type ToolSet } from 'ai';
import type { ContextSettings } from '#server/context/settings/context-settings';
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
} from '#server/agent/tool-room';
import { allows, type Scope } from '#server/core/access-rights';
import type { ToolPolicy } from '#server/core/settings-report';
import { TOOL_NAME_SEPARATOR } from '#server/core/tool-result';
import { defineForModel, isToolFor, noSuchTool, type Tool, type Toolbox } from '#server/tools/tool';

/** A tool from elsewhere. */
export interface ExternalTool {
  readonly tool: Tool;
  /** Tokens of its definition. */
  readonly tokens: number;
  /** Not offered, unless a policy is set for the tool itself. */
  readonly isOff: boolean;
}

export interface ToolboxesOptions {
  /** Ours, in a fixed order; another list whenever they are others. */
  readonly own: () => readonly Tool[];
  /** Names of our tools that are always offered, as far as there is room. Default: none. */
  readonly always?: readonly string[];
  /** Names of our tools that a conversation begins with where not all fit, the most used first. Default: by their order. */
  readonly mostUsed?: readonly string[];
  /** Tokens of what every request begins with beside the tools. Default: none. */
  readonly instructions?: () => number;
  /** From elsewhere, in a fixed order; another list whenever they are others. */
  readonly external: () => readonly ExternalTool[];
  readonly settings: () => Pick<ContextSettings, 'toolPolicies' | 'toolDefinitionsLimit'>;
  /**
   * Names of the tools that a conversation has loaded, the least recently loaded first; where not all of ours fit, all
   * of ours too, the least recently used or loaded first.
   */
  readonly loaded: {
    read(sessionId: string): Promise<readonly string[]>;
    update(sessionId: string, decide: (names: readonly string[]) => readonly string[]): Promise<readonly string[]>;
  };
}

/** Definitions from elsewhere take no more than this share of a model's usable tokens. */
const MAX_SHARE = 0.1;
/** Conversations whose loaded tools are kept in memory. */
const MAX_SESSIONS = 1_000;
/** Toolboxes that are kept, so that what is made of them is made once. */
const MAX_TOOLBOXES = 200;

interface Known {
  readonly loaded: readonly string[];
  readonly usable: number;
}

/** The tools that can be offered, until something changes. */
interface Offer {
  /** Ours, off or not. */
  readonly ours: readonly Tool[];
  readonly external: readonly ExternalTool[];
  readonly policies: ContextSettings['toolPolicies'];
  /** Ours that are not off. */
  readonly own: readonly Tool[];
  /** From elsewhere, and not off. */
  readonly others: ReadonlyMap<string, ExternalTool>;
  readonly tokens: number;
  /** Whatever there is, off or not: of a call it is said why it does not run. */
  readonly all: ReadonlyMap<string, Tool>;
  readonly toolboxes: BoundedMap<Toolbox>;
}

/**
 * The tools of each conversation: ours, and those from elsewhere. Where the definitions of these would take too much of
 * every request, two small tools find them and load them into the conversation instead. Where ours do not all fit, a
 * conversation begins with the most used; the set then changes only when a tool is loaded, and those go that were not
 * used or loaded for longest. While nothing changes, the same toolbox is given, so that requests begin with the same
 * bytes.
 */
export class Toolboxes {
  readonly #options: ToolboxesOptions;
  readonly #sessions = new BoundedMap<Known>(MAX_SESSIONS);
  /** By what they say that they load. */
  readonly #loadTools = new BoundedMap<Tool>(MAX_TOOLBOXES);
  #offer: Offer | null = null;
  #findTools: { readonly servers: string; readonly tool: Tool } | null = null;

  constructor(options: ToolboxesOptions) {
    this.#options = options;
  }

  /**
   * The tools of a conversation as they are now.
   * @param usable of the model that they are for, in tokens; default that of the last time
   */
  of(sessionId: string, usable?: number): Toolbox {
    const known = this.#known(sessionId, usable);
    const offer = this.#current();
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

  /** Tells whether all tools from elsewhere are offered. */
  #isWhole(offer: Offer, { usable }: Known): boolean {
    return offer.tokens <= this.#limit(usable);
  }

  /** The external tools that are offered. */
  #othersOf(offer: Offer, known: Known): readonly ExternalTool[] {
    if (this.#isWhole(offer, known)) return [...offer.others.values()];
    return this.#within(offer, known.loaded, this.#limit(known.usable));
  }

  /** Our own tools that are offered beside those from elsewhere. */
  #ownWithin(offer: Offer, known: Known): FittingTools {
    const { instructions = () => 0, always = [] } = this.#options;
    const room = roomForOwn(known.usable, instructions() + tokensOf(this.#othersOf(offer, known)));
    const loader = definitionTokens(this.#loadToolsOf([], true));
    const isOwn = (name: string) => !always.includes(name) && offer.own.some((tool) => tool.name === name);
    const newest = known.loaded.findLast(isOwn);
    return withinRoom(offer.own, { room, always, order: this.#orderOf(offer, known), newest, loader });
  }

  /** Names of ours, the most recently used or loaded first, then those that are used most. */
  #orderOf({ own }: Offer, { loaded }: Known): readonly string[] {
    const names = own.map(({ name }) => name);
    const known = [...loaded.toReversed(), ...(this.#options.mostUsed ?? []), ...names];
    return [...new Set(known)].filter((name) => names.includes(name));
  }

  /** Reads again what a conversation has loaded: another process may have served it meanwhile. */
  async refresh(sessionId: string): Promise<void> {
    const loaded = await this.#options.loaded.read(sessionId);
    this.#sessions.set(sessionId, { ...this.#known(sessionId), loaded });
  }

  #known(sessionId: string, usable?: number): Known {
    const known = this.#sessions.get(sessionId) ?? { loaded: [], usable: Infinity };
    if (usable === undefined || usable === known.usable) return known;
    const changed = { ...known, usable };
    this.#sessions.set(sessionId, changed);
    return changed;
  }

  #limit(usable: number): number {
    return Math.min(this.#options.settings().toolDefinitionsLimit, Math.floor(usable * MAX_SHARE));
  }

  #current(): Offer {
    const [ours, external] = [this.#options.own(), this.#options.external()];
    const { toolPolicies: policies } = this.#options.settings();
    const last = this.#offer;
    if (last?.ours === ours && last.external === external && last.policies === policies) return last;
    const others = external.filter(({ tool, isOff }) =>
      Object.hasOwn(policies, tool.name) ? policies[tool.name] !== 'off' : !isOff,
    );
    this.#offer = {
      ours,
      external,
      policies,
      own: ours.filter((tool) => policyOf(policies, tool) !== 'off'),
      others: new Map(others.map((other) => [other.tool.name, other])),
      tokens: tokensOf(others),
      all: new Map([...ours, ...external.map(({ tool }) => tool)].map((tool) => [tool.name, tool])),
      toolboxes: new BoundedMap(MAX_TOOLBOXES),
    };
    return this.#offer;
  }

  #toolbox(offer: Offer, key: string, tools: () => readonly Tool[]): Toolbox {
    const present = offer.toolboxes.get(key);
    const toolbox = present ?? { tools: tools(), find: (name) => this.#find(offer, name) };
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

  /** @param isAlone nothing is there for find_tools to find */
  #loadToolsOf(own: readonly Tool[], isAlone: boolean): Tool {
    const names = [...own.map(({ name }) => name), ...(isAlone ? [] : ['what find_tools names'])];
    const key = names.join(' ');
    const present = this.#loadTools.get(key) ?? createLoadTools(this.#onDemand(), names);
    this.#loadTools.set(key, present);
    return present;
  }

  #onDemand(): OnDemandTools {
    return {
      all: () => [...this.#current().others.values()].map(({ tool }) => tool),
      load: (sessionId, names) => this.load(sessionId, names),
    };
  }

  /** Loads tools into a conversation. @throws ToolError where none of them can be loaded */
  async load(sessionId: string, names: readonly string[]): Promise<LoadOutcome> {
    const offer = this.#current();
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

  /** Notes that a conversation used tools of ours: they stay longest where others have to go. */
  async noteUse(sessionId: string, names: readonly string[]): Promise<void> {
    const offer = this.#current();
    const known = this.#known(sessionId);
    const { offered } = this.#ownWithin(offer, known);
    const used = [...new Set(names)].filter((name) => offered.some((tool) => tool.name === name));
    const newest = this.#orderOf(offer, known).slice(0, used.length);
    if (offered.length === offer.own.length || used.every((name) => newest.includes(name))) return;
    await this.#update(sessionId, (loaded) => this.#inOrder(offer, { ...known, loaded }, used));
  }

  async #update(sessionId: string, decide: (names: readonly string[]) => readonly string[]): Promise<void> {
    const loaded = await this.#options.loaded.update(sessionId, decide);
    this.#sessions.set(sessionId, { ...this.#known(sessionId), loaded });
  }

  /** Returns the loaded tools after these are loaded too. */
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
    // Right behind all that is offered, what did not fit keeps anything else from coming in unasked.
    return this.#inOrder(offer, next, [...fitting, ...staying, ...own.filter((name) => !fitting.includes(name))]);
  }

  /** Returns the list to store once these tools of ours come first. */
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

/** The administrator's policies for tools, by name; those not named keep their own. */
export type ToolPolicies = Readonly<Record<string, ToolPolicy>>;

export function policyOf(
  policies: ToolPolicies,
  { name, policy = 'always' }: Pick<Tool, 'name' | 'policy'>,
): ToolPolicy {
  return (Object.hasOwn(policies, name) && policies[name]) || policy;
}

/**
 * The tools as the model is offered them: with terse schemas (zod still checks every input), and without `execute`,
 * because the executor runs the stored calls itself, so that a crash between call and result loses neither.
 */
export const toToolSet = oncePerToolbox((tools): ToolSet => {
  const entries = tools.map((tool) => {
    const { name, description, inputSchema } = defineForModel(tool);
    const schema = jsonSchema(inputSchema as JSONSchema7, { validate: (value) => validate(tool, value) });
    return [name, { description, inputSchema: schema }] as const;
  });
  return Object.fromEntries(entries);
});

/** Everything about the tools that is sent with every request, as one text, to count its tokens. */
export const toolSchemaText = oncePerToolbox((tools) =>
  JSON.stringify(tools.map((tool) => ({ type: 'function', ...defineForModel(tool) }))),
);

/** A toolbox never changes: what is made of it is made once. */
function oncePerToolbox<T>(make: (tools: readonly Tool[]) => T): (toolbox: Toolbox) => T {
  const made = new WeakMap<Toolbox, T>();
  return (toolbox) => {
    const known = made.get(toolbox) ?? make(toolbox.tools);
    made.set(toolbox, known);
    return known;
  };
}

function validate(tool: Tool, value: unknown) {
  const parsed = tool.input.safeParse(value);
  // The input itself goes on: it is stored as the model wrote it, and parsed again when the call runs.
  return parsed.success ? { success: true as const, value } : { success: false as const, error: parsed.error };
}

type Reach = 'nothing' | 'reads' | 'drafts';

/** A toolbox never changes, so neither does what is left of it: requests begin with the same bytes. */
const made = new WeakMap<Toolbox, Map<Reach, Toolbox>>();

/**
 * The toolbox for a caller with these scopes: it offers what they allow, and still finds all, to say why one does not
 * run.
 */
export function toolboxOfScopes(toolbox: Toolbox, scopes: readonly Scope[]): Toolbox {
  if (allows(scopes, 'content:write')) return toolbox;
  const canRead = allows(scopes, 'content:read');
  const reach = allows(scopes, 'content:draft') ? 'drafts' : canRead ? 'reads' : 'nothing';
  const known = made.get(toolbox) ?? new Map<Reach, Toolbox>();
  made.set(toolbox, known);
  const present = known.get(reach) ?? { ...toolbox, tools: toolbox.tools.filter((tool) => isToolFor(scopes, tool)) };
  known.set(reach, present);
  return present;
}
