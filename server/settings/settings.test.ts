import { describe, expect, it } from 'vitest';
import { defaultSettings } from '#server/context/settings/context-settings';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { parseEnv } from '#server/config/env';
import { createSettings, type SettingsOptions } from '#server/settings/settings';
import type { Database } from '#server/store/database';
import { LocalSignals } from '#server/signals/signals';
import { createSettingsRepository } from '#server/store/settings-repository';
import { createTestDatabase } from '#tests/support/test-database';

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
  it('are the defaults, the environment above them, and what is stored above both', async () => {
    await using db = await createTestDatabase();
    const { settings } = await open(db, { CONTEXT_TARGET_SHARE: '0.4', CONTEXT_PRUNE_PROTECT: '1000' });
    expect(settings.current()).toEqual({ ...defaultSettings, targetShare: 0.4, pruneProtect: 1_000, exemptTools });

    await settings.update({ pruneProtect: 2_000, strategy: 'ledger' });
    expect(settings.current()).toMatchObject({ targetShare: 0.4, pruneProtect: 2_000, strategy: 'ledger' });
    const { values, sources, reference } = settings.report();
    expect(values).toEqual({ ...defaultSettings, targetShare: 0.4, pruneProtect: 2_000, strategy: 'ledger' });
    expect(sources).toMatchObject({ targetShare: 'env', pruneProtect: 'stored', maxLines: 'default' });
    expect(reference.map(({ name }) => name)).toEqual(Object.keys(values));
  });

  it('outlive the process, and null resets a name to the environment', async () => {
    await using db = await createTestDatabase();
    const environment = { CONTEXT_STRATEGY: 'ledger' };
    const first = await open(db, environment);
    await first.settings.update({ strategy: 'middle-removal', modelWindowOverrides: { 'local/x': 8_192 } });
    const { settings } = await open(db, environment);
    expect(settings.current()).toMatchObject({
      strategy: 'middle-removal',
      modelWindowOverrides: { 'local/x': 8_192 },
    });
    const report = await settings.update({ strategy: null });
    expect(report.values.strategy).toBe('ledger');
    expect(report.sources.strategy).toBe('env');
  });

  it.each<[Record<string, JsonValue>, string]>([
    [{ usableShare: 2 }, 'usableShare must be a number from 0.3 to 0.95'],
    [{ usableShare: 0.92 }, 'usableShare must be below realTimeShare'],
    [{ targetShare: 0.4, realTimeShare: 0.5 }, 'usableShare must be below realTimeShare'],
    [{ nonsense: 1, strategy: 'magic' }, 'nonsense is not a setting; strategy must be one of'],
    [{ toString: null }, 'toString is not a setting'],
    [JSON.parse('{"__proto__": {"usableShare": 0.5}}') as Record<string, JsonValue>, '__proto__ is not a setting'],
    [{ modelWindowOverrides: { 'a/b': 12 } }, 'modelWindowOverrides.a/b must be whole numbers'],
    [{ defaultModel: 'nobody/nothing' }, 'defaultModel must be a model that a configured provider serves'],
    [{ compactionModel: '' }, 'compactionModel must not be empty'],
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

  it('check a change against what another process stored meanwhile', async () => {
    await using db = await createTestDatabase();
    const one = await open(db);
    const other = await open(db);
    await one.settings.update({ usableShare: 0.5, middleRemovalThreshold: 0.5, pruningAgentThreshold: 0.5 });
    await one.settings.update({ realTimeShare: 0.6 });
    await expect(other.settings.update({ usableShare: 0.7 })).rejects.toThrow(
      'usableShare must be below realTimeShare',
    );
  });

  it('leave out what is stored but cannot be used any more, and say so', async () => {
    await using db = await createTestDatabase();
    await store(db, { oldName: 1, maxLines: 'many', maxMatches: 7 });
    const { settings, faults } = await open(db);
    expect(settings.current()).toEqual({ ...defaultSettings, maxMatches: 7, exemptTools });
    expect(faults).toEqual([expect.stringContaining('"oldName"'), expect.stringContaining('"maxLines"')]);
    await settings.update({ maxLines: 30 });
    expect(settings.current()).toMatchObject({ maxLines: 30, maxMatches: 7 });
  });

  it('fall back to the environment where what is stored does not fit it any more, and can be corrected', async () => {
    await using db = await createTestDatabase();
    await store(db, { usableShare: 0.8 });
    const environment = {
      CONTEXT_USABLE_SHARE: '0.6',
      CONTEXT_REAL_TIME_SHARE: '0.7',
      CONTEXT_MIDDLE_REMOVAL_THRESHOLD: '0.6',
      CONTEXT_PRUNING_AGENT_THRESHOLD: '0.6',
    };
    const { settings, faults } = await open(db, environment);
    expect(settings.current().usableShare).toBe(0.6);
    expect(faults).toEqual([expect.stringContaining('usableShare must be below realTimeShare')]);
    await settings.update({ usableShare: 0.65 });
    expect(settings.report()).toMatchObject({ values: { usableShare: 0.65 }, sources: { usableShare: 'stored' } });
  });

  it('name the settings that do not fit together, for the page to mark them', async () => {
    await using db = await createTestDatabase();
    const { settings } = await open(db);
    await expect(settings.update({ realTimeShare: 0.6, usableShare: 0.6 })).rejects.toMatchObject({
      details: {
        issues: [
          {
            path: 'usableShare',
            related: 'realTimeShare',
            message: expect.stringMatching(/^must be below realTimeShare/),
          },
          { path: 'middleRemovalThreshold', related: 'realTimeShare', message: expect.any(String) },
          { path: 'pruningAgentThreshold', related: 'realTimeShare', message: expect.any(String) },
        ],
      },
    });
  });

  it('leave out a stored model that no provider serves any more', async () => {
    await using db = await createTestDatabase();
    await store(db, { defaultModel: 'gone/model', compactionModel: 'local/small' });
    const { settings, faults } = await open(db, { DEFAULT_MODEL: 'local/big' });
    expect(settings.current()).toMatchObject({ defaultModel: 'local/big', compactionModel: 'local/small' });
    expect(faults).toEqual([expect.stringContaining('"defaultModel"')]);
  });

  it('say what a reset goes back to', async () => {
    await using db = await createTestDatabase();
    const { settings } = await open(db, { CONTEXT_STRATEGY: 'ledger' });
    const { base } = await settings.update({ strategy: 'middle-removal', maxLines: 30 });
    expect(base).toEqual({ ...defaultSettings, strategy: 'ledger' });
  });

  it('hear at once of what another process stored', async () => {
    await using db = await createTestDatabase();
    const signals = new LocalSignals(noFault);
    const one = await open(db, {}, { signals });
    const other = await open(db, {}, { signals });
    await one.settings.update({ maxSteps: 7 });
    await expect.poll(() => other.settings.current().maxSteps).toBe(7);
    await other.settings.close();
    await one.settings.update({ maxSteps: 8 });
    expect(other.settings.current().maxSteps).toBe(7);
  });

  it('are read again after a while where no signal came', async () => {
    await using db = await createTestDatabase();
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

  it('keep a change of their own that is younger than what is being read', async () => {
    await using db = await createTestDatabase();
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
