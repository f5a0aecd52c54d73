/** How a setting is given; what else it may be depends on the kind. */
export type SettingInput =
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly whole: boolean }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'choice'; readonly names: readonly string[] }
  /** `word` stands for a model that is not named. */
  | { readonly kind: 'model'; readonly word: string }
  /** A whole number for each of some models or tools. */
  | { readonly kind: 'numbers'; readonly of: 'model' | 'tool'; readonly min: number; readonly max: number }
  /** One of the names for each of some tools. */
  | { readonly kind: 'choices'; readonly names: readonly string[] };

/** What a setting holds. */
export type SettingValue = number | boolean | string | Readonly<Record<string, number | string>>;

/** Where a setting's value comes from; what is stored wins over the environment. */
export type SettingSource = 'default' | 'env' | 'stored';

/** Settings that belong together. */
export type SettingGroup = 'models' | 'limits' | 'steps' | 'strategies' | 'pruning' | 'tools';

/** What a person reads about one setting. */
export interface SettingReference<Name extends string = string> {
  readonly name: Name;
  readonly group: SettingGroup;
  readonly input: SettingInput;
  /** Its environment variable. */
  readonly variable: string;
  /** As one would write it in the environment; empty where nothing is set. */
  readonly default: string;
  readonly unit: string;
  readonly range: string;
  readonly meaning: string;
}

/** A tool, as far as settings are about it. */
export interface ToolReport {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
  /** What holds while toolPolicies does not name it. */
  readonly policy: ToolPolicy;
  /** Its outputs are never cleared. */
  readonly exemptFromPruning: boolean;
  /** Characters of one output, where the tool sets a limit of its own. */
  readonly maxOutputChars: number | null;
}

export const providerIds = ['built-in', 'openrouter', 'openai-compatible'] as const;
export type ProviderId = (typeof providerIds)[number];

/** Who serves models, without any secret. */
export interface ProviderReport {
  readonly id: ProviderId;
  readonly configured: boolean;
  /** Without credentials and query; null where there is none. */
  readonly baseUrl: string | null;
  readonly hasKey: boolean;
  /** Names of the environment variables that configure it. */
  readonly variables: readonly string[];
  /** How many of its models are offered now. */
  readonly models: number;
}

/** What a provider answered to a small real request. */
export interface ProviderTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  /** How many models it lists; null where that was not learned. */
  readonly models: number | null;
  /** One of them, to choose; null where it names none. */
  readonly modelId: string | null;
  /** For a person; says what to do where it is not ok. */
  readonly message: string;
}

/** A variable that is read once, at the start. */
export interface ProcessSetting {
  readonly name: string;
  readonly description: string;
  /** As one would write it in the environment; empty where unset is the default. */
  readonly default: string;
  readonly isSecret: boolean;
  /** It has another value than the default. */
  readonly isSet: boolean;
  /** Without credentials; null where it is secret or unset. */
  readonly value: string | null;
}

/** Everything the settings page shows: GET /api/settings. */
export interface SettingsReport {
  /** In force now. */
  readonly values: Readonly<Record<string, SettingValue>>;
  /** What a reset goes back to: the environment's value, else the default. */
  readonly base: Readonly<Record<string, SettingValue>>;
  readonly sources: Readonly<Record<string, SettingSource>>;
  readonly reference: readonly SettingReference[];
  readonly tools: readonly ToolReport[];
  readonly providers: readonly ProviderReport[];
  readonly process: readonly ProcessSetting[];
}

/** A setting that was refused, in `details.issues` of the error. */
export interface SettingIssue {
  /** The setting, perhaps with what is wrong inside it: `modelWindowOverrides.a/b`. */
  readonly path: string;
  readonly message: string;
  /** The other setting, where two do not fit together. */
  readonly related?: string;
}

/** Whether a tool's calls run by themselves, only if the user agrees, or not at all. */
export const toolPolicyNames = ['always', 'ask', 'off'] as const;
export type ToolPolicy = (typeof toolPolicyNames)[number];
