import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, expect } from 'vitest';
import type { z } from 'zod';
import { type FakeOpenRouter, type FakeOpenRouterOptions, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { type RestAnswer, sendRequest } from '#tests/support/rest-client';

/** A server of the built app with the demo site whose model is scripted, as the tests of a file use it. */
export interface ScriptedServer {
  readonly url: string;
  readonly pid: number;
  readonly databaseFile: string;
  /** Requests count from the first of this file. */
  readonly provider: FakeOpenRouter;
  /** Everything it wrote since this file began. */
  readonly logs: () => string;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<RestAnswer>;
  /** Sends, expects this status, and reads the answer. */
  readonly call: <T>(schema: z.ZodType<T>, status: number, method: string, path: string, body?: unknown) => Promise<T>;
}

let shared: Promise<{ readonly server: ProductionServer; readonly provider: FakeOpenRouter }> | undefined;

async function start() {
  const provider = await startFakeOpenRouter({ respond: () => ({ text: 'Done.' }) });
  const server = await startProductionServer({
    seed: true,
    env: {
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: 'openai/gpt-4o',
      OFFLINE_CHUNK_DELAY_MS: '0',
      REQUESTS_PER_MINUTE: '1000000',
      TURNS_PER_MINUTE: '100000',
      RUNNING_TURNS: '1000',
    },
  });
  process.once('exit', () => rmSync(dirname(server.databaseFile), { recursive: true, force: true }));
  return { server, provider };
}

/** Gives the tests of this file the server that all such files of a worker share: it ends with the worker. */
export function useScriptedServer(respond: FakeOpenRouterOptions['respond']): ScriptedServer {
  let server: ProductionServer;
  let provider: FakeOpenRouter;
  let written = 0;
  beforeAll(async () => {
    const found = await (shared ??= start());
    server = found.server;
    provider = found.provider.begin(respond);
    written = server.logs().length;
  });
  const send: ScriptedServer['send'] = (method, path, body, headers = {}) =>
    sendRequest(server.url, { method, path, headers, ...(body !== undefined && { body }) });
  return {
    get url() {
      return server.url;
    },
    get pid() {
      return server.pid;
    },
    get databaseFile() {
      return server.databaseFile;
    },
    get provider() {
      return provider;
    },
    logs: () => server.logs().slice(written),
    send,
    call: async (schema, status, method, path, body) => {
      const answer = await send(method, path, body);
      expect(answer.status, `${method} ${path}: ${answer.text.slice(0, 500)}`).toBe(status);
      return schema.parse(answer.json());
    },
  };
}
