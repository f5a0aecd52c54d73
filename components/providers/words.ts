import { plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';
import type { ConnectableId, ProviderId } from '#server/core/admin/provider-names';

interface ProviderWords {
  readonly name: string;
  readonly body: string;
}

const names: Record<ProviderId, ProviderWords> = {
  'built-in': {
    name: 'Basic assistant',
    body: 'Built in. Understands a fixed set of requests and needs no key and no network.',
  },
  openrouter: { name: 'OpenRouter', body: 'Models of all vendors with one key and one bill.' },
  anthropic: { name: 'Anthropic', body: 'Claude models, directly from Anthropic.' },
  openai: { name: 'OpenAI', body: 'GPT models, directly from OpenAI.' },
  google: { name: 'Google', body: 'Gemini models, directly from Google.' },
  'openai-compatible': {
    name: 'A server of your own',
    body: 'LM Studio, Ollama, llama.cpp, vLLM and whatever else speaks OpenAI’s protocol; nothing leaves for a vendor.',
  },
};

/** Pages to create a key. */
export const keyPages: Partial<Record<ConnectableId, string>> = {
  openrouter: 'https://openrouter.ai/keys',
  anthropic: 'https://console.anthropic.com/settings/keys',
  openai: 'https://platform.openai.com/api-keys',
  google: 'https://aistudio.google.com/apikey',
};

/** Texts about model providers and how to connect them. */
export const providerStrings = inYourLanguage('providerStrings', {
  title: 'Providers',
  body: 'Services that provide models. A key that is entered here is tested, stored encrypted and never shown again; what the environment sets wins.',
  names,
  ready: 'Ready',
  connected: 'Connected',
  missing: 'Not connected',
  address: 'Address',
  key: 'Key',
  hasKey: 'stored',
  environmentKey: 'from the environment',
  noKey: 'none',
  offered: 'Offered',
  models: (count: number) => plural(count, 'model'),
  fromEnvironment: (variables: readonly string[]) =>
    `Set in the environment (${variables.join(', ')}), which wins over what is entered here. Change it there and start the server again.`,
  failed: 'The providers could not be loaded.',
  test: 'Test',
  testOf: (name: string) => `Test the connection to ${name}`,
  testing: 'Testing…',
  connectOf: (name: string) => `Connect ${name}`,
  connectShort: 'Connect',
  change: 'Change',
  changeOf: (name: string) => `Change the connection to ${name}`,
  disconnect: 'Disconnect',
  disconnectOf: (name: string) => `Disconnect ${name}`,
  disconnectTitle: (name: string) => `Disconnect ${name}?`,
  disconnectBody:
    'Its key is forgotten here, and settings that name a model of it go back to their default. Conversations stay.',
  disconnected: (name: string) => `${name} is disconnected`,
  dialog: {
    title: 'Connect a model',
    choice: 'Where does the model run?',
    key: 'Key',
    keyHint: 'It is tested, stored encrypted, and never shown again.',
    optionalKey: 'Key, if the server wants one',
    keyPage: (host: string) => `Make a key at ${host}`,
    stored: 'Stored. Paste another one to replace it.',
    noKey: 'Paste the key first.',
    noAddress: 'Enter the address of the server first.',
    address: 'Address',
    addressHint: 'Address of its OpenAI-compatible API; it usually ends in /v1.',
    found: 'Found on this machine',
    looking: 'Looking on this machine…',
    nothing: 'No model server answers at the usual ports of this machine. Start one, or enter its address.',
    lookAgain: 'Look again',
    server: (name: string, host: string) => `${name} at ${host}`,
    serverLoading: (name: string, host: string) => `${name} at ${host}, which is loading its model`,
    model: 'Model',
    recommended: 'The recommended one',
    connect: 'Connect',
    connecting: 'Connecting…',
    wait: 'The model is asked to use a tool. One on your own machine may have to be loaded first: that can take a minute or two.',
    anyway: 'Connect anyway',
    done: (model: string) => `Connected: ${model} answers from now on.`,
    kept: (provider: string) => `${provider} is connected. Choose its models next to the message field.`,
  },
});
