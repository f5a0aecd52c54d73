/** Posts live below this segment of the site; it lists them, unless a page has this slug. */
export const POSTS_SEGMENT = 'blog';
