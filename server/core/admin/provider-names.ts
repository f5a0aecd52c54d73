/** Services that require an API key, each with a fixed address. */
const hostedIds = ['openrouter', 'anthropic', 'openai', 'google'] as const;

/** Providers of models that can be connected, in the order of the menu. */
export const connectableIds = [...hostedIds, 'openai-compatible'] as const;
export type ConnectableId = (typeof connectableIds)[number];

/** All providers of models; `built-in` is the basic assistant, which needs no key. */
export const providerIds = ['built-in', ...connectableIds] as const;
export type ProviderId = (typeof providerIds)[number];
