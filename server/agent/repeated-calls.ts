import { createHash } from 'node:crypto';
import { NOTE_LABEL } from '#server/core/engine-words';
import type { PendingCall, ToolResult } from '#server/agent/run-tool-call';

/** Steps in a row with the same call and result, after which the model is told. A second look is often meant. */
const TOLD_AT = 3;
/** And after which the turn ends, where a step makes no other call: it was told and did not heed it. */
const ENDS_AT = 6;

interface Repeated {
  readonly toolName: string;
  readonly steps: number;
}

/** Calls that a turn makes in one step after the other, with the same input and the same result. */
export class RepeatedCalls {
  #before: ReadonlyMap<string, Repeated> = new Map();
  #now = new Map<string, Repeated>();

  add({ toolName, input }: PendingCall, { content }: ToolResult): void {
    const key = createHash('sha256')
      .update(JSON.stringify([toolName, input, content.output]))
      .digest('hex');
    this.#now.set(key, { toolName, steps: (this.#before.get(key)?.steps ?? 0) + 1 });
  }

  /**
   * Called when all results of a step are there.
   * @returns a note for the model, or why the turn ends; null: neither
   */
  endStep(): { readonly note: string } | { readonly error: string } | null {
    const calls = [...this.#now.values()];
    this.#before = this.#now;
    this.#now = new Map();
    if (calls.length > 0 && calls.every(({ steps }) => steps >= ENDS_AT)) return { error: stuck(namesOf(calls)) };
    const told = calls.filter(({ steps }) => steps === TOLD_AT);
    return told.length > 0 ? { note: repeatNote(namesOf(told)) } : null;
  }
}

function namesOf(calls: readonly Repeated[]): string {
  return [...new Set(calls.map(({ toolName }) => toolName))].join(', ');
}

function repeatNote(names: string): string {
  return `${NOTE_LABEL} The same call of ${names} was made ${TOLD_AT} times in a row, with the same result each time. Do not repeat it: use the result, try another way, or tell the user what is missing.`;
}

function stuck(names: string): string {
  return `Stopped: the model made the same call of ${names} ${ENDS_AT} times in a row, with the same result each time. Say what it should do instead, or choose another model.`;
}
