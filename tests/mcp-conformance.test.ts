import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

/*
 * The conformance suite of the Model Context Protocol against `/mcp`, from the packages of `tests/clients`. Its scenarios
 * expect the tools, prompts and resources of a server made for it; those that only need a server apply to ours.
 */

const program = join(import.meta.dirname, 'clients/node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Why a failed check does not apply, by its message or the scenario. */
const notApplicable: readonly { readonly reason: string; readonly when: RegExp }[] = [
  {
    reason: 'needs a tool, prompt or resource of the test server',
    when: /There is no (?:tool|prompt|resource) "\w*test/,
  },
  { reason: 'needs a tool of the test server', when: /^Not testable|Tool 'json_schema_2020_12_tool' not found/ },
  {
    reason: 'continues a step that needs a tool of the test server',
    when: /^input-required-result-(?:multi-round|tampered-state)$/,
  },
  { reason: 'tasks are an extension that is not declared', when: /^tasks-/ },
  { reason: 'logging is deprecated and not declared', when: /^(?:logging-set-level|tools-call-with-logging)\b/ },
  { reason: 'subscriptions to resources are not declared', when: /^resources-(?:un)?subscribe\b/ },
];

const checksSchema = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly hasFailed: boolean;
  readonly message: string;
}

/** Runs the checks that a revision requires. */
async function run(revision: string, url: string): Promise<readonly Check[]> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-conformance-'));
  try {
    const args = ['server', '--url', url, '--requirements', revision, '--output-dir', folder];
    await once(spawn(process.execPath, [program, ...args], { stdio: 'ignore' }), 'exit');
    return readdirSync(folder).flatMap((name) => {
      const scenario = name.replace(/^server-/, '').replace(/-20\d\d-\d\d-\d\dT.*$/, '');
      const checks = checksSchema.parse(JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')));
      return checks.map(({ id, status, errorMessage = '' }) => ({
        scenario,
        id,
        hasFailed: status === 'FAILURE',
        message: errorMessage,
      }));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let server: ProductionServer;

beforeAll(async () => {
  server = await startProductionServer({ seed: true });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

it.each([
  [
    '2026-07-28',
    ['server-stateless', 'tools-list', 'caching', 'http-header-validation', 'sep-2164-resource-not-found'],
  ],
  [
    '2025-11-25',
    ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'],
  ],
])('passes every check of revision %s that applies to it', async (revision, expected) => {
  const checks = await run(revision, `${server.url}/mcp`);
  const failed = checks.filter(
    ({ scenario, message, hasFailed }) =>
      hasFailed && !notApplicable.some(({ when }) => when.test(message) || when.test(scenario)),
  );
  expect(failed).toEqual([]);
  const passed = new Set(checks.filter(({ hasFailed }) => !hasFailed).map(({ scenario }) => scenario));
  for (const scenario of expected) expect(passed).toContain(scenario);
});
