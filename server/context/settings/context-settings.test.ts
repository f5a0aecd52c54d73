import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conflicts,
  defaultSettings,
  engineSettingsSchema,
  overridesIn,
  settingDefinitions,
  settingNames,
  settingOf,
  settingsReference,
} from '#server/context/settings/context-settings';
import { constantNames, engineConstants } from '#server/context/settings/engine-constants';

const problemsOf = (input: unknown) => {
  const parsed = engineSettingsSchema.safeParse(input);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => [path.join('.'), message].join(' ').trim());
};

describe('engineSettingsSchema', () => {
  it('gives every setting its default', () => {
    expect(engineSettingsSchema.parse({})).toEqual(defaultSettings);
    expect(defaultSettings).toMatchObject({
      outputReserve: 4_096,
      usableShare: 0.85,
      strategy: 'reactive-overflow',
      pruningAgentModel: '__same__',
      toolOutputLimit: 120_000,
      modelWindowOverrides: {},
    });
  });

  it('has defaults that fit together', () => {
    expect(conflicts(defaultSettings)).toEqual([]);
  });

  it.each([
    [{ outputReserve: 0 }, 'outputReserve must be a whole number from 1 to 100,000,000'],
    [{ minTurnsToKeep: 1.5 }, 'minTurnsToKeep must be a whole number from 1 to 100'],
    [{ usableShare: '0.8' }, 'usableShare must be a number from 0.3 to 0.95'],
    [{ targetShare: Number.NaN }, 'targetShare must be a number from 0.1 to 0.9'],
    [{ strategy: 'magic' }, /^strategy must be one of: reactive-overflow, /],
    [{ autoCompact: 'yes' }, 'autoCompact must be true or false'],
    [{ pruningAgentModel: 'a b' }, /^pruningAgentModel must be a model id .*without spaces/],
    [{ modelWindowOverrides: { 'a/b': 0 } }, /^modelWindowOverrides.a\/b must be whole numbers of tokens from 1,000/],
    [{ modelWindowOverrides: { 'a b': 8_000 } }, /^modelWindowOverrides.* by model id,/],
    [{ modelWindowOverrides: [] }, /^modelWindowOverrides /],
    [{ nonsense: 1 }, /nonsense/],
  ])('refuses %j', (input, problem) => {
    expect(problemsOf(input)).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    [{ usableShare: 0.9 }, ['usableShare must be below realTimeShare, else a step would start only to be cut']],
    [{ realTimeShare: 0.8 }, ['usableShare', 'middleRemovalThreshold', 'pruningAgentThreshold']],
    [{ proactiveKeepShare: 0.5 }, ['proactiveKeepShare must be below proactiveThreshold']],
    [{ targetShare: 0.9 }, ['targetShare must be below aheadShare']],
    [{ toolOutputLimit: 20_000 }, ['toolMaxOutputChars must not be above toolOutputLimit']],
  ])('names what does not fit together in %j', (input, beginnings) => {
    expect(problemsOf(input)).toEqual(
      beginnings.map((beginning) => expect.stringMatching(new RegExp(`^${beginning}`))),
    );
  });
});

describe('overridesIn', () => {
  it('names the constants that have another value than their own', () => {
    expect(overridesIn(defaultSettings)).toEqual({});
    expect(overridesIn({ ...defaultSettings, maxSteps: 7, targetShare: 0.4 })).toEqual({ targetShare: 0.4 });
  });
});

describe('a setting', () => {
  it('reads from the environment what it wrote there', () => {
    const model = fc.stringMatching(/^[a-z0-9][a-z0-9:./_-]{0,30}$/);
    const overrides = fc.dictionary(model, fc.integer({ min: 1_000, max: 1e8 }), { maxKeys: 20 });
    const { toText, textSchema } = settingDefinitions.modelWindowOverrides;
    fc.assert(
      fc.property(overrides, (pairs) => {
        const text = toText(pairs);
        expect(text === '' ? {} : textSchema.parse(text)).toEqual({ ...pairs });
      }),
    );
    const policies = settingDefinitions.toolPolicies;
    const pairs = { delete_content: 'ask', undo: 'off' } as const;
    expect(policies.textSchema.parse(policies.toText(pairs))).toEqual(pairs);
    for (const name of settingNames) {
      const setting = settingOf(name);
      // One that is unset has no text.
      if (typeof setting.default === 'object') continue;
      expect(setting.textSchema.parse(setting.toText(setting.default)), name).toBe(setting.default);
    }
  });

  it.each([
    ['proactiveThreshold', '1e-1'],
    ['proactiveThreshold', '0,8'],
    ['outputReserve', '-1'],
    ['outputReserve', '0x10'],
    ['autoCompact', '1'],
    ['toolPolicies', 'delete_content'],
    ['toolPolicies', 'delete_content=maybe'],
    ['toolExecution', 'fast'],
    ['modelWindowOverrides', 'a/b'],
    ['modelWindowOverrides', 'a/b=1k'],
    ['siteAliases', 'www.kiln.example'],
    ['siteAliases', 'https://kiln.example/site'],
    ['siteAliases', Array.from({ length: 21 }, (_, index) => `https://a${index}.example`).join()],
  ] as const)('refuses %s as %j in the environment', (name, text) => {
    expect(settingOf(name).textSchema.safeParse(text).success).toBe(false);
  });

  it('has a description, a unit and a unique variable', () => {
    const reference = settingsReference();
    const former = constantNames.map((name) => engineConstants[name].variable);
    const variables = [...reference.map(({ variable }) => variable), ...former];
    expect(new Set(variables).size).toBe(variables.length);
    expect(reference).toHaveLength(33);
    for (const { name, variable, meaning, range } of reference) {
      expect(variable, name).toMatch(
        /^((CONTEXT|TOOL|TURN|BUDGET|LOCAL)_[A-Z_]+|(DEFAULT|COMPACTION|PICTURE)_MODEL|MAX_STEPS|SITE_ALIASES)$/,
      );
      expect(meaning, name).toMatch(/\.$/);
      expect(range, name).not.toBe('');
    }
  });
});
