import type { ContextBreakdown } from '#server/core/events';

export type ContextKind = keyof ContextBreakdown;

/** The kinds of content as they are stacked, from the bottom: what is always there, what stands for the past, the rest. */
export const contextKinds = [
  'instructions',
  'tools',
  'summary',
  'user',
  'assistant',
  'reasoning',
  'toolCalls',
  'toolResults',
  'media',
] as const satisfies readonly ContextKind[];

/** The kind's colour in the style sheet. */
export function kindColour(kind: ContextKind): string {
  return `var(--kind-${kind})`;
}
