import type { RemoteEntry } from '#server/wordpress/client/remote-entry';

/** A published post of a WordPress, without content and without what plugins add; `given` replaces fields. */
export function remoteEntry(given: Partial<RemoteEntry>): RemoteEntry {
  return {
    remoteId: 7,
    type: 'post',
    status: 'publish',
    password: '',
    isSticky: false,
    builder: '',
    seo: null,
    kind: null,
    terms: {},
    addressTemplate: '',
    language: null,
    custom: {},
    title: '',
    titleRaw: '',
    slug: '',
    suggestedSlug: '',
    contentRaw: '',
    excerpt: '',
    excerptRaw: '',
    parentRemoteId: null,
    featuredMedia: null,
    tags: [],
    tagIds: [],
    authorId: 1,
    dateGmt: null,
    modifiedGmt: 0,
    link: '',
    ...given,
  };
}
