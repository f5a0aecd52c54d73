import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import type { NewMessage } from '#server/core/conversation/messages';
import { ContextManager } from '#server/context/context-manager';
import type { ContextRequest, SessionSite } from '#server/context/ports';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { StoredSession } from '#server/conversation/store/stored-session';
import { createHistoryReader } from '#server/conversation/store/search/history-reading';
import { createHistorySearch } from '#server/conversation/store/search/history-search';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { searchHistory } from '#server/tools/conversation-tools';
import type { ToolContext } from '#server/tools/tool';
import { call, result, text } from '#tests/support/arbitrary-history';
import { counted, engineProcess, summarizerOf, TOLD } from '#tests/support/small-engine';
import { createTestDatabase } from '#tests/support/test-database';

/*
 * A day of 300 requests with pasted texts, changes of mind, undo and refusals, kept in windows of 20,000 and 8,000
 * tokens: what remains after each compaction, which outcomes the record has, and whether twenty facts that the user
 * stated are in the view or found by one search.
 */

const REQUESTS = 300;
const ASKED_EVERY = 30;
const MODEL = 'openai/gpt-4o';
const LETTER = `Dear friends of the kiln, ${'we fire on Monday and open the shelf on Friday, rain or shine, as ever. '.repeat(12)}Yours, Ada Brandt`;

/** Something that the user states, and what a search asks for. */
interface Fact {
  /** Number of the request that states it. */
  readonly at: number;
  readonly says: string;
  /** What has to be in the view or in the hits. */
  readonly needle: string;
  readonly query: string;
  /** Kept with `keep_in_mind`, and always in view. */
  readonly isRule?: boolean;
  /** Fails until this request: the fact that replaces it. */
  readonly until?: number;
  readonly call?: 'undone' | 'refused';
}

const FACTS: readonly Fact[] = [
  { at: 3, isRule: true, says: 'Always write British English.', needle: 'Always write British English.', query: 'which English' }, // prettier-ignore
  { at: 7, isRule: true, says: 'Keep every heading under six words.', needle: 'Keep every heading under six words.', query: 'headings' }, // prettier-ignore
  { at: 11, isRule: true, says: 'Never touch the page Imprint.', needle: 'Never touch the page Imprint.', query: 'Imprint' }, // prettier-ignore
  { at: 25, isRule: true, says: 'Never use the word cheap.', needle: 'Never use the word cheap.', query: 'words to avoid' }, // prettier-ignore
  { at: 14, until: 95, says: 'The bag of glaze costs 45 euro.', needle: '45 euro', query: 'bag of glaze costs euro' },
  { at: 95, until: 205, says: 'The bag of glaze costs 47 euro now.', needle: '47 euro', query: 'bag of glaze costs euro' }, // prettier-ignore
  { at: 205, says: 'From today the bag of glaze costs 52 euro.', needle: '52 euro', query: 'bag of glaze costs euro' },
  { at: 17, says: 'A day in the workshop is 88 pounds per head.', needle: '88 pounds', query: 'price of a workshop day per head' }, // prettier-ignore
  { at: 21, says: 'The autumn market is on 4 October.', needle: '4 October', query: 'when is the autumn market' },
  {
    at: 29,
    says: 'The firing course begins on 17 March 2027.',
    needle: '17 March 2027',
    query: 'firing course begins',
  },
  { at: 33, says: 'The new teacher is called Ilse Vandermeer.', needle: 'Ilse Vandermeer', query: 'name of the new teacher' }, // prettier-ignore
  { at: 37, says: 'Our supplier is Okonkwo & Sons in Stoke.', needle: 'Okonkwo', query: 'supplier' },
  { at: 41, says: 'The order of the menu is Courses, Kiln, Shop, Visit.', needle: 'Courses, Kiln, Shop, Visit', query: 'order of the menu' }, // prettier-ignore
  { at: 45, says: 'Undo the marquee on the page Gallery.', needle: 'marquee', query: 'undo marquee Gallery', call: 'undone' }, // prettier-ignore
  { at: 49, says: 'Undo the teal background of Visit.', needle: 'teal background', query: 'teal background', call: 'undone' }, // prettier-ignore
  { at: 53, says: 'Publish the page Donate.', needle: 'Donate', query: 'publish Donate', call: 'refused' },
  { at: 57, says: 'Delete the page Archive.', needle: 'Archive', query: 'delete Archive', call: 'refused' },
  { at: 61, says: 'Remind me of the kiln inspection, and promise it.', needle: 'kiln inspection', query: 'promised to remind inspection' }, // prettier-ignore
  { at: 65, says: 'I promised Mr Abara a proof of his poster.', needle: 'Abara', query: 'promised proof poster' },
  { at: 69, says: 'Still open: the text about reduction firing.', needle: 'reduction firing', query: 'open text reduction' }, // prettier-ignore
  { at: 73, says: 'Still open: who takes the keys in August.', needle: 'keys in August', query: 'open keys August' },
];

