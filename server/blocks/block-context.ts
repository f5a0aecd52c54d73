import type { Section, SectionType } from '#server/core/content';

/** Addresses and picture ids of the site that the content belongs to. All functions are pure. */
export interface BlockContext {
  /** An address of our content (`/about`, `/media/...`) as the site writes it. */
  toRemote(href: string): string;
  /** An address of the site's content as ours. */
  toLocal(href: string): string;
  /** The id that the site's library gives a picture, by our address of it; undefined where it is not of the library. */
  mediaId(src: string): number | undefined;
}

/** Addresses stay as they are, and no picture is of a library. */
export const plainContext: BlockContext = {
  toRemote: (href) => href,
  toLocal: (href) => href,
  mediaId: () => undefined,
};

/** A piece of block markup and the section that it is. The `raw` of all segments, joined, is the content byte for byte. */
export interface Segment {
  readonly raw: string;
  readonly type: SectionType;
  readonly fields: Section['fields'];
}

/** The content that pieces of block markup are, byte for byte. */
export function contentOf(pieces: readonly Pick<Segment, 'raw'>[]): string {
  return pieces.map(({ raw }) => raw).join('');
}

/** A segment, and the id of our section for it. */
export interface KnownSegment extends Segment {
  readonly sectionId: string;
}
