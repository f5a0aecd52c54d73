import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonProblem, type JsonValue, jsonValueSchema, parseJson } from '#server/core/json';
import { JsonValueCounter } from '#server/core/json-scan';

/** Fields of one detail, and details of one text. Choices, far above what providers send. */
const MAX_FIELDS = 100;
const MAX_DETAILS = 10_000;
/** JSON values of all encoded reasoning in one request: they are not counted with its body. */
const MAX_VALUES = 50_000;

const detailsSchema = z.array(boundedRecord(z.string(), jsonValueSchema, MAX_FIELDS)).max(MAX_DETAILS);

/** The reasoning of a model as OpenRouter describes it (signed, or readable for its provider only), as one text. */
export function encodeReasoning(details: readonly JsonValue[]): string {
  return Buffer.from(JSON.stringify(details)).toString('base64');
}

/** Reads the encoded reasoning of one request, up to a number of JSON values. */
export class ReasoningDecoder {
  #remaining = MAX_VALUES;

  /** What was given to `encodeReasoning`; empty for a text that another server wrote, and for too much of it. */
  decode(encoded: string): Record<string, JsonValue>[] {
    const bytes = Buffer.from(encoded, 'base64');
    const counter = new JsonValueCounter();
    counter.add(bytes);
    this.#remaining -= counter.count;
    if (this.#remaining < 0) return [];
    const value = parseJson(bytes.toString('utf8'));
    if (value === undefined || jsonProblem(value) !== null) return [];
    const parsed = detailsSchema.safeParse(value);
    return parsed.success ? parsed.data : [];
  }
}
