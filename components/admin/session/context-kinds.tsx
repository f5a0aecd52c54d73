import { useId } from 'react';
import type { ContextBreakdown } from '#server/core/conversation/events';

/** A kind of content in the context. */
export type ContextKind = keyof ContextBreakdown;

/** The kinds of content in stacking order from the bottom: constant content, the summary of the past, the rest. */
export const contextKinds = [
  'instructions',
  'tools',
  'summary',
  'situation',
  'user',
  'assistant',
  'reasoning',
  'toolCalls',
  'toolResults',
  'media',
] as const satisfies readonly ContextKind[];

/** CSS colour of a kind, defined in the style sheet. */
export function kindColour(kind: ContextKind): string {
  return `var(--kind-${kind})`;
}

/** Swatch with a kind's colour and texture, shown before its name. */
export function KindSwatch({ kind }: { readonly kind: ContextKind }) {
  const id = useId();
  return (
    <svg aria-hidden viewBox="0 0 12 12" className="size-3 shrink-0">
      <defs>
        <KindPattern id={id} kind={kind} />
      </defs>
      <rect x="0.5" y="0.5" width="11" height="11" rx="2" fill={`url(#${id})`} style={{ stroke: kindOutline(kind) }} />
    </svg>
  );
}

/** SVG paths of the textures, within a tile of 6 by 6 units; kinds that are not listed have none. */
const textures: Partial<Record<ContextKind, string>> = {
  tools: 'M-1 1 L1 -1 M0 6 L6 0 M5 7 L7 5',
  summary: 'M0 0 L6 6 M6 0 L0 6',
  assistant: 'M3 0 V6',
  reasoning: 'M1.5 1.5 h1 M4.5 4.5 h1',
  toolCalls: 'M-1 5 L1 7 M0 0 L6 6 M5 -1 L7 1',
  media: 'M0 3 H6',
  situation: 'M1.5 4.5 h1 M4.5 1.5 h1',
};

/** A kind's colour with its texture, as an SVG pattern, so that kinds differ by more than their hue. */
export function KindPattern({ id, kind }: { readonly id: string; readonly kind: ContextKind }) {
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse">
      <rect width="6" height="6" style={{ fill: kindColour(kind) }} />
      {textures[kind] && (
        <path d={textures[kind]} style={{ stroke: 'var(--sheet)' }} strokeWidth="1" strokeOpacity="0.5" fill="none" />
      )}
    </pattern>
  );
}

/** Outline of a kind's area, which makes light fills visible on the background. */
export function kindOutline(kind: ContextKind): string {
  return `color-mix(in oklab, ${kindColour(kind)} 60%, var(--ink))`;
}
