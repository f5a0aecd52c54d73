import type { EntryPage } from '#server/core/site/site-lists';
import { withTokens } from '#server/context/part-tokens';
import { ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { NewMessage } from '#server/core/conversation/messages';
import type { NewPart } from '#server/core/conversation/parts';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import type { Services } from '#server/services';
import { findTool } from '#server/tools/index';
import { randomNumbers } from '#tests/support/random-numbers';
import { noHistory, noWishes } from '#tests/support/no-conversation';

/** An existing page or post. */
export interface ExistingEntry {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly sectionIds: readonly string[];
  /** Round of its last change. */
  readonly round: number;
}

/** One tool call of a turn. */
interface Work {
  readonly toolName: string;
  readonly input: { readonly [key: string]: JsonValue };
}

const ADJECTIVES = ['Amber', 'Broad', 'Crimson', 'Dusty', 'Early', 'Faint', 'Gentle', 'Hollow', 'Ivory', 'Jagged'];
const NOUNS = ['Kiln', 'Lantern', 'Meadow', 'Notebook', 'Orchard', 'Pitcher', 'Quarry', 'River', 'Saddle', 'Timber'];
const SECTION_TYPES = ['text', 'faq', 'features', 'gallery', 'call-to-action'];
const BODY = 'Every piece is thrown by hand, dried for a week and fired twice in the kiln behind the shop. ';

/** Sentences that must outlive every compaction, each with a number that makes it one of its kind. */
const STANDING: readonly ((n: number) => string)[] = [
  (n) => `Always end page ${n} with a call to action.`,
  (n) => `Never mention supplier number ${n}.`,
  (n) => `From now on, write amounts above ${n} Euro without cents.`,
  (n) => `I don't like the phrase "finest ${n}".`,
  (n) => `Please stop using the colour #${String(n).padStart(6, '0')}.`,
  (n) => `Make it ${n} words at most.`,
];

/**
 * A long session of editing, with the messages and journal that real turns would leave: every request is stored, its
 * tool calls are really run and their results stored, and an answer is given. The same seed gives the same session.
 */
export class CmsSession {
  readonly sessionId: string;
  /** The user's lasting instructions, verbatim. */
  readonly standing: string[] = [];
  readonly #services: Services;
  readonly #random: () => number;
  readonly #touched = new Map<string, number>();
  #count = 0;

  private constructor(services: Services, sessionId: string, seed: number) {
    this.#services = services;
    this.sessionId = sessionId;
    this.#random = randomNumbers(seed);
  }

  static async start(services: Services, seed: number): Promise<CmsSession> {
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    return new CmsSession(services, id, seed);
  }

  /** Some turns of work, counted as done in this round. */
  async work(turns: number, round: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await this.#turn(round);
  }

  /** Every page and post of the site. */
  async existing(): Promise<ExistingEntry[]> {
    const entries: ExistingEntry[] = [];
    for (const type of ['page', 'post'] as const) {
      let cursor: string | undefined;
      do {
        const { items, nextCursor }: EntryPage = await this.#services.builtIn.content.query({
          type,
          limit: 100,
          cursor,
        });
        for (const { id } of items) {
          const { draft } = await this.#services.builtIn.content.get(id, type);
          const sectionIds = draft.sections.map((section) => section.id);
          entries.push({ id, title: draft.title, slug: draft.slug, sectionIds, round: this.#touched.get(id) ?? 0 });
        }
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
    }
    return entries;
  }

  async #turn(round: number): Promise<void> {
    this.#count += 1;
    const works = await this.#plan();
    const standing = this.#count % 6 === 3 ? [this.#pick(STANDING)(this.#count)] : [];
    this.standing.push(...standing);
    const request = [`Please do ${works.map(describe).join(' and then ')}.`, ...standing].join(' ');
    const messages: NewMessage[] = [{ role: 'user', parts: [text(request)] }];
    for (const [index, work] of works.entries())
      messages.push(...(await this.#run(work, `call_${this.#count}_${index}`, round)));
    messages.push({ role: 'assistant', parts: [text(`That is done: ${works.map(describe).join(', ')}.`)] });
    await this.#services.messages.appendMany(this.sessionId, messages);
  }

  async #plan(): Promise<Work[]> {
    const chance = this.#random();
    const known = [...this.#touched.keys()];
    const entry = known.length < 3 ? null : await this.#services.builtIn.content.find(this.#pick(known));
    if (entry === null || chance < 0.4) return [this.#create()];
    const { id } = entry;
    const sectionIds = entry.draft.sections.map((section) => section.id);
    const sectionId = this.#pick(sectionIds.length > 0 ? sectionIds : ['sec_none00']);
    const fields = { heading: this.#title() };
    if (chance < 0.55)
      return [{ toolName: 'add_section', input: { ref: id, type: this.#pick(SECTION_TYPES), fields } }];
    if (chance < 0.65) return [{ toolName: 'update_section', input: { sectionId, fields } }];
    if (chance < 0.7) return [{ toolName: 'remove_section', input: { sectionId } }];
    if (chance < 0.78)
      return [
        { toolName: 'update_content', input: { ref: id, slug: this.#title().toLowerCase().replaceAll(' ', '-') } },
      ];
    if (chance < 0.86) return [{ toolName: 'publish_content', input: { ref: id } }];
    if (chance < 0.9) return [{ toolName: 'delete_content', input: { ref: id } }];
    if (chance < 0.93) return [{ toolName: 'set_settings', input: { tagline: this.#title() } }];
    if (chance < 0.96) return [{ toolName: 'get_content', input: { ref: id } }, this.#create()];
    return [{ toolName: 'undo', input: {} }];
  }

  #create(): Work {
    const type = this.#random() < 0.7 ? 'page' : 'post';
    const sections = Array.from({ length: 1 + Math.floor(this.#random() * 2) }, () => ({
      type: 'text',
      fields: { body: BODY.repeat(this.#random() < 0.1 ? 40 : 1 + Math.floor(this.#random() * 4)) },
    }));
    return { toolName: 'create_content', input: { type, title: this.#title(), sections } };
  }

  async #run({ toolName, input }: Work, toolCallId: string, round: number): Promise<NewMessage[]> {
    const output = await this.#execute(toolName, input, toolCallId);
    const targets =
      output.type === 'json' ? (JSON.stringify(output.value).match(/\b(?:pag|pos)_[a-z0-9]{6}\b/g) ?? []) : [];
    const [target] = targets;
    if (target !== undefined && toolName !== 'get_content') this.#touched.set(target, round);
    return [
      { role: 'assistant', parts: [withTokens({ type: 'tool-call', content: { toolCallId, toolName, input } })] },
      { role: 'tool', parts: [withTokens({ type: 'tool-result', content: { toolCallId, toolName, output } })] },
    ];
  }

  async #execute(toolName: string, input: JsonValue, toolCallId: string): Promise<ToolOutput> {
    const tool = findTool(toolName);
    if (!tool) throw new Error(`There is no tool "${toolName}".`);
    try {
      const value = await tool.execute(tool.input.parse(input), {
        siteId: 'embedded',
        scopes: ['content:write'],
        content: this.#services.builtIn.content,
        files: { list: () => Promise.resolve([]), read: () => Promise.resolve(null) },
        history: noHistory,
        origin: { actor: 'assistant', sessionId: this.sessionId, toolCallId },
        wishes: noWishes,
        signal: new AbortController().signal,
      });
      return { type: 'json', value: value as JsonValue };
    } catch (error) {
      // There may be nothing to undo, a section may be gone: the assistant gets the error, as in real turns.
      if (error instanceof ThroughlineError) return { type: 'error-text', value: error.message };
      throw error;
    }
  }

  /** Never the same twice: a number makes it unique. */
  #title(): string {
    this.#titles += 1;
    return `${this.#pick(ADJECTIVES)} ${this.#pick(NOUNS)} ${this.#titles}`;
  }
  #titles = 100;

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }
}

function text(value: string): NewPart {
  return withTokens({ type: 'text', content: { text: value } });
}

function describe({ toolName, input }: Work): string {
  return `${toolName.replaceAll('_', ' ')} ${JSON.stringify(input.title ?? input.ref ?? input.sectionId ?? '')}`;
}
