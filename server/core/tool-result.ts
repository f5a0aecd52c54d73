import type { JsonValue } from '#server/core/json';

/** One piece of a tool's result that is not plain JSON. Nothing of it is trusted: see server/media/sanitize-tool-result. */
export type RichPart =
  | { readonly type: 'text'; readonly text: string }
  /** `mediaType` is what its sender says. */
  | { readonly type: 'image'; readonly data: Uint8Array; readonly mediaType: string; readonly filename?: string }
  /** A resource, whole or only named. */
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mediaType?: string;
      readonly title?: string;
      readonly text?: string;
    }
  /** A kind that we do not take (audio, binary resources): it is named. */
  | { readonly type: 'other'; readonly kind: string };

const rich = Symbol('rich tool result');

/** What a tool gives back that is more than JSON: texts, pictures, resources, structured data, an error of its own. */
export interface RichToolResult {
  readonly [rich]: true;
  readonly parts: readonly RichPart[];
  readonly structured?: JsonValue | undefined;
  readonly isError: boolean;
}

export type ToolReturn = JsonValue | RichToolResult;

/** The result of a tool that has more to give than JSON. */
export function richResult(
  parts: readonly RichPart[],
  { structured, isError = false }: { structured?: JsonValue | undefined; isError?: boolean } = {},
): RichToolResult {
  return { [rich]: true, parts, structured, isError };
}

export function isRichResult(value: ToolReturn): value is RichToolResult {
  return typeof value === 'object' && value !== null && rich in value;
}
