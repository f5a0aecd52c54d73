/** Services that answer with a key, each at its own address. */
export const hostedIds = ['openrouter', 'anthropic', 'openai', 'google'] as const;

/** Providers of models that can be connected, in the order in which they are offered. */
export const connectableIds = [...hostedIds, 'openai-compatible'] as const;
export type ConnectableId = (typeof connectableIds)[number];

export const providerIds = ['built-in', ...connectableIds] as const;
export type ProviderId = (typeof providerIds)[number];

/** Error of a turn whose provider does not take the key; screens lead from it to where a key is set. */
export const KEY_REFUSED =
  "The model's provider does not accept the API key, or the key may not use this model. An administrator can enter another key in the settings.";

/** In every error of a budget that is used up; screens lead from it to where budgets are set. */
export const BUDGET_USED_UP = 'so no paid model is asked';

/** Error of a turn whose model is not given tools by its provider; screens lead from it to where a model is chosen. */
export const NO_TOOLS =
  'This model cannot use tools, so it could talk about the site but change nothing. Choose another model; of a local server, one that is made for tools.';
