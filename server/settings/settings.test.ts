import { describe, expect } from 'vitest';
import { defaultSettings } from '#server/context/settings/context-settings';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { parseEnv } from '#server/platform/config/env';
import { createSettings, type SettingsOptions } from '#server/settings/settings';
import type { Database } from '#server/platform/database/database';
import { LocalSignals } from '#server/platform/signals/signals';
import { createSettingsRepository } from '#server/platform/database/settings-repository';
import { createTestDatabase, itWithDatabase as it } from '#tests/support/test-database';

const exemptTools = new Set(['get_settings']);

const noFault = (message: string, error: unknown) => {
  throw new Error(message, { cause: error });
};

async function open(
  db: Database,
  variables: Record<string, string> = {},
  options: Partial<Pick<SettingsOptions, 'signals' | 'repository' | 'now'>> = {},
) {
  const faults: string[] = [];
  const settings = await createSettings({
    env: parseEnv(variables),
    repository: createSettingsRepository(db),
    exemptTools,
    isServed: (modelId) => modelId.startsWith('local/'),
    signals: new LocalSignals(noFault),
    now: () => 0,
    ...options,
    onFault: (message) => faults.push(message),
  });
  return { settings, faults };
}

const store = (db: Database, stored: Record<string, JsonValue>) =>
  createSettingsRepository(db).update(() => new Map(Object.entries(stored)));

