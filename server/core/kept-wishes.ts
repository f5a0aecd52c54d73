import { z } from 'zod';
import { components, idOf, listOf, type Shape, time } from '#server/core/shapes';

/** A lasting wish of the user for one conversation, in his own words; no compaction folds it. */
export const keptWishSchema = z
  .strictObject({
    id: idOf('kep'),
    quote: z.string().min(1).describe('Word for word as the user wrote it'),
    messageId: idOf('msg').describe('The message that says it'),
    createdAt: time,
  })
  .register(components, { id: 'KeptWish' });
export type KeptWish = Shape<typeof keptWishSchema>;

/** The wishes of a conversation that were not let go, oldest first. */
export const keptWishesSchema = listOf(keptWishSchema);

/** A wish before it has a row. */
export type NewKeptWish = Pick<KeptWish, 'quote' | 'messageId'>;

/** Lasting wishes of the user, by conversation. Those whose message was superseded are not kept any more. */
export interface KeptWishStore {
  /** Wishes that were not let go, oldest first. */
  keptWishes(sessionId: string): Promise<readonly KeptWish[]>;
  /** Keeps these too, but none that is kept already, and none that the user let go after saying it. */
  keepWishes(sessionId: string, quotes: readonly NewKeptWish[]): Promise<void>;
  /** Wishes that the user let go, oldest first; the same words, said again later, may be kept. */
  wishesLetGo(sessionId: string): Promise<readonly KeptWish[]>;
  /** @returns the wish that is not kept from now on; null where none of this id was */
  letGo(sessionId: string, id: string): Promise<KeptWish | null>;
  /** Takes `letGo` back. @returns the wish; null where none of this id was let go */
  keepAgain(sessionId: string, id: string): Promise<KeptWish | null>;
}

/** True when two quotes differ at most in white space, and in the marks that a phone sets for those of a keyboard. */
export function sameQuote(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

/** A text on one line, its quotation marks as keyboards have them, as it is compared with another one. */
export function comparable(text: string): string {
  const plain = text.normalize('NFC').replaceAll(/[‘’]/g, "'").replaceAll(/[“”„]/g, '"');
  return plain.replaceAll(/\s+/g, ' ').trim();
}
