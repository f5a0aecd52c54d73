import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createModelFetch } from '#server/models/model-fetch';
import type { ModelLimits } from '#server/models/model-limits';
import type { ModelSource, Provider } from '#server/models/providers';

/** Begins the ids of its models, as they are chosen beside the message field: `gateway/large`. */
const PREFIX = 'gateway/';

/**
 * What it offers, by its own names, and how much each takes: the engine keeps every request inside `contextWindow`. A
 * gateway rarely tells; whoever runs it knows.
 */
const models: Readonly<Record<string, Pick<ModelLimits, 'contextWindow' | 'maxOutputTokens' | 'acceptsImages'>>> = {
  small: { contextWindow: 32_000, maxOutputTokens: 4_000, acceptsImages: false },
  large: { contextWindow: 200_000, maxOutputTokens: 16_000, acceptsImages: true },
};

/**
 * A company's own service that speaks OpenAI's protocol, but wants its key in a header of its own and to know who asks.
 * A service with another protocol takes another package of the AI SDK, or a `LanguageModelV4` written by hand.
 *
 * @param variables the environment; null where it says nothing of a gateway
 */
export function companyGateway(variables: Readonly<Record<string, string | undefined>>): Provider | null {
  const { GATEWAY_URL: baseURL, GATEWAY_KEY: key, GATEWAY_TEAM: team = 'editors' } = variables;
  if (baseURL === undefined || key === undefined) return null;
  const service = createOpenAICompatible({
    name: 'gateway',
    baseURL,
    headers: { 'api-key': key, 'x-team': team },
    // Without it no stream tells how many tokens it took, and the engine has its own estimates alone.
    includeUsage: true,
    // The way out of this program: it refuses what may not be reached, and finds errors in answers that say "200 OK".
    fetch: createModelFetch(),
  });

  return {
    ids: Object.keys(models).map((name) => `${PREFIX}${name}`),

    find(id): ModelSource | null {
      const name = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : '';
      if (!Object.hasOwn(models, name) || models[name] === undefined) return null;
      // `tokenFactor`: our counts are those of OpenAI's newer models; for others this errs upwards, until reports of real
      // usage correct it.
      const limits = { ...models[name], prices: null, tokenFactor: 1.1, known: true, warning: null };
      return { id, provider: 'gateway', create: () => service.chatModel(name), limits };
    },
  };
}
