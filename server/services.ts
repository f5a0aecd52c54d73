import 'server-only';
import { hostname } from 'node:os';
import pino, { type Logger } from 'pino';
import { chatStreamResponse } from '#server/agent/chat-stream-response';
import { ContextService } from '#server/agent/context-service';
import { loadTranscript } from '#server/agent/load-transcript';
import { loadTurn } from '#server/agent/load-turn';
import { SessionEvents } from '#server/agent/session-events';
import { followStoredTurn } from '#server/agent/stored-turn-stream';
import { TurnService } from '#server/agent/turn-service';
import type { ThroughlineUIMessage } from '#server/agent/ui-messages';
import { ContextManager } from '#server/context/context-manager';
import type { ContentBackend } from '#server/content/content-backend';
import { readLedger } from '#server/content/read-ledger';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { createId } from '#server/core/ids';
import type { TurnStore } from '#server/core/turn-store';
import { type Env, parseEnv } from '#server/env';
import { createSettings, type Settings } from '#server/settings';
import { createCalibrationRepository } from '#server/store/calibration-repository';
import { createSettingsRepository } from '#server/store/settings-repository';
import { Calibrations } from '#server/context/calibrations';
import { createModelCatalog } from '#server/models/catalog/model-catalog';
import { createModelRegistry, type ModelOverrides, type ModelRegistry } from '#server/models/model-registry';
import { createCatalogRepository } from '#server/store/catalog-repository';
import { type CompactionRepository, createCompactionRepository } from '#server/store/compaction-repository';
import { createContentRepository } from '#server/store/content-repository';
import { createContextStore } from '#server/store/context-store';
import { openDatabase } from '#server/store/database';
import { createEventRepository } from '#server/store/event-repository';
import { createHistorySearch, type HistorySearch } from '#server/store/history-search';
import { createMessageRepository, type MessageRepository } from '#server/store/message-repository';
import { createSessionCost } from '#server/store/session-cost';
import { createSessionRepository, type SessionRepository } from '#server/store/session-repository';
import { createTurnRepository } from '#server/store/turn-repository';
import { createSignals } from '#server/signals/create-signals';
import { tools } from '#server/tools/index';

/** Everything a route may use, wired once per process. */
export interface Services extends AsyncDisposable {
  readonly env: Env;
  readonly log: Logger;
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly turns: TurnStore;
  readonly compactions: CompactionRepository;
  readonly content: ContentBackend;
  readonly models: ModelRegistry;
  readonly settings: Settings;
  /** Finds and reads again what was said and done in a session. */
  readonly history: HistorySearch;
  readonly context: ContextService;
  readonly chat: TurnService;
  /** What happens in the sessions, told to whoever follows them. */
  readonly events: SessionEvents;
  /** Aborts when this process stops: streams without an end of their own end then. */
  readonly closing: AbortSignal;
  /** Aborts `closing`. Disposing does too; by then nobody may be left to hear it. */
  readonly endStreams: () => void;
  /** The whole conversation as the chat shows it. */
  readonly transcript: (sessionId: string) => Promise<ThroughlineUIMessage[]>;
  /** A turn's stream as the answer to a request. */
  readonly streamResponse: typeof chatStreamResponse;
}

/** In local mode there is one owner. */
export const LOCAL_OWNER = 'own_local';

/** Routes, pages and instrumentation each get their own instance of this module; the container is one for all. */
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** The services of this process, started by the first caller. */
export function services(): Promise<Services> {
  container.throughlineServices ??= startServices(parseEnv(process.env));
  return container.throughlineServices;
}

/**
 * Wires services of their own (tests, scripts); dispose them. `overrides` puts models in the place of real ones.
 * @throws when the database cannot be opened or migrated
 */
export async function startServices(env: Env, overrides: ModelOverrides = {}): Promise<Services> {
  const log = pino({ level: env.LOG_LEVEL, base: null });
  const database = await openDatabase({ url: env.DATABASE_URL, authToken: env.DATABASE_AUTH_TOKEN });
  const sessions = createSessionRepository(database);
  const messages = createMessageRepository(database);
  const turns = createTurnRepository(database);
  const compactions = createCompactionRepository(database);
  const content = createEmbeddedContentBackend(createContentRepository(database));
  const onFault = (message: string, error?: unknown) => log.error({ err: error }, message);
  const exemptTools = new Set(tools.filter((tool) => tool.exemptFromPruning).map((tool) => tool.name));
  const settings = await createSettings({ env, repository: createSettingsRepository(database), exemptTools, onFault });
  const catalog = createModelCatalog({
    env,
    store: createCatalogRepository(database),
    now: Date.now,
    onFault: (message, error) => log.warn({ err: error }, message),
  });
  const windowOverrides = () => settings.current().modelWindowOverrides;
  const models = createModelRegistry(env, overrides, { catalog, windowOverrides });
  const calibrations = await Calibrations.load(createCalibrationRepository(database), onFault, settings.current);
  const sources = { models, settings: settings.current, calibrations };
  const history = createHistorySearch(database);
  const costOf = createSessionCost(database);
  const manager = new ContextManager({
    store: createContextStore({ sessions, messages, compactions, settings }),
    ledger: (sessionId) => readLedger(content, sessionId),
    settings: settings.current,
    now: Date.now,
  });
  const signals = createSignals(env, onFault);
  const events = new SessionEvents({ store: createEventRepository(database, { onFault }), signals, onFault });
  const closing = new AbortController();
  const stored = { turns, messages, compactions };
  const chat = new TurnService({
    turns,
    sessions,
    signals,
    loadTurn: (turn) => loadTurn(stored, turn),
    followStored: (sessionId) => followStoredTurn({ ...stored, signals }, sessionId, closing.signal),
    lease: { leaseOwner: `${hostname()}:${process.pid}:${createId('own')}`, leaseMs: env.TURN_LEASE_MS },
    heartbeatMs: env.TURN_HEARTBEAT_MS,
    executor: {
      messages,
      events,
      onFault,
      context: manager,
      sources,
      calibrations,
      content,
      costOf,
      historyOf: (sessionId) => ({
        search: (query, limit) => history.search(sessionId, query, { limit }),
        readPart: (partId) => history.readPart(sessionId, partId),
      }),
      settings: { maxSteps: env.MAX_STEPS },
    },
  });
  await chat.start();
  // Lists of models come when they come: nobody waits for a provider to start.
  void models.refresh();
  return {
    env,
    log,
    sessions,
    messages,
    turns,
    compactions,
    content,
    models,
    settings,
    history,
    context: new ContextService({
      context: manager,
      sources,
      messages,
      sessions,
      costOf,
      turns,
      compactions,
      events,
      onFree: (sessionId) => chat.startWaiting(sessionId),
    }),
    chat,
    events,
    closing: closing.signal,
    endStreams: () => closing.abort(),
    transcript: (sessionId) => loadTranscript(stored, sessionId),
    streamResponse: chatStreamResponse,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await chat.close({ limitMs: env.SHUTDOWN_LIMIT_MS });
      await manager.close();
      await events.flush();
      await signals.close();
      await catalog.close();
      await database.close();
    },
  };
}
