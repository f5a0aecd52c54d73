import type { ModelMessage } from 'ai';
import type { LedgerEntry } from '#server/core/conversation/compactions';

/** A conversation to be replayed. */
export interface Transcript {
  readonly name: string;
  /** Where it is from, as a reader of the report may look it up. */
  readonly from: string;
  readonly messages: readonly ModelMessage[];
  /** Windows that it is replayed in; default: those that it overflows. */
  readonly windows?: readonly number[] | undefined;
  /** What the site's journal told when so many messages had been stored. Default: there was no site. */
  readonly journalAt?: ((messages: number) => readonly LedgerEntry[]) | undefined;
}

/** One model call of a transcript. */
export interface Step {
  /** What came since the last call. */
  readonly added: readonly ModelMessage[];
  /** All messages up to this call. */
  readonly until: number;
}

/** A model call comes before each message of the assistant; messages after the last one are in no call. */
export function stepsOf(messages: readonly ModelMessage[]): Step[] {
  const steps: Step[] = [];
  let from = 0;
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'assistant' || index === 0) continue;
    steps.push({ added: messages.slice(from, index), until: index });
    from = index;
  }
  return steps;
}
