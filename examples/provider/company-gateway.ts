import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createModelFetch } from '#server/models/wire/model-fetch';
import type { ModelLimits } from '#server/models/model-limits';
import type { ModelSource, Provider } from '#server/models/providers';

/** Prefix of the model ids, as shown in the model menu of the composer: `gateway/large`. */
const PREFIX = 'gateway/';

/**
 * The models that the gateway offers, by its own names, and their limits: the engine keeps every request within
 * `contextWindow`. A gateway rarely reports limits; ask its operator.
 */
const models: Readonly<Record<string, Pick<ModelLimits, 'contextWindow' | 'maxOutputTokens' | 'acceptsImages'>>> = {
  small: { contextWindow: 32_000, maxOutputTokens: 4_000, acceptsImages: false },
  large: { contextWindow: 200_000, maxOutputTokens: 16_000, acceptsImages: true },
};

/**
 * A company's own service that speaks OpenAI's protocol, but expects its key in a custom header and the name of the
 * client. For a service with another protocol, use another package of the AI SDK or write a `LanguageModelV4`.
 *
 * @param variables the environment; the result is null if it configures no gateway
 */
export function companyGateway(variables: Readonly<Record<string, string | undefined>>): Provider | null {
  const { GATEWAY_URL: baseURL, GATEWAY_KEY: key, GATEWAY_TEAM: team = 'editors' } = variables;
  if (baseURL === undefined || key === undefined) return null;
  const service = createOpenAICompatible({
    name: 'gateway',
    baseURL,
    headers: { 'api-key': key, 'x-team': team },
    // Without it streams do not report token usage, and the engine has only its own estimates.
    includeUsage: true,
    // Sends the outgoing requests: refuses forbidden addresses, and detects errors in answers with status 200 OK.
    fetch: createModelFetch(),
  });

  return {
    ids: Object.keys(models).map((name) => `${PREFIX}${name}`),

    find(id): ModelSource | null {
      const name = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : '';
      if (!Object.hasOwn(models, name) || models[name] === undefined) return null;
      // `tokenFactor`: our counts are those of OpenAI's newer models; for others this errs upwards, until reported
      // usage corrects it.
      const limits = { ...models[name], prices: null, tokenFactor: 1.1, known: true, warning: null };
      return { id, provider: 'gateway', create: () => service.chatModel(name), limits };
    },
  };
}
