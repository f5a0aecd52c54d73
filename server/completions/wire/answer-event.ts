import type { WireFinishReason } from '#server/completions/wire/finish-reason';
import type { WireUsage } from '#server/completions/wire/usage';

/** What happens while an answer is written, as far as its client is told. A call's `index` counts from 0. */
export type AnswerEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  /** The conversation is brought under the window, in the middle of the answer. */
  | { readonly type: 'compacting' }
  /** The last one. */
  | { readonly type: 'end'; readonly finishReason: WireFinishReason; readonly usage: WireUsage };
