import { z } from 'zod';
import { components, idOf, listOf, type Shape, time } from '#server/core/shapes';

/**
 * A lasting preference of the user in one conversation, in the user's own words. Every summary contains it word for word.
 * A model proposes it. Until the user confirms it, summaries also keep its whole message.
 */
export const preferenceSchema = z
  .strictObject({
    id: idOf('kep'),
    quote: z.string().min(1).describe('Word for word as the user wrote it'),
    messageId: idOf('msg').describe('The message that says it'),
    createdAt: time,
    confirmedAt: time.nullable().describe('When the user confirmed it; null: a model proposed it'),
  })
  .describe('A lasting preference of the user in one session; every summary contains it word for word')
  .register(components, { id: 'KeptWish' });
export type Preference = Shape<typeof preferenceSchema>;

/** The active preferences of a conversation, oldest first. */
export const preferencesSchema = listOf(preferenceSchema).register(components, { id: 'KeptWishList' });

/** A preference before it is stored. */
export interface NewPreference {
  readonly quote: string;
  readonly messageId: string;
  /** Epoch milliseconds. Absent or null: the user has not confirmed it. */
  readonly confirmedAt?: number | null;
}

/** Preferences of the user, by conversation. Those whose message was superseded no longer apply. */
export interface PreferenceStore {
  /** Active preferences, oldest first. */
  keptWishes(sessionId: string): Promise<readonly Preference[]>;
  /** Adds proposed preferences, except those that are stored already and those that the user removed after typing them. */
  keepWishes(sessionId: string, quotes: readonly NewPreference[]): Promise<void>;
  /**
   * Preferences that the user removed, oldest first; the same words may be added again if the user types them later.
   */
  wishesLetGo(sessionId: string): Promise<readonly Preference[]>;
  /** @returns the removed preference; null if there was no active one with this id */
  letGo(sessionId: string, id: string): Promise<Preference | null>;
  /**
   * Confirms an active preference, or makes it a proposal again.
   * @returns the preference; null if there was no active one with this id in the other state
   */
  confirm(sessionId: string, id: string, isConfirmed: boolean): Promise<Preference | null>;
  /** Undoes `letGo`. @returns the preference; null if there was no removed one with this id */
  keepAgain(sessionId: string, id: string): Promise<Preference | null>;
}

/** True if two quotes differ at most in white space and in typographic versus plain quotation marks. */
export function sameQuote(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

/** Normalizes a text for comparison: one line, plain quotation marks, composed characters. */
export function comparable(text: string): string {
  const plain = text.normalize('NFC').replaceAll(/[‘’]/g, "'").replaceAll(/[“”„]/g, '"');
  return plain.replaceAll(/\s+/g, ' ').trim();
}
