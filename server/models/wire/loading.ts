import { setTimeout as pause } from 'node:timers/promises';
import { type JsonValue, parseJson, textsIn } from '#server/core/json';
import { reportCallStatus } from '#server/models/wire/call-status';

/* Servers that are still loading a model refuse requests with status 503 until it is loaded. */

/** Milliseconds between two checks whether a model has been loaded. */
const PAUSE_MS = 500;
/** Characters of a refusal that are read. */
const MAX_REFUSAL_CHARS = 2_000;

/**
 * llama.cpp: "Loading model"; Text Generation Inference and Hugging Face: "Model ... is currently loading"; KServe:
 * "Model with name ... is not ready."; others: "Server is starting up", "Model is warming up".
 */
const LOADING = /\bloading\b|\bnot (?:yet )?ready\b|\bwarming up\b|\bstarting(?: up)?\b|\binitiali[sz]ing\b/i;
/** The model cannot be loaded. */
const FAILED = /\b(?:error|fail(?:ed|ure|s)?|unable|could not|cannot|aborted)\b/i;

/** Returns whether the body of a response reports that the server is still loading the model. */
export function reportsLoading(status: number, body: string): boolean {
  if (status !== 503) return false;
  const text = body.slice(0, MAX_REFUSAL_CHARS);
  const value = parseJson(text);
  // Without the names of fields, one of which is `error`, and without codes.
  const said = value === undefined ? [text] : textsIn(value as JsonValue).filter((each) => !/^\w+$/.test(each));
  return said.some((each) => LOADING.test(each) && !FAILED.test(each));
}

/**
 * Repeats an attempt while the server is loading the model; the caller's listener hears of the wait.
 * @param attempt returns null while the model is being loaded
 * @throws the signal's reason
 */
export async function whenLoaded<T>(attempt: () => Promise<T | null>, signal?: AbortSignal | null): Promise<T> {
  for (let isFirst = true; ; isFirst = false) {
    const result = await attempt();
    if (result !== null) {
      if (!isFirst) reportCallStatus({ kind: 'sent' });
      return result;
    }
    if (isFirst) reportCallStatus({ kind: 'loading' });
    await pause(PAUSE_MS, undefined, signal ? { signal } : {});
  }
}

/**
 * Creates a `fetch` that waits while the server reports that it is still loading the model, until the request is
 * aborted.
 */
export function createPatientSend(send: typeof fetch): typeof fetch {
  return (input, init) =>
    whenLoaded(async () => {
      const response = await send(input, init);
      if (response.status !== 503) return response;
      const text = await response.text();
      return reportsLoading(response.status, text) ? null : new Response(text, response);
    }, init?.signal);
}
