import { type DocumentNode, parseOwnDocument } from '#server/markup/parse-html';

/** An address in a document that this server rendered, in its original spelling. */
export interface AddressUse {
  /** `file`: loaded with the page. `link`: a navigation target. */
  readonly kind: 'file' | 'link';
  readonly address: string;
}

/** Attributes that refer to one file, by element. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  img: ['src'],
  source: ['src'],
  video: ['src', 'poster'],
  audio: ['src'],
};
/** `rel` values of a `link` element that is loaded; with other values it only refers to a location. */
const LOADED = /^(?:stylesheet|icon|apple-touch-icon|preload)$/;

/** Every address in a document that we rendered ourselves, in order, each once. Not for documents by others. */
export function documentAddresses(html: string): AddressUse[] {
  const found = new Map<string, AddressUse>();
  const add = (kind: AddressUse['kind'], address: string | undefined) => {
    if (address !== undefined && address !== '') found.set(`${kind} ${address}`, { kind, address });
  };
  const visit = (node: DocumentNode): void => {
    if ('tagName' in node) {
      const { tagName } = node;
      const value = (name: string) => node.attrs.find((attribute) => attribute.name === name)?.value;
      if (tagName === 'a') add('link', value('href'));
      if (tagName === 'link') add(LOADED.test(value('rel') ?? '') ? 'file' : 'link', value('href'));
      if (tagName === 'meta' && value('property') === 'og:image') add('file', value('content'));
      for (const name of FILES[tagName] ?? []) add('file', value(name));
      for (const candidate of (value('srcset') ?? value('imagesrcset') ?? '').split(','))
        add('file', candidate.trim().split(/\s+/, 1)[0]);
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parseOwnDocument(html));
  return [...found.values()];
}
