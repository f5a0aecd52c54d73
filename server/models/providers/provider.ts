import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Env } from '#server/env';
import type { ModelLimits } from '#server/models/model-limits';

/** Where a model comes from. */
export interface ModelSource {
  /** The complete id, as its provider is asked for it here. */
  readonly id: string;
  /** Name of its provider. */
  readonly provider: string;
  readonly create: () => LanguageModelV4;
  /** Where its provider knows them better than the built-in table and what is published of models. */
  readonly limits?: ModelLimits;
}

/** Serves models under ids of its own. Adding one is one file here and its line in `createProviders`. */
export interface Provider {
  /** The model of this id; null where it is none of its own. */
  find(id: string): ModelSource | null;
  /** Ids of what it offers, beside those that the table of known models and the lists of the catalogue have. */
  readonly ids?: readonly string[];
}

/** Null where the environment does not configure it. */
export type CreateProvider = (env: Env) => Provider | null;
