import type { ToolEffect } from '#server/core/conversation/tool-effect';

/** Used if no effect is shown, or if the effect has no digest because an older version stored it. */
const NO_DIGEST = '0'.repeat(32);

/**
 * Id of the approval of a stored call. It identifies the call and the effect that was shown, so that a decision about
 * another effect is detected: `apr_<ulid of the tool-call part>_<digest of the effect>`.
 * @param partId the tool-call part
 * @param effect as stored; null: the tool cannot determine it
 */
export function approvalIdOf(partId: string, effect: Pick<ToolEffect, 'digest'> | null): string {
  return `apr_${partId.replace(/^prt_/, '')}_${effect?.digest ?? NO_DIGEST}`;
}

/** The id of the tool-call part that an approval id names. */
export function partIdOfApproval(approvalId: string): string {
  return `prt_${approvalId.split('_')[1] ?? ''}`;
}
