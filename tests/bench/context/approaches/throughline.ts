import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import { createSummarizer } from '#server/agent/session-context';
import { ContextManager } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/ports';
import { defaultSettings } from '#server/context/settings/context-settings';
import { importMessages } from '#server/conversations/import-messages';
import { type StrategyName, strategyNames } from '#server/core/compactions';
import { createCompactionRepository } from '#server/store/compaction-repository';
import { createContextStore } from '#server/store/context-store';
import { createSessionRepository } from '#server/store/session-repository';
import { createKeptWishRepository } from '#server/store/kept-wish-repository';
import { type Database, openDatabase } from '#server/store/database';
import { createHistoryReader } from '#server/store/history-reading';
import { createHistorySearch } from '#server/store/history-search';
import { createMessageRepository } from '#server/store/message-repository';
import { tools } from '#server/tools/index';
import { searchHistory } from '#server/tools/conversation-tools';
import type { HistoryReader, ToolContext } from '#server/tools/tool';
import type { Approach, Run, World } from '#tests/bench/context/approach';

/** A model whose count is ours: nothing is learned of reports in a replay. */
const MODEL = 'openai/gpt-4o';

/** Every strategy of this project, the default one first, through its engine on a database file. */
export const throughline: readonly Approach[] = strategyNames.map((strategy) => ({
  name: `Throughline: ${strategy}`,
  source: 'this project',
  isOurs: true,
  setup:
    'Default settings; messages are stored in a database file with the tokens that a provider would report, outputs pruned and the next summary prepared at the end of a turn, as in a session. Recall is search_history with its default of five hits.',
  open: (world) => open(world, strategy),
}));

async function open(world: World, strategy: StrategyName): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  const database = await openDatabase({ url: `file:${join(folder, 'bench.db')}` });
  const { manager, messages, sessionId } = await engineOver(database, world);
  const request = requestFor(world, sessionId, strategy);
  const history = createHistoryReader(database, createHistorySearch(database), sessionId, '');
  let sent: { readonly inputTokens: number; readonly viewKey: string } | null = null;

  /** With what a provider reports of each answer: tokens as they are counted for everybody. */
  async function reported(answered: readonly ModelMessage[]) {
    return (await stored(answered)).map((message, index) => {
      if (sent === null || index > 0 || message.role !== 'assistant') return message;
      const outputTokens = world.count(answered.slice(0, 1));
      return { ...message, modelId: MODEL, usage: { ...sent, outputTokens } };
    });
  }

  async function endTurn(): Promise<void> {
    await manager.prune(request, 'turn-end');
    // Where somebody waits for it, the next step writes it; here it is ready by then, and its time is in this step.
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

async function engineOver(database: Database, world: World) {
  const sessions = createSessionRepository(database);
  const messages = createMessageRepository(database);
  const compactions = createCompactionRepository(database);
  const wishes = createKeptWishRepository(database);
  const exemptTools = new Set(tools.filter((tool) => tool.exemptFromPruning).map((tool) => tool.name));
  const settings = { ...defaultSettings, exemptTools };
  const store = createContextStore({
    sessions,
    messages,
    compactions,
    wishes,
    settings: { current: () => defaultSettings },
  });
  const ledger = () => Promise.resolve([...world.journal()]);
  const manager = new ContextManager({ store, ledger, settings: () => settings, now: Date.now });
  const { id: sessionId } = await sessions.create({ ownerId: 'own_local' });
  return { manager, messages, sessionId };
}

async function stored(messages: readonly ModelMessage[]) {
  return messages.length === 0 ? [] : (await importMessages(messages)).messages;
}

function requestFor(world: World, sessionId: string, strategy: StrategyName): ContextRequest {
  const { contextWindow, maxOutputTokens } = world;
  const limits = { contextWindow, maxOutputTokens, tokenFactor: 1, warning: null, acceptsImages: true };
  const model = { id: MODEL, model: summaryModel(world), limits: { ...limits, prices: null, known: true } };
  const settings = { ...defaultSettings, exemptTools: new Set<string>() };
  return {
    sessionId,
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
  const { hits } = found as unknown as { hits: { asked?: string; answered?: string; found: { text: string }[] }[] };
  return hits
    .flatMap(({ asked, answered, found: parts }) => [asked, answered, ...parts.map(({ text }) => text)])
    .join('\n');
}
