import { fetchJson } from '#server/models/catalog/fetch-json';
import { readLlamaCpp } from '#server/models/catalog/local/llama-cpp';
import { readLmStudio } from '#server/models/catalog/local/lm-studio';
import type { LocalModels, LocalReader, LocalServer } from '#server/models/catalog/local/local-server';
import { createOllamaReader } from '#server/models/catalog/local/ollama';
import { readOpenAiCompatible } from '#server/models/catalog/local/openai-compatible';

/** A server on the same machine or network answers at once, or is busy with something else. */
const TIMEOUT_MS = 3_000;

/**
 * Reads what an OpenAI-compatible server says of its models, of whichever kind it is.
 * @param baseUrl of its OpenAI-compatible interface; usually ends in `/v1`
 * @returns a reader that remembers the kind; it throws when no kind of interface answers
 */
export function createLocalServerReader(
  baseUrl: string,
  apiKey: string | undefined,
  timeoutMs = TIMEOUT_MS,
): (signal: AbortSignal) => Promise<LocalModels> {
  const base = baseUrl.replace(/\/+$/, '');
  const root = base.replace(/\/v1$/, '');
  // llama.cpp also speaks a little of Ollama's language, and all have a list of models: the most telling first.
  const kinds: readonly LocalReader[] = [readLmStudio, readLlamaCpp, createOllamaReader()];
  let known: LocalReader | null = null;

  return async (signal) => {
    const server: LocalServer = {
      ask: (path, body) => fetchJson(`${root}${path}`, { timeoutMs, apiKey, body, signal }),
      list: () => fetchJson(`${base}/models`, { timeoutMs, apiKey, signal }),
    };
    for (const kind of new Set(known ? [known, ...kinds] : kinds)) {
      const models = await kind(server);
      if (!models) continue;
      known = kind;
      return models;
    }
    // The plain list tells less: it must not replace what a server that is only busy told before.
    const models = known ? null : await readOpenAiCompatible(server);
    if (models) return models;
    throw new Error('The server does not answer, or not with a list of models.');
  };
}

/** The model that a server means by a name. */
export function findLocalModel({ models, single }: LocalModels, name: string) {
  if (single) return models[0] ?? null;
  // Ollama's names end in a tag, and `latest` may be left out.
  return models.find((model) => model.name === name) ?? models.find((model) => model.name === `${name}:latest`) ?? null;
}