describe('Settings', () => {
  it('are the defaults, the environment above them, and what is stored above both', async ({ db }) => {
    const { settings } = await open(db, { TOOL_BULK_LIMIT: '9', CONTEXT_PRUNE_PROTECT: '1000' });
    expect(settings.current()).toEqual({ ...defaultSettings, toolBulkLimit: 9, pruneProtect: 1_000, exemptTools });

    await settings.update({ pruneProtect: 2_000, strategy: 'ledger' });
    expect(settings.current()).toMatchObject({ toolBulkLimit: 9, pruneProtect: 2_000, strategy: 'ledger' });
    const { values, sources, reference } = settings.report();
    expect(values).toMatchObject({ toolBulkLimit: 9, pruneProtect: 2_000, strategy: 'ledger', engineOverrides: {} });
    expect(sources).toMatchObject({ toolBulkLimit: 'env', pruneProtect: 'stored', maxSteps: 'default' });
    expect([...reference.map(({ name }) => name), 'engineOverrides']).toEqual(Object.keys(values));
  });

  it.each<[Record<string, JsonValue>, string]>([
    [{ maxSteps: 0 }, 'maxSteps must be a whole number from 1 to 1,000'],
    [{ toolOutputLimit: 20_000 }, 'toolMaxOutputChars must not be above toolOutputLimit'],
    [{ engineOverrides: { usableShare: 2 } }, 'engineOverrides.usableShare must be a number from 0.3 to 0.95'],
    [{ engineOverrides: { usableShare: 0.92 } }, 'engineOverrides.usableShare must be below realTimeShare'],
    [{ engineOverrides: { nonsense: 1 } }, 'engineOverrides must be a JSON object of engine constants'],
    [{ engineOverrides: 7 }, 'engineOverrides must be a JSON object of engine constants'],
    [{ usableShare: 0.5 }, 'usableShare is a constant of the engine: change it in engineOverrides'],
    [{ nonsense: 1, strategy: 'magic' }, 'nonsense is not a setting; strategy must be one of'],
    [{ toString: null }, 'toString is not a setting'],
    [JSON.parse('{"__proto__": {"maxSteps": 5}}') as Record<string, JsonValue>, '__proto__ is not a setting'],
    [{ modelWindowOverrides: { 'a/b': 12 } }, 'modelWindowOverrides.a/b must be whole numbers'],
    [{ defaultModel: 'nobody/nothing' }, 'defaultModel must be a model that a configured provider serves'],
    [{ compactionModel: '' }, 'compactionModel must be a model id of 1 to 200 characters'],
    [{ pruningAgentModel: 'gpt-4o' }, 'pruningAgentModel must be a model that a configured provider serves'],
  ])('refuse %j as a whole', async (patch, problem) => {
    await using db = await createTestDatabase();
    const { settings } = await open(db);
    const refused = settings.update({ pruneProtect: 1, ...patch });
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(problem);
    expect(settings.current()).toEqual({ ...defaultSettings, exemptTools });
    expect(await createSettingsRepository(db).all()).toEqual(new Map());
  });

  it('check a change against what another process stored since', async ({ db }) => {
    const one = await open(db);
    const other = await open(db);
    await one.settings.update({ toolOutputLimit: 40_000 });
    await expect(other.settings.update({ toolMaxOutputChars: 50_000 })).rejects.toThrow(
      'toolMaxOutputChars must not be above toolOutputLimit',
    );
  });

  it('leave out stored values that became invalid, and report them', async ({ db }) => {
    await store(db, { oldName: 1, maxSteps: 'many', toolBulkLimit: 7 });
    const { settings, faults } = await open(db);
    expect(settings.current()).toEqual({ ...defaultSettings, toolBulkLimit: 7, exemptTools });
    expect(faults).toEqual([expect.stringContaining('"oldName"'), expect.stringContaining('"maxSteps"')]);
    await settings.update({ maxSteps: 30 });
    expect(settings.current()).toMatchObject({ maxSteps: 30, toolBulkLimit: 7 });
  });

  it('override constants by name: first the environment, above it what is stored', async ({ db }) => {
    const environment = { ENGINE_OVERRIDES: '{"targetShare": 0.4, "breakerAttempts": 3}' };
    const { settings } = await open(db, environment);
    expect(settings.report()).toMatchObject({
      values: { engineOverrides: { targetShare: 0.4, breakerAttempts: 3 } },
      sources: { engineOverrides: 'env' },
    });
    await settings.update({ engineOverrides: { targetShare: 0.3 } });
    const { settings: again } = await open(db, environment);
    expect(again.current()).toEqual({ ...defaultSettings, targetShare: 0.3, breakerAttempts: 3, exemptTools });
    expect(again.report()).toMatchObject({
      values: { engineOverrides: { targetShare: 0.3, breakerAttempts: 3 } },
      base: { engineOverrides: { targetShare: 0.4, breakerAttempts: 3 } },
      sources: { engineOverrides: 'stored' },
    });
    await again.update({ engineOverrides: null });
    expect(again.current()).toMatchObject({ targetShare: 0.4, breakerAttempts: 3 });
  });

  it('apply constants that were stored, or set in the environment, while they were settings', async ({ db }) => {
    await store(db, { targetShare: 0.3, maxLines: 30, stepRetries: 'none' });
    const { settings, faults } = await open(db, { CONTEXT_TARGET_SHARE: '0.4', CONTEXT_STEP_RETRIES: '5' });
    expect(settings.current()).toEqual({
      ...defaultSettings,
      targetShare: 0.3,
      maxLines: 30,
      stepRetries: 5,
      exemptTools,
    });
    expect(faults).toEqual([expect.stringContaining('"stepRetries"')]);
    expect(settings.report().values.engineOverrides).toEqual({ targetShare: 0.3, maxLines: 30, stepRetries: 5 });
    // From the first change on, the one setting has them all.
    await settings.update({ engineOverrides: { maxLines: 40 } });
    expect(settings.current()).toMatchObject({ targetShare: 0.4, maxLines: 40, stepRetries: 5 });
    expect(await createSettingsRepository(db).all()).toEqual(new Map([['engineOverrides', { maxLines: 40 }]]));
  });

  it('ignore values that earlier versions stored or overrode and that are no longer used', async ({ db }) => {
    await store(db, { summaryMaxTokens: 4_000, engineOverrides: { strategyAimShare: 0.7, maxLines: 30 } });
    const { settings, faults } = await open(db, {
      CONTEXT_SUMMARY_MAX_TOKENS: '9000',
      ENGINE_OVERRIDES: '{"softLimitShare": 0.6, "stepRetries": 5}',
    });
    expect(settings.current()).toEqual({ ...defaultSettings, maxLines: 30, stepRetries: 5, exemptTools });
    expect(faults).toEqual([]);
  });

  it('fall back to the environment if stored values conflict with it, and can be corrected', async ({ db }) => {
    await store(db, { toolMaxOutputChars: 50_000 });
    const environment = { TOOL_MAX_OUTPUT_CHARS: '20000', TOOL_OUTPUT_LIMIT: '40000' };
    const { settings, faults } = await open(db, environment);
    expect(settings.current().toolMaxOutputChars).toBe(20_000);
    expect(faults).toEqual([expect.stringContaining('toolMaxOutputChars must not be above toolOutputLimit')]);
    await settings.update({ toolMaxOutputChars: 30_000 });
    expect(settings.report()).toMatchObject({
      values: { toolMaxOutputChars: 30_000 },
      sources: { toolMaxOutputChars: 'stored' },
    });
  });

  it('stay in force if others conflict with the environment: a budget, a disabled tool', async ({ db }) => {
    const others = { monthBudget: 25, toolPolicies: { publish_content: 'off' } };
    await store(db, { ...others, toolMaxOutputChars: 50_000 });
    const { settings } = await open(db, { TOOL_MAX_OUTPUT_CHARS: '20000', TOOL_OUTPUT_LIMIT: '40000' });
    expect(settings.current()).toMatchObject({ ...others, toolMaxOutputChars: 20_000 });
    // And can be changed.
    await settings.update({ monthBudget: 30 });
    expect(settings.current()).toMatchObject({ ...others, monthBudget: 30, toolMaxOutputChars: 20_000 });
  });

  it('name the settings that do not fit together, for the page to mark them', async ({ db }) => {
    const { settings } = await open(db);
    await expect(settings.update({ engineOverrides: { realTimeShare: 0.6, usableShare: 0.6 } })).rejects.toMatchObject({
      details: {
        issues: [
          {
            path: 'engineOverrides.usableShare',
            related: 'realTimeShare',
            message: expect.stringMatching(/^must be below realTimeShare/),
          },
          { path: 'middleRemovalThreshold', related: 'realTimeShare', message: expect.any(String) },
          { path: 'pruningAgentThreshold', related: 'realTimeShare', message: expect.any(String) },
        ],
      },
    });
  });

  it('leave out a stored model that no provider serves', async ({ db }) => {
    await store(db, { defaultModel: 'gone/model', compactionModel: 'local/small' });
    const { settings, faults } = await open(db, { DEFAULT_MODEL: 'local/big' });
    expect(settings.current()).toMatchObject({ defaultModel: 'local/big', compactionModel: 'local/small' });
    expect(faults).toEqual([expect.stringContaining('"defaultModel"')]);
  });

  it('apply changes of another process immediately', async ({ db }) => {
    const signals = new LocalSignals(noFault);
    const one = await open(db, {}, { signals });
    const other = await open(db, {}, { signals });
    await one.settings.update({ maxSteps: 7 });
    await expect.poll(() => other.settings.current().maxSteps).toBe(7);
    await other.settings.close();
    await one.settings.update({ maxSteps: 8 });
    expect(other.settings.current().maxSteps).toBe(7);
  });

  it('are read again after a while where no signal came', async ({ db }) => {
    let time = 0;
    const one = await open(db);
    const other = await open(db, {}, { now: () => time });
    await one.settings.update({ maxSteps: 7 });
    time = 4_999;
    expect(other.settings.current().maxSteps).toBe(50);
    await other.settings.close();
    expect(other.settings.current().maxSteps).toBe(50);

    const third = await open(db, {}, { now: () => time });
    await one.settings.update({ maxSteps: 8 });
    time += 5_000;
    expect(third.settings.current().maxSteps).toBe(7);
    await third.settings.close();
    expect(third.settings.current().maxSteps).toBe(8);
  });

  it('keep a change of their own that is younger than what is being read', async ({ db }) => {
    const stored = createSettingsRepository(db);
    const { promise: opened, resolve: letGo } = Promise.withResolvers<void>();
    let isHeld = false;
    const repository = {
      ...stored,
      async all() {
        const old = await stored.all();
        if (isHeld) await opened;
        return old;
      },
    };
    const { settings } = await open(db, {}, { repository });
    isHeld = true;
    const reading = settings.refresh();
    await stored.all();
    await settings.update({ maxSteps: 7 });
    letGo();
    await reading;
    expect(settings.current().maxSteps).toBe(7);
  });
});
