import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { viewPage } from '#server/integrations/mcp-server/view-page';
import type { Tool } from '#server/tools/tool';

/* Views inside the host (MCP Apps, SEP-1865): offered to clients that declare the extension. Decisions stay on our page. */

/** Name of the extension in the capabilities of a client. */
export const VIEWS_EXTENSION = 'io.modelcontextprotocol/ui';
/** Media type that a client has to declare. */
export const VIEW_MIME = 'text/html;profile=mcp-app';
/** Field of `_meta` of a result that waits: the whole difference, for the view and not for the model. */
export const EFFECT_META = 'throughline/effect';

const VIEW_URI = 'ui://throughline/view.html';

/** Without entries, a host allows no request to anywhere (2026-01-26, "Resource Metadata"). */
const META = { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [] }, prefersBorder: true } };

/** The view in the list of resources. */
export const viewResource: Resource = {
  uri: VIEW_URI,
  name: 'view',
  title: 'Draft or decision',
  description: 'Shows a draft, or what waits for a person, in the host',
  mimeType: VIEW_MIME,
  _meta: META,
};

/** The page of the view; null for another address. */
export function readView(uri: string): ReadResourceResult | null {
  if (uri !== VIEW_URI) return null;
  return { contents: [{ uri, mimeType: VIEW_MIME, text: viewPage, _meta: META }] };
}

/** `_meta` of a tool whose results have a view: those that may wait for a person, and the one that reads drafts. */
export function viewMeta(tool: Tool): { readonly _meta?: { readonly ui: { readonly resourceUri: string } } } {
  const mayWait = tool.policy === 'ask' || tool.asks !== undefined;
  return mayWait || tool.name === 'get_content' ? { _meta: { ui: { resourceUri: VIEW_URI } } } : {};
}