const TOPICS = ['Courses', 'Kiln', 'Shop', 'Visit', 'Gallery', 'Team', 'Prices', 'News'];
const ACTIONS = ['update', 'update', 'create', 'publish', 'update', 'delete', 'update'] as const;

/** The messages of one request, and what the journal has of it. */
function requestAt(index: number): { readonly messages: NewMessage[]; readonly change: LedgerEntry | null } {
  const fact = FACTS.find(({ at }) => at === index);
  const topic = TOPICS[index % TOPICS.length]!;
  const action = ACTIONS[index % ACTIONS.length]!;
  const isNew = action === 'create' || action === 'delete';
  const [id, title] = isNew ? [`pst_${1_000 + index}`, `Note ${index}`] : [`pag_${topic.toLowerCase()}`, topic];
  const pasted = index % 23 === 5 ? `\n\n${LETTER} (${index})` : '';
  const asked =
    fact?.says ?? `Request ${index}: please ${action} something about ${title}, as we said on day ${index % 9}.`;
  const toolName = fact?.call === 'refused' ? 'publish_content' : `${action}_content`;
  const isRefused = fact?.call === 'refused';
  const output = isRefused
    ? ({ type: 'execution-denied', reason: 'Not yet.' } as const)
    : ({ type: 'text', value: `Done: ${title}. ${'The page has a hero and two texts. '.repeat(4)}` } as const);
  const messages: NewMessage[] = [
    { role: 'user', parts: [text(`${asked}${pasted}`)] },
    { role: 'assistant', parts: [call(`c${index}`, toolName, { ref: isRefused ? (fact?.needle ?? '') : title })] },
    { role: 'tool', parts: [{ type: 'tool-result', content: { toolCallId: `c${index}`, toolName, output } }] },
    { role: 'assistant', parts: [text(`I did what you asked about ${title}. ${'It is in order now. '.repeat(6)}`)] },
  ];
  if (isRefused) return { messages, change: null };
  const kind = isNew ? 'post' : 'page';
  const of = { kind, id, slug: title.toLowerCase().replace(' ', '-'), title, at: index, toolCallId: `c${index}` };
  const summary = fact?.call === 'undone' ? fact.says : `Did ${action} number ${index} to "${title}"`;
  return { messages, change: { ...of, action, summary, undone: fact?.call === 'undone' } };
}

interface Day {
  /** Tokens of each request that was sent, with the usable ones. */
  readonly sizes: readonly number[];
  readonly usable: number;
  /** Tokens after each compaction, and before it. */
  readonly floors: readonly { readonly before: number; readonly after: number }[];
  /** Facts that were neither in view nor found, and rules that were not in view. */
  readonly lost: readonly string[];
  /** Changes that neither a line nor a count of the last view has. */
  readonly missing: number;
}

