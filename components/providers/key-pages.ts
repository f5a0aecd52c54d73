import type { ConnectableId } from '#server/core/admin/provider-names';

/** Pages to create a key. */
export const keyPages: Partial<Record<ConnectableId, string>> = {
  openrouter: 'https://openrouter.ai/keys',
  anthropic: 'https://console.anthropic.com/settings/keys',
  openai: 'https://platform.openai.com/api-keys',
  google: 'https://aistudio.google.com/apikey',
};
