import { z } from 'zod';
import { count, idOf, json, listOf, type Shape, time } from '#server/core/shapes';
import { toolEffectSchema } from '#server/core/tool-effect';

/**
 * Policy that the sender of a message sets for calls that need approval: they wait for a decision (`ask`), count as approved by
 * whoever sent it (`allow`), or are denied at once (`deny`).
 */
export const approvalPolicies = ['ask', 'allow', 'deny'] as const;
export type ApprovalPolicy = (typeof approvalPolicies)[number];

const byStrictness: readonly ApprovalPolicy[] = ['deny', 'ask', 'allow'];

/** The strictest of several policies; there must be at least one. */
export function strictest(policies: readonly ApprovalPolicy[]): ApprovalPolicy {
  return byStrictness.find((policy) => policies.includes(policy)) ?? 'ask';
}

export const approvalStatuses = ['pending', 'approved', 'denied'] as const;

/** A stored call that runs only if the user says so; decided once. */
const approvalSchema = z.strictObject({
  /** The tool-call part: the decision is about what is stored. */
  partId: idOf('prt'),
  sessionId: idOf('ses'),
  turnId: idOf('trn'),
  toolCallId: z.string().min(1),
  toolName: z.string().min(1),
  input: json,
  /** Foreseen effect that the user is shown; null: the tool cannot tell. */
  effect: toolEffectSchema.nullable(),
  status: z.enum(approvalStatuses),
  /** The user's words, or why nobody was asked. */
  reason: z.string().nullable(),
  decidedAt: time.nullable(),
});
export type Approval = Shape<typeof approvalSchema>;

/** Calls that wait for a decision. */
export const approvalsSchema = listOf(
  approvalSchema.extend({ status: z.literal('pending'), reason: z.null(), decidedAt: z.null() }),
);

/** A call in the conversation of an author, which an editor has to decide. */
const editorialCallSchema = approvalSchema.omit({ status: true, reason: true, decidedAt: true }).extend({
  userId: z.string().min(1).describe('Whose conversation it is'),
  userName: z.string(),
  siteId: z.string().min(1).describe('The site that it is about'),
  createdAt: time,
});
export type EditorialCall = Shape<typeof editorialCallSchema>;
export const editorialCallsSchema = listOf(editorialCallSchema);

export interface ApprovalDecision {
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** Answer to a decision: how many calls still wait, and whether the turn goes on. */
export const decidedSchema = z.strictObject({ pending: count, resumed: z.boolean() });
