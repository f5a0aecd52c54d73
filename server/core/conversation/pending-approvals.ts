import { z } from 'zod';
import { allows, type Principal } from '#server/core/admin/access-rights';
import { describedJson } from '#server/core/json';
import { components, idOf, listOf, type Shape, time } from '#server/core/shapes';
import { toolNameSchema } from '#server/core/conversation/part-types/common-part-fields';
import { toolEffectSchema } from '#server/core/conversation/tool-effect';

/** States of a pending approval. `used`: the call was approved and has run. */
export const callRequestStatuses = ['pending', 'approved', 'denied', 'used', 'expired'] as const;

/** Lifetime of a pending approval, and of the decision about it; milliseconds. */
export const CALL_REQUEST_LIFETIME_MS = 15 * 60_000;

/** A call that another assistant requests with an API key and that needs a person's approval. */
export const callRequestSchema = z
  .strictObject({
    id: idOf('req'),
    keyId: z.string().min(1).describe('Of the API key; in local mode, where none is needed, of the user'),
    /** The owner's name for the key. */
    keyName: z.string().nullable().describe('Null: no key'),
    userId: z.string().min(1).describe('Id of the user whose API key made the call; `own_local` in local mode'),
    userName: z.string().nullable().describe('Null where there are no accounts'),
    siteId: z.string().min(1).describe('The site that it is about'),
    toolName: toolNameSchema.min(1),
    input: describedJson('Arguments of the call'),
    effect: toolEffectSchema.nullable().describe('What it would do, as it was when it was asked'),
    status: z
      .enum(callRequestStatuses)
      .describe('`used`: the call was approved and has run. `expired`: nobody decided in time'),
    reason: z.string().nullable().describe('Of a denial'),
    createdAt: time,
    expiresAt: time.describe('When the request, or an approval that was not used, ends; epoch milliseconds'),
  })
  .register(components, { id: 'CallRequest' });
export type CallRequest = Shape<typeof callRequestSchema>;
export const callRequestsSchema = listOf(callRequestSchema).register(components, { id: 'CallRequestList' });

/** A call to be approved, before it is stored. */
export interface NewCallRequest {
  readonly keyId: string;
  readonly userId: string;
  readonly siteId: string;
  readonly toolName: string;
  readonly input: CallRequest['input'];
  readonly effect: CallRequest['effect'];
  /** Hash of key, site, tool and input: the same call finds its decision. */
  readonly inputHash: string;
}

/** A person's decision about a call. */
export interface CallDecision {
  readonly approved: boolean;
  readonly reason: string | null;
  /** User id of that person. */
  readonly decidedBy: string;
}

/**
 * Which calls a person may see and decide: always the person's own; of other people's calls none, those of authors, or all;
 * all limited to the person's sites.
 */
export interface CallReach {
  readonly userId: string;
  readonly others: 'none' | 'authors' | 'all';
  /** Null: all sites. */
  readonly sites: readonly string[] | null;
}

/** The calls that a principal may decide: editors also those of authors, who may not approve; administrators all. */
export function callReachOf({ userId, scopes, sites }: Pick<Principal, 'userId' | 'scopes' | 'sites'>): CallReach {
  const others = allows(scopes, 'admin') ? 'all' : allows(scopes, 'content:write') ? 'authors' : 'none';
  return { userId, others, sites };
}

/** Store of pending approvals. They expire automatically: every reader sees an expired one as `expired`. */
export interface CallRequestStore extends CallRequestList {
  /**
   * The newest pending approval for this call that is open, or whose decision is valid and unused; null if there is no
   * such approval.
   */
  find(inputHash: string): Promise<CallRequest | null>;
  /** Finds a pending approval by its id. @throws NotFoundError */
  get(id: string): Promise<CallRequest>;
  /** Finds a pending approval that a person may decide. @throws NotFoundError, also for one outside `reach` */
  within(id: string, reach: CallReach): Promise<CallRequest>;
  /**
   * Creates a pending approval, or returns the open one for the same call. @throws ConflictError if too many of the key
   * are open
   */
  ask(request: NewCallRequest): Promise<CallRequest>;
  /** Marks an approval as used. @returns true if it was approved and unused, and its key is still valid */
  use(id: string): Promise<boolean>;
  /** Stores a decision. @throws NotFoundError for a call outside `reach`, ConflictError for a decided or expired one */
  decide(id: string, reach: CallReach, decision: CallDecision): Promise<CallRequest>;
}

/** Reads several pending approvals. */
export interface CallRequestList {
  /** Lists the calls within `reach`: pending ones first, then the newest. */
  list(reach: CallReach): Promise<CallRequest[]>;
}
