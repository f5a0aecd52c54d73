import { z } from 'zod';
import { describedJson } from '#server/core/json';
import { components, count, idOf, listOf, type Shape, time } from '#server/core/shapes';
import { toolCallIdSchema, toolNameSchema } from '#server/core/conversation/part-types/common-part-fields';
import { type ToolEffect, toolEffectSchema } from '#server/core/conversation/tool-effect';

/**
 * Policy that the sender of a message sets for calls that need approval: they wait for a decision (`ask`), count as
 * approved by the sender (`allow`), or are denied immediately (`deny`).
 */
export const approvalPolicies = ['ask', 'allow', 'deny'] as const;
export type ApprovalPolicy = (typeof approvalPolicies)[number];

/** Policies, the strictest first. */
const byStrictness: readonly ApprovalPolicy[] = ['deny', 'ask', 'allow'];

/** The strictest of several policies; at least one is required. */
export function strictest(policies: readonly ApprovalPolicy[]): ApprovalPolicy {
  return byStrictness.find((policy) => policies.includes(policy)) ?? 'ask';
}

/** States of an approval. Denied calls do not run. */
export const approvalStatuses = ['pending', 'approved', 'denied'] as const;

/** Id of an approval. */
export const approvalIdSchema = z
  .string()
  .regex(/^apr_[0-9a-z]{26}_[0-9a-f]{32}$/, 'is not the id of an approval')
  .describe('Id of an approval: it names the stored call and the effect that was shown');

/** Used if no effect is shown, or if the effect has no digest because an older version stored it. */
const NO_DIGEST = '0'.repeat(32);

/**
 * Id of the approval of a stored call. It identifies the call and the effect that was shown, so that a decision about
 * another effect is detected: `apr_<ulid of the tool-call part>_<digest of the effect>`.
 * @param partId the tool-call part
 * @param effect as stored; null: the tool cannot determine it
 */
export function approvalIdOf(partId: string, effect: ToolEffect | null): string {
  return `apr_${partId.replace(/^prt_/, '')}_${effect?.digest ?? NO_DIGEST}`;
}

/** The id of the tool-call part that an approval id names. */
export function partIdOfApproval(approvalId: string): string {
  return `prt_${approvalId.split('_')[1] ?? ''}`;
}

/** A stored tool call that runs only with a person's approval, and the decision. A call is decided once. */
export const approvalSchema = z
  .strictObject({
    approvalId: approvalIdSchema.describe('Names the call with the effect that is shown: a decision names it'),
    partId: idOf('prt').describe('The tool-call part: the decision is about the stored call'),
    sessionId: idOf('ses'),
    turnId: idOf('trn'),
    toolCallId: toolCallIdSchema.min(1),
    toolName: toolNameSchema.min(1),
    input: describedJson('Arguments of the call'),
    effect: toolEffectSchema
      .nullable()
      .describe('Expected effect that the user is shown; null: the tool cannot determine it'),
    status: z.enum(approvalStatuses).describe('`pending`: waits for a decision. Denied calls do not run'),
    reason: z.string().nullable().describe("Why it was denied: the person's words, or the reason why nobody was asked"),
    decidedAt: time.nullable().describe('When it was decided, epoch milliseconds; null: not yet'),
  })
  .describe("A stored tool call that runs only with a person's approval, and the decision")
  .register(components, { id: 'Approval' });
export type Approval = Shape<typeof approvalSchema>;

/** Calls that wait for a decision. */
export const approvalsSchema = listOf(
  approvalSchema
    .extend({ status: z.literal('pending').describe('Waits for a decision') })
    .register(components, { id: 'PendingApproval' }),
).register(components, { id: 'ApprovalList' });

/** A call in the conversation of an author that needs an editor's decision. */
const editorialCallSchema = approvalSchema
  .omit({ status: true, reason: true, decidedAt: true })
  .extend({
    userId: z.string().min(1).describe('Whose conversation it is'),
    userName: z.string().describe('Name of the author whose conversation it is'),
    siteId: z.string().min(1).describe('The site that it is about'),
    createdAt: time.describe('When the call was made, epoch milliseconds'),
  })
  .register(components, { id: 'EditorialCall' });
export type EditorialCall = Shape<typeof editorialCallSchema>;
export const editorialCallsSchema = listOf(editorialCallSchema).register(components, { id: 'EditorialCallList' });

/** A person's decision about one call. */
export interface ApprovalDecision {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** Response to a decision: `pending` calls of the turn still wait; `resumed`: the turn continues. */
export const decidedSchema = z
  .strictObject({
    pending: count.describe('Calls of the turn that still wait for a decision'),
    resumed: z.boolean().describe('True if the turn continues: no call waits any more'),
  })
  .register(components, { id: 'DecisionOutcome' });
