import type { z } from 'zod';

/**
 * Reports a tool choice that names a tool which the request does not offer: the model could not call it.
 * @param path of the choice in the body
 */
export function requireOfferedTool(
  context: z.core.$RefinementCtx,
  path: readonly string[],
  name: string | undefined,
  offered: readonly (string | undefined)[],
): void {
  if (name !== undefined && offered.includes(name)) return;
  const message = `names "${name ?? ''}", which is not among the tools`;
  context.addIssue({ code: 'custom', path: [...path], message });
}
