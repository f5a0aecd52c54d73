import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import { createSummarizer } from '#server/conversation/step/session-context';
import { ContextManager } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/ports';
import { defaultSettings } from '#server/context/settings/context-settings';
import { importMessages } from '#server/conversation/import/import-messages';
import { type StrategyName, strategyNames } from '#server/core/admin/strategy-names';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { StoredSession } from '#server/conversation/store/stored-session';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import { type Database, openDatabase } from '#server/platform/database/database';
import { createHistoryReader } from '#server/conversation/step/history-reader';
import { createHistoryLines } from '#server/conversation/store/search/history-reading';
import { createHistorySearch } from '#server/conversation/store/search/history-search';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { tools } from '#server/tools/index';
import { searchHistory } from '#server/tools/conversation-tools';
import type { HistoryReader, ToolContext } from '#server/tools/tool';
import { engineProcess, siteWith } from '#tests/support/small-engine';
import type { Approach, Run, World } from '#tests/bench/context/approach';

/** A model whose count is ours: nothing is learned of reports in a replay. */
const MODEL = 'openai/gpt-4o';

/** Every strategy of this project, the default one first, through its engine on a database file. */
export const throughline: readonly Approach[] = strategyNames.map((strategy) => ({
  name: `Throughline: ${strategy}`,
  source: 'this project',
  isOurs: true,
  setup:
    'Default settings, as in a session: messages in a database file with the tokens that a provider would report, pruning and the next summary at the end of a turn. Recall is search_history.',
  open: (world) => open(world, strategy),
}));

async function open(world: World, strategy: StrategyName): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  const database = await openDatabase({ url: `file:${join(folder, 'bench.db')}` });
  const { manager, messages, session } = await openEngine(database);
  const sessionId = session.id;
  const request = requestFor(world, session, strategy);
  const lines = createHistoryLines(database, sessionId, '');
  const history = createHistoryReader(createHistorySearch(database), lines, sessionId, '');
  let sent: { readonly inputTokens: number; readonly viewKey: string } | null = null;

  /** With a provider's report for each answer: tokens as they are counted for all approaches. */
  async function reported(answered: readonly ModelMessage[]) {
    return (await stored(answered)).map((message, index) => {
      if (sent === null || index > 0 || message.role !== 'assistant') return message;
      const outputTokens = world.count(answered.slice(0, 1));
      return { ...message, modelId: MODEL, usage: { ...sent, outputTokens } };
    });
  }

  async function endTurn(): Promise<void> {
    await manager.prune(request, 'turn-end');
    // In the product the next step would await it; here it is ready by then, and its time counts in this step.
    await manager.prepareSummary(request);
  }

  return {
    async step(added) {
      const asked = added.findIndex(({ role }) => role === 'user');
      const [answered, said] = asked === -1 ? [added, []] : [added.slice(0, asked), added.slice(asked)];
      await messages.appendMany(sessionId, await reported(answered));
      if (said.length > 0 && sent !== null) await endTurn();
      await messages.appendMany(sessionId, await stored(said));
      const prepared = await manager.prepare(request);
      const shown = prepared.messages as ModelMessage[];
      sent = { inputTokens: world.count(shown), viewKey: prepared.viewKey };
      return shown;
    },
    recall: (query) => recall(history, query),
    async close() {
      await manager.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openEngine(database: Database) {
  const stores = {
    sessions: createSessionRepository(database),
    messages: createMessageRepository(database),
    compactions: createCompactionRepository(database),
    preferences: createPreferenceRepository(database),
  };
  const process = engineProcess({
    exemptTools: new Set(tools.filter((tool) => tool.exemptFromPruning).map(({ name }) => name)),
    readingTools: new Set(tools.filter(({ writes = false }) => !writes).map(({ name }) => name)),
  });
  const { id } = await stores.sessions.create({ ownerId: 'own_local' });
  const session = new StoredSession({ ...stores, settings: process.settings }, id);
  return { manager: new ContextManager(process), messages: stores.messages, session };
}

async function stored(messages: readonly ModelMessage[]) {
  return messages.length === 0 ? [] : (await importMessages(messages)).messages;
}

function requestFor(world: World, session: StoredSession, strategy: StrategyName): ContextRequest {
  const { contextWindow, maxOutputTokens } = world;
  const limits = { contextWindow, maxOutputTokens, tokenFactor: 1, warning: null, acceptsImages: true };
  const model = { id: MODEL, model: summaryModel(world), limits: { ...limits, prices: null, known: true } };
  const settings = { ...defaultSettings, exemptTools: new Set<string>() };
  return {
    session,
    site: siteWith(() => [...world.journal()]),
    strategy,
    target: { modelId: MODEL, ...limits, fixed: { instructions: 0, tools: 0 } },
    summarizer: createSummarizer(model, settings, 1),
  };
}

/** The world's summarizer as a model that the real summarizer asks. */
function summaryModel(world: World): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: MODEL,
    supportedUrls: {},
    doGenerate: async ({ prompt, maxOutputTokens }) => ({
      content: [{ type: 'text', text: await world.summarize(promptText(prompt), maxOutputTokens) }],
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: undefined, text: undefined, reasoning: undefined },
      },
      warnings: [],
    }),
    doStream: () => Promise.reject(new Error('Summaries are not streamed.')),
  };
}

function promptText(prompt: LanguageModelV4CallOptions['prompt']): string {
  const texts = prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.map((part) => (part.type === 'text' ? part.text : '')),
  );
  return texts.join('\n\n');
}

async function recall(history: Omit<HistoryReader, 'readPart' | 'imagesOf'>, query: string): Promise<string> {
  const found = await searchHistory.execute(searchHistory.input.parse({ query }), { history } as ToolContext);
  // Numbers of messages in the answer are no numbers that were found.
  const { hits } = found as unknown as { hits: { text: string }[][] };
  return hits
    .flat()
    .map(({ text }) => text)
    .join('\n');
}