async function liveThroughDay(contextWindow: number): Promise<Day> {
  await using db = await createTestDatabase();
  const stores = {
    sessions: createSessionRepository(db),
    messages: createMessageRepository(db),
    compactions: createCompactionRepository(db),
    preferences: createPreferenceRepository(db),
  };
  const process = engineProcess();
  const { id } = await stores.sessions.create({ ownerId: 'own_day' });
  const session = new StoredSession({ ...stores, settings: process.settings }, id);
  const journal: LedgerEntry[] = [];
  const site: SessionSite = {
    ledger: () => Promise.resolve([...journal]),
    state: (refs) => Promise.resolve(refs.map((ref) => ({ ...ref, path: `/${ref.slug}`, state: 'published' }))),
    standing: () => '',
  };
  const target = {
    modelId: MODEL,
    contextWindow,
    maxOutputTokens: 4_000,
    tokenFactor: 1,
    warning: null,
    fixed: { instructions: 300, tools: 900 },
  };
  const request: ContextRequest = { session, site, target, summarizer: summarizerOf(() => Promise.resolve(TOLD)) };
  const engine = new ContextManager(process);
  const history = createHistoryReader(db, createHistorySearch(db), id, '');
  const search = async (query: string) =>
    JSON.stringify(await searchHistory.execute(searchHistory.input.parse({ query }), { history } as ToolContext));

  const [sizes, floors, lost]: [number[], { before: number; after: number }[], string[]] = [[], [], []];
  let usable = 0;
  let view = '';
  for (let index = 0; index < REQUESTS; index += 1) {
    const { messages, change } = requestAt(index);
    const [asked, ...answer] = counted(messages);
    const { id: messageId } = await stores.messages.append(id, asked!);
    const prepared = await engine.prepare(request);
    ({ usableTokens: usable } = prepared.usage);
    sizes.push(prepared.tokens.final);
    if (prepared.compaction) floors.push({ before: prepared.tokens.before, after: prepared.tokens.final });
    view = JSON.stringify(prepared.messages);
    if ((index + 1) % ASKED_EVERY === 0) {
      for (const { at, until = Infinity, isRule, needle, query } of FACTS) {
        if (index <= at || index >= until) continue;
        const isFound = view.includes(needle) || (!isRule && (await search(query)).includes(needle));
        if (!isFound) lost.push(`${needle} (after request ${index})`);
      }
    }
    await stores.messages.appendMany(id, answer);
    if (change) journal.push({ ...change, at: Date.now() });
    const rule = FACTS.find(({ at, isRule }) => at === index && isRule);
    if (rule) await session.addPreferences([{ quote: rule.says, messageId }]);
    await engine.prepareSummary(request);
  }
  await engine.close();
  // The messages of the newest calls are in the view themselves.
  const compacted = journal.filter(({ toolCallId }) => !view.includes(`"${toolCallId}"`));
  const seen = compacted.filter(({ id: changed }) => !view.includes(changed));
  const countedAway = [...view.matchAll(/- (\d+) of post/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  const missing = new Set(seen.map(({ id: changed }) => changed)).size - countedAway;
  return { sizes, usable, floors, lost, missing };
}

describe.each([20_000, 8_000])('a day of 300 requests in a window of %i tokens', (contextWindow) => {
  it(
    'leaves the same free after each compaction, and keeps outcomes, rules and facts',
    { timeout: 300_000 },
    async () => {
      const { sizes, usable, floors, lost, missing } = await liveThroughDay(contextWindow);
      expect(floors.length).toBeGreaterThan(3);
      for (const { after } of floors) expect(after).toBeLessThanOrEqual(usable * 0.55);
      for (const { before, after } of floors) expect(after).toBeLessThanOrEqual(before * 0.7);
      const first = sizes.findIndex((size, index) => size < (sizes[index - 1] ?? 0));
      const later = sizes.slice(first);
      const mean = later.reduce((sum, size) => sum + size, 0) / later.length / usable;
      expect(mean).toBeGreaterThanOrEqual(0.68);
      expect(mean).toBeLessThanOrEqual(0.85);
      expect(missing).toBeLessThanOrEqual(0);
      expect(lost).toEqual([]);
    },
  );
});
