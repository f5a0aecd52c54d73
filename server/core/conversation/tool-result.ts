import type { JsonValue } from '#server/core/json';

/**
 * One piece of a tool's result that is not plain JSON. All of it is untrusted: see
 * server/site/media/sanitize-tool-result.
 */
export type RichPart =
  | { readonly type: 'text'; readonly text: string }
  /** An image. `mediaType` is what its sender claims. */
  | { readonly type: 'image'; readonly data: Uint8Array; readonly mediaType: string; readonly filename?: string }
  /** A resource, complete or only named. */
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mediaType?: string;
      readonly title?: string;
      readonly text?: string;
    }
  /** An unsupported kind (audio, binary resources), which is only named. */
  | { readonly type: 'other'; readonly kind: string };

/** Marks results made by `richResult`: a JSON result of a tool cannot have a symbol. */
const rich = Symbol('rich tool result');

/** Result of a tool that is more than JSON: texts, pictures, resources, structured data, an error message. */
export interface RichToolResult {
  readonly [rich]: true;
  readonly parts: readonly RichPart[];
  readonly structured?: JsonValue | undefined;
  readonly isError: boolean;
}

/** What a tool may return. */
export type ToolReturn = JsonValue | RichToolResult;

/** Creates a result of a tool that is more than JSON. */
export function richResult(
  parts: readonly RichPart[],
  { structured, isError = false }: { structured?: JsonValue | undefined; isError?: boolean } = {},
): RichToolResult {
  return { [rich]: true, parts, structured, isError };
}

/** True for a result made by `richResult`. */
export function isRichResult(value: ToolReturn): value is RichToolResult {
  return typeof value === 'object' && value !== null && rich in value;
}

/** Separates the name of a tool server from that of its tool in the name for models; no server name contains it. */
export const TOOL_NAME_SEPARATOR = '__';
