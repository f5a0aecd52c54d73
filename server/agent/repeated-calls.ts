import { createHash } from 'node:crypto';
import { NOTE_LABEL } from '#server/core/engine-words';
import type { PendingCall, ToolResult } from '#server/agent/run-tool-call';

/** Steps with the same call and result after which the model is told. A second look is often meant. */
const TOLD_AT = 3;
/** And after which the turn ends, where a step makes no other call: it was told and did not heed it. */
const ENDS_AT = 6;

interface Repeated {
  readonly toolName: string;
  readonly result: string;
  /** Of the turn, in which the call had this result each time. */
  readonly steps: number;
}

/** Calls that a turn makes again and again with the same input and the same result, whatever it does in between. */
export class RepeatedCalls {
  readonly #calls = new Map<string, Repeated>();
  /** Of the step that runs. */
  readonly #step = new Map<string, Repeated>();

  add({ toolName, input }: PendingCall, { content }: ToolResult): void {
    const call = hashOf([toolName, input]);
    const result = hashOf(content.output);
    const before = this.#calls.get(call);
    const steps = before?.result === result ? before.steps : 0;
    this.#step.set(call, { toolName, result, steps: steps + 1 });
  }

  /**
   * Called when all results of a step are there.
   * @returns a note for the model, or why the turn ends; null: neither
   */
  endStep(): { readonly note: string } | { readonly error: string } | null {
    const calls = [...this.#step.values()];
    for (const [call, repeated] of this.#step) this.#calls.set(call, repeated);
    this.#step.clear();
    if (calls.length > 0 && calls.every(({ steps }) => steps >= ENDS_AT)) return { error: stuck(namesOf(calls)) };
    const told = calls.filter(({ steps }) => steps === TOLD_AT);
    return told.length > 0 ? { note: repeatNote(namesOf(told)) } : null;
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex');
}

function namesOf(calls: readonly Repeated[]): string {
  return [...new Set(calls.map(({ toolName }) => toolName))].join(', ');
}

function repeatNote(names: string): string {
  return `${NOTE_LABEL} The same call of ${names} was made ${TOLD_AT} times, with the same result each time. Do not repeat it: use the result, try another way, or tell the user what is missing.`;
}

function stuck(names: string): string {
  return `Stopped: the model made the same call of ${names} ${ENDS_AT} times, with the same result each time. Say what it should do instead, or choose another model.`;
}
