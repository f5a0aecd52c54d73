import { COMMENT_FORM_CLASS } from '#server/core/site/preview/preview-comments';
import { type DocumentNode, parseOwnDocument, writeOwnDocument } from '#server/markup/parse-html';

/** A page for people who may see nothing else of this server. */
export interface ShareableDocument {
  readonly html: string;
  /** Addresses of the pictures that the page loads, as the page of the site has them: `/media/ast_bcdfgh/a.png`. */
  readonly files: ReadonlySet<string>;
}

interface ShareableOptions {
  /** Where the pictures are served to the readers of this page: `/shared/secret`. */
  readonly filesRoot: string;
  /** Where the style sheet and the fonts are served. */
  readonly themeRoot: string;
  /** Address of the published site without a trailing slash, for links: `/site`, `https://example.org`. */
  readonly siteRoot: string;
}

type ElementNode = Extract<DocumentNode, { tagName: string }>;
type Attribute = ElementNode['attrs'][number];

/** Pictures of the library, and those that are part of this program. */
const PICTURE = /^\/(?:media|images)\//;
/**
 * Rewrites a page of the site, rendered by this server, for readers of a preview link: its pictures are loaded through the
 * link, its links lead to the published site, its forms send nothing, except the one for comments, and it has no scripts.
 */
export function shareableDocument(html: string, options: ShareableOptions): ShareableDocument {
  const files = new Set<string>();
  const document = parseOwnDocument(html);
  adapt(document, options, files);
  return { html: writeOwnDocument(document), files };
}

function adapt(node: DocumentNode, options: ShareableOptions, files: Set<string>): void {
  if ('tagName' in node) adaptElement(node, options, files);
  if (!('childNodes' in node)) return;
  node.childNodes = node.childNodes.filter((child) => !('tagName' in child) || isShared(child));
  for (const child of node.childNodes) adapt(child, options, files);
}

/** False for elements that readers of a link do not get: scripts, other links of the head, and what only forms need. */
function isShared(element: ElementNode): boolean {
  const value = (name: string) => element.attrs.find((attribute) => attribute.name === name)?.value ?? '';
  switch (element.tagName) {
    case 'script':
      return false;
    // Style sheets and fonts are files of the theme. React also writes preloads of pictures, which the page does not need.
    case 'link':
      return value('rel') === 'stylesheet' || (value('rel') === 'preload' && value('as') === 'font');
    // AVIF takes seconds to create, and drafts change often.
    case 'source':
      return value('type') !== 'image/avif';
    case 'input':
      return value('type') !== 'hidden';
    case 'p':
      return value('class') !== 'site-form-trap';
    default:
      return true;
  }
}

function adaptElement(element: ElementNode, options: ShareableOptions, files: Set<string>): void {
  const shared = (address: string) => {
    if (!PICTURE.test(address)) return address;
    files.add(address);
    return `${options.filesRoot}${address}`;
  };
  const set = (name: string, change: (value: string) => string) => {
    const found: Attribute | undefined = element.attrs.find((attribute) => attribute.name === name);
    if (found) found.value = change(found.value);
  };
  switch (element.tagName) {
    case 'img':
    case 'source':
      set('src', shared);
      set('srcset', (list) =>
        list
          .split(', ')
          .map((candidate) => {
            const [address = '', ...size] = candidate.split(' ');
            return [shared(address), ...size].join(' ');
          })
          .join(', '),
      );
      break;
    case 'link':
      set('href', (address) => `${options.themeRoot}${address}`);
      break;
    case 'a':
    case 'area':
      set('href', (address) => siteAddress(address, options.siteRoot));
      break;
    case 'form': {
      const isForComments = element.attrs.some(({ name, value }) => name === 'class' && value === COMMENT_FORM_CLASS);
      element.attrs = element.attrs.filter(({ name }) => !['action', 'enctype', 'method', 'target'].includes(name));
      // Submitting closes a dialog, and does nothing outside one. Comments go to the address of the page.
      element.attrs.push({ name: 'method', value: isForComments ? 'post' : 'dialog' });
      // The fragment shows what happened, where the page itself answers.
      if (isForComments) element.attrs.push({ name: 'action', value: `${options.filesRoot}#comments-title` });
      break;
    }
  }
}

/** An address of the site on the published site; addresses elsewhere, files and anchors stay unchanged. */
function siteAddress(address: string, siteRoot: string): string {
  if (!address.startsWith('/') || address.startsWith('//') || PICTURE.test(address)) return address;
  return address === '/' ? siteRoot : `${siteRoot}${address}`;
}
