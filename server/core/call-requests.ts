import { z } from 'zod';
import { allows, type Principal } from '#server/core/access-rights';
import { idOf, json, listOf, type Shape, time } from '#server/core/shapes';
import { toolEffectSchema } from '#server/core/tool-effect';

/** `used`: it was agreed to, and has run. */
export const callRequestStatuses = ['pending', 'approved', 'denied', 'used', 'expired'] as const;

/** Lifetime of a question, and of the answer to it; milliseconds. */
export const CALL_REQUEST_LIFE_MS = 15 * 60_000;

/** A call that another assistant wants to make with an API key, and that a person must agree to. */
export const callRequestSchema = z.strictObject({
  id: idOf('req'),
  keyId: z.string().min(1).describe('Of the API key; in local mode, where none is needed, of the user'),
  /** Name that its owner gave it. */
  keyName: z.string().nullable().describe('Null: no key'),
  userId: z.string().min(1),
  userName: z.string().nullable().describe('Null where there are no accounts'),
  siteId: z.string().min(1).describe('The site that it is about'),
  toolName: z.string().min(1),
  input: json,
  effect: toolEffectSchema.nullable().describe('What it would do, as it was when it was asked'),
  status: z.enum(callRequestStatuses),
  reason: z.string().nullable().describe('Of a denial'),
  createdAt: time,
  expiresAt: time,
});
export type CallRequest = Shape<typeof callRequestSchema>;
export const callRequestsSchema = listOf(callRequestSchema);

export type NewCallRequest = Pick<CallRequest, 'keyId' | 'userId' | 'siteId' | 'toolName' | 'input' | 'effect'> & {
  /** Equal for equal calls. */
  readonly inputHash: string;
};

/** A person's decision about a call. */
export interface CallDecision {
  readonly approved: boolean;
  readonly reason: string | null;
  /** User id of that person. */
  readonly decidedBy: string;
}

/** Calls that somebody may see and decide: their own, besides none, authors' or all, as far as they are about their sites. */
export interface CallReach {
  readonly userId: string;
  readonly others: 'none' | 'authors' | 'all';
  /** Null: all. */
  readonly sites: readonly string[] | null;
}

/** An author agrees to nothing, so editors look after authors' calls, and administrators after everybody's. */
export function callReachOf({ userId, scopes, sites }: Pick<Principal, 'userId' | 'scopes' | 'sites'>): CallReach {
  const others = allows(scopes, 'admin') ? 'all' : allows(scopes, 'content:write') ? 'authors' : 'none';
  return { userId, others, sites };
}

/** The calls that people are asked about. Times out by itself: what has expired is `expired`, whoever reads it. */
export interface CallRequestStore {
  /** The newest question about this call that is open, or whose answer holds and is not used; null: there is none. */
  find(inputHash: string): Promise<CallRequest | null>;
  /** @throws NotFoundError */
  get(id: string): Promise<CallRequest>;
  /** Asks, or gives the question about the same call that is open. @throws ConflictError when too many of the key are open */
  ask(request: NewCallRequest): Promise<CallRequest>;
  /** Uses up the approval; true if there was one, by a key that is still valid. */
  use(id: string): Promise<boolean>;
  /** @throws NotFoundError (none within reach), ConflictError (decided, expired) */
  decide(id: string, reach: CallReach, decision: CallDecision): Promise<CallRequest>;
  /** Lists waiting calls first, then the newest. */
  list(reach: CallReach): Promise<CallRequest[]>;
}
