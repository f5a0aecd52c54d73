/** Services that require an API key, each with a fixed address. */
export const hostedIds = ['openrouter', 'anthropic', 'openai', 'google'] as const;

/** Providers of models that can be connected, in the order of the menu. */
export const connectableIds = [...hostedIds, 'openai-compatible'] as const;
export type ConnectableId = (typeof connectableIds)[number];

/** All providers of models; `built-in` is the basic assistant, which needs no key. */
export const providerIds = ['built-in', ...connectableIds] as const;
export type ProviderId = (typeof providerIds)[number];

/** Error of a turn whose provider refuses the API key; screens link it to the setting of the key. */
export const KEY_REFUSED =
  "The model's provider does not accept the API key, or the key may not use this model. An administrator can enter another key in the settings.";

/** Part of the text of every error about a used-up budget; screens link it to the settings of the budgets. */
export const BUDGET_USED_UP = 'so no paid model is asked';

/** Error of a turn whose provider offers no tools for the model; screens link it to the choice of a model. */
export const NO_TOOLS =
  'This model cannot use tools, so it could talk about the site but change nothing. Choose another model; of a local server, one that is made for tools.';
